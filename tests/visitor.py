"""Somebody with a real browser: by mouse, by keys, with and without scripts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import httpx

from browser_contexts import DESKTOP, PHONE, Window
from participants import (
    BEST_WORST,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    TIE,
    OpenSite,
    link_of,
    made_study,
)
from rejudge.web.rehearse.browser import Browser

__all__ = ["DESKTOP", "EXIT", "PHONE", "RIGHT", "Site", "Visitor", "axe", "every_kind"]
PRACTICE = {
    "examples": [
        {
            "input": "Where do cats sleep?",
            "outputs": ["Where do cats rest?", "Where do dogs sleep?"],
            "answers": {"meaning": "a"},
            "explanation": "B is about dogs.",
        }
    ]
}
EXIT = [{"id": "often", "prompt": "How often do you read?", "options": ["daily", "never"]}]


def every_kind(**parts: Any) -> Any:
    """All kinds of question in one batch of seven tasks: pairs, single texts, all three."""
    design = {"order": "listed", "participants_per_batch": 40, **parts.pop("design", {})}
    site = {"exit_questions": EXIT, **parts.pop("site", {})}
    asked = (TIE, RATING, SLIDER, SEGMENTS, BEST_WORST, RANKING)
    return made_study(*asked, design=design, practice=PRACTICE, site=site, **parts)


@dataclass
class Site:
    """A site that is served."""

    opened: OpenSite
    address: str
    _numbers: Any = field(default_factory=itertools.count)

    def next_number(self) -> int:
        return next(self._numbers)

    @contextmanager
    def with_file_gone(self) -> Iterator[None]:
        """Its database file is elsewhere, until the block ends."""
        file = self.opened.database
        away = file.rename(file.with_name("away.db"))
        yield
        away.rename(file)

    def answers(self, participant: str) -> dict[tuple[str, str], str]:
        """The last answer to each question of each task, practice and exit aside."""
        rows = [row for row in self.opened.rows() if row.participant == participant]
        return {(row.task, row.question): row.raw for row in rows if not row.task.startswith("@")}


class Visitor(Window):
    """A window with somebody before it."""

    def __init__(self, page: Any, site: Site, name: str) -> None:
        super().__init__(page, site.address)
        self.site = site
        self.name = name
        self._earlier = len(site.opened.rows())

    def new_rows(self) -> list[Any]:
        """Every answer that was stored since they came; others were on the same site before."""
        return self.site.opened.rows()[self._earlier :]

    @property
    def participant(self) -> str:
        """The pseudonym, read from the last page."""
        return str(self.page.locator(".end strong[dir=ltr]").inner_text())

    def arrive(self) -> None:
        self.page.goto(self.site.address + link_of(self.site.opened.app.state.pages, self.name))

    def start(self) -> None:
        """Be at the tasks of a study without practice, as somebody who agreed and read before.

        Those pages are sent without a browser: other tests look at them.
        """
        with httpx.Client(base_url=self.site.address) as client:
            browser = Browser(client)
            agree = browser.open(link_of(self.site.opened.app.state.pages, self.name)).forms[0]
            read = browser.send(agree, {"agree": "yes"}).forms[0]
            path = browser.send(read, {}).path
            own = [
                {"name": each.name, "value": each.value or "", "url": self.site.address}
                for each in client.cookies.jar
            ]
        self.page.context.add_cookies(own)
        self.page.goto(self.site.address + path)

    def to_practice(self) -> None:
        """Agree and read."""
        self.arrive()
        self.page.click("button[value=yes]")
        self.page.click("main button.primary")
        self.page.wait_for_url("**/practice")

    def to_tasks(self) -> None:
        """Agree, read and practise."""
        self.to_practice()
        self.practise()

    def practise(self) -> None:
        """Give the right answer to the one example."""
        self.page.locator(".tile").first.click()
        self.next()
        self.page.locator(".notice.ok").wait_for()
        self.next()
        self.page.wait_for_url("**/task/*")

    def wait_for_all_tasks(self) -> None:
        """Until the script has fetched the other tasks, and can go on without a network."""
        self.page.locator("#answers[data-tasks=here]").wait_for()

    def next(self) -> None:
        self.page.locator(".next").click()

    def send_plainly(self) -> None:
        """Choose, and send the form as a browser without scripts does."""
        with self.page.expect_navigation():
            self.page.evaluate(
                "document.querySelector('.tile input, .point input').checked = true;"
                "document.querySelector('#answers').submit()"
            )

    def wait_saved(self) -> None:
        self.page.locator(".status.is-saved").wait_for()

    def task(self) -> Any:
        return self.page.locator(".task")

    def answer_by_mouse(self) -> None:
        """Answer whatever the page asks, by clicking."""
        for question in self.page.locator(".question[data-kind]").all():
            getattr(self, f"_click_{question.get_attribute('data-kind').replace('-', '_')}")(
                question
            )

    def _click_pairwise(self, question: Any) -> None:
        question.locator(".tile").nth(1).click()

    def _click_rating(self, question: Any) -> None:
        question.locator(".point").nth(3).click()

    def _click_slider(self, question: Any) -> None:
        line = question.locator("input[type=range]")
        if line.is_visible():
            line.scroll_into_view_if_needed()
            box = line.bounding_box()
            line.click(position={"x": box["width"] * 0.7, "y": box["height"] / 2})
        else:
            question.locator("input[type=number]").fill("70")

    def _click_segments(self, question: Any) -> None:
        for line in question.locator("li").all():
            line.locator(".point").nth(2).click()

    def _click_best_worst(self, question: Any) -> None:
        question.locator("[data-letter=a] .best").click()
        question.locator("[data-letter=c] .worst").click()

    def _click_ranking(self, question: Any) -> None:
        up = question.locator("[data-letter=c] .up")
        if up.is_visible():
            up.click()
            up.click()
        else:
            for letter, place in (("c", "1"), ("a", "2"), ("b", "3")):
                question.locator(f"[data-letter={letter}] select").select_option(place)

    def walk(self) -> list[str]:
        """Answer and go on until the tasks are over; gives the paths seen."""
        seen = []
        while "/task/" in self.path:
            seen.append(self.path)
            self.answer_by_mouse()
            here = self.path
            self.next()
            self.page.wait_for_function("path => location.pathname !== path", arg=here)
        return seen

    def walk_plain(self) -> list[str]:
        """The same without scripts: every step is a page of its own."""
        seen = []
        while "/task/" in self.path:
            seen.append(self.path)
            self.answer_by_mouse()
            self.next()
            self.page.wait_for_load_state()
        return seen

    def finish(self) -> None:
        """Past the last questions."""
        self.page.locator("textarea").fill("It was clear.")
        self.page.click("main button.primary")
        self.page.wait_for_url("**/thanks")


RIGHT = {
    "meaning": "b",
    "fluency": "4",
    "facts": "2,2",
    "best": "a,c",
    "rank": "c,a,b",
}  # what `answer_by_mouse` says; the slider depends on the width of the page


def axe(page: Any) -> list[str]:
    """What the accessibility checker finds on a page, in both colour schemes.

    In the dark only what depends on colours: all else is the same page.
    """
    if page.evaluate("typeof axe === 'undefined'"):
        source = resources.files("axe_playwright_python") / "axe.min.js"
        page.evaluate(source.read_text("utf-8"))
    told: list[str] = []
    for scheme, rules in (("dark", _COLOURS), ("light", _EVERYTHING)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no fade half-way
        found = page.evaluate(f"() => axe.run({{runOnly: {rules}, resultTypes: ['violations']}})")
        told += [
            f"{scheme}: {each['id']}: {node['target']} {node.get('failureSummary', '')}"
            for each in found["violations"]
            for node in each["nodes"]
        ]
    return told


_EVERYTHING = '["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]'
_COLOURS = '{type: "rule", values: ["color-contrast", "link-in-text-block"]}'
