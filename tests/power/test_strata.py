"""Variances from mean squares, beside the analysis of variance and a numerical optimiser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from rejudge.power.strata import Stratum, fit_variances

REST, ITEM, PERSON = (1.0, 0.0, 0.0), (1.0, 4.0, 0.0), (1.0, 0.0, 20.0)
BLOCK = (1.0, 4.0, 20.0)


def stratum(squares, df, weights=()):
    return Stratum(np.atleast_1d(np.asarray(squares, dtype=float)), df, weights)


def crossed(rest, item, person):
    """Everybody judges everything: 4 participants and 20 items."""
    strata = (rest, item, person)
    weighted = zip(strata, (REST, ITEM, PERSON), strict=True)
    return fit_variances([replace(each, weights=row) for each, row in weighted], BLOCK, people=2)


def test_variances_above_0_are_those_of_the_analysis_of_variance():
    """λ(items) + λ(people) − λ(rest), with the df of Satterthwaite (1946)."""
    found = crossed(stratum(57, 57), stratum(57, 19), stratum(15, 3))
    assert found.value[0] == pytest.approx(3 + 5 - 1)
    assert found.df[0] == pytest.approx(49 / (9 / 19 + 25 / 3 + 1 / 57))
    assert found.has_people[0]


def test_a_variance_that_would_be_negative_is_0_and_its_stratum_joins_the_residual():
    found = crossed(stratum(60, 60), stratum(60, 20), stratum(1.5, 3))
    residual = (60 + 1.5) / 63
    assert found.value[0] == pytest.approx(3.0)
    assert found.df[0] == pytest.approx(20)
    assert not found.has_people[0]
    assert residual < 3


def test_with_both_variances_at_0_everything_is_residual():
    found = crossed(stratum(60, 60), stratum(10, 20), stratum(1.5, 3))
    assert found.value[0] == pytest.approx(71.5 / 83)
    assert found.df[0] == pytest.approx(83)


def test_the_limit_of_df_holds_only_where_participants_seem_not_to_vary():
    fits = crossed(stratum([57, 60], 57), stratum([57, 60], 19), stratum([15, 1], 3))
    limited = fits.limit_df(5)
    assert limited.df[0] == fits.df[0]
    assert limited.df[1] == 5


def test_without_a_residual_nothing_is_estimated():
    found = crossed(stratum(0, 57), stratum(57, 19), stratum(15, 3))
    assert np.isnan(found.value[0])
    assert np.isnan(found.df[0])
    nothing = crossed(stratum(0, 57), stratum(0, 19), stratum(0, 3))
    assert np.isnan(nothing.value[0])


RNG = np.random.default_rng(4)
SQUARES = RNG.gamma(2, 10, (40, 4))


def test_no_other_variances_are_more_likely_than_those_found():
    df, weights = np.array([36, 16, 8, 4]), np.array([REST, ITEM, PERSON, BLOCK])
    strata = [stratum(SQUARES[:6, k], int(df[k]), tuple(weights[k])) for k in range(4)]
    found = fit_variances(strata, BLOCK, people=2)

    def best(squares: np.ndarray) -> float:
        def criterion(theta: np.ndarray) -> float:
            expected = weights @ theta
            return float(df @ np.log(expected) + squares @ (1 / expected))

        bounds = [(1e-9, None), (0, None), (0, None)]
        starts = ([1, 1, 1], [5, 0.1, 0.1], [0.5, 0.01, 2])
        fits = [minimize(criterion, s, bounds=bounds, method="L-BFGS-B", tol=1e-14) for s in starts]
        return weights[3] @ min(fits, key=lambda fit: fit.fun).x

    expected = [best(row) for row in SQUARES[:6]]
    assert found.value == pytest.approx(expected, rel=2e-3)
