"""Judgments and visitors of a store, as the analysis gets them."""

from __future__ import annotations

from datetime import timedelta

from walking import MINUTE, NOW, begin, finish, in_hand, page, person

from rejudge.collect.visit import COMMENT, EXIT, PRACTICE
from rejudge.store.analysis_input import judgments_of, visitors_of
from rejudge.store.records import PageAnswers

SECOND = timedelta(seconds=1)


def test_a_visitor_has_answers_device_and_seconds_on_each_page(store):
    """Consent took 40 seconds, instructions two minutes, practice 5 and (shown twice) 3 + 4."""
    visit = store.arrive(person(1), now=NOW, device="phone")
    visit = store.consent(visit, agreed=True, version=store.consent_version, now=NOW + 40 * SECOND)
    visit = store.pass_step(visit, "instructions", now=NOW + 40 * SECOND + 2 * MINUTE)

    def save(task, answers, key, *, shown=NOW, active=None) -> None:
        page = PageAnswers(visit.id, None, task, 1, answers, key, shown, active)
        store.record(page, now=shown + 9 * SECOND)

    save(f"{PRACTICE}1", {"meaning": "a"}, "k1", active=5.0)
    save(f"{PRACTICE}2", {"meaning": "b"}, "k2", active=3.0)
    save(f"{PRACTICE}2", {"meaning": "a"}, "k3", shown=NOW + MINUTE, active=4.0)
    finish(store, in_hand(store.claim(visit, now=NOW + 4 * MINUTE)), now=NOW + 5 * MINUTE)
    save(EXIT, {"country": "Wales", COMMENT: "Nice."}, "k4")
    (visitor,) = visitors_of(store)
    assert visitor.participant == "p0001"
    assert visitor.answers == {"country": "Wales"}
    assert visitor.device == "phone"
    assert visitor.seconds == {
        "consent": (40.0,),
        "instructions": (120.0,),
        "practice": (5.0, 7.0),
        "exit": (9.0,),
    }


def test_who_declined_has_no_seconds(store):
    visit = store.arrive(person(1), now=NOW)
    store.consent(visit, agreed=False, version=store.consent_version, now=NOW + SECOND)
    (visitor,) = visitors_of(store)
    assert visitor.seconds == {}
    assert visitor.answers == {}


def test_judgments_come_from_the_last_answers(store):
    mine = begin(store, 1)
    store.record(page(mine, "b1-1", "b"), now=NOW)
    finish(store, mine)
    table = judgments_of(store)
    assert len(table) == 3
    assert [each.raw for each in store.all_answers()] == ["a", "a", "a"]
    assert len(list(store.answer_rows())) == 4
