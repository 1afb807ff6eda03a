"""What one address or browser may hold; nobody loses work."""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest

from participants import PAIRWISE, OpenSite, Person, link_of, made_study, platform_id
from rejudge.study.model import Study

PLACES = 18
ATTACKER, OTHER = "203.0.113.7", "198.51.100.20"


def study_of(places: int = PLACES, **parts: Any) -> Study:
    """Places in three batches; people from Prolific unless it is said otherwise."""
    design = {"batch": {"inputs": 1}, "participants_per_batch": places // 3}
    return made_study(PAIRWISE, design=design, **{"recruitment": {"platform": "prolific"}, **parts})


def invented(site: OpenSite) -> str:
    """A link with ids that look right and belong to nobody."""
    return link_of(site.app.state.pages, secrets.token_hex(4), secrets.token_hex(4))


def take_a_place(person: Person, link: str) -> str:
    """Come in and agree; where that leads."""
    person.get(link)
    if person.path == "/consent":
        person.send(agree="yes")
    return person.path


def attack(site: OpenSite, times: int = 2 * PLACES, *, keeps_cookies: bool = False) -> list[Person]:
    """Invented ids from one address, each time in a browser without cookies, or in one browser."""
    attackers = []
    one = site.person(address=ATTACKER)
    for _ in range(times):
        person = one if keeps_cookies else site.person(address=ATTACKER)
        take_a_place(person, invented(site))
        attackers.append(person)
    return attackers


def held(site: OpenSite) -> int:
    return sum(occupancy.held for occupancy in site.store.occupancies())


def test_invented_names_open_no_study_that_recruits_on_a_platform(opened):
    site = opened(study_of())
    for number in range(PLACES):
        assert take_a_place(site.person(address=ATTACKER), f"/?p=invented{number}") == "/"
    assert held(site) == 0
    assert take_a_place(site.person(), invented(site)) == "/instructions"


def test_one_address_holds_no_more_places_without_an_answer_than_the_study_allows(opened):
    site = opened(study_of(site={"places_per_address": 4}))
    attack(site)
    assert held(site) == 4


def test_one_browser_holds_one_place_without_an_answer(opened):
    site = opened(study_of())
    attack(site, keeps_cookies=True)
    assert held(site) == 1


@pytest.mark.slow
@pytest.mark.parametrize("keeps_cookies", [False, True])
def test_a_real_arrival_gets_a_place_while_somebody_tries_to_take_all_of_them(
    opened, keeps_cookies
):
    site = opened(study_of())
    attack(site, keeps_cookies=keeps_cookies)
    real = site.person(address=OTHER)
    assert take_a_place(real, real.link) == "/instructions"
    attack(site, keeps_cookies=keeps_cookies)
    real.send()
    real.do_all()
    statuses = {each.participant: each.status for each in site.store.assignments()}
    assert statuses[site.store.pseudonym_of(platform_id(real.name))] == "submitted"


def test_a_real_arrival_from_the_same_address_gets_a_place_too(opened):
    site = opened(study_of())
    attack(site)
    real = site.person(address=ATTACKER)
    assert take_a_place(real, real.link) == "/instructions"
    real.send()
    assert real.do_all().status_code == 200
    assert [each.status for each in site.store.assignments()].count("submitted") == 1


def test_an_address_of_the_new_kind_is_one_network(opened):
    site = opened(study_of(site={"places_per_address": 2}))
    for number in range(6):  # a household has 256 networks of 64 bits, or more
        take_a_place(site.person(address=f"2001:db8:1:2{number:02x}::1"), invented(site))
    assert held(site) == 2
    take_a_place(site.person(address="2001:db8:1:300::1"), invented(site))
    assert held(site) == 3


def test_an_address_that_comes_with_a_port_is_the_same_address(opened):
    """Some gateways pass on 203.0.113.7:51334 or [2001:db8::1]:51334, anew for each connection."""
    site = opened(study_of(site={"places_per_address": 2}))
    for number in range(6):
        take_a_place(site.person(address=f"{ATTACKER}:{50_000 + number}"), invented(site))
        take_a_place(site.person(address=f"[2001:db8::1]:{50_000 + number}"), invented(site))
    take_a_place(site.person(address=ATTACKER), invented(site))
    assert held(site) == 4


def test_who_has_answered_is_not_counted_and_keeps_the_place(opened):
    """Many people behind one address: those at work hold their places."""
    site = opened(study_of(site={"places_per_address": 2}))
    class_room = [site.person(address=ATTACKER) for _ in range(8)]
    for person in class_room:
        take_a_place(person, person.link)
        person.send()
        person.answer("a")
    assert held(site) == 8


def test_whose_place_went_to_another_goes_on_and_loses_nothing(opened):
    site = opened(study_of(3, site={"places_per_address": 2}))
    slow = site.person(address=ATTACKER)
    take_a_place(slow, slow.link)
    attack(site, 5)
    take_a_place(site.person(address=OTHER), invented(site))
    slow.send()
    slow.do_all()
    slow.send()
    assert slow.path == "/thanks"
    assert site.store.codes.completed in slow.text
    mine = site.store.pseudonym_of(platform_id(slow.name))
    assert {row.participant for row in site.rows()} == {mine}


def test_who_holds_a_single_place_keeps_it(opened):
    site = opened(study_of(3))
    for number in range(3):
        take_a_place(site.person(address=f"192.0.2.{number}"), invented(site))
    late = site.person(address=OTHER)
    assert take_a_place(late, late.link) == "/full"


def test_signed_links_are_not_limited(opened):
    """A whole class may sit behind one address, or at one machine."""
    site = opened(study_of(recruitment={}, site={"places_per_address": 1}))
    person = site.person(address=ATTACKER)
    for number in range(PLACES):
        link = link_of(site.app.state.pages, f"p{number}")
        assert take_a_place(person, link) == "/instructions"
    assert held(site) == PLACES


def test_open_links_are_limited_as_well(opened):
    site = opened(study_of(recruitment={"open": True}, site={"places_per_address": 3}))
    for _ in range(PLACES):
        take_a_place(site.person(address=ATTACKER), "/")
    assert held(site) == 3
    assert take_a_place(site.person(address=OTHER), "/") == "/instructions"


def test_a_place_without_an_answer_is_free_sooner_and_reading_keeps_it(opened):
    site = opened(study_of())
    person = site.person()
    take_a_place(person, person.link)
    site.clock.pass_minutes(14)
    person.send()  # the instructions were read
    site.clock.pass_minutes(14)
    assert site.store.expire(now=site.clock()) == 0
    site.clock.pass_minutes(2)
    assert site.store.expire(now=site.clock()) == 1
    person.answer("a")
    assert held(site) == 1
    site.clock.pass_minutes(29)
    assert site.store.expire(now=site.clock()) == 0


@pytest.mark.slow
def test_a_crowd_behind_one_address_finds_a_place_for_everybody(opened):
    """All begin before anybody answers: nobody ends as surplus while places are free."""
    site = opened(study_of(30, site={"places_per_address": 5}))
    crowd = [site.person(address=ATTACKER) for _ in range(30)]
    for person in crowd:
        assert take_a_place(person, person.link) == "/instructions"
    for person in crowd:
        person.send()
    for person in crowd:
        person.do_all()
    assert [each.status for each in site.store.assignments()] == ["submitted"] * 30


def test_a_place_that_was_released_by_the_owner_goes_to_others_when_no_other_is_free(opened):
    site = opened(study_of(3))
    take_a_place(site.person(address=ATTACKER), invented(site))
    site.store.release_unanswered(who="owner", reason="test", now=site.clock())
    for number in range(3):
        person = site.person(address=f"192.0.2.{number}")
        assert take_a_place(person, person.link) == "/instructions"


def test_one_browser_holds_one_place_with_unfinished_work(opened):
    site = opened(study_of())
    browser = site.person(address=ATTACKER)
    for _ in range(4):
        take_a_place(browser, invented(site))
        browser.send()
        browser.answer("a")
    assert held(site) == 1


def test_no_address_is_kept_and_no_trace_of_one_after_the_work_is_handed_in(opened):
    site = opened(study_of())
    person = site.person(address=OTHER)
    take_a_place(person, person.link)
    with closing(sqlite3.connect(site.database)) as database:
        ((kept,),) = database.execute("SELECT address FROM origin").fetchall()
        assert OTHER not in kept
        person.send()
        person.do_all()
        site.store.expire(now=site.clock())
        assert database.execute("SELECT * FROM origin").fetchall() == []
        take_a_place(site.person(address=OTHER), invented(site))
        site.store.expire(now=site.clock() + timedelta(days=1))
        assert database.execute("SELECT * FROM origin").fetchall() == []


def test_withdrawing_removes_where_somebody_came_from(opened):
    site = opened(study_of())
    person = site.person(address=OTHER)
    take_a_place(person, person.link)
    site.store.withdraw(
        site.store.pseudonym_of(platform_id(person.name)), who="test", now=site.clock()
    )
    with closing(sqlite3.connect(site.database)) as database:
        assert database.execute("SELECT * FROM origin").fetchall() == []
