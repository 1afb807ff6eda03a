"""Visits: who arrives, what they agree to, how far they have come."""

from __future__ import annotations

from datetime import timedelta

from walking import (
    LEASE,
    MINUTE,
    NOW,
    answer,
    begin,
    come,
    complete,
    counts,
    look_together,
    person,
    together,
)

from rejudge.collect import Arrival


def test_pseudonyms_count_up_and_do_not_come_back(store):
    names = [store.arrive(person(n), now=NOW).participant for n in (1, 2)]
    store.withdraw("p0002", who="me", now=NOW)
    assert names == ["p0001", "p0002"]
    assert store.arrive(person(3), now=NOW).participant == "p0003"


def test_the_number_of_a_withdrawn_visit_does_not_come_back_to_somebody_else(store):
    """A cookie names a visit by its number."""
    old = store.arrive(person(1), now=NOW)
    store.withdraw("p0001", who="me", now=NOW)
    assert store.arrive(person(2), now=NOW).id != old.id
    assert store.visit(old.id) is None


def test_arriving_again_is_the_same_visit(store):
    first = store.arrive(person(1), now=NOW, device="phone")
    assert store.arrive(person(1), now=NOW + MINUTE) == first


def test_the_same_id_from_two_recruiters_is_two_people(store):
    names = {
        store.arrive(Arrival("prolific", "x", "x"), now=NOW).participant,
        store.arrive(Arrival("mturk", "x", "x"), now=NOW).participant,
        store.arrive(Arrival("link", "x", "x"), now=NOW).participant,
    }
    assert len(names) == 3


def test_consent_is_kept_with_its_time_and_counts_once(store):
    visit = store.arrive(person(1), now=NOW)
    version = store.consent_version
    agreed = store.consent(visit, agreed=True, version=version, now=NOW)
    again = store.consent(visit, agreed=False, version=version, now=NOW + MINUTE)
    assert (agreed.consented_at, again.consented_at, again.declined_at) == (NOW, NOW, None)


def test_a_step_is_passed_once(store):
    visit = store.arrive(person(1), now=NOW)
    store.consent(visit, agreed=True, version="v", now=NOW)
    first = store.pass_step(visit, "instructions", now=NOW)
    assert store.pass_step(visit, "instructions", now=NOW + MINUTE) == first
    assert store.pass_step(visit, "practice", now=NOW).practised_at == NOW
    assert store.pass_step(visit, "exit", now=NOW).left_at == NOW


def test_nobody_passes_a_step_before_they_have_agreed(store):
    visit = store.arrive(person(1), now=NOW)
    assert store.pass_step(visit, "instructions", now=NOW) == visit
    assert store.visit(visit.id) == visit


def test_times_come_back_as_they_went_in(store):
    odd = NOW + timedelta(microseconds=123457)
    visit = store.arrive(person(1), now=odd)
    assert visit.arrived_at == odd
    assert visit.arrived_at.utcoffset() == timedelta(0)


def test_visits_are_read_ahead_in_one_go_and_each_serves_once(store):
    visits = [come(store, n) for n in range(3)]
    looks = [lambda v=v: store.visit(v.id) for v in (*visits, visits[0])]
    assert look_together(store, looks, [v.id for v in visits]) == [*visits, visits[0]]
    assert look_together(store, looks, [visits[0].id, 10_000]) == [*visits, visits[0]]


def test_who_lapsed_on_behalf_of_another_is_not_served_as_they_were(open_one):
    """Both are read ahead; then one takes the other's place, and the other hands in too late."""
    store = open_one(1)
    late, next_one = begin(store, 1), come(store, 2)
    answer(store, late)
    after = NOW + 2 * LEASE
    taken, handed_in = together(
        store,
        [
            lambda: store.claim(next_one, now=after),
            lambda: store.hand_in(late.visit, late.id, now=after),
        ],
        [late.visit, next_one.id],
    )
    assert taken.current.batch == "b1"
    assert [each.status for each in handed_in.assignments] == ["surplus"]
    assert counts(store) == {"b1": (1, 0, 1)}


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
