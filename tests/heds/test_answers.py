"""Value, absent or blank: what counts as which."""

from __future__ import annotations

import pytest

from rejudge.heds.schema import schema
from rejudge.heds.sheet import SheetAnswer, answer_hash, blank_sheet, says_absent


@pytest.mark.parametrize(
    "text",
    ["N/A", "NA", "n/a", "N/A. ", "N/A ", "-", "None", "No", "no.", "N/A: one evaluator only"],
)
def test_the_usual_marks_say_absent(text):
    assert says_absent(schema("3.0").question("3.3.8"), text, ())


@pytest.mark.parametrize("text", ["Nobody", "Not sure", "no payment was made", "NAACL", "0", ""])
def test_other_texts_do_not(text):
    assert not says_absent(schema("3.0").question("3.3.8"), text, ())


@pytest.mark.parametrize("version", ["2.x", "3.0"])
def test_the_marks_of_either_version_are_understood_in_both(version):
    question = schema(version).question("4.3.11.2")
    assert says_absent(question, "InterAA not assessed", ())
    assert says_absent(question, "N/A", ())


def test_an_option_for_not_applicable_says_absent():
    sheet = blank_sheet("3.0").with_answer("2.4", SheetAnswer("No language.", (1,)))
    assert sheet.answer("2.4").state == "absent"


def test_states_follow_from_what_is_there():
    assert SheetAnswer().state == "blank"
    assert SheetAnswer("  ").state == "blank"
    assert SheetAnswer("x").state == SheetAnswer(options=(1,)).state == "value"
    assert SheetAnswer(is_absent=True).state == "absent"


def test_the_hash_does_not_depend_on_the_order_of_options():
    assert answer_hash(SheetAnswer(options=(2, 1))) == answer_hash(SheetAnswer(options=(1, 2)))
    assert answer_hash(SheetAnswer("1")) != answer_hash(SheetAnswer(options=(1,)))
