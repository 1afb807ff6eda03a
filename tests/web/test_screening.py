"""Screening questions, the pass mark of practice, and the codes at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from rejudge.web.rehearse.browser import Page
from small_site import Participant, Site, study_of

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
    assert "you need to get 1 of 2 right" in page.text
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
