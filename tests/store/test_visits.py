"""Visits: who arrives, what they agree to, how far they have come."""

from __future__ import annotations

from datetime import timedelta

from walking import LEASE, MINUTE, NOW, answer, begin, come, counts, look_together, person, together


def test_the_number_of_a_withdrawn_visit_does_not_come_back_to_somebody_else(store):
    """A cookie names a visit by its number."""
    old = store.arrive(person(1), now=NOW)
    store.withdraw("p0001", who="me", now=NOW)
    assert store.arrive(person(2), now=NOW).id != old.id
    assert store.visit(old.id) is None


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
