"""Who arrives: the same person again, other people, and people who may not take part."""

from __future__ import annotations

from walking import MINUTE, NOW, complete, person

from rejudge.collect.visit import Arrival


def test_pseudonyms_count_up_and_do_not_come_back(store):
    names = [store.arrive(person(n), now=NOW).participant for n in (1, 2)]
    store.withdraw("p0002", who="me", now=NOW)
    assert names == ["p0001", "p0002"]
    assert store.arrive(person(3), now=NOW).participant == "p0003"


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
