"""The tables of a comparison."""

from __future__ import annotations

from dataclasses import replace

import pytest

import rejudge as rj
from fluency_runs import FIRST, ORIGINAL, printed
from rejudge.compare.compare import compare
from rejudge.compare.comparison import ClaimVerdict
from rejudge.layout.table import to_csv, to_markdown
from rejudge.tables.comparison import comparison_tables, digits_for, score_text


def test_scores_come_with_the_sd_of_each_run_and_the_difference_from_the_original():
    """August et al. (2022) and its first reproduction, as printed."""
    found = compare(printed("original", ORIGINAL), printed("first", FIRST))
    (sheet,) = [each for each in comparison_tables(found) if each.name == "scores-fluency"]
    names = [column.name for column in sheet.columns]
    assert names[1:6] == ["original", "first", "SD original", "SD first", "Δ first"]
    row = next(row for row in sheet.rows if row[0] == "svm")
    (one, sd), (two, other) = ORIGINAL["svm"], FIRST["svm"]
    assert row[1:6] == pytest.approx((one, two, sd, other, two - one))


def test_claims_have_true_minus_signs_in_print_and_plain_numbers_for_programs():
    found = compare(printed("original", ORIGINAL), printed("first", FIRST))
    verdict = ClaimVerdict("c", "svm best on q", "", "first", "supported", "svm 3, dropper -12.5")
    claims = replace(found, claims=(verdict,))
    (sheet,) = [each for each in comparison_tables(claims) if each.name == "claims"]
    assert "dropper −12.5" in to_markdown(sheet)
    assert "dropper -12.5" in to_csv(sheet)


@pytest.fixture(scope="module")
def cases():
    names = ("lin-2022", "ito-2023")
    return compare(*(rj.run_of_paper(rj.open_paper(name)) for name in names))


def test_each_case_has_one_row_with_r_a_and_f1(cases):
    """Ito et al. (2023), table 2."""
    (sheet,) = [each for each in comparison_tables(cases) if each.name == "matching"]
    programs = sheet.rendering("csv")
    rows = [
        (case, *(round(number, 2) for number in numbers))
        for case, *numbers in programs.keep("case", "r", "A", "F1").rows
    ]
    assert rows == [
        ("case-1", 0.90, 0.75, 0.25),
        ("case-2", 0.89, 0.69, 0.29),
        ("case-3", 0.90, 0.56, 0.25),
        ("case-4", 0.89, 0.62, 0.25),
    ]


@pytest.mark.parametrize("name", ["hosking-2021 steen-2025", "lin-2022 ito-2023"])
def test_tables_for_papers_have_at_most_eight_columns_and_one_line_of_caption(name):
    found = compare(*(rj.run_of_paper(rj.open_paper(each)) for each in name.split()))
    sheets = [each.rendering("print") for each in comparison_tables(found)]
    wide = {each.name: len(each.columns) for each in sheets if len(each.columns) > 8}
    assert {name for name in wide if not name.startswith("scores-")} == set()
    assert {each.name for each in sheets if len(each.caption) > 100} == set()


@pytest.mark.parametrize(
    ("largest", "digits"), [(0.58, 2), (58.1, 2), (580, 1), (5800, 0), (0.05, 3), (3e-5, 6), (0, 2)]
)
def test_numbers_have_as_many_decimals_as_their_size_asks_for(largest, digits):
    assert digits_for(largest) == digits


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.061, "−0.06"), (-0.001, "0.00"), (1234.5, "1,234.50"), (2.5e9, "2.5e+09")],
)
def test_numbers_are_written_with_a_true_minus_and_never_as_minus_nothing(value, text):
    assert score_text(value) == text
