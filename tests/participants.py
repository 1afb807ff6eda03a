"""Small studies as sites over stores of their own, and people who walk them without scripts."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from dashboard_site import Browser
from rejudge.design.draw import draw
from rejudge.store.store import open_store
from rejudge.study.model import Item, Spec, Study
from rejudge.web.app import create_app
from rejudge.web.rendering import SiteContext
from rejudge.web.session import personal_path

PAIRWISE = {"id": "meaning", "kind": "pairwise", "prompt": "Which keeps the meaning better?"}
TIE = {**PAIRWISE, "tie": True, "definition": "It would get the same answer."}
RATING = {
    "id": "fluency",
    "kind": "rating",
    "prompt": "How fluent is it?",
    "labels": {1: "not at all", 5: "perfectly"},
}
SLIDER = {
    "id": "ease",
    "kind": "slider",
    "prompt": "How easy is it?",
    "low": "hard",
    "high": "easy",
}
BEST_WORST = {"id": "best", "kind": "best-worst", "prompt": "Which is best, which worst?", "of": 3}
RANKING = {"id": "rank", "kind": "ranking", "prompt": "Put them in order.", "of": 3}
SEGMENTS = {"id": "facts", "kind": "segments", "prompt": "Is it so?", "points": 3, "lowest": 0}
SYSTEMS = ("ash", "beech", "cedar")
PAGES = {
    "information": "# About\n\nWe compare programs that rewrite sentences.",
    "consent": "# Consent\n\nI am 18 or older.",
    "instructions": "# What to do\n\nRead and choose.",
    "thanks": "# Thank you\n\nThat was all.",
}


def made_study(*questions: dict[str, Any], texts: Any = None, **parts: Any) -> Study:
    """Three inputs, three systems; `texts` gives the words of an item by its number."""
    asked = list(questions) or [PAIRWISE]
    spec = Spec.model_validate(
        {
            "id": "small",
            "title": "Which sentence is better?",
            "systems": list(SYSTEMS),
            "questions": asked,
            "contact": {"name": "Ada Example", "email": "ada@example.org"},
            "design": {"seed": 5, "batch": {"inputs": 1}, **parts.pop("design", {})},
            **{key: value for key, value in parts.items() if key not in {"pages", "inputs"}},
        }
    )
    words = texts or (lambda number, name: f"By {name}: path {number} climbs. It is long.")
    items = tuple(
        Item(
            id=f"i{number}",
            group=f"i{number}",
            dataset="",
            input=words(number, "input"),
            reference=words(number, "reference"),
            outputs=tuple(words(number, name) for name in SYSTEMS),
            language=spec.language,
            line=number + 2,
        )
        for number in range(parts.get("inputs", 3))
    )
    return Study(spec=spec, items=items, pages=parts.get("pages", PAGES))


class Clock:
    """A time that moves when it is told to."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def pass_minutes(self, minutes: float) -> None:
        self.moment += timedelta(minutes=minutes)


class Reader(HTMLParser):
    """The forms of a page, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[dict[str, Any]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.forms.append({"action": given.get("action"), "hidden": {}, "names": {}})
        elif tag in {"input", "select", "textarea", "button"} and self.forms and given.get("name"):
            form = self.forms[-1]
            if given.get("type") == "hidden":
                form["hidden"][given["name"]] = given.get("value") or ""
            elif tag != "button":
                form["names"].setdefault(given["name"], []).append(given.get("value"))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def platform_id(name: str) -> str:
    """What Prolific would call somebody or something."""
    return hashlib.sha256(name.encode()).hexdigest()[:24]


def link_of(pages: Any, name: str, session: str = "s1") -> str:
    """The link by which somebody comes to a site."""
    if pages.arrivals.recruiter != "prolific":
        return personal_path(pages.seal, name)
    ids = {"PROLIFIC_PID": name, "STUDY_ID": "study", "SESSION_ID": session}
    return "/?" + urlencode({key: platform_id(value) for key, value in ids.items()})


class Person:
    """Somebody with a browser that has no scripts."""

    def __init__(self, app: Any, name: str = "one", address: str = "127.0.0.1") -> None:
        self.client = Browser(app, address)
        self.app = app
        self.name = name
        self.page: Any = None

    def get(self, path: str) -> Any:
        """Open a page and follow where it leads."""
        self.page = self.client.get(path)
        return self.page

    @property
    def link(self) -> str:
        return link_of(self.app.state.pages, self.name)

    def arrive(self, session: str = "s1") -> Any:
        """Come by a link of the study's own kind."""
        return self.get(link_of(self.app.state.pages, self.name, session))

    @property
    def form(self) -> dict[str, Any]:
        """The form of the page that has something to fill in, or the last one."""
        return Reader(self.page.text).forms[0]

    def send(self, form: dict[str, Any] | None = None, **values: str) -> Any:
        """Send the form of the page with these values."""
        form = form or self.form
        return self.post(form["action"], {**form["hidden"], **values})

    def post(self, path: str, values: dict[str, str]) -> Any:
        self.page = self.client.post(
            path,
            content=urlencode(values),
            headers={"content-type": "application/x-www-form-urlencoded"},
        )
        return self.page

    def save(self, number: int, **sent: Any) -> Any:
        """What the script sends for an answer."""
        hidden = self.form["hidden"]
        body = {"stamp": hidden["stamp"], "task": 0, "number": number, "active": 2.5, **sent}
        return self.client.post("/save", json=body, headers={"X-CSRF": hidden["csrf"]})

    def answer(self, value: str = "a", **more: str) -> Any:
        """Answer every question of the page with one value, and go on."""
        form = self.form
        return self.send(form, **dict.fromkeys(form["names"], value), **more)

    def to_tasks(self, session: str = "s1") -> Any:
        """Arrive, agree, read."""
        self.arrive(session)
        self.send(agree="yes")
        return self.send()

    def do_all(self, value: str = "a") -> Any:
        """Answer task after task until there is none."""
        while re.fullmatch(r"/task/\d+", str(self.page.url.path)):
            self.answer(value)
        return self.page

    @property
    def path(self) -> str:
        return str(self.page.url.path)

    @property
    def text(self) -> str:
        return " ".join(" ".join(Reader(self.page.text).words).split())


class OpenSite:
    """A site that is open."""

    def __init__(self, study: Study, folder: Path, **context: Any) -> None:
        self.study = study
        self.plan = context.pop("plan", None) or draw(study)
        self.clock = context.pop("now", None) or Clock()
        self.database = folder / "study.db"
        self.store = open_store(str(self.database), study, self.plan, now=self.clock())
        self.app = create_app(
            SiteContext(
                study=study,
                plan=self.plan,
                store=self.store,
                now=self.clock,
                secret=b"a secret of the tests, long enough",
                **context,
            ),
            health_seconds=math.inf,
        )
        self._numbers = itertools.count(1)
        self._people: list[Person] = []

    def person(self, name: str | None = None, address: str = "127.0.0.1") -> Person:
        found = Person(self.app, name or f"person{next(self._numbers)}", address)
        self._people.append(found)
        return found

    def finished(self, **parts: str) -> Person:
        """Somebody who has gone all the way."""
        person = self.person()
        person.to_tasks()
        person.do_all()
        if person.path == "/exit":
            person.send(**parts)
        return person

    def rows(self) -> list[Any]:
        """Every stored answer, in the order of saving."""
        return list(self.store.answer_rows())

    def close(self) -> None:
        """End what the people and the store hold open."""
        for person in self._people:
            person.client.close()
        self.store.close()
