"""The questions of both versions, counted as the forms have them."""

from __future__ import annotations

from collections import Counter

import pytest

from heds_files import as_bytes, entry
from rejudge.errors import DataError
from rejudge.heds.schema import schema
from rejudge.heds.sheet import blank_sheet, read


@pytest.mark.parametrize(
    ("version", "keys", "kinds", "per_criterion", "options"),
    [
        ("2.x", 565, {"text": 35, "single": 18, "multi": 8, "integer": 1}, 20, 502),
        ("3.0", 569, {"text": 34, "single": 19, "multi": 8, "integer": 1}, 21, 506),
    ],
)
def test_each_version_has_the_questions_of_its_form(version, keys, kinds, per_criterion, options):
    questions = schema(version).questions
    assert len(schema(version).storage_ids) == keys
    assert Counter(question.kind for question in questions) == kinds
    assert sum(question.per_criterion for question in questions) == per_criterion
    assert sum(len(question.options) for question in questions) == options


def test_the_classes_of_filling_are_those_of_the_specification():
    fills = Counter(question.fill for question in schema("3.0").questions)
    assert fills == {"auto": 24, "draft": 14, "once": 12, "human": 12}


def test_an_unknown_question_is_answered_with_the_known_ones():
    with pytest.raises(DataError, match=r"no question '9\.9'.*1\.1\.1"):
        schema("3.0").question("9.9")


def test_an_unknown_version_is_refused():
    with pytest.raises(DataError, match="Known versions"):
        schema("4.0")


@pytest.mark.parametrize(("version", "name"), [("2.x", "questions_2x"), ("3.0", "questions_3")])
def test_ids_options_and_flags_are_those_of_the_official_form(facts, version, name):
    ours = [
        (
            each.number, each.id, each.kind, each.multiline, each.per_criterion, each.absent,
            [(option.value, option.needs_text, option.exclusive) for option in each.options],
        )
        for each in schema(version).questions
    ]  # fmt: skip
    theirs = [
        (
            each["number"], each["id"], each["type"], each.get("multiline", False),
            each["per_criterion"], each.get("absent_value"),
            [
                (option["value"], "needs_text" in option, "exclusive_none" in option)
                for option in each.get("options", [])
            ],
        )
        for each in facts(name)["questions"]
    ]  # fmt: skip
    assert ours == theirs


_LINK = "heds-paper_and_resources-paper-link"
_TEXT = "heds-paper_and_resources-paper-experiment_identification"
_NAME = "heds-criteria-criterion-response_elicitation-qc_name-mapped_criterion_name"


@pytest.mark.parametrize(
    ("entries", "version", "is_mixed"),
    [
        ({}, "2.x", False),
        ({_LINK: entry("https://example.org")}, "2.x", False),
        ({_TEXT: entry("One.")}, "2.x", False),
        ({_TEXT: entry("One.", number="1.1.2")}, "3.0", False),
        ({_NAME: entry("Fluency")}, "3.0", False),
        ({_TEXT: entry("One.", number="1.1.2"), _LINK: entry("x")}, "3.0", True),
        ({"x-rejudge": {"heds_version": "3.0"}}, "3.0", False),
        ({"x-rejudge": {"heds_version": "9.9"}, _TEXT: entry("")}, "2.x", False),
    ],
)
def test_the_version_is_recognised(entries, version, is_mixed):
    sheet = read(as_bytes(entries))
    assert (sheet.version, sheet.is_mixed) == (version, is_mixed)


@pytest.mark.parametrize("version", ["2.x", "3.0"])
def test_a_blank_sheet_is_recognised(version):
    sheet = read(blank_sheet(version).write())
    assert (sheet.version, sheet.is_mixed) == (version, False)


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("arvan_2025_0744-02", "2.x"),
        ("miltenburg_2023_defcomplex_a", "2.x"),
        ("form3_blank_export", "3.0"),
        ("form3_converted_arvan_2025_0744-02", "3.0"),
    ],
)
def test_real_files_are_recognised(card, name, version):
    sheet = read(card(name))
    assert (sheet.version, sheet.is_mixed) == (version, False)
