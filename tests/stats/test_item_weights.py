"""Means and differences over items that were not equally likely to be selected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whys import why

from property_settings import examples
from rejudge.stats import (
    Comparisons,
    ItemWeights,
    Why,
    adjusted_difference,
    mean_by_system,
    mean_difference,
    pair_rates,
    relative_preference,
    weighted_adjusted_difference,
    weighted_mean,
    weighted_mean_by_system,
    weighted_mean_difference,
    win_table,
)

FEW = settings(max_examples=examples(15))


def alone(count: int) -> np.ndarray:
    return np.zeros(count, dtype=np.int64)


def weights(weight, item, stratum=None) -> ItemWeights:
    codes = alone(len(weight)) if stratum is None else np.asarray(stratum)
    return ItemWeights.of(np.asarray(weight, dtype=float), codes, np.asarray(item))


@st.composite
def crossed(draw):
    """Scores of two systems on some items by some people, each judging everything."""
    items, people = draw(st.integers(2, 6)), draw(st.integers(2, 5))
    seed = draw(st.integers(0, 2**32))
    value = np.random.default_rng(seed).integers(1, 6, items * people * 2).astype(float)
    item = np.repeat(np.arange(items), people * 2)
    person = np.tile(np.repeat(np.arange(people), 2), items)
    return value, np.tile([0, 1], items * people), item, person


# ── equal weights change nothing ─────────────────────────────────────────────────────────────────


@FEW
@given(crossed(), st.floats(0.01, 100))
def test_equal_weights_give_the_numbers_without_weights(table, weight):
    value, system, item, person = table
    keys = {"item": item, "participant": person}
    own = weights(np.full(len(value), weight), item)
    pairs = [
        (
            weighted_mean_by_system(value, system, weights=own, systems=2, **keys)[0],
            mean_by_system(value, system, systems=2, **keys)[0],
        ),
        (
            weighted_mean_difference(value, system, (0, 1), weights=own, **keys),
            mean_difference(value, system, (0, 1), **keys),
        ),
        (
            weighted_adjusted_difference(value, system, (0, 1), weights=own, **keys),
            adjusted_difference(value, system, (0, 1), **keys),
        ),
    ]
    for with_weights, without in pairs:
        assert with_weights.value == pytest.approx(without.value, abs=1e-9)
        assert (with_weights.standard_error or 0) == pytest.approx(
            without.standard_error or 0, abs=1e-9
        )


@FEW
@given(crossed(), st.floats(0.01, 100))
def test_equal_weights_give_the_win_rates_without_weights(table, weight):
    value, _, item, person = table
    count = len(value)
    plain = Comparisons(alone(count), alone(count) + 1, (value > 3) * 1.0, item, person, 2)
    own = Comparisons(
        alone(count), alone(count) + 1, (value > 3) * 1.0, item, person, 2,
        weights=weights(np.full(count, weight), item),
    )  # fmt: skip
    for compute in (pair_rates, win_table):
        one, two = compute(own)[0], compute(plain)[0]
        assert one.value == pytest.approx(two.value, abs=1e-9)
        assert (one.standard_error or 0) == pytest.approx(two.standard_error or 0, abs=1e-9)
    assert relative_preference(own)[0].value == pytest.approx(relative_preference(plain)[0].value)


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────


def test_a_mean_counts_items_by_the_inverse_of_their_probability():
    """π = ½, ½, ⅒, ⅒ and scores 1, 2, 4, 5: (2 + 4 + 40 + 50) / 24 = 4."""
    value, item = np.array([1.0, 2, 4, 5]), np.arange(4)
    own = weights([2, 2, 10, 10], item)
    found = weighted_mean(value, weights=own, item=item, participant=item)
    assert found.value == pytest.approx(4)


def test_the_error_is_that_of_a_ratio_of_weighted_sums():
    """Särndal, Swensson & Wretman (1992, 5.7.3), as if drawn with replacement: the deviations
    u = w (y − ȳ) / Σw are −1/4, −1/6, 0 and 5/12, so that Σu² = (9 + 4 + 25) / 144. The factor is
    Σq² / Σq²(1 − 2q + Q) with q = 1/12, 1/12, 5/12, 5/12 and Q = 13/36, instead of 4/3."""
    value, item = np.array([1.0, 2, 4, 5]), np.arange(4)
    found = weighted_mean(value, weights=weights([2, 2, 10, 10], item), item=item, participant=item)
    q = np.array([1, 1, 5, 5]) / 12
    factor = (q @ q) / (q**2 @ (1 - 2 * q + q @ q))
    assert found.sums.by_item.squares == pytest.approx(38 / 144)
    assert found.standard_error**2 == pytest.approx(factor * 38 / 144)


def test_strata_have_the_error_of_a_stratified_mean():
    """Cochran (1977, 5.6) without its correction: V = Σ W² s² / n. Strata of 30 and 10 items, two
    judged in each: scores 1, 3 and 4, 8; W = ¾, ¼; means 2 and 6; s² = 2 and 8."""
    value, item = np.array([1.0, 3, 4, 8]), np.arange(4)
    own = weights([15, 15, 5, 5], item, [0, 0, 1, 1])
    found = weighted_mean(value, weights=own, item=item, participant=item)
    assert found.value == pytest.approx(0.75 * 2 + 0.25 * 6)
    assert found.standard_error**2 == pytest.approx(0.75**2 * 2 / 2 + 0.25**2 * 8 / 2)


def test_the_difference_within_items_is_the_weighted_mean_of_their_differences():
    """Differences 2, 0 and −1 with weights 1, 2 and 5: (2 − 5) / 8. People cancel."""
    item = np.repeat(np.arange(3), 4)
    system, person = np.tile([0, 1], 6), np.tile([0, 0, 1, 1], 3)
    value = np.where(system == 0, np.repeat([2.0, 0, -1], 4), 0) + 3 * person
    found = weighted_adjusted_difference(
        value, system, (0, 1), weights=weights(np.repeat([1, 2, 5], 4), item),
        item=item, participant=person,
    )  # fmt: skip
    assert found.value == pytest.approx(-3 / 8)
    assert found.shared_items == 3
    assert found.information_share == pytest.approx(1)


SCORES = "43 54 33 42 22 31 22 33 54 55 43 53 33 42 31 22 44 53 43 33 12 32 21 21"


@pytest.mark.parametrize(
    ("is_complete", "slope", "by_item", "by_participant", "by_cell"),
    [
        (True, 0.7678571429, 0.0059935964, 0.0467952806, 0.0387273532),
        (False, 0.8881578947, 0.0301194383, 0.0856254400, 0.0475253023),
    ],
)
def test_a_weighted_difference_is_that_of_a_regression_in_r(
    is_complete, slope, by_item, by_participant, by_cell
):
    """R 4.2.2: lm(y ~ is_first + factor(item), weights = w) with the sums of squared influences by
    item, participant and both. Six items by four people, scores of the first system and the second;
    incomplete: without the second on items 0 and 2 by the first two."""
    value = np.array([float(digit) for digit in SCORES.replace(" ", "")])
    item, person = np.repeat(np.arange(6), 8), np.tile(np.repeat(np.arange(4), 2), 6)
    system = np.tile([0, 1], 24)
    rows = is_complete | ~((system == 1) & np.isin(item, (0, 2)) & (person < 2))
    own = np.array([1.0, 2, 3, 1, 5, 2])[item]
    found = weighted_adjusted_difference(
        value[rows], system[rows], (0, 1), weights=weights(own[rows], item[rows]),
        item=item[rows], participant=person[rows],
    )  # fmt: skip
    assert found.value == pytest.approx(slope)
    assert found.sums.by_item.squares == pytest.approx(by_item)
    assert found.sums.by_participant.squares == pytest.approx(by_participant)
    assert found.sums.by_cell == pytest.approx(by_cell)


def test_a_stratum_counts_by_its_items_however_often_these_were_judged():
    """Two strata that stand for two items each; an item of the first was judged three times."""
    value, item = np.array([1.0, 1, 1, 1, 5, 5]), np.array([0, 0, 0, 1, 2, 3])
    own = weights(np.ones(6), item, [0, 0, 0, 0, 1, 1])
    found = weighted_mean(value, weights=own, item=item, participant=np.arange(6))
    assert found.value == pytest.approx(3)


# ── odd data ─────────────────────────────────────────────────────────────────────────────────────


def test_strata_of_one_item_are_put_together():
    value, item = np.array([1.0, 2, 3, 7]), np.arange(4)
    own = weights([1, 2, 3, 4], item, [0, 1, 2, 3])
    together = weights([1, 2, 3, 4], item)
    one, two = (
        weighted_mean(value, weights=each, item=item, participant=item) for each in (own, together)
    )
    assert (one.value, one.standard_error) == (two.value, two.standard_error)
    assert one.interval is not None


def test_where_each_stratum_has_one_participant_items_vary_around_one_mean():
    value, item = np.array([1.0, 2, 3, 7]), np.arange(4)
    own = weights(np.ones(4), item, [0, 0, 1, 1])
    found = weighted_mean(value, weights=own, item=item, participant=np.array([0, 0, 1, 1]))
    assert found.value == pytest.approx(3.25)
    assert found.interval is not None


@pytest.mark.parametrize("compute", [weighted_mean_difference, weighted_adjusted_difference])
def test_a_system_that_was_not_judged_has_no_difference(compute):
    item = np.arange(3)
    found = compute(
        np.ones(3), alone(3), (0, 1), weights=weights(np.ones(3), item),
        item=item, participant=item,
    )  # fmt: skip
    assert found.value is None
    assert why(found) == [Why.NOT_JUDGED]


def test_systems_that_share_no_item_have_no_difference_within_items():
    item = np.arange(4)
    found = weighted_adjusted_difference(
        np.ones(4), np.array([0, 0, 1, 1]), (0, 1), weights=weights(np.ones(4), item),
        item=item, participant=item,
    )  # fmt: skip
    assert (found.value, found.information_share) == (None, 0.0)


def test_no_judgments_have_no_mean():
    nothing = np.zeros(0, dtype=np.int64)
    own = ItemWeights(np.zeros(0), nothing, nothing)
    found = weighted_mean(np.zeros(0), weights=own, item=nothing, participant=nothing)
    assert (found.value, why(found)) == (None, [Why.NOBODY])


def test_one_item_has_a_mean_without_an_interval():
    item = alone(3)
    found = weighted_mean(
        np.array([1.0, 2, 3]), weights=weights(np.full(3, 9), item),
        item=item, participant=np.arange(3),
    )  # fmt: skip
    assert (found.value, found.interval) == (2, None)


@FEW
@given(crossed(), st.integers(0, 2**32))
def test_only_the_proportions_of_weights_matter(table, seed):
    value, system, item, person = table
    own = np.exp(np.random.default_rng(seed).normal(0, 2, item.max() + 1))[item]
    one, two = (
        weighted_adjusted_difference(
            value, system, (0, 1), weights=weights(each, item), item=item, participant=person
        )
        for each in (own, 1e6 * own)
    )
    assert one.value == pytest.approx(two.value, abs=1e-9)
    assert (one.standard_error or 0) == pytest.approx(two.standard_error or 0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("has_metric", [True, False])
def test_intervals_hold_the_difference_on_all_items_of_the_file(has_metric):
    """300 studies of one seed, always the same: 95 % of 300 is 285, SD 3.8. Items are drawn one by
    one with probabilities π (Poisson), which needs none of our own drawing. The weights grow with
    the difference, so that without them the intervals hold it in half of the studies."""
    rng = np.random.default_rng(11)
    held, held_without = 0, 0
    for _ in range(300):
        metric = np.exp(rng.normal(0, 0.7, 400))
        difference = 0.3 + (0.4 * np.log(metric) if has_metric else 0) + rng.normal(0, 0.6, 400)
        share = np.clip(80 * metric / metric.sum(), 0, 1)
        chosen = np.flatnonzero(rng.random(400) < share)
        item = np.repeat(np.arange(len(chosen)), 6)
        person = np.repeat(rng.integers(0, 30, 3 * len(chosen)), 2)
        system = np.tile([0, 1], 3 * len(chosen))
        leaning = rng.normal(0, 0.25, 30)
        value = np.where(system == 0, difference[chosen][item] + leaning[person], 0)
        value = value + rng.normal(0, 0.7, len(value))
        keys = {"item": item, "participant": person}
        own = weights(1 / share[chosen][item], item)
        found = weighted_adjusted_difference(value, system, (0, 1), weights=own, **keys).interval
        plain = adjusted_difference(value, system, (0, 1), **keys).interval
        held += found.low <= difference.mean() <= found.high
        held_without += plain.low <= difference.mean() <= plain.high
    assert 277 <= held <= 298
    assert (held_without < 250) == has_metric
