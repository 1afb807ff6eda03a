"""How surely two printed scores lie apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.stats import (
    Comparisons,
    Interval,
    Summary,
    cohen_d_with_error,
    difference_variance,
    implied_error,
    normal_interval,
    relative_preference,
    score_difference,
    win_sd,
)


def test_the_sd_of_wins_follows_from_their_mean():
    """Three wins and one loss: mean ½, SD √(1 − ¼)."""
    assert win_sd(0.5) == pytest.approx(np.std([1, 1, 1, -1]))
    assert (win_sd(1.0), win_sd(0.0)) == (0.0, 1.0)


def test_a_mean_of_wins_lies_on_its_scale():
    with pytest.raises(DataError, match="Bring the score onto that scale"):
        win_sd(58)


@given(st.floats(-10, 10), st.floats(0.01, 5), st.floats(0.5, 0.999))
def test_an_interval_shows_the_error_that_it_was_made_with(value, error, level):
    found = normal_interval(value, error, level=level)
    assert implied_error(found) == pytest.approx(error)
    assert (found.low + found.high) / 2 == pytest.approx(value)


def test_a_wellknown_interval():
    assert implied_error(Interval(-1.959964, 1.959964, 0.95)) == pytest.approx(1.0)


def test_the_errors_of_independent_scores_add_up():
    assert difference_variance(0.3, 0.4) == pytest.approx(0.25)


def test_two_rivals_are_each_others_mirror():
    """Of two systems one score is the other's negative: the variance is (2 s)²."""
    assert difference_variance(0.3, 0.3, rivals=2) == pytest.approx(0.36)
    with pytest.raises(DataError, match="two systems or more"):
        difference_variance(0.3, 0.3, rivals=1)


def drawn(per_pair, rng):
    """Four equal systems, every pair compared as often by people who toss a coin."""
    pairs = [(one, two) for one in range(4) for two in range(one + 1, 4)]
    first, second = np.repeat(pairs, per_pair, axis=0).T
    n = len(first)
    return Comparisons(
        first=first,
        second=second,
        preference=rng.integers(0, 2, n).astype(float),
        item=np.arange(n),
        participant=np.arange(n),
        systems=4,
    )


def test_scores_of_rivals_vary_as_the_formula_has_it():
    """1,000 tables of 4 systems × 30 comparisons of each pair, each score of n = 90."""
    rng = np.random.default_rng(3)
    seen = [score_difference(drawn(30, rng), (0, 1)).value / 100 for _ in range(1000)]
    error = 1 / math.sqrt(90)
    assert np.var(seen) == pytest.approx(difference_variance(error, error, rivals=4), rel=0.15)


def test_a_difference_of_scores_is_that_of_the_two_preferences():
    rows = drawn(25, np.random.default_rng(4))
    scores = [each.value for each in relative_preference(rows)]
    found = score_difference(rows, (2, 0))
    assert found.value == pytest.approx(scores[2] - scores[0])
    assert found.interval.low < found.value < found.interval.high


def test_clustered_errors_of_rivals_agree_with_the_formula_where_nothing_is_shared():
    rows = drawn(400, np.random.default_rng(5))
    error = 1 / math.sqrt(1200)
    expected = math.sqrt(difference_variance(error, error, rivals=4))
    assert score_difference(rows, (0, 3)).standard_error / 100 == pytest.approx(expected, rel=0.1)


def test_a_system_that_was_not_compared_has_no_difference():
    rows = Comparisons(
        first=np.array([0, 0]),
        second=np.array([1, 1]),
        preference=np.array([1.0, 0.0]),
        item=np.array([0, 1]),
        participant=np.array([0, 1]),
        systems=3,
    )
    assert score_difference(rows, (0, 2)).value is None


def test_the_difference_of_published_scores_is_the_difference_of_scores(choices):
    """Arvan and Parde (2025): VAE 1026/18, Separator 26/18, of 1,800 comparisons each."""
    rows, figures = choices
    systems = sorted({row["system_a"] for row in rows} | {row["system_b"] for row in rows})
    codes = {
        name: np.unique([row[name] for row in rows], return_inverse=True)[1]
        for name in ("item", "rater")
    }
    table = Comparisons(
        first=np.array([systems.index(row["system_a"]) for row in rows]),
        second=np.array([systems.index(row["system_b"]) for row in rows]),
        preference=np.array([float(row["choice"] == "A") for row in rows]),
        item=codes["item"],
        participant=codes["rater"],
        systems=len(systems),
    )
    found = score_difference(table, (systems.index("vae"), systems.index("sep_ae")))
    assert found.value == pytest.approx(
        figures["scale.vae"]["value"] - figures["scale.sep_ae"]["value"]
    )


def test_an_error_of_independent_values_gives_the_large_sample_interval_of_d():
    """SE = SD √(1/n₁ + 1/n₂): the variance is 1/n₁ + 1/n₂ + d²/(2n) (Hedges 1982)."""
    first, second = Summary(1.0, 1.0, 50), Summary(0.5, 1.0, 50)
    found = cohen_d_with_error(first, second, error=math.sqrt(1 / 50 + 1 / 50))
    spread = math.sqrt(0.04 + 0.5**2 / 200)
    assert found.value == 0.5
    assert found.interval.high == pytest.approx(0.5 + 1.959964 * spread)
    few = cohen_d_with_error(first, second, error=0.2, df=4)
    assert few.interval.high == pytest.approx(0.5 + 2.776445 * spread)  # t(.975; 4)


def test_values_that_do_not_vary_have_no_d_whatever_the_error():
    same = Summary(1.0, 0.0, 50)
    assert cohen_d_with_error(same, same, error=0.1).value is None
    one = Summary(1.0, 1.0, 1)
    assert cohen_d_with_error(one, one, error=0.1).value is None
