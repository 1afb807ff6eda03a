"""Printed contingency tables in paper.yaml, and what is wrong with them."""

from __future__ import annotations

import pytest

from rejudge.errors import StudyError
from rejudge.paper.paper_file import parse

PAPER = """\
id: second
reference: {authors: Doe, year: 2024, title: Once more}
systems: [{id: a}, {id: b}]
criteria: [{id: q, scale: {kind: rating, low: 1, high: 3, points: 3}}]
contingency:
  - criterion: q
    rows: first
    columns: second
    labels: [1, 2, 3]
    level: ordinal
    counts:
      - [10, 2, 0]
      - [1, "1,012", 3]
      - [0, 4, 9]
    row_totals: [12, 1016, 13]
    column_totals: [11, 1018, 12]
    total: 1041
    coefficients:
      - {coefficient: cohen-kappa, value: 0.70}
      - {coefficient: percent, value: 99.0 %}
    place: Table 2
"""


def problem_of(before, after):
    assert PAPER.count(before) == 1
    with pytest.raises(StudyError) as raised:
        parse(PAPER.replace(before, after), file="p.yaml")
    (problem,) = raised.value.problems
    assert problem.remedy
    return problem


def test_a_table_is_read_as_printed():
    (table,) = parse(PAPER).contingency
    assert table.labels == ("1", "2", "3")
    assert table.values == (1.0, 2.0, 3.0)
    assert table.counts == ((10, 2, 0), (1, 1012, 3), (0, 4, 9))
    assert [each.value.text for each in table.coefficients] == ["0.70", "99.0"]


def test_labels_in_other_scripts_are_kept():
    text = PAPER.replace("[1, 2, 3]", "[плохо, так себе, 良い]")
    (table,) = parse(text).contingency
    assert table.labels == ("плохо", "так себе", "良い")
    assert table.values is None


def test_totals_that_do_not_add_up_are_kept_for_the_audit():
    (table,) = parse(PAPER.replace("total: 1041", "total: 1040")).contingency
    assert table.total == 1040


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("- [10, 2, 0]", "- [10, 2]", 12, "there are 3 labels, but 2 counts in this row"),
        ("      - [0, 4, 9]\n", "", 11, "there are 3 labels, but 2 rows"),
        ("[12, 1016, 13]", "[12, 1016]", 15, "there are 3 labels, but 2 row totals"),
        ("[11, 1018, 12]", "[11]", 16, "there are 3 labels, but 1 column totals"),
        ("- [10, 2, 0]", "- [10, -2, 0]", 12, "'counts' is -2"),
        ("- [10, 2, 0]", "- [10, 2.5, 0]", 12, "whole number"),
        ("[1, 2, 3]", "[1, 2, 2]", 9, "the label '2' is given twice"),
        ("[1, 2, 3]", "[yes, 'no', 3]", 9, "true or false"),
        ("columns: second", "columns: first", 8, "rows and columns are both 'first'"),
        ("- criterion: q", "- criterion: z", 6, "there is no criterion 'z'"),
        ("coefficient: percent", "coefficient: cohen-kappa", 20, "cohen-kappa is given twice"),
    ],
)
def test_a_fault_is_reported_with_its_line_and_a_remedy(before, after, line, said):
    problem = problem_of(before, after)
    assert said in problem.what
    assert problem.line == line


def test_interval_labels_are_numbers():
    text = PAPER.replace("level: ordinal", "level: interval")
    assert parse(text).contingency[0].level == "interval"
    with pytest.raises(StudyError, match="labels of an interval scale must be numbers"):
        parse(text.replace("[1, 2, 3]", "[low, mid, high]"))
    with pytest.raises(StudyError, match="is given twice"):
        parse(text.replace("[1, 2, 3]", '[1, "1.0", 3]'))


def test_nominal_labels_have_no_weighted_kappa():
    text = PAPER.replace("level: ordinal", "level: nominal")
    with pytest.raises(StudyError, match="nominal labels have no cohen-kappa-linear"):
        parse(text.replace("coefficient: cohen-kappa", "coefficient: cohen-kappa-linear"))


def test_the_same_table_is_not_given_twice_even_turned_round():
    table = PAPER.partition("contingency:\n")[2]
    turned = table.replace("rows: first", "rows: second").replace(
        "columns: second", "columns: first"
    )
    with pytest.raises(StudyError, match="the table of first and second on q is given twice"):
        parse(PAPER + turned)
