"""Stacked nests solved exactly."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats.mixed.exact import positive_inverse


def test_a_large_matrix_is_inverted_whole():
    """Beyond one strip of the cache; the inverse of I + a 1 1ᵀ is I − a / (1 + a n) 1 1ᵀ."""
    n, a = 300, 0.5
    log_determinant, inverse = positive_inverse(np.eye(n) + a)
    assert log_determinant == pytest.approx(np.log(1 + a * n))
    assert inverse == pytest.approx(np.eye(n) - a / (1 + a * n), abs=1e-12)
