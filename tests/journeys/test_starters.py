"""Every folder that `rejudge new` offers is taken all the way, as a newcomer would."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from quick_sites import quick_sites  # noqa: F401 - used by all tests here
from rejudge.cli import main
from rejudge.starters.folders import KINDS, LIKES

STARTERS = [("--kind", name) for name in KINDS] + [("--like", name) for name in LIKES]
STEPS = ("check", "plan", "freeze", "simulate", "analyse", "report")


@pytest.mark.slow
@pytest.mark.parametrize(("option", "name"), STARTERS, ids=[name for _, name in STARTERS])
def test_a_starter_goes_from_new_to_its_report(option, name, tmp_path):
    folder = tmp_path / "study"
    said = {}
    for words in (["new", str(folder), option, name], *([step, str(folder)] for step in STEPS)):
        result = CliRunner().invoke(main, [*words, "--json"])
        assert result.exit_code == 0, f"{words[0]}: {result.output}"
        said[words[0]] = json.loads(result.output)
    assert [each["code"] for each in said["check"]["findings"]] == ["R411"]  # an example contact
    assert said["plan"]["is_even"]
    assert (folder / "report" / "index.html").stat().st_size > 10_000
