"""What the overview says, from what the store says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from judged_study import drawn, small_study
from rejudge.collect.assignment import STATUSES, Assignment, Occupancy
from rejudge.design.pay import quote_price
from rejudge.store.records import ParticipantStatus
from rejudge.web.dashboard import view

NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
PAID = {"currency": "GBP", "minutes": 10, "hourly": 12}  # a reward of GBP 2.00
STUDY = small_study(payment=PAID)
PLAN = drawn(STUDY)
FIRST = PLAN.batches[0].id


def person(**known: Any) -> ParticipantStatus:  # as ParticipantStatus takes them
    usual = {
        "participant": "p0001", "visit": 1, "arrived_at": NOW - timedelta(minutes=10),
        "last_seen_at": NOW, "step": "task", "batch": None, "answered": 0, "tasks": 0,
    }  # fmt: skip
    return ParticipantStatus(**{**usual, **known})


def finished(minutes, name="p0001", status="submitted") -> ParticipantStatus:
    return person(
        participant=name, step="thanks", statuses={FIRST: status}, wall_minutes=minutes,
        active_minutes=minutes / 2,
    )  # fmt: skip


def work(status, *, number=1, failed=None) -> Assignment:
    done = (
        NOW + timedelta(minutes=number) if status in {"submitted", "excluded", "surplus"} else None
    )
    return Assignment(
        number, number, f"p{number:04}", FIRST, 0, status, NOW, NOW, done, failed
    )  # fmt: skip


def standing(people=(), assignments=(), occupancies=None) -> view.StudyStatus:
    empty = tuple(Occupancy(b.id, b.participants, 0, 0) for b in PLAN.batches)
    return view.StudyStatus(
        "open", empty if occupancies is None else occupancies, people, assignments, 0, NOW
    )


def headline(name, study=STUDY, **parts: Any):  # of the standing
    quoted = quote_price(study, PLAN, on=date(2026, 3, 2))
    found = view.headlines(standing(**parts), PLAN, quoted)
    return next(each for each in found if each.id == name)


# The four numbers


def test_an_empty_study_has_four_numbers_and_no_alarm():
    found = view.headlines(standing(), PLAN, quote_price(STUDY, PLAN, on=date(2026, 3, 2)))
    assert [each.value for each in found] == [f"0\u202f/\u202f{PLAN.places}", "0", "–", "0"]
    assert not any(each.tone or each.trend for each in found)


def test_pay_is_the_reward_over_the_median_time_by_the_clock():
    """2.00 for 10 minutes are 12.00 an hour; counting only task pages, half the time, 24.00."""
    found = headline("pay", people=(finished(10),))
    assert (found.value, found.tone, found.warning) == ("GBP\u202f12.00", "ok", "")
    assert found.detail == "promised GBP\u202f12.00; counting only task pages GBP\u202f24.00"


def test_pay_under_the_promise_says_what_to_top_up():
    """A median of 15 minutes: 8.00 an hour; 12 an hour would be 3.00, of which 2.00 is paid."""
    found = headline("pay", people=(finished(15),))
    assert (found.value, found.tone) == ("GBP\u202f8.00", "bad")
    assert found.warning == "Below the promised rate. Top up each reward by GBP\u202f1.00."


def test_whoever_is_still_at_work_does_not_count_for_pay():
    busy = person(statuses={FIRST: "held"}, wall_minutes=90)
    assert headline("pay", people=(finished(10), busy)).value == "GBP\u202f12.00"


def test_work_that_was_excluded_was_paid_all_the_same():
    assert headline("pay", people=(finished(10, status="excluded"),)).value == "GBP\u202f12.00"


def test_without_pay_the_reason_is_given():
    study = small_study(payment={"kind": "credit"})
    assert headline("pay", study=study).detail == "Participants get course credit, not money."


def test_failed_checks_are_summed_over_what_was_handed_in():
    works = (
        work("submitted", failed=0),
        work("excluded", number=2, failed=2),
        work("held", number=3),
    )
    found = headline("checks", assignments=works)
    assert (found.value, found.tone) == ("2", "warn")
    assert found.detail == "by 1 person in 2 batches submitted"


def test_people_now_are_those_who_were_just_seen():
    here, gone = person(is_now=True), finished(9, "p0002")
    found = headline("people", people=(here, gone))
    assert (found.value, found.detail) == ("1", "2 people arrived, 1 finished")


def test_the_line_of_people_ends_with_those_who_are_here():
    """Three came ten minutes ago and one of them is still here: from the top to a third."""
    gone = [replace(finished(5, f"p000{n}"), last_seen_at=NOW - timedelta(minutes=5)) for n in "12"]
    here = person(participant="p0003", is_now=True, last_seen_at=NOW - timedelta(seconds=40))
    line = headline("people", people=(*gone, here)).trend
    assert line.startswith("M0.00 0.00L")
    assert line.endswith("L100.00 66.67")


# Batches


def cell(occupancy, *assignments: Assignment):
    occupancies = (occupancy, *standing().occupancies[1:])
    return view.cells(standing(occupancies=occupancies, assignments=assignments), PLAN)[0]


def test_a_batch_shows_every_place_and_what_was_done_beside_them():
    found = cell(Occupancy(FIRST, 3, done=1, held=1), work("surplus"), work("excluded", number=2))
    assert found.segments == ("done", "held", "free", "surplus", "excluded")
    assert found.words == "1 done, 1 held, 1 free, 1 surplus, 1 excluded"
    assert not found.is_complete


def test_a_batch_with_all_places_done_is_complete():
    assert cell(Occupancy(FIRST, 2, done=2, held=0)).is_complete


def test_all_batches_together_add_up_to_the_places():
    now = standing()
    whole = view.overall(view.cells(now, PLAN), now, PLAN)
    assert sum(n for _, n, _ in whole.counts) == whole.places == PLAN.places
    assert sum(share for *_, share in whole.counts) == pytest.approx(100)


# People


@pytest.mark.parametrize(
    ("known", "state", "where"),
    [
        ({"step": "consent", "is_now": True}, "arriving", "information and consent"),
        ({"step": "practice"}, "left early", "practice"),
        ({"step": "declined"}, "declined", "did not consent"),
        ({"step": "full"}, "turned away", "no tasks left"),
        (
            {
                "statuses": {FIRST: "held"},
                "batch": FIRST,
                "answered": 3,
                "tasks": 9,
                "is_now": True,
            },
            "judging",
            f"3 of 9 in {FIRST}",
        ),
        (
            {"statuses": {FIRST: "held"}, "batch": FIRST, "answered": 3, "tasks": 9},
            "away",
            f"3 of 9 in {FIRST}",
        ),
        ({"statuses": {FIRST: "surplus"}, "step": "thanks"}, "surplus", "thanks page"),
    ],
)
def test_everybody_has_one_word_for_their_state_and_one_for_their_place(known, state, where):
    row = view.row(person(**known))
    assert (row.state, row.where) == (state, where)


def test_who_is_here_now_stands_first_then_who_was_seen_last():
    old = replace(finished(5, "p0001"), last_seen_at=NOW - timedelta(hours=1))
    late, here = finished(5, "p0002"), person(participant="p0003", is_now=True)
    assert [row.participant for row in view.rows([old, late, here])] == ["p0003", "p0002", "p0001"]


def test_flags_of_the_analysis_join_those_of_the_store():
    someone = replace(finished(5), flags=("time-zone",))
    (row,) = view.rows([someone], {"p0001": ("prefers one side",)})
    assert row.flags == ("time zone", "prefers one side")


def test_what_can_be_decided_follows_the_states():
    assert {status: view.decisions(status) for status in STATUSES} == {
        "held": ("exclude", "return", "expire"),
        "submitted": ("accept", "exclude", "return"),
        "accepted": ("exclude", "return"),
        "excluded": ("accept", "return"),
        "returned": (),
        "expired": ("exclude", "return"),
        "surplus": ("accept", "exclude", "return"),
        "withdrawn": (),
    }
