"""A small browser without scripts: it keeps cookies, follows redirects and reads the forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

if TYPE_CHECKING:
    import httpx


_FORM = {"content-type": "application/x-www-form-urlencoded"}
_SILENT = {"script", "style", "template"}


@dataclass(frozen=True, slots=True)
class Field:
    """One control of a form: its name, its kind, what it would send, and whether it is chosen."""

    name: str
    kind: str  # hidden, radio, checkbox, text, number, range, select, textarea, submit, …
    value: str
    is_chosen: bool = True  # for radios and checkboxes: checked


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a page."""

    action: str  # path and query; the page's own when the form names none
    method: str
    fields: tuple[Field, ...]

    def values(self) -> dict[str, str]:
        """The values that the form would send now, without its buttons."""
        return {
            f.name: f.value
            for f in self.fields
            if f.kind not in {"submit", "button"}
            and (f.is_chosen or f.kind not in {"radio", "checkbox"})
        }

    def offers(self, name: str) -> tuple[str, ...]:
        """The values that the controls of a name can send."""
        return tuple(f.value for f in self.fields if f.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its controls, each once."""
        return tuple(dict.fromkeys(f.name for f in self.fields))


@dataclass(frozen=True, slots=True)
class Page:
    """What the browser shows."""

    path: str
    status: int
    forms: tuple[Form, ...]
    links: tuple[str, ...]
    text: str  # the words a person sees
    source: str

    @property
    def step(self) -> str:
        """The first part of the path: consent, task, thanks."""
        return self.path.strip("/").partition("/")[0]

    def form(self, *names: str) -> Form | None:
        """The first form that has controls of all these names."""
        return next((form for form in self.forms if set(names) <= set(form.names)), None)


class Browser:
    """The browser of one person. `client` is not shared, since it keeps their cookies."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self.requests = 0  # sent so far

    @property
    def cookies(self) -> httpx.Cookies:
        """The cookies of this browser."""
        return self._client.cookies

    def open(self, path: str) -> Page:
        """Go to a page."""
        import httpx

        self.requests += 1
        try:
            answer = self._client.get(path, follow_redirects=True)
        except (httpx.ReadError, httpx.RemoteProtocolError):  # an idle connection was closed
            answer = self._client.get(path, follow_redirects=True)
        return self._read_page(answer)

    def send(self, form: Form, values: Mapping[str, str]) -> Page:
        """Fill in a form, send it and follow where it leads."""
        values = {**form.values(), **values}
        if form.method == "get":
            return self.open(f"{form.action}?{urlencode(values)}")
        self.requests += 1
        body = urlencode(list(values.items()))
        answer = self._client.post(form.action, content=body, headers=_FORM, follow_redirects=True)
        return self._read_page(answer)

    def post_json(
        self, path: str, body: object, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, object]]:
        """Send what the page's script would send; the outcome that the site reports."""
        self.requests += 1
        answer = self._client.post(path, json=body, headers=dict(headers))
        is_json = "json" in answer.headers.get("content-type", "")
        return answer.status_code, answer.json() if is_json else {}

    def fetch(self, path: str) -> str:
        """Fetch what the page's script would fetch."""
        self.requests += 1
        return self._client.get(path).text

    def _read_page(self, answer: httpx.Response) -> Page:
        url = urlsplit(str(answer.url))
        here = url.path
        reader = _Reader(here)
        reader.feed(answer.text)
        text = " ".join(" ".join(reader.words).split())
        links = tuple(reader.links)
        return Page(here, answer.status_code, tuple(reader.forms), links, text, answer.text)


@dataclass(slots=True)
class _OpenForm:
    action: str
    method: str
    fields: list[Field] = field(default_factory=list)


class _Reader(HTMLParser):
    """Reads forms and text as a browser would, as far as our pages need it."""

    def __init__(self, here: str) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self._here = here
        self._open: _OpenForm | None = None
        self._silent = 0
        self._area: str | None = None  # the name of an open textarea
        self._area_text: list[str] = []
        self._select: str | None = None
        self._options: list[tuple[str, bool]] = []
        self._begin: Mapping[str, Callable[[Mapping[str, str]], None]] = {
            "a": self._link,
            "form": self._form,
            "input": self._input,
            "button": self._button,
            "textarea": self._textarea,
            "select": self._list,
            "option": self._option,
        }

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _SILENT:
            self._silent += 1
        elif tag in self._begin:
            self._begin[tag](given)

    def _link(self, given: Mapping[str, str]) -> None:
        if given.get("href"):
            self.links.append(given["href"])

    def _form(self, given: Mapping[str, str]) -> None:
        self._open = _OpenForm(given.get("action") or self._here, given.get("method", "get"))

    def _input(self, given: Mapping[str, str]) -> None:
        kind = given.get("type", "text")
        default = "on" if kind in {"radio", "checkbox"} else ""
        self._add(given, kind, given.get("value", default))

    def _button(self, given: Mapping[str, str]) -> None:
        self._add(given, given.get("type", "submit"), given.get("value", ""))

    def _textarea(self, given: Mapping[str, str]) -> None:
        self._area, self._area_text = given.get("name"), []

    def _list(self, given: Mapping[str, str]) -> None:
        self._select, self._options = given.get("name"), []

    def _option(self, given: Mapping[str, str]) -> None:
        self._options.append((given.get("value", ""), "selected" in given))

    def _add(self, given: Mapping[str, str], kind: str, value: str) -> None:
        if self._open is not None and given.get("name") and "disabled" not in given:
            self._open.fields.append(Field(given["name"], kind, value, "checked" in given))

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent -= 1
        elif tag == "form" and self._open is not None:
            done = self._open
            self.forms.append(Form(done.action, done.method.lower(), tuple(done.fields)))
            self._open = None
        elif tag == "textarea":
            self._close_area()
        elif tag == "select":
            self._close_select(self._options)

    def _close_area(self) -> None:
        if self._open is not None and self._area is not None:
            text = "".join(self._area_text).removeprefix("\n")
            self._open.fields.append(Field(self._area, "textarea", text))
        self._area = None

    def _close_select(self, options: Iterable[tuple[str, bool]]) -> None:
        if self._open is not None and self._select is not None:
            listed = list(options)
            chosen = next((value for value, is_chosen in listed if is_chosen), None)
            first = listed[0][0] if listed else ""
            self._open.fields.append(Field(self._select, "select", chosen or first))
        self._select = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area_text.append(data)
        elif not self._silent:
            self.words.append(data)


_TASK = re.compile(r'data-task="(\d+)"')


class Script:
    """The script of one page that shows a task or a list of them."""

    def __init__(self, browser: Browser, page: Page) -> None:
        self._browser = browser
        self._form = next(form for form in page.forms if form.action.endswith("/submit"))
        self._sent = 0

    def tasks(self) -> tuple[int, ...]:
        """The tasks of the batch in the order shown, as positions in the planned batch."""
        return tuple(map(int, _TASK.findall(self._browser.fetch("/tasks"))))

    def save(self, number: int, question: str, raw: str, seconds: float) -> str:
        """Send one answer; returns the outcome that the site reports."""
        self._sent += 1
        values = self._form.values()
        body = {
            "stamp": values["stamp"],
            "task": number,
            "question": question,
            "raw": raw,
            "number": self._sent,
            "active": seconds,
            "changes": 0,
            "blurs": 0,
        }
        status, said = self._browser.post_json("/save", body, {"x-csrf": values["csrf"]})
        return str(said.get("outcome", status))

    def hand_in(self) -> Page:
        """Hand in the batch once everything is saved."""
        return self._browser.send(self._form, {})
