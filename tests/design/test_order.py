"""The order of tasks in a batch, and of outputs in a task."""

from __future__ import annotations

import itertools
from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from studies import make_study

from rejudge.design.draw import draw
from rejudge.design.order import Positions, order_for, williams_row
from rejudge.design.sampling import Chance

GOLD = {"id": "gold", "kind": "gold", "question": "meaning", "per_batch": 2}


@given(st.integers(1, 25))
def test_in_a_latin_square_each_thing_has_each_place_equally_often(n):
    rows = n if n % 2 == 0 or n == 1 else 2 * n
    orders = [williams_row(n, row) for row in range(rows)]
    places = Counter((thing, place) for order in orders for place, thing in enumerate(order))
    assert set(places.values()) == {rows // n}
    assert all(sorted(order) == list(range(n)) for order in orders)


@given(st.integers(2, 25))
def test_in_a_latin_square_each_thing_follows_each_other_equally_often(n):
    rows = n if n % 2 == 0 else 2 * n
    orders = [williams_row(n, row) for row in range(rows)]
    follows = Counter(pair for order in orders for pair in itertools.pairwise(order))
    assert len(follows) == n * (n - 1)
    assert set(follows.values()) == {rows // n}


def test_the_square_of_four_is_the_one_in_the_textbooks():
    """Williams (1949), n = 4: the first row goes 0 1 3 2, the others follow by adding one."""
    assert [williams_row(4, row) for row in range(4)] == [
        (0, 1, 3, 2),
        (1, 2, 0, 3),
        (2, 3, 1, 0),
        (3, 0, 2, 1),
    ]


@given(st.integers(0, 50))
def test_a_participant_s_own_order_has_the_same_tasks_and_no_check_first(seat):
    design = {"order": "participant", "repeats": {"share": 0.2}}
    plan = draw(make_study(inputs=14, sample=10, design=design, checks=[GOLD]))
    for batch in plan.batches:
        order = order_for(plan, batch, seat)
        place = {task.id: number for number, task in enumerate(order)}
        assert sorted(place) == sorted(task.id for task in batch.tasks)
        assert order[0].is_real
        assert all(place[t.repeats] < place[t.id] for t in order if t.repeats)


def test_two_participants_see_different_orders_and_a_reload_sees_the_same():
    plan = draw(make_study(design={"order": "participant"}))
    batch = plan.batches[0]
    assert order_for(plan, batch, 0) == order_for(plan, batch, 0)
    assert order_for(plan, batch, 0) != order_for(plan, batch, 1)


def test_by_latin_square_each_task_comes_at_each_place_once_over_all_seats():
    """Two inputs × 6 pairs = 12 tasks (an even number), so 12 seats make a whole square."""
    plan = draw(make_study(inputs=4, design={"order": "latin-square", "batch": {"inputs": 2}}))
    batch = plan.batches[0]
    seen = Counter(
        (task.id, place)
        for seat in range(12)
        for place, task in enumerate(order_for(plan, batch, seat))
    )
    assert set(seen.values()) == {1}
    assert len(seen) == 144


def test_an_order_by_batch_is_the_same_for_everybody():
    plan = draw(make_study())
    assert order_for(plan, plan.batches[0], 0) == order_for(plan, plan.batches[0], 5)


def test_a_listed_order_keeps_the_tasks_of_an_item_together():
    plan = draw(make_study(design={"order": "listed"}))
    items = [task.item for task in plan.batches[0].tasks]
    changes = sum(a != b for a, b in itertools.pairwise(items))
    assert changes == 4  # five inputs one after another


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
