"""The tables of a comparison."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fluency_runs import FIRST, ORIGINAL, printed
from rejudge.compare.compare import compare
from rejudge.compare.comparison import ClaimVerdict
from rejudge.layout.table import to_csv, to_markdown
from rejudge.tables.comparison import comparison_tables


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
