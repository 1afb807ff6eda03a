"""The tables of a comparison."""

from __future__ import annotations

import pytest

from fluency_runs import FIRST, ORIGINAL, printed
from rejudge.compare import compare
from rejudge.tables import comparison_tables


def test_scores_come_with_the_sd_of_each_run_and_the_difference_from_the_original():
    """August et al. (2022) and its first reproduction, as printed."""
    found = compare(printed("original", ORIGINAL), printed("first", FIRST))
    (sheet,) = [each for each in comparison_tables(found) if each.name == "scores-fluency"]
    names = [column.name for column in sheet.columns]
    assert names[1:6] == ["original", "first", "SD original", "SD first", "Δ first"]
    row = next(row for row in sheet.rows if row[0] == "svm")
    (one, sd), (two, other) = ORIGINAL["svm"], FIRST["svm"]
    assert row[1:6] == pytest.approx((one, two, sd, other, two - one))
