"""A small study on its real pages, and people who walk them, for stories of what goes wrong."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx

from participants import link_of, platform_id
from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.store.store import open_store
from rejudge.study.model import Study
from rejudge.study.parse import parse
from rejudge.web.app import create_app
from rejudge.web.recruiting import RecruitingService
from rejudge.web.rehearse.browser import Browser, Page
from rejudge.web.rehearse.rehearsal import Clock
from rejudge.web.rendering import SiteContext
from rejudge.web.serving import run_site

STUDY = """
id: {id}
title: Which is better?
systems: [north, south]
questions: [{{id: meaning, kind: pairwise, prompt: 'Which keeps the meaning?'}}]
design: {{seed: 1, batch: {{inputs: 3}}, participants_per_batch: {people}}}
site: {{comment: false, minutes_held: 30, exclude_studies: [{excluded}], places_per_address: 99}}
{more}
"""
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SECRET = b"of these tests alone, and long enough"


def study_of(
    batches: int = 1,
    people: int = 1,
    *,
    name: str = "story",
    excluded: str = "",
    more: str = "",
    begins: str = "",
) -> tuple[Study, Plan]:
    """Batches of three tasks, each for so many people; `begins`: what every output begins with."""
    rows = [f"i{n},input {n},{begins}north {n},{begins}south {n}" for n in range(3 * batches)]
    head = "id,input,north,south"
    if "checks" in more:  # which are made of references
        head, rows = f"{head},reference", [f"{row},reference {n}" for n, row in enumerate(rows)]
    items = "\n".join([head, *rows]).encode()
    if "recruitment" not in more:
        more += "\nrecruitment: {platform: prolific}"
    text = STUDY.format(id=name, people=people, excluded=excluded, more=more)
    files = {"items.csv": items}
    study = parse(text, lambda name: files.get(name, b"Read and choose."), file="study.yaml")
    return study, draw(study)


class Site:
    """The site of a study on a free port, with a clock that can be moved."""

    def __init__(
        self,
        database: Path | str,
        study: Study,
        plan: Plan,
        stack: ExitStack,
        *,
        recruiting: RecruitingService | None = None,
    ) -> None:
        self.clock = Clock(START)
        self.store = open_store(str(database), study, plan, now=START)
        stack.callback(self.store.close)
        context = SiteContext(
            study=study,
            plan=plan,
            store=self.store,
            now=self.clock.now,
            secret=SECRET,
            recruiting=recruiting,
        )
        app = create_app(context)
        self.pages = app.state.pages
        self.address = stack.enter_context(run_site(app))
        self._wire = stack.enter_context(httpx.HTTPTransport(verify=False))
        self.names: list[str] = []

    def person(self, name: str, session: str | None = None) -> Participant:
        """Somebody with a browser of their own who has not come in yet."""
        client = httpx.Client(base_url=self.address, transport=self._wire, timeout=None)
        return Participant(self, name, session or f"session-of-{name}", Browser(client))

    def statuses(self) -> dict[str, str]:
        """The state of each person's work, by the id in their link; one batch each."""
        found = {each.participant: each.status for each in self.store.assignments()}
        return {
            name: found[pseudonym]
            for name in self.names
            if (pseudonym := self._pseudonym(name)) in found
        }

    def _pseudonym(self, name: str) -> str | None:
        is_hidden = self.pages.arrivals.recruiter == "prolific"
        return self.store.pseudonym_of(platform_id(name) if is_hidden else name)


@dataclass
class Participant:
    """Somebody at the pages, without JavaScript."""

    site: Site
    name: str
    session: str
    browser: Browser
    query: str = ""  # what their link says beside their ids

    def __post_init__(self) -> None:
        self.site.names.append(self.name)

    def come(self) -> Page:
        """Open the link of the platform."""
        return self.browser.open(link_of(self.site.pages, self.name, self.session) + self.query)

    def begin(self) -> Page:
        """Come in, consent, read the instructions; the first task."""
        page = self.come()
        for step in ("consent", "instructions"):
            if page.step == step:
                page = self.send(page, agree="yes")
        return page

    def work(self, page: Page, answers: str = "aaa") -> Page:
        """Answer the tasks from this page on, one letter each, and see what comes after."""
        for answer in answers:
            page = self.answer(page, answer)
        return page

    def finish(self, answers: str = "aaa") -> Page:
        """The whole way."""
        return self.work(self.begin(), answers)

    def answer(self, page: Page, letter: str) -> Page:
        """Choose in the one question of a task and press the button."""
        (name,) = (name for name in page.forms[0].names if name.endswith(":meaning"))
        return self.send(page, go="next", **{name: letter})

    def send(self, page: Page, **values: str) -> Page:
        """Send the form of a page, as it was when it was shown."""
        return self.browser.send(page.forms[0], values)

    def wait(self, minutes: float) -> None:
        """Time passes, for everybody."""
        self.site.clock.move_by(60 * minutes)
