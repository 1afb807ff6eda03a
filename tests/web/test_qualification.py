"""The gold batch before the study: a clear page on each outcome, and no way around it."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest

from participants import PAIRWISE, RATING, OpenSite, Person, made_study
from rejudge.collect import Panels
from rejudge.collect.panels import PanelKey
from rejudge.errors import StoreUnavailable
from rejudge.store import judgments_of
from rejudge.study import Study

PAID = {"reward": 2, "minutes": 5, "hourly": 12}


def gold(number: int, answer: str = "a") -> dict[str, Any]:
    return {
        "input": f"Gold {number}",
        "outputs": [f"first {number}", f"second {number}"],
        "answers": {"meaning": answer},
    }


def study_with_test(**parts: Any) -> Study:
    asked = {"pass_mark": 2, "tasks": [gold(1, "a"), gold(2, "b"), gold(3, "a")]}
    asked |= parts.pop("qualification", {})
    site = {"comment": False, **parts.pop("site", {})}
    return made_study(PAIRWISE, qualification=asked, site=site, **parts)


@pytest.fixture
def arrived(opened):
    """A site, and somebody who has read the instructions."""

    def made(**parts: Any) -> tuple[OpenSite, Person]:
        site = opened(study_with_test(**parts))
        person = site.person()
        person.to_tasks()
        return site, person

    return made


def start(person: Person) -> None:
    """Go from the page before an attempt to its first task."""
    person.get("/qualification/1")


def attempt(person: Person, *answers: str) -> None:
    start(person)
    for each in answers:
        person.answer(each)


def test_the_first_page_says_what_comes_and_that_it_is_paid(arrived):
    _, person = arrived(payment=PAID)
    assert person.path == "/qualification"
    assert "2 of 3 right answers" in person.text
    assert "You have 2 attempts." in person.text
    assert "paid for your time whether you pass or not" in person.text


def test_unpaid_studies_do_not_speak_of_pay_before_the_test(arrived):
    _, person = arrived(payment={"kind": "unpaid"})
    assert person.path == "/qualification"
    assert "paid" not in person.text


def test_nobody_has_a_batch_before_they_pass(arrived):
    site, person = arrived()
    start(person)
    person.answer("a")
    assert site.store.assignments() == ()
    assert site.store.people(now=site.clock())[0].step == "qualification"
    person.get("/task/1")
    assert person.path == "/qualification/2"


def test_whoever_passes_reads_so_and_goes_on_to_the_tasks(arrived):
    site, person = arrived()
    attempt(person, "a", "b", "b")
    assert person.path == "/qualified"
    assert "2 of 3 right answers" in person.text
    person.get("/")
    assert person.path == "/task/1"
    person.do_all()
    assert person.path == "/thanks"
    assert site.store.codes.completed in person.page.text


def test_a_second_attempt_shows_the_same_tasks_in_another_order(arrived):
    _, person = arrived()
    attempt(person, "b", "a", "b")
    assert person.path == "/qualification"
    assert "You gave 0 of 3 right answers, and 2 are needed." in person.text
    assert "You have one more attempt." in person.text
    assert "same tasks in another order" in person.text
    attempt(person, "a", "a", "a")
    assert person.path == "/qualified"


def test_a_second_attempt_can_show_other_tasks(arrived):
    tasks = [gold(n) for n in range(1, 5)]
    _, person = arrived(qualification={"tasks": tasks, "tasks_per_attempt": 2})
    start(person)
    assert "Gold 1" in person.text
    attempt(person, "b", "b")
    assert "You will see other tasks." in person.text
    start(person)
    assert "Gold 3" in person.text
    attempt(person, "a", "a")
    assert person.path == "/qualified"


def test_whoever_does_not_pass_gets_a_code_and_is_paid(arrived):
    site, person = arrived(payment=PAID)
    attempt(person, "b", "a", "b")
    attempt(person, "b", "b", "b")
    assert person.path == "/not-qualified"
    assert "the study ends here for you" in person.text
    assert "You are paid GBP" in person.text
    assert site.store.codes.not_qualified in person.page.text
    assert site.store.assignments() == ()
    progress = site.store.progress(now=site.clock())
    assert (progress.not_qualified, progress.turned_away, progress.people_now) == (1, 0, 0)


def test_not_passing_is_for_good(arrived):
    site, person = arrived()
    attempt(person, "b", "a", "b")
    attempt(person, "b", "a", "b")
    for path in ("/", "/qualification", "/qualification/1", "/task/1", "/qualified", "/full"):
        person.get(path)
        assert person.path == "/not-qualified"
    other = site.person(person.name)
    other.arrive()
    assert other.path == "/not-qualified"


def test_one_attempt_is_said_to_be_one(arrived):
    _, person = arrived(qualification={"attempts": 1})
    assert "You have one attempt." in person.text
    attempt(person, "b", "a", "b")
    assert person.path == "/not-qualified"


def test_a_click_sent_twice_is_one_attempt(arrived):
    site, person = arrived()
    start(person)
    person.answer("b")
    person.answer("a")
    last = person.form
    for _ in range(2):
        person.send(last, **{"0:meaning": "b"})
    assert person.path == "/qualification"
    assert [event.detail for event in site.store.events() if event.what == "attempted"] == [
        "attempt 1: 0 of 3"
    ]


def test_an_old_tab_cannot_change_an_attempt_that_was_handed_in(arrived):
    site, person = arrived()
    start(person)
    old = person.form
    attempt(person, "b", "a", "b")
    person.send(old, **{"0:meaning": "a"})
    assert person.path == "/qualification"
    assert "You gave 0 of 3" in person.text
    assert site.store.people(now=site.clock())[0].step == "qualification"


def test_going_back_keeps_and_changes_answers_of_the_attempt(arrived):
    _, person = arrived()
    start(person)
    person.answer("b")
    person.get("/qualification/1")
    assert 'value="b" data-key="2" checked' in " ".join(person.page.text.split())
    person.answer("a")
    person.answer("b")
    person.answer("b")
    assert person.path == "/qualified"


def test_nobody_skips_a_task(arrived):
    _, person = arrived()
    person.get("/qualification/3")
    assert person.path == "/qualification/1"
    person.send()
    assert person.page.status_code == 422
    assert "Please choose an answer." in person.text


@pytest.mark.parametrize("place", ["0", "4", "x", "٣", "99999999999999999999"])
def test_other_places_do_not_exist(arrived, place):
    _, person = arrived()
    assert person.get(f"/qualification/{place}").status_code == 404


def test_an_attempt_that_was_begun_is_resumed_on_another_device(arrived):
    site, person = arrived()
    start(person)
    person.answer("a")
    other = site.person(person.name)
    other.arrive()
    assert other.path == "/qualification/2"


def test_a_database_that_is_away_loses_no_answer(arrived, monkeypatch):
    site, person = arrived()
    start(person)

    def unavailable(*_: object, **__: object) -> NoReturn:
        raise StoreUnavailable("the disk is full.")

    with monkeypatch.context() as away:
        away.setattr(site.store, "record", unavailable)
        person.answer("a")
    assert person.page.status_code == 503
    assert "Not saved yet" in person.text
    person.answer("a")
    assert person.path == "/qualification/2"


def test_answers_of_the_test_are_no_judgments(arrived):
    site, person = arrived()
    attempt(person, "a", "b", "a")
    person.get("/")
    person.do_all()
    judgments = judgments_of(site.store)
    assert len(judgments) == len(site.plan.batches[0].tasks)
    tasks = {row.task for row in site.store.answer_rows()}
    assert {"@qualification-1-1", "@qualification-1-2", "@qualification-1-3"} < tasks


def test_somebody_who_passed_elsewhere_is_not_tested(opened):
    site = opened(study_with_test())
    key = PanelKey(b"a key that is long enough")
    site.store.use_panels(Panels(key, qualified=frozenset({key.hash_id("link", "ada")})))
    ada, bob = site.person("ada"), site.person("bob")
    for each in (ada, bob):
        each.to_tasks()
    assert (ada.path, bob.path) == ("/task/1", "/qualification")


def test_a_study_without_a_test_has_no_such_pages(opened):
    site = opened(made_study())
    person = site.person()
    person.to_tasks()
    for path in ("/qualification", "/qualification/1", "/qualified", "/not-qualified"):
        person.get(path)
        assert person.path == "/task/1"


def test_scores_may_be_near_the_right_one(opened):
    task = {"input": "Gold", "outputs": ["fluent"], "answers": {"fluency": 5}}
    study = made_study(
        RATING, qualification={"pass_mark": 1, "attempts": 1, "within": 1, "tasks": [task]}
    )
    for name, answer, path in (("ada", "4", "/qualified"), ("bob", "3", "/not-qualified")):
        person = opened(study).person(name)
        person.to_tasks()
        attempt(person, answer)
        assert person.path == path
