"""Studies of other sizes: batches, people, hours and money."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from planned_studies import PAY, rating_study
from rejudge.design.draw import draw
from rejudge.design.pay import quote_price
from rejudge.errors import DesignError
from rejudge.power.sizes import StudyShape, planned_shape, price_study, size_grid

ON = date(2026, 11, 17)
PAID = rating_study(more=PAY)
PLAN = draw(PAID)


def test_the_planned_size_is_that_of_the_plan():
    """20 items in batches of 5, 3 people each: 12 people with one batch each."""
    assert planned_shape(PAID, PLAN) == StudyShape(20, 3, 12, 2)


def test_the_planned_size_costs_what_the_quote_says():
    cost = quote_price(PAID, PLAN, on=ON).cost

    assert cost is not None
    assert price_study(PAID, PLAN, planned_shape(PAID, PLAN), on=ON).cost == cost.total


def test_twice_the_items_cost_twice_as_much():
    """12 batches at 10 minutes of 12.00 an hour: 24.00 and a fee of 33.3 %; then twice of it."""
    one, two = (
        price_study(PAID, PLAN, StudyShape(n, 3, people, 2), on=ON)
        for n, people in ((20, 12), (40, 24))
    )

    assert (one.cost, two.cost) == (Decimal("31.99"), Decimal("63.98"))
    assert (one.hours, two.hours) == (pytest.approx(2.0), pytest.approx(4.0))
    assert (one.batches, two.batches) == (4, 8)
    assert two.missing_items == 20


def test_fewer_people_do_more_batches_for_the_same_money():
    few = price_study(PAID, PLAN, StudyShape(20, 3, 6, 2), on=ON)
    many = price_study(PAID, PLAN, StudyShape(20, 3, 12, 2), on=ON)

    assert (few.batches_per_participant, many.batches_per_participant) == (2, 1)
    assert few.cost == many.cost


def test_without_pay_there_are_hours_alone():
    free = rating_study()
    found = price_study(free, draw(free), StudyShape(40, 3, 24, 2), on=ON)

    assert found.cost is None
    assert found.currency is None
    assert found.hours > 0


def test_the_usual_grid_is_around_the_plan_and_in_whole_batches():
    grid = size_grid(PAID, PLAN)

    assert planned_shape(PAID, PLAN) in grid.shapes
    assert {shape.items for shape in grid.shapes} == {10, 15, 20, 30, 40, 60}
    assert {shape.participants_per_item for shape in grid.shapes} == {2, 3, 4, 5, 7, 10}


def test_a_coarse_grid_has_fewer_sizes_around_the_plan():
    grid = size_grid(PAID, PLAN, is_coarse=True)

    assert planned_shape(PAID, PLAN) in grid.shapes
    assert {shape.items for shape in grid.shapes} == {10, 20, 40}
    assert {shape.participants_per_item for shape in grid.shapes} == {3, 5, 10}


def test_people_who_do_not_fit_are_left_out_and_counted():
    grid = size_grid(
        PAID, PLAN, {"items": (20,), "participants_per_item": (3,), "participants": (2, 6, 12, 13)}
    )

    assert [shape.participants for shape in grid.shapes] == [6, 12]
    assert grid.notes == (
        "2 participants in all are too few for 3 per item.",
        "20 items with 3 participants each are 12 places, too few for 13 participants.",
    )


def test_a_grid_without_any_possible_size_is_refused():
    with pytest.raises(DesignError, match="too few for 500 participants"):
        size_grid(
            PAID, PLAN, {"items": (5,), "participants_per_item": (3,), "participants": (500,)}
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"items": (200_000,)}, "200,000 items × 7 participants each are too many"),
        ({"items": tuple(range(1, 4001))}, "more than 10,000 sizes"),
    ],
)
def test_sizes_that_nobody_can_simulate_are_refused(given, message):
    with pytest.raises(DesignError, match=message):
        size_grid(PAID, PLAN, given)
