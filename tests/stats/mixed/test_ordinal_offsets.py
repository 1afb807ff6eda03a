"""Random offsets of ordinal judgments in large tables."""

from __future__ import annotations

import pytest
from mixed_examples import (
    rated_by_a_crowd,
)

from rejudge.stats import (
    ordinal_mixed,
)
from rejudge.stats.mixed import ordinal_offsets


def test_large_tables_are_solved_as_small_ones_are(monkeypatch):
    """Sparse tables in strips of a few rows, instead of dense ones as a whole."""
    plain = ordinal_mixed(*rated_by_a_crowd())
    for name, value in {"_SMALL": 0, "_SPARSE": 0, "_MOST_CELLS": 500}.items():
        monkeypatch.setattr(ordinal_offsets, name, value)
    large = ordinal_mixed(*rated_by_a_crowd())
    assert large.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)
    for before, after in zip(plain.coefficients, large.coefficients, strict=True):
        assert after.value == pytest.approx(before.value, rel=1e-6)
        assert after.standard_error == pytest.approx(before.standard_error, rel=1e-5)
