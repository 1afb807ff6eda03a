"""What differs between two sheets, and how much it matters."""

from __future__ import annotations

import pytest

from heds_files import filled_sheet
from rejudge.errors import DataError, FileError
from rejudge.heds.convert import convert
from rejudge.heds.diff import (
    SheetDiff,
    are_equal,
    diff,
    difference_class,
    difference_table,
    number_ratio,
    read_reasons,
)
from rejudge.heds.schema import schema
from rejudge.heds.sheet import SheetAnswer, add_criterion, blank_sheet, read, says_absent
from rejudge.layout.table import to_csv, to_markdown


def test_two_saves_of_one_sheet_differ_in_one_answer(card):
    names = ("miltenburg_2023_defcomplex_a", "miltenburg_2023_defcomplex_b")
    found = diff(*(read(card(name)) for name in names))
    assert [(each.question, each.group) for each in found.differences] == [("5.1", "expected")]
    assert found.compared == 61
    assert found.deviations == ()


def test_a_sheet_and_its_conversion_do_not_differ(card):
    sheet = read(card("arvan_2025_0744-02"))
    found = diff(sheet, read(card("form3_converted_arvan_2025_0744-02")))
    assert found.differences == ()
    assert diff(sheet, sheet).equal == found.equal == 61


def test_two_studies_differ_in_what_they_measure(card):
    """Which of the 25 choices differ was counted by hand in the two files."""
    one, two = read(card("arvan_2025_0744-02")), read(card("miltenburg_2023_defcomplex_a"))
    found = diff(one, two, criteria={"Fluency": "Meaning"})
    choices = {each.number for each in schema("3.0").questions if each.is_choice}
    differing = [
        each.question
        for each in found.deviations
        if each.question in choices and "explanations" not in each.note
    ]
    assert differing == [
        *("2.1", "2.2", "2.3", "3.2.2.3", "3.2.2.4", "3.3.3.1", "3.3.5"),
        *("4.1.1", "4.1.2", "4.1.3", "4.2.2", "4.3.8"),
    ]


@pytest.mark.parametrize(
    ("number", "group"),
    [
        *((number, "expected") for number in ("1.1.1", "3.1.3.2", "3.3.1", "4.3.11.2", "5.1")),
        *((number, "measurement") for number in ("2.4", "4.1.3", "4.3.1.1", "4.3.8")),
        *((number, "sample") for number in ("3.1.1", "3.2.2.4", "3.2.5")),
        *((number, "procedure") for number in ("3.2.3", "3.3.2", "3.3.4.2")),
        *((number, "analysis") for number in ("4.3.9", "4.3.11.1", "4.3.12.1")),
    ],
)
def test_each_question_has_its_class(number, group):
    assert difference_class(number) == group


def test_a_blank_answer_is_unknown_and_no_difference():
    found = diff(filled_sheet("3.0", "Fluency"), blank_sheet("3.0"))
    assert found.compared == 0
    assert found.only_original == ("Fluency",)
    assert "3.2.1" in found.unanswered


def test_a_difference_of_counts_is_noted_as_a_ratio():
    one = filled_sheet("3.0").with_answer("3.2.1", "24")
    (found,) = diff(one, one.with_answer("3.2.1", "12")).differences
    assert found.note == "0.5 times the original."


def test_criteria_are_matched_by_name_case_and_standard_name():
    one = blank_sheet("3.0")
    for name in ("Fluency", "Adequacy", "Style"):
        one = add_criterion(one, name)
    two = blank_sheet("3.0")
    for name in ("adequacy", "Fluency", "Form"):
        two = add_criterion(two, name)
    one = one.with_answer("4.3.1.2", "Quality of Surface Form", criterion="Style")
    two = two.with_answer("4.3.1.2", "quality of surface form", criterion="Form")
    found = diff(one, two)
    assert found.criteria == {"Fluency": "Fluency", "Adequacy": "adequacy", "Style": "Form"}


def test_criteria_can_be_matched_by_hand():
    one, two = filled_sheet("3.0", "Meaning"), filled_sheet("2.x", "Adequacy")
    assert diff(one, two).criteria == {}
    assert diff(one, two, criteria={"Adequacy": "Meaning"}).criteria == {"Meaning": "Adequacy"}
    with pytest.raises(DataError, match=r"second sheet has no criterion 'Style'.*Adequacy"):
        diff(one, two, criteria={"Style": "Meaning"})


def test_reasons_are_kept():
    one = filled_sheet("3.0").with_answer("4.3.7", "How good?", criterion="Fluency")
    two = one.with_answer("4.3.7", "How bad?", criterion="Fluency")
    (found,) = diff(one, two, reasons={("4.3.7", "Fluency"): "Misprint."}).differences
    assert found.reason == "Misprint."


def test_a_sheet_of_the_older_form_equals_its_conversion():
    sheet = filled_sheet("2.x", "Fluency").with_answer("3.1.2", SheetAnswer(options=(3,)))
    assert diff(sheet, convert(sheet).sheet).differences == ()


def _equal(number: str, one: str, two: str) -> bool:
    question = schema("3.0").question(number)
    answers = (SheetAnswer(text, is_absent=says_absent(question, text, ())) for text in (one, two))
    return are_equal(question, *answers)


@pytest.mark.parametrize(
    ("number", "one", "two"),
    [
        ("3.3.8", "N/A", "none."),
        ("4.3.11.2", "N/A", "InterAA not assessed"),
        ("3.1.1", "100", "100 outputs of each system"),
        ("3.1.1", "1,000", "1000"),
        ("3.1.1", "1 000 items", "1.000"),
        ("3.2.1", "24", "24 "),
        ("4.3.11.2", "0.32", ".320"),
        ("4.3.3", "5", "5 points"),
        ("4.3.4", "1, 2, 3, 4, 5", "1-5"),
        ("4.3.4", "1 (bad), 2, 3 (good)", "1,2,3"),
        ("4.3.4", "[0, 100]", "0 to 100"),
        ("4.3.7", "How “good” is it?", 'how "good"  is it?'),
        ("1.1.2", "Section 5.", "section 5"),
    ],
)
def test_these_say_the_same(number, one, two):
    assert _equal(number, one, two)
    assert _equal(number, two, one)


@pytest.mark.parametrize(
    ("number", "one", "two"),
    [
        ("3.3.8", "N/A", "Devices vary."),
        ("3.1.1", "240", "361 outputs"),
        ("4.3.11.2", "0.32", "0.09"),
        ("4.3.4", "1-5", "1-7"),
        ("4.3.4", "1 (bad), 2 (good)", "1 (good), 2 (bad)"),
        ("4.3.7", "How good is it?", "How bad is it?"),
        ("4.3.11.2", "about half", "0.5"),
    ],
)
def test_these_do_not(number, one, two):
    assert not _equal(number, one, two)
    assert not _equal(number, two, one)


def test_options_are_compared_as_sets_and_explanations_as_texts():
    question = schema("3.0").question("2.3")
    assert are_equal(question, SheetAnswer(options=(1, 2)), SheetAnswer(options=(2, 1)))
    assert not are_equal(question, SheetAnswer(options=(1,)), SheetAnswer(options=(1, 2)))
    assert not are_equal(question, SheetAnswer("Poems", (20,)), SheetAnswer("Jokes", (20,)))


def test_the_ratio_of_counts():
    question = schema("3.0").question("3.2.1")
    assert number_ratio(question, "20", "30") == 1.5
    assert number_ratio(question, "0", "30") is None
    assert number_ratio(question, "some", "30") is None
    assert number_ratio(schema("3.0").question("4.3.3"), "5", "7") is None


def _found() -> SheetDiff:
    one = filled_sheet("3.0").with_answer("1.3.1.1", "Ada")
    two = one.with_answer("3.2.1", "9").with_answer("1.3.1.1", "=Bo")
    return diff(
        one.with_answer("3.2.1", "8"), two.with_answer("4.3.7", "Good?", criterion="Fluency")
    )


def test_reasons_in_the_table_are_read_back():
    text = to_csv(difference_table(_found()))
    head, *lines = text.splitlines()
    edited = [f"{line}Fewer “volunteered”." if line.startswith("3.2.1") else line for line in lines]
    reasons = read_reasons("\n".join([head, *edited]).encode("utf-8-sig"), file="x.csv")
    assert reasons == {("3.2.1", ""): "Fewer “volunteered”."}


def test_a_reason_for_what_no_longer_differs_is_not_lost():
    table = difference_table(_found(), {("2.1", ""): "Other data."})
    assert read_reasons(to_csv(table).encode(), file="x") == {("2.1", ""): "Other data."}
    assert "Other data." not in to_markdown(table)


def test_papers_print_deviations_only():
    assert "Ada" in to_csv(difference_table(_found()))
    printed = to_markdown(difference_table(_found()))
    assert "Ada" not in printed
    assert "3.2.1 Number of evaluators" in printed
    assert "4.3.7 Question asked (Fluency)" in printed


def test_no_cell_is_a_formula():
    assert ",'=Bo," in to_csv(difference_table(_found()))


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe", b"question,criterion\n"])
def test_another_table_is_refused(content):
    with pytest.raises(FileError, match="not a table of differences"):
        read_reasons(content, file="heds-diff.csv")


def test_rows_that_were_cut_short_are_passed_over():
    assert read_reasons(b"question,criterion,reason\n3.2.1\n", file="x") == {}
