"""Intervals of larger and smaller studies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rejudge.errors import DataError
from rejudge.stats import (
    Estimate,
    clustered,
    mean_difference,
    t_reach,
    variance_shares,
    with_items,
    with_participants,
)


def everybody(values) -> Estimate:
    """The mean of a table of items by participants."""
    table = np.asarray(values, dtype=np.float64)
    item, participant = (part.ravel() for part in np.indices(table.shape))
    mean = float(table.mean())
    return clustered(mean, (table.ravel() - mean) / table.size, item=item, participant=participant)


ITEMS_DIFFER = [[1, 1], [2, 2], [3, 3], [6, 6]]
PEOPLE_DIFFER = [[1, 2, 3, 6]] * 5


def test_a_study_of_its_own_size_has_its_own_interval():
    estimate = everybody([[1, 4, 2], [3, 3, 5], [2, 6, 1], [4, 4, 4]])
    half = (estimate.interval.high - estimate.interval.low) / 2
    for same in (with_participants(estimate, 3), with_items(estimate, 4)):
        assert same.standard_error == pytest.approx(estimate.standard_error)
        assert same.half_width == pytest.approx(half)
        assert same.df == estimate.df


def test_more_people_narrow_nothing_where_only_items_differ():
    """Deviations of the items from 3 are −2, −1, 0, 3: V(items) = 14 · (2/8)² = 0.875, V(cell) is
    half of it. Everybody says the same, so k times the people give Σnᵢ² − n/k = 16 − 8/k pairs
    instead of 8: (0.875 − 0.4375)(16 − 8/k)/8 + 0.4375/k = 0.875 whatever k is. The factor is 4/3,
    for four items, and df is 3."""
    estimate = everybody(ITEMS_DIFFER)
    assert estimate.standard_error == pytest.approx(math.sqrt(0.875 * 4 / 3))
    for people in (4, 8, 100):
        found = with_participants(estimate, people)
        assert found.standard_error == pytest.approx(math.sqrt(0.875 * 4 / 3))
        assert found.half_width == pytest.approx(t_reach(found.standard_error, 3, 0.95))


def test_more_people_narrow_by_the_root_where_only_people_differ():
    """V(participants) = 14 · (5/20)² = 0.875 becomes 0.875/k; the factor 4/3 of four people becomes
    that of 4k people; df are 4k − 1."""
    estimate = everybody(PEOPLE_DIFFER)
    for times in (1, 2, 4):
        found = with_participants(estimate, 4 * times)
        people = 4 * times
        wanted = 0.875 / times * people / (people - 1)
        assert found.standard_error == pytest.approx(math.sqrt(wanted))
        assert found.df == pytest.approx(people - 1)


def test_items_and_participants_are_alike_with_sides_exchanged():
    table = [[1, 4, 2], [3, 3, 5], [2, 6, 1], [4, 4, 5]]
    more = with_items(everybody(table), 12)
    turned = with_participants(everybody(np.transpose(table)), 12)
    assert more.standard_error == pytest.approx(turned.standard_error)


def test_shares_add_up_to_the_variance_before_factors():
    estimate = everybody([[1, 4, 2], [3, 5, 4], [2, 6, 1], [4, 7, 5]])
    shares = variance_shares(estimate)
    total = shares.items + shares.participants + shares.rest
    by_item, by_participant = estimate.sums.by_item.squares, estimate.sums.by_participant.squares
    together = by_item + by_participant - estimate.sums.by_cell
    assert total == pytest.approx(max(together, by_item, by_participant))


def test_what_each_contributes_is_told_apart():
    """Where items alone differ, all of the variance is theirs, and the reverse."""
    items = variance_shares(everybody(ITEMS_DIFFER))
    assert (items.items, items.participants) == pytest.approx((0.875, 0))
    people = variance_shares(everybody(PEOPLE_DIFFER))
    assert (people.items, people.participants) == pytest.approx((0, 0.875))


def test_items_judged_once_cannot_be_told_from_the_rest():
    """Four items, two people, two items each: nobody shares an item."""
    value = np.array([1.0, 2, 4, 3])
    estimate = clustered(
        2.5, (value - 2.5) / 4, item=np.arange(4), participant=np.array([0, 0, 1, 1])
    )
    found = with_participants(estimate, 4)
    assert found.half_width is None
    assert "each item was judged by one participant" in found.note
    assert variance_shares(estimate).items is None
    assert with_items(estimate, 8).half_width is not None


def test_people_who_judged_once_cannot_be_told_from_the_rest():
    value = np.array([1.0, 2, 4, 3])
    estimate = clustered(
        2.5, (value - 2.5) / 4, item=np.array([0, 0, 1, 1]), participant=np.arange(4)
    )
    assert "each participant judged one item" in with_items(estimate, 4).note
    assert variance_shares(estimate).participants is None


def test_an_estimate_without_an_interval_has_none_at_any_size():
    alone = everybody([[1], [2], [4]])
    assert with_participants(alone, 10).half_width is None
    assert "no interval" in with_items(alone, 10).note
    assert variance_shares(alone).rest is None


def test_one_participant_or_too_few_for_all_items_have_no_interval():
    estimate = everybody([[1, 4, 2], [3, 3, 5], [2, 6, 1], [4, 4, 4]])
    assert "two items and two participants" in with_participants(estimate, 1).note
    spread = np.array([1.0, 2, 4, 3, 2, 2, 5, 1])  # eight judgments of six items by four people
    item, people = np.array([0, 0, 1, 1, 2, 3, 4, 5]), np.array([0, 1, 2, 3, 0, 1, 2, 3])
    thin = clustered(2.5, (spread - 2.5) / 8, item=item, participant=people)
    assert "not reach all items" in with_participants(thin, 2).note


def test_a_study_of_nobody_is_refused():
    with pytest.raises(DataError):
        with_participants(everybody(ITEMS_DIFFER), 0)


def test_the_foretold_width_is_that_of_larger_simulated_studies():
    """Two systems scored by everybody; items favour one by 0.4, people by 0.25, noise 1. Mean
    half-widths of 300 studies of 60 items, 12 people foretold for 24, against those of 24; on
    average the two lie within 5 % (`benchmarks/results/reach.json`: 0.1636 and 0.1675)."""
    rng = np.random.default_rng(5)

    def study(people: int) -> Estimate:
        item, person = (part.ravel() for part in np.indices((60, people)))
        lean = 0.4 * rng.normal(size=60)[item] + 0.25 * rng.normal(size=people)[person]
        noise = rng.normal(size=(2, len(item)))
        return mean_difference(
            np.concatenate([lean / 2 + noise[0], noise[1] - lean / 2]),
            np.repeat([0, 1], len(item)),
            (0, 1),
            item=np.tile(item, 2),
            participant=np.tile(person, 2),
        )

    told = np.mean([with_participants(study(12), 24).half_width for _ in range(300)])
    larger = (study(24) for _ in range(300))
    seen = np.mean([t_reach(each.standard_error, each.df, 0.95) for each in larger])
    assert told == pytest.approx(seen, rel=0.05)
