"""Orders by participant: shuffled anew, or by Latin square."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from studies import make_study

from rejudge.design import draw, order_for
from rejudge.design.squares import williams_row

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
