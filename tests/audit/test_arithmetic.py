"""Sums, differences, ratios and durations: what real numbers give is accepted."""

from __future__ import annotations

from decimal import ROUND_DOWN

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from audited import HALVES, PLACES, errors_of, printed, whole
from property_settings import examples


@settings(max_examples=examples(150))
@given(st.lists(st.floats(-50, 50), min_size=2, max_size=8), PLACES, PLACES, HALVES)
def test_sums_differences_averages_and_ratios_of_rounded_numbers_have_no_error(
    values, decimals, fewer, halves
):
    parts = [printed(each, decimals, halves) for each in values]
    first, second = values[:2]
    entries = [
        {"kind": "sum", "parts": parts, "total": printed(sum(values), fewer, halves)},
        {"kind": "average", "parts": parts, "average": printed(np.mean(values), fewer, halves)},
        {"kind": "difference", "first": parts[0], "second": parts[1], "absolute": True,
         "difference": printed(abs(first - second), fewer, halves)},
        {"kind": "product", "factors": parts[:2],
         "product": printed(first * second, fewer, halves)},
        {"kind": "ratio", "part": parts[0], "whole": printed(60 + second, decimals, halves),
         "times": 100, "ratio": printed(100 * first / (60 + second), fewer, halves)},
        {"kind": "same", "values": [parts[0], printed(first, fewer, halves)]},
    ]  # fmt: skip
    assert errors_of(whole({"arithmetic": [{"what": "numbers", **each} for each in entries]})) == []


@settings(max_examples=examples(100))
@given(st.lists(st.floats(0, 3000), min_size=2, max_size=30), st.integers(0, 2))
def test_rows_of_real_durations_have_no_error(minutes, decimals):
    row = {
        "who": "somebody", "n": len(minutes), "low": printed(min(minutes), decimals),
        "high": printed(max(minutes), decimals), "mean": printed(np.mean(minutes), decimals),
        "median": printed(np.median(minutes), decimals),
        "sd": printed(np.std(minutes, ddof=1), decimals), "total": printed(sum(minutes), decimals),
    }  # fmt: skip
    entry = {"kind": "durations", "what": "times", "unit": "minutes", "rows": [row]}
    assert errors_of(whole({"arithmetic": [entry]})) == []


def test_numbers_that_were_cut_off_in_place_of_rounded_are_found():
    """2.349 cut off is 2.34, the difference to 1.000 then 1.34 and not 1.35: the property above
    would not hold for any way of printing."""
    cut = printed(2.3499, 2, ROUND_DOWN)
    entry = {"kind": "same", "what": "one number", "values": [cut, "2.350"]}
    assert [code for code, _ in errors_of(whole({"arithmetic": [entry]}))] == ["A406"]
