"""rejudge schema: the JSON Schema of study.yaml, for editors."""

from __future__ import annotations

import json

from rejudge.study.schema import schema
from served import run


def test_it_prints_the_schema_of_a_study_and_nothing_else():
    result = run("schema")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == schema()


def test_json_is_accepted_and_changes_nothing():
    assert run("schema", "--json").stdout == run("schema").stdout
