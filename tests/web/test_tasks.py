"""Tasks: saved as they are answered, in any order of tabs and clicks, with and without scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NoReturn

import pytest

from participants import (
    BEST_WORST,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    TIE,
    OpenSite,
    Reader,
    made_study,
)
from rejudge.errors import StoreUnavailable
from rejudge.judgments.answers import tabulate

LIST = {"site": {"show": "list"}}


def at_tasks(site):
    person = site.person()
    person.to_tasks()
    return person


@pytest.mark.parametrize(
    ("question", "fields", "raw"),
    [
        (PAIRWISE, {"": "b"}, "b"),
        (TIE, {"": "tie"}, "tie"),
        (RATING, {"": "4"}, "4"),
        (SLIDER, {"": "73"}, "73"),
        (BEST_WORST, {":best": "c", ":worst": "a"}, "c,a"),
        (RANKING, {":a": "2", ":b": "3", ":c": "1"}, "c,a,b"),
        (SEGMENTS, {":0": "2", ":1": "0"}, "2,0"),
    ],
    ids=["pairwise", "tie", "rating", "slider", "best-worst", "ranking", "segments"],
)
def test_every_kind_of_question_is_stored_as_it_was_answered_and_shown_again(
    opened, question, fields, raw
):
    site = opened(made_study(question, design={"batch": {"inputs": 3}}))
    person = at_tasks(site)
    name = next(iter(person.form["names"])).rsplit(":", 1)[0] if len(fields) > 1 else None
    name = name or next(iter(person.form["names"]))
    person.send(**{f"{name}{part}": value for part, value in fields.items()})
    assert person.path == "/task/2"
    row = site.rows()[0]
    assert (row.question, row.raw, row.position) == (question["id"], raw, 1)
    assert tabulate(site.study, site.plan, site.store.all_answers())
    person.get("/task/1")
    shown = person.page.text
    chosen = shown.count(" checked>") + shown.count(" selected>") + shown.count(f'value="{raw}">')
    assert chosen == len(fields)


@pytest.mark.parametrize(
    ("question", "fields", "message"),
    [
        (PAIRWISE, {}, "Please choose an answer."),
        (PAIRWISE, {"0:meaning": "z"}, "Please choose an answer."),
        (RATING, {"0:fluency": "9"}, "Please choose an answer."),
        (SLIDER, {"0:ease": "101"}, "Please choose a number from 0 to 100."),
        (BEST_WORST, {"0:best:best": "a", "0:best:worst": "a"}, "must be different"),
        (BEST_WORST, {}, "Choose the best one"),
        (RANKING, {"0:rank:a": "1", "0:rank:b": "1", "0:rank:c": "2"}, "exactly once"),
        (SEGMENTS, {"0:facts:0": "2"}, "every sentence a score"),
    ],
)
def test_what_is_missing_or_impossible_is_said_beside_the_question_and_on_top(
    opened, question, fields, message
):
    site = opened(made_study(question, design={"order": "listed"}))
    person = at_tasks(site)
    person.send(**fields)
    assert person.page.status_code == 422
    assert person.text.count(message) >= 2
    assert "Something is still missing" in person.text
    assert "autofocus" in person.page.text
    assert site.rows() == []


def test_what_is_whole_is_saved_before_the_rest_is_asked_for(opened):
    site = opened(made_study(TIE, {**PAIRWISE, "id": "style"}, design={"order": "listed"}))
    person = at_tasks(site)
    person.send(**{"0:meaning": "a"})
    assert person.page.status_code == 422
    assert [(row.question, row.raw) for row in site.rows()] == [("meaning", "a")]
    assert 'value="a" data-key="1" checked' in person.page.text


def test_an_optional_question_can_be_left_out(opened):
    site = opened(made_study({**RATING, "required": False}))
    person = at_tasks(site)
    assert person.path == "/task/1"
    person.send()
    assert person.path == "/task/2"
    assert "(optional)" in person.text


def test_the_same_form_twice_is_one_answer_and_another_choice_is_a_new_one(opened):
    site = opened()
    person = at_tasks(site)
    form = person.form
    name = next(iter(form["names"]))
    for choice in ("a", "a", "b", "b"):
        person.send(form, **{name: choice})
    assert [row.raw for row in site.rows()] == ["a", "b"]


def test_a_form_from_the_memory_of_the_browser_can_bring_back_an_earlier_choice(opened):
    """a, then b, then a again from one and the same page: the last choice counts."""
    site = opened()
    person = at_tasks(site)
    form = person.form
    name = next(iter(form["names"]))
    for choice in ("a", "b", "a"):
        person.send(form, **{name: choice})
    held = site.store.assignments()[0]
    assert list(site.store.answers(held).values()) == ["a"]


def test_back_keeps_what_was_chosen_and_complains_of_nothing(opened):
    site = opened()
    person = at_tasks(site)
    person.answer("a")
    person.answer("b", go="back")
    assert person.path == "/task/1"
    assert [row.raw for row in site.rows()] == ["a", "b"]
    person.answer("b", go="next")
    person.send(go="back")
    assert person.path == "/task/1"


def test_a_study_can_forbid_going_back(opened):
    site = opened(made_study(PAIRWISE, site={"back": False}))
    person = at_tasks(site)
    assert 'value="back"' not in person.page.text
    person.answer("a")
    person.answer("a")
    person.get("/task/1")
    assert person.path == "/task/3"


def test_who_may_not_go_back_cannot_change_earlier_answers_by_script(opened):
    site = opened(made_study(PAIRWISE, site={"back": False}, design={"order": "listed"}))
    person = at_tasks(site)
    assert person.save(0, task=0, question="meaning", raw="a").json()["outcome"] == "saved"
    assert person.save(1, task=1, question="meaning", raw="a").json()["outcome"] == "saved"
    assert person.save(2, task=0, question="meaning", raw="b").json()["outcome"] == "closed"


def test_who_may_not_go_back_cannot_change_earlier_answers_with_an_old_form(opened):
    site = opened(made_study(PAIRWISE, site={"back": False}))
    person = at_tasks(site)
    old = person.form
    person.answer("a")
    person.answer("a")
    person.send(old, **dict.fromkeys(old["names"], "b"))
    assert person.path == "/task/3"
    assert [row.raw for row in site.rows()] == ["a", "a"]


def test_who_may_not_go_back_can_still_answer_what_they_passed_over(opened):
    site = opened(made_study(PAIRWISE, site={"back": False, "comment": False}))
    person = at_tasks(site)
    person.get("/task/3")
    person.answer("a")
    assert person.path == "/task/1"
    person.do_all()
    assert person.path == "/thanks"


def test_a_list_is_answered_in_any_order_where_nobody_may_go_back(opened):
    site = opened(made_study(PAIRWISE, site={"back": False, "show": "list"}))
    person = at_tasks(site)
    assert person.save(0, task=1, question="meaning", raw="a").json()["outcome"] == "saved"
    assert person.save(1, task=0, question="meaning", raw="a").json()["outcome"] == "saved"
    assert person.save(2, task=0, question="meaning", raw="b").json()["outcome"] == "saved"


@pytest.mark.parametrize("seconds", [10**400, -(10**400), float("inf"), "long", True])
def test_times_that_cannot_be_do_not_keep_an_answer_from_being_saved(opened, seconds):
    person = at_tasks(opened())
    body = {"task": 0, "question": "meaning", "raw": "a", "active": 1, "shown": 1, "number": 0}
    hidden = person.form["hidden"]
    sent = json.dumps({**body, "stamp": hidden["stamp"], "active": seconds, "shown": seconds})
    headers = {"X-CSRF": hidden["csrf"], "content-type": "application/json"}
    saved = person.client.post("/save", content=sent, headers=headers)
    assert saved.json()["outcome"] == "saved"


@pytest.mark.parametrize("place", ["0", "99", "-1", "x", "1" * 5000])
def test_a_task_that_is_not_there_is_a_mistake_in_the_address(opened, place):
    person = at_tasks(opened())
    assert person.get(f"/task/{place}").status_code == 404


def test_in_two_tabs_both_are_kept_and_the_last_counts(opened):
    site = opened()
    person = at_tasks(site)
    first = person.form
    person.get("/task/1")
    second = person.form
    name = next(iter(first["names"]))
    person.send(second, **{name: "b"})
    person.send(first, **{name: "a"})
    assert [row.raw for row in site.rows()] == ["b", "a"]


def test_after_handing_in_a_second_tab_changes_nothing_and_leads_to_the_end(opened):
    site = opened(made_study(PAIRWISE, site={"comment": False}))
    person = at_tasks(site)
    old = person.form
    person.do_all("a")
    before = site.rows()
    person.send(old, **dict.fromkeys(old["names"], "b"))
    assert person.path == "/thanks"
    assert site.rows() == before


def test_an_unanswered_task_is_shown_before_the_batch_can_be_handed_in(opened):
    site = opened()
    person = at_tasks(site)
    last = len(site.plan.batches[0].tasks)
    person.get(f"/task/{last}")
    person.answer("a")
    assert person.path == "/task/1"
    assert "still needs an answer" in person.text


def test_a_break_is_offered_after_so_many_tasks(opened):
    site = opened(made_study(PAIRWISE, design={"break_every": 2}))
    person = at_tasks(site)
    person.answer("a")
    person.answer("a")
    assert person.path == "/break"
    assert "You have done 2 of 3." in person.text
    assert 'href="/task/3"' in person.page.text


def test_a_list_is_one_page_and_one_form(opened):
    site = opened(made_study(PAIRWISE, **LIST))
    person = at_tasks(site)
    assert person.path == "/task/all"
    assert len(person.form["names"]) == 3
    person.answer("b")
    assert person.path == "/exit"
    assert [row.raw for row in site.rows()] == ["b", "b", "b"]
    assert [row.position for row in site.rows()] == [1, 2, 3]


def test_a_list_keeps_what_was_answered_and_says_what_is_missing(opened):
    site = opened(made_study(PAIRWISE, **LIST))
    person = at_tasks(site)
    first, *_ = person.form["names"]
    person.send(**{first: "a"})
    assert person.page.status_code == 422
    assert len(site.rows()) == 1
    person.get("/")
    assert person.page.text.count(" checked>") == 1


def test_the_script_gets_all_tasks_with_the_answers_given_so_far(opened):
    site = opened()
    person = at_tasks(site)
    person.answer("a")
    page = person.client.get("/tasks").text
    assert page.count('<section class="task') == 3
    assert page.count(" checked>") == 1
    assert "<html" not in page


def test_the_script_saves_an_answer_with_all_that_is_recorded_of_it(opened):
    site = opened(made_study(PAIRWISE, design={"order": "listed"}))
    person = at_tasks(site)
    site.clock.pass_minutes(1)
    said = person.save(
        0, task=1, question="meaning", raw="b", active=12.5, shown=20, changes=2, blurs=1
    )
    assert said.json() == {"outcome": "saved", "at": site.clock().isoformat()}
    row = site.rows()[0]
    assert (row.position, row.active_seconds, row.changes, row.blurs) == (2, 12.5, 2, 1)
    assert (row.saved_at - row.shown_at).total_seconds() == 40


def test_the_script_may_save_again_and_again_under_one_key(opened):
    site = opened()
    person = at_tasks(site)
    said = [person.save(7, question="meaning", raw="a").json()["outcome"] for _ in range(3)]
    assert said == ["saved", "repeated", "repeated"]
    assert len(site.rows()) == 1


def test_the_script_learns_that_the_batch_was_handed_in_elsewhere(opened):
    site = opened(made_study(PAIRWISE, site={"comment": False}))
    person = at_tasks(site)
    page = person.page
    person.do_all("a")
    person.page = page
    assert person.save(9, question="meaning", raw="b").json()["outcome"] == "closed"


@pytest.mark.parametrize(
    "sent",
    [
        {"raw": "z"}, {"raw": 1}, {"raw": None}, {"question": "nothing", "raw": "a"},
        {"task": 99, "raw": "a"}, {"task": "0", "raw": "a"}, {"question": ["x"], "raw": "a"},
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused_and_not_stored(opened, sent):
    site = opened()
    person = at_tasks(site)
    said = person.save(0, **{"question": "meaning", **sent})
    assert (said.status_code, said.json()["outcome"]) == (422, "refused")
    assert site.rows() == []


# When the store is gone


@pytest.fixture
def gone(monkeypatch):
    """Takes the database away from a site, and gives it back."""

    def take(site: OpenSite) -> Callable[[], None]:
        def unavailable(*_: object, **__: object) -> NoReturn:
            raise StoreUnavailable("the disk is full.")

        with_store = {"record", "record_all", "hand_in", "visit", "answers", "pass_step"}
        for name in with_store:
            monkeypatch.setattr(site.store, name, unavailable)
        return monkeypatch.undo

    return take


def test_without_a_store_the_page_says_not_saved_and_keeps_the_answers(opened, gone):
    site = opened()
    person = at_tasks(site)
    give_back = gone(site)
    page = person.answer("b")
    assert page.status_code == 503
    assert page.headers["retry-after"]
    assert "Not saved yet; keep this page open" in person.text
    assert " saved 1" not in person.text
    assert 'value="b" data-key="2" checked' in page.text
    give_back()
    person.send(**dict.fromkeys(person.form["names"], "b"))
    assert person.path == "/task/2"
    assert [row.raw for row in site.rows()] == ["b"]


def test_without_a_store_a_list_keeps_all_answers_in_its_form(opened, gone):
    site = opened(made_study(PAIRWISE, **LIST))
    person = at_tasks(site)
    gone(site)
    page = person.answer("b")
    assert page.status_code == 503
    assert page.text.count(" checked>") == 3


def test_without_a_store_the_script_is_asked_to_try_again(opened, gone):
    site = opened()
    person = at_tasks(site)
    gone(site)
    said = person.save(0, question="meaning", raw="a")
    assert (said.status_code, said.json()["outcome"]) == (503, "unavailable")


def test_without_a_store_every_other_page_is_friendly(opened, gone):
    site = opened()
    person = at_tasks(site)
    gone(site)
    page = person.get("/task/2")
    assert page.status_code == 503
    assert "Not saved yet" in person.text


@pytest.mark.parametrize(
    "other", [{"task": 1}, {"question": "style"}, {"raw": "b"}], ids=["task", "question", "answer"]
)
def test_saves_with_one_number_are_distinguished_by_task_question_and_answer(opened, other):
    """A browser may count from the start again, as a second tab does."""
    site = opened(made_study(PAIRWISE, {**PAIRWISE, "id": "style"}))
    person = site.person()
    person.to_tasks()
    first = {"task": 0, "question": "meaning", "raw": "a"}
    second = {**first, **other}
    saved = [person.save(7, **each).json()["outcome"] for each in (first, second, second)]
    assert saved == ["saved", "saved", "repeated"]
    assert len(site.rows()) == 2


def test_exit_answers_from_a_form_that_came_back_are_kept_as_they_are_now(opened):
    asked = [{"id": "often", "prompt": "How often?", "options": ["daily", "never"]},
             {"id": "age", "prompt": "How old?", "kind": "number", "required": True}]  # fmt: skip
    site = opened(made_study(PAIRWISE, site={"exit_questions": asked}))
    person = site.person()
    person.to_tasks()
    form = Reader(person.do_all().text).forms[0]
    person.send(form, **{"exit:often": "daily"})
    person.send(form, **{"exit:often": "never"})
    assert [row.raw for row in site.rows() if row.question == "often"] == ["never"]
