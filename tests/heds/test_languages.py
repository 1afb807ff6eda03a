"""Language tags and the options of the form."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from rejudge.heds.schema import language_option, schema

SPOT_CHECKS = [
    ("en", "English"),
    ("pt-BR", "Portuguese"),
    ("zh-Hant", "Chinese"),
    ("cmn", "Chinese"),
    ("de", "German"),
    ("zu", "Zulu"),
    ("ab", "Abkhazian"),
    ("no", "Norwegian"),
    ("nb", "Norwegian Bokmål"),
    ("AR", "Arabic"),
    ("ka", "Georgian"),
]


@pytest.mark.parametrize(("tag", "name"), SPOT_CHECKS)
def test_a_tag_finds_its_language_in_both_versions(tag, name):
    for version in ("2.x", "3.0"):
        option = language_option(schema(version).question("2.4"), tag)
        assert option is not None
        assert option.name == name


def test_every_language_of_the_form_has_one_code():
    codes = json.loads(
        resources.files("rejudge.heds").joinpath("languages.json").read_text("utf-8")
    )
    question = schema("3.0").question("2.5")
    assert len({language_option(question, code) for code in codes} - {None}) == 183


@pytest.mark.parametrize("tag", ["tlh", "x", "qaa", ""])
def test_a_language_that_the_form_lacks_is_not_guessed(tag):
    assert language_option(schema("3.0").question("2.4"), tag) is None
