"""Every page that people can meet beside their tasks: accessible, in both schemes and sizes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from participants import PAIRWISE, RATING, SEGMENTS, SLIDER, link_of, made_study
from rejudge.study.model import Study
from visitor import DESKTOP, PHONE, Visitor, axe

pytestmark = pytest.mark.browser
ROOMY = {"order": "listed", "participants_per_batch": 40}
PAIRS = made_study(PAIRWISE, design=ROOMY)
FROM_MTURK = made_study(PAIRWISE, design=ROOMY, recruitment={"platform": "mturk"})
FROM_PROLIFIC = made_study(PAIRWISE, design=ROOMY, recruitment={"platform": "prolific"})
SMALL = made_study(PAIRWISE, design={"participants_per_batch": 1}, inputs=1)
LONG = made_study(PAIRWISE, design={**ROOMY, "batches_per_participant": 2, "break_every": 1})
MIXED = made_study(RATING, SLIDER, SEGMENTS, design=ROOMY)
LISTED = made_study(PAIRWISE, design=ROOMY, site={"show": "list"})
BROKEN = made_study(PAIRWISE, design=ROOMY, title="Its file goes away.")
PAUSED = made_study(PAIRWISE, design=ROOMY, title="It is paused.")
OPEN = made_study(PAIRWISE, design=ROOMY, recruitment={"platform": "link", "open": True})
Open = Callable[..., Visitor]  # a study and, where it matters, a name


def at_tasks(visitor: Visitor) -> Visitor:
    visitor.start()
    return visitor


def at(path: str, study: Study = PAIRS) -> Callable[[Open], Visitor]:
    """A page that needs nothing before it."""

    def come(visit: Open) -> Visitor:
        visitor = visit(study)
        visitor.page.goto(visitor.address + path)
        return visitor

    return come


def instructed(visit: Open) -> Visitor:
    """The instructions of an open link have a long link to come back by."""
    visitor = visit(OPEN)
    visitor.page.goto(visitor.address)
    visitor.page.click("button[value=yes]")
    return visitor


def declined(visit: Open) -> Visitor:
    visitor = visit(PAIRS)
    visitor.arrive()
    visitor.page.click("button[value=no]")
    return visitor


def full(visit: Open) -> Visitor:
    for _ in range(4):  # there are three pairs of one input, and one place for each batch
        visitor = visit(SMALL)
        visitor.arrive()
        visitor.page.click("button[value=yes]")
        visitor.page.wait_for_load_state()
    return visitor


def paused(visit: Open) -> Visitor:
    visitor = visit(PAUSED)
    opened = visitor.site.opened
    opened.store.set_state("paused", who="owner 1", now=opened.clock())
    visitor.arrive()
    return visitor


def elsewhere(visit: Open) -> Visitor:
    first = visit(FROM_PROLIFIC)
    links = [link_of(first.site.opened.app.state.pages, first.name, session) for session in "12"]
    first.page.goto(first.address + links[0])
    first.page.click("button[value=yes]")
    first.page.wait_for_url("**/instructions")
    first.page.goto(first.address + links[1])
    return first


def more(visit: Open) -> Visitor:
    visitor = at_tasks(visit(LONG))
    visitor.wait_for_all_tasks()
    while visitor.path != "/more":
        here = visitor.path
        visitor.page.locator(".tile").first.click()
        visitor.next()
        if visitor.page.locator("#rested").is_visible():
            visitor.page.locator("#rested").click()
        visitor.page.wait_for_function("path => location.pathname !== path", arg=here)
    return visitor


def on_a_break(visit: Open) -> Visitor:
    visitor = at_tasks(visit(LONG))
    visitor.page.goto(f"{visitor.address}/break?after=1")
    return visitor


def in_a_list(visit: Open) -> Visitor:
    return at_tasks(visit(LISTED))


def lacking(visit: Open) -> Visitor:
    """Sent without an answer, as a browser without scripts does."""
    visitor = at_tasks(visit(MIXED))
    visitor.send_plainly()
    return visitor


def refused(visit: Open) -> Visitor:
    """A form that was not made for this visit."""
    visitor = at_tasks(visit(PAIRS))
    visitor.page.evaluate("document.querySelector('[name=csrf]').value = 'another'")
    visitor.send_plainly()
    return visitor


def not_saved(visit: Open) -> Visitor:
    visitor = at_tasks(visit(BROKEN))
    with visitor.site.with_file_gone():
        visitor.send_plainly()
    return visitor


def unavailable(visit: Open) -> Visitor:
    visitor = visit(BROKEN)
    with visitor.site.with_file_gone():
        visitor.arrive()
    return visitor


PAGES: dict[str, tuple[str, Callable[[Open], Visitor]]] = {  # with words that are on them
    "link": ("incomplete", at("/")),
    "preview": ("Before you accept", at("/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE", FROM_MTURK)),
    "about": ("rewrite sentences", at("/about")),
    "missing": ("Page not found", at("/nowhere")),
    "gone": ("Please open your link again", at("/task/1")),
    "instructions": ("keep this link", instructed),
    "declined": ("not to take part", declined),
    "full": ("No tasks left", full),
    "paused": ("The study is paused", paused),
    "elsewhere": ("already started elsewhere", elsewhere),
    "more": ("This part is done", more),
    "break": ("short break", on_a_break),
    "list": ("Finish", in_a_list),
    "lacking": ("still missing", lacking),
    "refused": ("send that again", refused),
    "not saved": ("Not saved yet", not_saved),
    "unavailable": ("Not saved yet", unavailable),
}


# Of each layout one: words alone, a code, a form of tasks, a list of them, and two kinds of faults.
QUICK = {"instructions", "declined", "elsewhere", "break", "list", "lacking", "not saved"}


@pytest.mark.parametrize(
    "window",
    [pytest.param(DESKTOP, id="desktop", marks=pytest.mark.slow), pytest.param(PHONE, id="phone")],
)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in PAGES],
)
def test_it_is_accessible_and_as_wide_as_the_window(visit, name, window):
    words, come = PAGES[name]
    visitor = come(lambda study, **more: visit(study, **{**window, **more}))
    page = visitor.page
    assert words in page.locator("main").inner_text()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert visitor.complaints == []


def test_who_could_not_come_in_tries_the_same_link_again(visit):
    """They have no cookie yet: without what their link says nobody knows them."""
    visitor = unavailable(lambda study: visit(study, **DESKTOP))
    visitor.page.click("main .button.primary")
    visitor.page.wait_for_url("**/consent")
