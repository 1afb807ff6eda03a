"""Sides are balanced by construction: within a batch, a system, a pair, and over batches."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from rejudge.design import Chance
from rejudge.design.positions import Positions


@st.composite
def batches(draw):
    """A batch of tasks that show `width` of up to seven systems each, in any mixture."""
    systems = [f"s{i}" for i in range(draw(st.integers(2, 7)))]
    width = draw(st.integers(2, min(4, len(systems))))
    kinds = list(combinations(systems, width))
    return draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=60))


def places(orders):
    return Counter((option, place) for row in orders for place, option in enumerate(row))


def unevenness(orders):
    """The largest difference between the places of one system."""
    counts = places(orders)
    width = len(orders[0])
    options = {option for row in orders for option in row}
    rows = [[counts[option, place] for place in range(width)] for option in options]
    return max(max(row) - min(row) for row in rows)


def unevenness_by_pair(orders):
    if len(orders[0]) > 2:
        return 0  # tuples of three and more are balanced by system
    kinds = {tuple(sorted(row)) for row in orders}
    return max(unevenness([row for row in orders if tuple(sorted(row)) == kind]) for kind in kinds)


@given(batches(), st.integers())
def test_a_batch_is_even_for_every_system_and_every_pair(batch, seed):
    orders = Positions(Chance(seed)).arrange(batch, "b1")
    assert unevenness(orders) <= 1
    assert unevenness_by_pair(orders) <= 1


@given(batches(), st.integers())
def test_tasks_keep_their_systems(batch, seed):
    orders = Positions(Chance(seed)).arrange(batch, "b1")
    assert [sorted(row) for row in orders] == [sorted(row) for row in batch]


@given(batches(), st.integers(), st.integers(1, 9))
def test_batches_of_one_make_are_even_together(batch, seed, count):
    """Whole cycles cancel exactly; the last, unfinished cycle leaves at most its own length."""
    positions = Positions(Chance(seed))
    orders = [row for n in range(count) for row in positions.arrange(batch, f"b{n}")]
    left_over = count % len(batch[0])
    assert unevenness(orders) <= left_over
    assert unevenness_by_pair(orders) <= left_over


def test_pairs_over_any_number_of_equal_batches_differ_by_one_at_most():
    """Five inputs × six pairs of four systems: an odd number of each pair in every batch."""
    pairs = list(combinations("wxyz", 2)) * 5
    positions = Positions(Chance(3))
    orders = [row for n in range(61) for row in positions.arrange(pairs, f"b{n}")]
    assert unevenness(orders) <= 1
    assert unevenness_by_pair(orders) <= 1


def test_which_task_of_a_pair_is_turned_is_left_to_chance():
    pairs = [("x", "y")] * 4
    seen = {tuple(Positions(Chance(seed)).arrange(pairs, "b1")) for seed in range(60)}
    assert len(seen) == 6  # 4 choose 2 ways to have two each way
