"""Who goes on to the tasks: qualification, screening questions, the wait after calibration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NoReturn

import pytest

from participants import PAIRWISE, RATING, OpenSite, Person, made_study
from rejudge.collect.panels import PanelKey, Panels
from rejudge.errors import StoreUnavailable
from rejudge.store.analysis_input import judgments_of
from rejudge.study.model import Study
from rejudge.web.rehearse.browser import Page
from small_site import Participant, Site, study_of

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
    assert "2 of 3 answers right" in person.text
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
    assert "2 of 3 answers right" in person.text
    person.get("/")
    assert person.path == "/task/1"
    person.do_all()
    assert person.path == "/thanks"
    assert site.store.codes.completed in person.page.text


def test_a_second_attempt_shows_the_same_tasks_in_another_order(arrived):
    _, person = arrived()
    attempt(person, "b", "a", "b")
    assert person.path == "/qualification"
    assert "You got 0 of 3 answers right, and 2 are needed." in person.text
    assert "You have one more attempt." in person.text
    assert "same tasks in a different order" in person.text
    attempt(person, "a", "a", "a")
    assert person.path == "/qualified"


def test_a_second_attempt_can_show_other_tasks(arrived):
    tasks = [gold(n) for n in range(1, 5)]
    _, person = arrived(qualification={"tasks": tasks, "tasks_per_attempt": 2})
    start(person)
    assert "Gold 1" in person.text
    attempt(person, "b", "b")
    assert "You will see different tasks." in person.text
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
    assert "You got 0 of 3" in person.text
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


SCREENING = """
recruitment:
  platform: prolific
  screening:
    questions:
      - {id: fluent, prompt: 'Which do you speak?', options: [this, "<b>ذاك</b>"], admit: [this]}
      - {id: age, prompt: 'How old?', options: [under 18, older], admit: [older]}
"""
EXAMPLES = """
practice:
  attempts: 2
  pass_mark: 1
  examples:
    - {input: first, outputs: [x, y], answers: {meaning: a}, explanation: so}
    - {input: second, outputs: [x, y], answers: {meaning: b}, explanation: so}
"""
CHECKED = """
checks: [{kind: instruction, id: told, question: meaning, per_batch: 2, on_fail: reject}]
payment: {currency: GBP, minutes: 10, hourly: 12}
"""


@pytest.fixture
def make(tmp_path) -> Iterator[Callable[[str], Site]]:
    with ExitStack() as stack:
        yield lambda more: Site(tmp_path / "study.db", *study_of(2, 1, more=more), stack)


def code_of(page: Page) -> str | None:
    found = re.search(r'id="code"[^>]*>([^<]+)<', page.source)
    return found[1] if found else None


def agree(person: Participant) -> Page:
    page = person.come()
    return person.send(page, agree="yes")


def answer(person: Participant, page: Page, fluent: str = "", age: str = "") -> Page:
    given = {"screening:fluent": fluent, "screening:age": age}
    return person.send(page, **{name: value for name, value in given.items() if value})


def held(site: Site) -> int:
    return sum(each.held for each in site.store.occupancies())


def test_the_right_answers_lead_to_a_place_that_was_not_taken_before(make):
    site = make(SCREENING)
    person = site.person("p")
    page = agree(person)
    assert (page.step, held(site)) == ("screening", 0)
    assert "&lt;b&gt;ذاك" in page.source  # options are shown as they are written
    page = answer(person, page, "this", "older")
    assert (page.step, held(site)) == ("instructions", 1)
    assert person.browser.open("/screening").step == "instructions"
    raws = [(each.task, each.raw) for each in site.store.answer_rows() if "@" in each.task]
    assert raws == [("@screening", "this"), ("@screening", "older")]


def test_another_answer_ends_with_a_code_of_its_own_and_takes_no_place(make):
    site = make(SCREENING)
    person = site.person("p")
    page = answer(person, agree(person), "<b>ذاك</b>", "older")
    assert (page.step, page.status) == ("screened-out", 200)
    codes = site.store.codes
    assert code_of(page) == codes.screened_out
    assert codes.screened_out not in {codes.completed, codes.declined, codes.full}
    assert (held(site), site.store.assignments()) == (0, ())
    assert site.store.progress(now=site.clock.now()).screened_out == 1


def test_nobody_gets_a_second_chance_by_going_back_or_by_another_session(make):
    site = make(SCREENING)
    person = site.person("p")
    asked = agree(person)
    answer(person, asked, "this", "under 18")
    assert answer(person, asked, "this", "older").step == "screened-out"
    assert person.come().step == "screened-out"
    assert site.person("p", "another session").come().step == "screened-out"
    assert held(site) == 0


@pytest.mark.parametrize("given", [{}, {"fluent": "this"}, {"fluent": "made up", "age": "older"}])
def test_an_answer_that_is_missing_or_no_option_is_asked_for_again(make, given):
    site = make(SCREENING)
    person = site.person("p")
    page = answer(person, agree(person), **given)
    assert (page.status, page.step) == (422, "screening")
    assert site.store.progress(now=site.clock.now()).screened_out == 0
    assert answer(person, page, "this", "older").step == "instructions"


def test_declining_stays_apart_from_being_screened_out(make):
    site = make(SCREENING)
    person = site.person("p")
    page = person.send(person.come(), agree="no")
    assert (page.step, code_of(page)) == ("declined", site.store.codes.declined)
    assert person.browser.open("/screening").step == "declined"


# ── practice with a pass mark ────────────────────────────────────────────────────────────────────


def practise(person: Participant, page: Page, letters: str) -> Page:
    """Answer the examples, one letter for each attempt, and go on after each feedback."""
    for letter in letters:
        (name,) = (name for name in page.forms[0].names if name.endswith(":meaning"))
        page = person.send(page, go="check", **{name: letter})
        if page.step == "practice" and "on" in page.forms[0].offers("go"):
            page = person.send(page, go="on")
    return page


def to_practice(person: Participant) -> Page:
    return person.send(agree(person))


@pytest.mark.parametrize(
    ("letters", "step"),
    [("ab", "task"), ("bab", "task"), ("bbb", "task"), ("bbaa", "screened-out")],
)
def test_people_below_the_pass_mark_of_practice_are_screened_out(make, letters, step):
    site = make(EXAMPLES)
    person = site.person("p")
    page = to_practice(person)
    assert "You need to get 1 of 2 right" in page.text
    assert held(site) == 1
    page = practise(person, page, letters)
    assert page.step == step
    if step == "screened-out":
        assert code_of(page) == site.store.codes.screened_out
        assert held(site) == 0  # the place is free for somebody else


def test_loading_the_page_again_gives_no_further_attempts(make):
    site = make(EXAMPLES)
    person = site.person("p")
    page = to_practice(person)
    for letter in "bb":  # both attempts at the first example are wrong
        (name,) = (name for name in page.forms[0].names if name.endswith(":meaning"))
        person.send(page, go="check", **{name: letter})
        page = person.browser.open("/practice")
    page = practise(person, page, "a")  # right, but too late
    assert practise(person, page, "aa").step == "screened-out"


def test_without_a_pass_mark_nobody_is_screened_out(make):
    site = make(EXAMPLES.replace("pass_mark: 1", ""))
    person = site.person("p")
    assert practise(person, to_practice(person), "bbaa").step == "task"
    assert site.store.codes.screened_out is None


# ── attention checks ─────────────────────────────────────────────────────────────────────────────


def work(site: Site, person: Participant, *, wrong: int) -> Page:
    """Do a batch, with so many wrong answers to checks that say what to choose."""
    page = person.begin()
    while page.step == "task":
        told = re.search(r"Please choose (?:Version )?([AB])", page.text)
        letter = "a" if told is None else told[1].lower()
        if told is not None and wrong:
            letter, wrong = ("b" if letter == "a" else "a"), wrong - 1
        page = person.answer(page, letter)
    return page


@pytest.mark.parametrize(
    ("wrong", "name"), [(0, "completed"), (1, "completed"), (2, "failed_checks")]
)
def test_two_failed_attention_checks_give_the_code_that_is_reviewed(make, wrong, name):
    site = make(CHECKED)
    page = work(site, site.person("p"), wrong=wrong)
    assert page.step == "thanks"
    assert code_of(page) == getattr(site.store.codes, name)


def test_checks_that_only_exclude_never_change_the_code(make):
    site = make(CHECKED.replace("on_fail: reject", "on_fail: exclude"))
    assert site.store.codes.failed_checks is None
    assert code_of(work(site, site.person("p"), wrong=2)) == site.store.codes.completed


SHARED = {"calibration": 1, "batch": {"inputs": 1}, "participants_per_batch": 2}


def gated(**parts: Any) -> Study:
    site = {"hold_after_calibration": True, "comment": False, **parts.pop("site", {})}
    return made_study(PAIRWISE, design=SHARED, inputs=4, site=site, **parts)


@pytest.fixture
def calibrated(opened):
    """A site, and somebody who has done the shared tasks."""

    def made(**parts: Any) -> tuple[OpenSite, Person]:
        site = opened(gated(**parts))
        person = site.person()
        person.to_tasks()
        person.do_all()
        return site, person

    return made


def test_the_page_says_what_happens_and_that_the_part_is_paid(calibrated):
    _, person = calibrated(payment={"reward": 2, "minutes": 5})
    assert person.path == "/waiting"
    assert "Your first part is done" in person.text
    assert "come back later with the same link" in person.text
    assert "paid for this first part either way" in person.text
    assert "finish here" in person.text


def test_unpaid_studies_do_not_speak_of_pay(calibrated):
    _, person = calibrated(payment={"kind": "unpaid"})
    assert person.path == "/waiting"
    assert "paid" not in person.text


def test_the_rest_opens_for_whoever_waits(calibrated):
    site, person = calibrated()
    person.get("/")
    assert person.path == "/waiting"
    site.store.set_gate(is_open=True, who="owner 1", now=site.clock())
    person.get("/waiting")
    assert person.path.startswith("/task/")


def test_coming_back_by_link_leads_to_the_same_page(calibrated):
    site, person = calibrated()
    other = site.person(person.name)
    other.arrive()
    assert other.path == "/waiting"


def test_somebody_can_stop_here_and_gets_the_code(calibrated):
    site, person = calibrated()
    person.send(go="finish")
    assert person.path == "/thanks"
    assert site.store.codes.completed in person.text
    site.store.set_gate(is_open=True, who="owner 1", now=site.clock())
    person.get("/")
    assert person.path == "/thanks"


def test_exit_questions_are_asked_before_the_code(calibrated):
    site, person = calibrated(site={"comment": True})
    person.send(go="finish")
    assert person.path == "/exit"
    person.send(comment="It was short.")
    assert site.store.codes.completed in person.text


@pytest.mark.parametrize("path", ["/task/1", "/more", "/thanks", "/exit", "/full"])
def test_no_page_leads_around_the_gate(calibrated, path):
    site, person = calibrated()
    person.get(path)
    assert person.path == "/waiting"
    assert len(site.store.assignments()) == 1


def test_participants_cannot_open_the_rest(calibrated):
    site, person = calibrated()
    form = person.form
    for path in ("/waiting", "/dashboard/calibration", "/more"):
        person.post(path, {**form["hidden"], "go": "more", "rest": "open", "reason": "please"})
    assert not site.store.gate().is_open
    assert len(site.store.assignments()) == 1


def test_a_form_without_its_signature_is_refused(calibrated):
    site, person = calibrated()
    assert person.post("/waiting", {"go": "finish"}).status_code == 403
    assert site.store.people(now=site.clock())[0].step == "waiting"


def test_the_page_is_for_those_who_wait_only(opened):
    site = opened(gated())
    person = site.person()
    person.arrive()
    person.get("/waiting")
    assert person.path == "/consent"


@pytest.mark.parametrize("language", ["de", "es", "nl", "zh", "ar"])
def test_the_page_is_there_in_every_language(calibrated, language):
    _, person = calibrated(language=language)
    assert person.path == "/waiting"
    assert "waiting_" not in person.page.text
    assert "Your first part" not in person.text
