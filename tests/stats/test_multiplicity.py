"""Corrections for several tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import adjusted

CASE = json.loads(Path(__file__).with_name("other_programs.json").read_text(encoding="utf-8"))[
    "multiplicity"
]
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@pytest.mark.parametrize("method", ["holm", "bonferroni", "benjamini-hochberg"])
def test_the_correction_is_that_of_statsmodels(method):
    assert adjusted(CASE["p"], method) == pytest.approx(CASE["values"][method])


def test_holm_by_hand():
    """Sorted .01 .02 .03: times 3, 2, 1 gives .03 .04 .03, and no later one may be smaller."""
    assert adjusted([0.02, 0.01, 0.03], "holm") == pytest.approx([0.04, 0.03, 0.04])


def test_without_correction_nothing_changes():
    assert adjusted([0.02, 0.5], "none") == (0.02, 0.5)


def test_an_undefined_p_value_stays_so_and_does_not_count():
    assert adjusted([0.02, None, 0.03], "bonferroni") == pytest.approx((0.04, None, 0.06))


def test_nothing_corrected_is_nothing():
    assert adjusted([], "holm") == ()


@given(PROBABILITIES)
def test_holm_never_helps_and_never_hurts_more_than_bonferroni(p):
    pairs = zip(p, adjusted(p, "holm"), adjusted(p, "bonferroni"), strict=True)
    assert all(raw <= holm <= bonferroni for raw, holm, bonferroni in pairs)
