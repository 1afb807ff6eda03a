"""Failures that really happened in studies of this kind, each with what must happen instead."""

from __future__ import annotations

import pytest
from promises import broken
from walking import (
    LEASE,
    MINUTE,
    NOW,
    answer,
    begin,
    come,
    complete,
    counts,
    finish,
    in_hand,
    page,
    person,
)

from rejudge.errors import ElsewhereOpen

LATE = NOW + LEASE + MINUTE


def test_a_returned_place_is_given_again(open_one):
    """Replacements met “no tasks” because a returned batch never freed its place."""
    store = open_one(1)
    mine = begin(store, 1)
    store.change(mine.id, "return", who="Prolific", reason="returned", now=NOW)
    assert begin(store, 2).batch == mine.batch
    assert broken(store) == []


def test_the_121st_annotation_is_surplus_and_never_silently_counted(open_one):
    """The platform had given a place again, and the first person finished after all."""
    store = open_one(1)
    first = begin(store, 1)
    store.change(first.id, "return", who="Prolific", reason="returned", now=NOW)
    complete(store, 2)
    assert finish(store, first).status == "surplus"
    assert counts(store) == {"b1": (1, 1, 0)}
    assert store.states() == {("p0001", "b1"): "surplus", ("p0002", "b1"): "submitted"}
    assert len(list(store.all_answers(statuses=["submitted"]))) == 3  # three tasks, one person


def test_somebody_who_meets_a_full_study_is_turned_away_kindly_and_may_try_again(open_one):
    """They met a page of errors; here they get a visit that says so, and its own code."""
    store = open_one(1)
    mine = begin(store, 1)
    other = come(store, 2)
    assert store.claim(other, now=NOW).is_turned_away
    assert store.codes.full not in {store.codes.completed, store.codes.declined, None}
    store.change(mine.id, "return", who="Prolific", reason="returned", now=NOW)
    again = store.claim(other, now=NOW)
    assert not again.is_turned_away
    assert in_hand(again).batch == "b1"


def test_a_lapsed_place_is_free_for_the_next_arrival_without_waiting_for_a_sweep(open_one):
    """The sweep ran only as often as the longest lease."""
    store = open_one(1)
    mine = begin(store, 1)
    other = begin(store, 2, now=LATE)
    assert other.batch == mine.batch
    assert store.assignment(mine.id).status == "expired"


def test_two_tabs_and_a_refresh_find_the_same_batch_and_the_saved_answers(store):
    """The back button or a second tab got another batch."""
    first = begin(store, 1)
    store.record(page(first, "b1-1", "b"), now=NOW)
    visit = store.arrive(person(1), now=NOW + MINUTE)
    tab = in_hand(store.claim(visit, now=NOW + MINUTE))
    assert (tab.id, tab.seat) == (first.id, first.seat)
    assert store.order(tab) == store.order(first)
    assert store.answers(visit) == {("b1-1", "meaning"): "b"}
    store.record(page(tab, "b1-1", "a"), now=NOW + 2 * MINUTE)
    assert store.answers(first) == {("b1-1", "meaning"): "a"}  # the last one counts


def test_reopening_after_finishing_gives_no_new_batch_and_the_same_code(store):
    """Only unfinished rows were looked for, so that a finished person got a new batch."""
    done = complete(store, 1)
    visit = store.pass_step(store.visit(done.visit), "exit", now=NOW)
    code = store.codes.completed
    again = store.arrive(person(1), now=NOW + MINUTE)
    assert again == visit
    assert again.left_at is not None
    assert [each.id for each in store.claim(again, now=NOW + MINUTE).assignments] == [done.id]
    assert store.codes.completed == code


def test_a_double_submit_is_one_submit_and_changes_no_answer(store):
    """The second one overwrote the file of answers, and the insert failed unheard."""
    mine = begin(store, 1)
    first = finish(store, mine)
    given = list(store.all_answers())
    saved = store.record(page(mine, "b1-1", "b"), now=NOW + MINUTE)
    assert saved.outcome == "closed"
    assert not saved.is_stored
    assert store.submit(mine, now=NOW + MINUTE) == first
    assert list(store.all_answers()) == given


def test_an_answer_sent_twice_is_stored_once(store):
    """A retry after a lost reply must find the first one."""
    mine = begin(store, 1)
    sent = page(mine, "b1-1", "a")
    first = store.record(sent, now=NOW)
    second = store.record(sent, now=NOW + MINUTE)
    assert (first.outcome, second.outcome) == ("saved", "repeated")
    assert second.at == first.at
    assert len(list(store.answer_rows())) == 1


def test_late_work_is_kept_as_surplus_with_its_code_when_the_place_was_given_again(open_one):
    """A late submit ended in an error page: the work was lost, and there was no code."""
    store = open_one(1)
    late = begin(store, 1)
    complete(store, 2, now=LATE)
    saved = answer(store, late, now=LATE)
    assert {each.outcome for each in saved} == {"saved"}
    assert store.submit(late, now=LATE).status == "surplus"
    assert store.visit(late.visit).current is None  # finished: on to the thanks and the code
    assert len(list(store.all_answers(statuses=["surplus"]))) == 3
    assert broken(store) == []


def test_late_work_counts_when_its_place_is_still_free(open_one):
    store = open_one(1)
    late = begin(store, 1)
    store.expire(now=LATE)
    assert finish(store, late, now=LATE).status == "submitted"
    assert broken(store) == []


def test_a_lease_is_renewed_by_every_answer_and_measured_in_whole_days_too(open_one):
    """Clocks in two time zones were compared, and seconds wrapped round after a day."""
    store = open_one(1)
    mine = begin(store, 1)
    for minutes in (20, 40, 60):
        at = NOW + minutes * MINUTE
        store.record(page(mine, "b1-1", "a"), now=at)
        assert store.assignment(mine.id).expires_at == at + LEASE
        assert store.expire(now=at + 29 * MINUTE) == 0
    assert store.expire(now=NOW + 26 * 60 * MINUTE) == 1


def test_whoever_timed_out_and_comes_back_goes_on_where_they_were_if_the_place_is_free(open_one):
    store = open_one(1)
    mine = begin(store, 1)
    store.record(page(mine, "b1-1", "a"), now=NOW)
    store.expire(now=LATE)
    back = in_hand(store.claim(store.arrive(person(1), now=LATE), now=LATE))
    assert (back.id, back.status) == (mine.id, "held")
    assert broken(store) == []


def test_the_same_person_in_a_second_session_does_not_get_a_second_batch_in_hand(open_one):
    """A rater did three lists twice."""
    store = open_one(1, 1, cap=2)
    begin(store, 1)
    with pytest.raises(ElsewhereOpen):
        store.arrive(person(1, session=2), now=NOW)


def test_the_same_person_never_gets_a_batch_twice_however_many_sessions(open_one):
    store = open_one(3, cap=3)
    complete(store, 1)
    again = store.claim(come(store, 1, session=2), now=NOW)
    assert again.is_turned_away
    assert again.participant == "p0001"
    assert broken(store) == []


def test_participants_of_a_sibling_study_are_turned_away(open_one):
    """People took part in several studies of one series."""
    pilot = open_one(2, name="pilot")
    complete(pilot, 1)
    pilot.arrive(person(2), now=NOW)  # came, but took no part
    main = open_one(2, name="main", exclude_studies=["pilot"])
    visit = main.arrive(person(1), now=NOW)
    assert visit.is_turned_away
    assert main.claim(visit, now=NOW).assignments == ()
    assert not main.arrive(person(2), now=NOW).is_turned_away


def test_excluded_ids_are_turned_away_and_kept_only_as_hashes(store):
    count = store.exclude_ids(["person-7", " person-8 ", "person-7"], who="me", now=NOW)
    assert count == 2
    assert store.arrive(person(7), now=NOW).is_turned_away
    assert store.exclude_ids(["person-8"], who="me", now=NOW) == 0
    assert not any("person-" in f"{entry}" for entry in store.log())


def test_a_session_without_the_right_person_shows_nothing_of_them(store):
    """The platform id alone is known to many; it opens no visit that somebody has begun."""
    done = complete(store, 1)
    stranger = store.arrive(person(1, session="guessed"), now=NOW)
    assert stranger.id != done.visit
    assert stranger.assignments == ()
    assert store.answers(stranger) == {}


def test_a_time_zone_far_from_the_declared_region_is_flagged_and_nothing_else(open_one):
    store = open_one(1)
    regions = store.study.spec.recruitment.model_copy(update={"regions": ("GB", "US")})
    object.__setattr__(
        store.study, "spec", store.study.spec.model_copy(update={"recruitment": regions})
    )
    visits = [come(store, n) for n in (1, 2)]
    for visit, zone in zip(visits, ("Asia/Tokyo", "Europe/London"), strict=True):
        store.note_client(visit, time_zone=zone, offset_minutes=0, device="phone", language="en")
    people = store.people(now=NOW)
    assert [each.flags for each in people] == [("time-zone",), ()]
    assert people[0].time_zone == "Asia/Tokyo"
    assert not store.visit(visits[0].id).is_turned_away


def test_a_failed_check_frees_the_place_and_both_are_kept(open_one):
    store = open_one(1)
    failed = complete(store, 1, right=False)
    assert (failed.status, failed.failed_checks, failed.reason) == ("excluded", 1, "1 failed check")
    assert complete(store, 2).status == "submitted"
    assert len({each.participant for each in store.all_answers()}) == 2


def test_fewer_failed_checks_than_the_rule_says_are_counted_only(open_one):
    store = open_one(1, failed_checks=2)
    kept = complete(store, 1, right=False)
    assert (kept.status, kept.failed_checks) == ("submitted", 1)


def test_the_rule_counts_the_failed_checks_of_all_batches_of_a_person(open_one):
    store = open_one(1, 1, cap=2, failed_checks=2)
    first = complete(store, 1, right=False)
    second = in_hand(store.claim(store.visit(first.visit), now=NOW))
    assert finish(store, second, right=False).status == "excluded"
    assert store.assignment(first.id).status == "excluded"
    assert counts(store) == {"b1": (1, 0, 0), "b2": (1, 0, 0)}
