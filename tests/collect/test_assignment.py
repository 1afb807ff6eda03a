"""The states of an assignment, which batch is next, links that name one, and pay by the clock."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import PAIRWISE, checked_study, drawn, small_study
from rejudge.collect.assignment import (
    FINISHED,
    STATUSES,
    TAKES_PLACE,
    Event,
    Occupancy,
    PastAssignment,
    Status,
    choose_batch,
    earned_by_clock,
    free_seat,
    has_finished,
    has_place,
    may_resume,
    named_batch,
    next_status,
    read_batch,
    sign_batch,
    stint,
)
from rejudge.design.pay import quote_price
from rejudge.design.plan import Batch, Plan, Task
from small_site import study_of

# Rows: the state before. Columns: the event. Two words: with a place free, and without one.
TABLE = """
            renew         expire  submit            fail     fill              accept           exclude  return
held        held          expired submitted         -        -                 -                excluded returned
submitted   -             -       submitted         excluded -                 accepted         excluded returned
accepted    -             -       accepted          -        -                 accepted         excluded returned
excluded    -             -       excluded          excluded -                 accepted/surplus excluded returned
returned    -             -       surplus           -        -                 -                -        returned
expired     held/expired  -       submitted/surplus -        -                 -                excluded returned
surplus     -             -       surplus           excluded submitted/surplus accepted/surplus excluded returned
withdrawn   -             -       -                 -        -                 -                -        -
"""  # noqa: E501 - a table


def expected() -> dict[tuple[Status, Event], tuple[Status | None, Status | None]]:
    head, *lines = TABLE.strip("\n").splitlines()
    table = {}
    for line in lines:
        status, *cells = line.split()
        for event, cell in zip(head.split(), cells, strict=True):
            free, _, full = cell.partition("/")
            table[status, event] = (None, None) if cell == "-" else (free, full or free)
    return table | {(status, "withdraw"): ("withdrawn", "withdrawn") for status in STATUSES}


@pytest.mark.parametrize("case", expected().items(), ids=lambda case: "-".join(case[0]))
def test_an_event_leads_where_the_table_says(case):
    (status, event), (with_room, without) = case
    assert next_status(status, event, place_is_free=True) == with_room
    assert next_status(status, event, place_is_free=False) == without


def test_the_table_knows_every_state_and_every_event():
    assert set(expected()) == {(s, e) for s in get_args(Status) for e in get_args(Event)}
    assert set(STATUSES) == set(get_args(Status))


@pytest.mark.parametrize("event", get_args(Event))
@pytest.mark.parametrize("status", STATUSES)
def test_no_event_takes_a_place_that_is_not_free(status, event):
    """What takes none before takes none after, when there is none."""
    assert (
        status in TAKES_PLACE or next_status(status, event, place_is_free=False) not in TAKES_PLACE
    )


@pytest.mark.parametrize("status", sorted(FINISHED))
def test_handing_in_again_changes_nothing(status):
    assert next_status(status, "submit", place_is_free=True) == status


TASK = Task("t", "i0", ("ash", "beech"))


def plan(*, cap=1, calibration=False, conflicts=None):
    batches = [Batch(name, (TASK,), 2) for name in ("b1", "b2", "b3")]
    if calibration:
        batches.insert(0, Batch("first", (TASK,), 6, is_calibration=True))
    return Plan(
        study=small_study().design_fingerprint,
        seed=1,
        order="listed",
        batches_per_participant=cap,
        batches=tuple(batches),
        texts={},
        segments={},
        conflicts=conflicts or {},
    )


def occupancies(*standing: tuple[int, int]) -> list[Occupancy]:
    """Two places each; done and held by batch."""
    return [Occupancy(f"b{n}", 2, done, held) for n, (done, held) in enumerate(standing, start=1)]


def test_among_equals_the_first_of_the_plan_goes_first():
    assert choose_batch(plan(), occupancies((0, 0), (0, 0), (0, 0)), []) == "b1"


def test_the_batch_nearest_to_completion_goes_first():
    assert choose_batch(plan(), occupancies((0, 0), (0, 0), (1, 0)), []) == "b3"


def test_beginnings_do_not_count_as_completion():
    assert choose_batch(plan(), occupancies((0, 0), (0, 1), (0, 0)), []) == "b1"


def test_a_batch_without_a_free_place_is_not_given():
    assert choose_batch(plan(), occupancies((1, 1), (2, 0), (0, 1)), []) == "b3"
    assert choose_batch(plan(), occupancies((1, 1), (2, 0), (0, 2)), []) is None


def test_nobody_gets_a_batch_twice_even_if_it_expired():
    past = [PastAssignment("b1", "expired")]
    assert choose_batch(plan(), occupancies((1, 0), (0, 0), (0, 0)), past) == "b2"


@pytest.mark.parametrize("status", ["submitted", "accepted", "excluded", "returned", "surplus"])
def test_nobody_gets_more_than_the_plan_allows(status):
    past = [PastAssignment("b1", status)]
    assert choose_batch(plan(), occupancies((0, 0), (0, 0), (0, 0)), past) is None
    assert choose_batch(plan(cap=2), occupancies((0, 0), (0, 0), (0, 0)), past) == "b2"


def test_nobody_gets_a_batch_that_shares_an_input_with_one_they_had():
    shared = plan(cap=3, conflicts={"b1": ("b2",), "b2": ("b1",)})
    past = [PastAssignment("b1", "submitted")]
    assert choose_batch(shared, occupancies((1, 0), (1, 0), (0, 0)), past) == "b3"


def test_calibration_comes_first_and_counts_towards_nothing():
    everything = [Occupancy("first", 0, 9, 9), *occupancies((0, 0), (0, 0), (0, 0))]
    assert choose_batch(plan(calibration=True), everything, []) == "first"
    past = [PastAssignment("first", "submitted")]
    assert choose_batch(plan(calibration=True), everything, past) == "b1"


@pytest.mark.parametrize(
    ("occupancy", "others", "has", "may"),
    [
        (Occupancy("b1", 2, 1, 0), [], True, True),
        (Occupancy("b1", 2, 1, 1), [], False, False),
        (
            Occupancy("b1", 2, 1, 0),
            [PastAssignment("b2", "submitted")],
            False,
            False,
        ),  # one is all they may do
        (Occupancy("b1", 2, 1, 0), [PastAssignment("b2", "excluded")], True, True),
        (Occupancy("b1", 2, 1, 0), [PastAssignment("first", "accepted")], True, True),
        (Occupancy("b1", 2, 1, 0), [PastAssignment("first", "held")], True, False),
        (Occupancy("first", 0, 9, 9), [PastAssignment("b1", "submitted")], True, True),
        (Occupancy("first", 0, 9, 9), [PastAssignment("b1", "held")], True, False),
    ],
)
def test_late_work_takes_a_place_where_there_is_one_for_it(occupancy, others, has, may):
    assert has_place(plan(calibration=True), occupancy, others) == has
    assert may_resume(plan(calibration=True), occupancy, others) == may


def test_the_lowest_free_seat_is_taken():
    taken = [(0, "submitted"), (1, "expired"), (2, "held")]
    assert free_seat(taken) == 1
    assert free_seat([]) == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["held", "accepted", "returned"]))))
def test_a_free_seat_is_not_taken_and_none_below_it_is_free(taken):
    seat = free_seat(taken)
    busy = {number for number, status in taken if status != "returned"}
    assert seat not in busy
    assert busy >= set(range(seat))


STUDY = checked_study(PAIRWISE, payment={"currency": "GBP", "minutes": 30, "hourly": 12})
PLAN = drawn(STUDY)
QUOTE = quote_price(STUDY, PLAN, on=date(2026, 3, 2))
FIRST, SECOND, *_ = (batch.id for batch in PLAN.main)


@dataclass
class Person:
    """A participant, as far as pay is concerned."""

    statuses: dict[str, Status] = field(default_factory=dict)
    wall_minutes: float = 30.0


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({}, False),
        ({FIRST: "held"}, False),
        ({FIRST: "submitted"}, True),
        ({FIRST: "excluded"}, True),
        ({FIRST: "returned"}, False),
        ({FIRST: "accepted", SECOND: "held"}, False),
    ],
)
def test_somebody_has_finished_who_handed_in_a_batch_and_holds_none(statuses, expected):
    assert has_finished(Person(statuses)) is expected


def test_only_finished_batches_are_paid():
    assert stint(Person({FIRST: "accepted", SECOND: "returned"}), PLAN, 20.0).batches == 1


def test_pay_per_hour_is_that_of_those_who_finished():
    """The reward of half an hour at 12 an hour is 6; taking an hour for it, 6 an hour is left."""
    people = [Person({FIRST: "submitted"}, 60.0), Person({FIRST: "held"}, 1.0)]
    found = earned_by_clock(QUOTE, PLAN, people)
    assert QUOTE.reward == Decimal("6.00")
    assert found is not None
    assert found.hourly == Decimal("6.00")


def test_nobody_has_earned_anything_before_the_first_batch_is_handed_in():
    assert earned_by_clock(QUOTE, PLAN, [Person({FIRST: "held"})]) is None


SECRET = b"x" * 32
NAMES = st.text(max_size=30)


@given(NAMES, NAMES)
def test_what_was_signed_is_read_and_nothing_else(batch, other):
    signed = sign_batch(SECRET, "study", batch)
    assert read_batch(SECRET, "study", signed) == batch
    assert read_batch(b"y" * 32, "study", signed) is None
    assert read_batch(SECRET, "another", signed) is None
    if other != batch:
        assert read_batch(SECRET, "study", other + signed[len(batch) :]) is None


@pytest.mark.parametrize("text", ["", ".", "b1", "b1.", "\ud800.x", "b1." + "A" * 22])
def test_what_nobody_signed_names_no_batch(text):
    assert read_batch(SECRET, "study", text) is None


@pytest.fixture
def site_plan():
    return study_of(batches=3, people=2)[1]


def free(batch: str, *, done: int = 0, held: int = 0) -> Occupancy:
    return Occupancy(batch, places=2, done=done, held=held)


def test_exactly_the_named_batch_is_given(site_plan):
    first, second, _ = (each.id for each in site_plan.main)
    assert named_batch(site_plan, second, free(second), ()) == second
    assert named_batch(site_plan, first, free(first, held=1), ()) == first


def test_a_full_finished_or_unknown_batch_gives_nothing(site_plan):
    first = site_plan.main[0].id
    assert named_batch(site_plan, first, free(first, done=2), ()) is None
    assert named_batch(site_plan, first, free(first, done=1, held=1), ()) is None
    assert named_batch(site_plan, "gone", None, ()) is None


def test_nobody_gets_a_batch_twice_one_that_overlaps_or_more_than_their_share(site_plan):
    first, second, third = (each.id for each in site_plan.main)
    had = [PastAssignment(first, "submitted")]
    assert named_batch(site_plan, second, free(second), had) is None  # one batch each
    several = replace(site_plan, batches_per_participant=3, conflicts={first: (third,)})
    assert named_batch(several, second, free(second), had) == second
    assert named_batch(several, first, free(first), had) is None
    assert named_batch(several, third, free(third), had) is None
    expired = [PastAssignment(first, "expired")]
    assert named_batch(site_plan, second, free(second), expired) == second


def test_calibration_comes_first_and_is_never_named(site_plan):
    first, second, _ = site_plan.batches
    shared = replace(
        site_plan, batches=(replace(first, is_calibration=True), *site_plan.batches[1:])
    )
    assert named_batch(shared, second.id, free(second.id), ()) == first.id
    done = [PastAssignment(first.id, "submitted")]
    assert named_batch(shared, second.id, free(second.id), done) == second.id
    assert named_batch(shared, first.id, free(first.id), ()) is None
