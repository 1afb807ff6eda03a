"""The pages of a site for participants, rendered as text, and the static files they use."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Any, TypeAlias
from urllib.parse import quote, urlsplit

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from rejudge import fingerprint
from rejudge.collect.visit import Visit
from rejudge.design.order import order_for
from rejudge.design.pages import page_values
from rejudge.design.plan import Plan, Task
from rejudge.platforms import platform
from rejudge.store.store import Store
from rejudge.study.kinds.registry import KINDS
from rejudge.study.model import Study, fill_placeholders
from rejudge.web.forms import FormFault, field_name
from rejudge.web.fragments import Fragments
from rejudge.web.layout_page import LayoutPages
from rejudge.web.recruiting import RecruitingService
from rejudge.web.session import ArrivalReader, Seal, Stamp, new_key, resume_path
from rejudge.web.wording import Words


@dataclass(frozen=True, eq=False)
class SiteContext:
    """Everything that the pages of one study need."""

    study: Study
    plan: Plan
    store: Store
    now: Callable[[], datetime]  # aware, UTC
    secret: bytes  # signs cookies and forms; the same in all processes of a site
    base_url: str = ""  # as participants type it; a path in it stands before every address
    is_secure: bool = False  # whether cookies may travel by TLS alone
    is_rehearsal: bool = False
    is_preview: bool = False  # to look at: nothing counts, and anybody may come in
    patience_seconds: float = 1.0  # how long the dashboard's first page waits for slow numbers
    interface: Mapping[str, str] = field(default_factory=dict)  # own words for buttons, by key
    recruiting: RecruitingService | None = None  # None: participants do not come from a platform

    @property
    def prefix(self) -> str:
        """The path prefix of the site, if it is not at the root of its host."""
        return urlsplit(self.base_url).path.rstrip("/")


_KINDS = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file, ready to be sent."""

    content: bytes
    kind: str
    fingerprint: str


@cache
def assets() -> dict[str, Asset]:
    """All files in the folder `static`, by name."""
    files = (resources.files("rejudge.web") / "static").iterdir()
    contents = {
        file.name: file.read_bytes() for file in sorted(files, key=lambda file: file.name)
        if file.name.rpartition(".")[2] in _KINDS
    }  # fmt: skip
    mark = fingerprint.of_bytes(b"\0".join(contents.values()))
    return {
        name: Asset(content, _KINDS[name.rpartition(".")[2]], mark)
        for name, content in contents.items()
    }


def asset_path(name: str) -> str:
    """The path of a static file, without the prefix of the site."""
    return f"/static/{assets()[name].fingerprint}/{name}"


FaultMessages: TypeAlias = tuple[
    tuple[str, str, str], ...
]  # field, prompt and message of each fault
_SCRIPT_WORDS = (
    "answered_of", "best_worst_hint", "closed", "copied", "fault_worst", "finish", "gone_title",
    "next", "not_saved", "not_yet", "number_of", "saved_at", "saving", "sending", "worst_cleared",
)  # fmt: skip


_FRAME_FILES = ("layout_frame.js", "layout_frame.css")  # inside the page of an original study

_MARK = secrets.token_hex(16)  # no text of a study can contain it
_GAPS = re.compile(f"{_MARK}-([a-z]+)-")
_BRACED = re.compile("%7B([A-Za-z][A-Za-z0-9_-]*)%7D")  # a placeholder in an address


def make_environment() -> Environment:
    """The environment that loads templates and escapes all values."""
    of_kinds = {kind.templates for kind in KINDS.values() if kind.templates is not None}
    return Environment(
        loader=ChoiceLoader([PackageLoader("rejudge.web"), FileSystemLoader(sorted(of_kinds))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def markdown(text: str, values: Mapping[str, str] | None = None, *, below: int = 0) -> Markup:
    """A page of the study as HTML; headings so many levels below their own. HTML is shown as text.

    Placeholders get their values after the Markdown is understood, so that a title with stars or
    brackets in it is shown as it is. Pictures are left out: the page asks no other host for
    anything.
    """
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = reader.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + below)}"
        for part in (token, *(token.children or ())):
            _fill(part, values or {})
    made: str = reader.renderer.render(_without_blanks(tokens), reader.options, {})
    return Markup(made)  # noqa: S704 - made by the renderer, which escapes


def _fill(token: Token, values: Mapping[str, str]) -> None:
    token.content = fill_placeholders(token.content, values)
    link = token.attrs.get("href")
    if isinstance(link, str):
        token.attrs["href"] = _BRACED.sub(
            lambda found: quote(values[found[1]], safe="@") if found[1] in values else found[0],
            link,
        )


def _without_blanks(tokens: Sequence[Token]) -> list[Token]:
    """Drop the paragraphs that consist of a placeholder with an empty value."""
    blank = {
        place
        for place, token in enumerate(tokens)
        if token.type == "inline" and not token.content.strip()
        if tokens[place - 1].type == "paragraph_open"
    }
    return [
        token for place, token in enumerate(tokens) if not {place - 1, place, place + 1} & blank
    ]


@dataclass(frozen=True, slots=True)
class ConsentBox:
    """A statement of the consent page with its box."""

    field: str  # the name of the box
    text: str
    required: bool


class SitePages:
    """The pages of one site."""

    def __init__(self, site: SiteContext) -> None:
        self.site = site
        self.study = site.study
        self.seal = Seal(site.secret, site.study.spec.id)
        self.arrivals = ArrivalReader(
            site.study, self.seal, is_rehearsal=site.is_rehearsal, is_preview=site.is_preview
        )
        self.words = Words(
            site.study.spec.site.language or site.study.spec.language, site.interface
        )
        self.environment = make_environment()
        self.environment.globals |= {
            "t": self.words,
            "study": site.study.spec,
            "at": self.at,
            "asset": lambda name: self.at(asset_path(name)),
            "is_rehearsal": site.is_rehearsal,
            "is_preview": site.is_preview,
            "script_words": self.words.of(
                *_SCRIPT_WORDS, *dict.fromkeys(kind.fault for kind in KINDS.values())
            ),
        }
        self.fragments = Fragments(site.study, site.plan, self.words, self.environment)
        self.layouts = None if site.study.layout is None else self._layouts()
        self.order = lru_cache(maxsize=4096)(self._order)
        self.texts_for = lru_cache(maxsize=4096)(self._texts_for)
        self._statements_for = lru_cache(maxsize=4096)(self._boxes_for)
        self.environment.globals["study_texts"] = self.texts
        self.outline = lru_cache(maxsize=64)(self._outline)
        self.task_outline = lru_cache(maxsize=256)(self._task_outline)

    def _layouts(self) -> LayoutPages:
        texts = {name: assets()[name].content.decode() for name in _FRAME_FILES}
        script, style = (texts[name] for name in _FRAME_FILES)
        return LayoutPages(self.study, self.site.plan, script=script, style=style)

    def at(self, path: str) -> str:
        """A path of the site as a browser requests it, with the prefix."""
        return self.site.prefix + path

    def render(self, template: str, **given: Any) -> str:  # what templates take
        """A page from its template."""
        return self.environment.get_template(template).render(**given)

    @property
    def texts(self) -> Mapping[str, Markup]:
        """The study's own pages as HTML; empty for a page that was not written."""
        return self.texts_for(None)

    def _texts_for(self, own: tuple[str, ...] | None) -> Mapping[str, Markup]:
        """The same with the numbers of somebody who has a list of their own."""
        pages = self.study.pages
        values = page_values(
            self.study,
            self.site.plan,
            on=self.site.store.registered_on,
            same=self.words("about_same"),
            own=own,
        )
        return {
            "information": markdown(pages.get("information", ""), values),
            "consent": markdown(pages.get("consent", ""), values, below=1),
            "instructions": markdown(pages.get("instructions", ""), values),
            "help": markdown(pages.get("instructions", ""), values, below=1),
            "thanks": markdown(pages.get("thanks", ""), values),
        }

    def own_list(self, visit: int) -> tuple[str, ...] | None:
        """The batches that the plan names for somebody; None where it names nobody."""
        if self.site.plan.lists is None:
            return None
        found = self.site.store.visit(visit)
        return None if found is None else found.own

    def statements(self, visit: int) -> tuple[ConsentBox, ...]:
        """The statements of the consent page as somebody reads them."""
        return self._statements_for(self.own_list(visit))

    def _boxes_for(self, own: tuple[str, ...] | None) -> tuple[ConsentBox, ...]:
        values = page_values(self.study, self.site.plan, on=self.site.store.registered_on, own=own)
        return tuple(
            ConsentBox(
                field_name("statement", each.id),
                fill_placeholders(each.text, values),
                each.required,
            )
            for each in self.study.spec.site.consent_statements
        )

    @cached_property
    def qualification_reward(self) -> str | None:
        """What those get who do not pass, as pages show it; None where no amount is known."""
        values = page_values(self.study, self.site.plan, on=self.site.store.registered_on)
        return values.get("qualification_reward")

    # ── pages with a form ────────────────────────────────────────────────────────────────────────

    def form(self, template: str, visit: int, *, step: str = "", **given: Any) -> str:
        """A page with a form, including its token and a new stamp."""
        stamp = Stamp(visit=visit, shown_at=self.site.now(), key=new_key(), step=step)
        texts = self.texts_for(self.own_list(visit))
        return self.render(template, study_texts=texts, **self._form_fields(stamp), **given)

    def sheet(self, template: str, visit: int, *, participant: str = "", **given: Hashable) -> str:
        """A page with a form that differs between people only in token, stamp and pseudonym."""
        stamp = Stamp(visit=visit, shown_at=self.site.now(), key=new_key())
        resume = f"{self.site.base_url.rstrip('/')}{resume_path(self.seal, visit)}"
        own = {
            **self._form_fields(stamp),
            "participant": participant,
            "resume": str(escape(resume)),
        }
        return _fill_outline(self.outline(template, self.own_list(visit), **given), own)

    def task(
        self,
        stamp: Stamp,
        place: int,
        values: Mapping[str, str],
        *,
        faults: Sequence[FormFault] = (),
        notice: str = "",
    ) -> str:
        """One task of a batch, by its position (from 1) in the order of a seat."""
        body = self._body(stamp, place, values, faults)
        return self._wrap(body, stamp, place=place, faults=faults, notice=notice)

    def tasks(
        self,
        stamp: Stamp,
        values: Mapping[str, str],
        *,
        faults: Sequence[FormFault] = (),
        notice: str = "",
    ) -> str:
        """All tasks of a batch on one page."""
        body = self.bodies(stamp, values, faults)
        return self._wrap(body, stamp, place=None, faults=faults, notice=notice)

    def _wrap(
        self,
        body: str,
        stamp: Stamp,
        *,
        place: int | None,
        faults: Sequence[FormFault],
        notice: str,
    ) -> str:
        """The page around one task or around the list of all tasks."""
        outline = self.task_outline(
            place,
            len(self.order(stamp.batch, stamp.seat)),
            self._fault_messages(faults),
            notice,
            own=self.own_list(stamp.visit),
        )
        held = f"{stamp.visit}/{stamp.assignment}"
        return _fill_outline(outline, {**self._form_fields(stamp), "body": body, "held": held})

    def bodies(
        self, stamp: Stamp, values: Mapping[str, str], faults: Sequence[FormFault] = ()
    ) -> str:
        """All tasks of a batch in the order of a seat, without the surrounding page."""
        order = self.order(stamp.batch, stamp.seat)
        if not values and not faults:
            return self._plain(stamp.batch, order)
        return "".join(
            self._body(stamp, place, values, faults) for place in range(1, len(order) + 1)
        )

    def values(self, batch: str, answers: Mapping[tuple[str, str], str]) -> dict[str, str]:
        """The stored answers to a batch as values of form controls."""
        shown: dict[str, str] = {}
        for number, task in enumerate(self.site.plan.batch[batch].tasks):
            for question in self.study.questions_beside(len(task.options)):
                raw = answers.get((task.id, question.id))
                if raw is not None:
                    shown |= question.controls(field_name(number, question.id), raw)
        return shown

    def stamp(self, visit: Visit) -> Stamp:
        """A new stamp for a page about the participant's current batch."""
        held = visit.current
        if held is None:
            raise LookupError("the participant has no batch")
        return Stamp(
            visit=visit.id,
            shown_at=self.site.now(),
            key=new_key(),
            assignment=held.id,
            seat=held.seat,
            batch=held.batch,
        )

    def _order(self, batch: str, seat: int) -> tuple[int, ...]:
        """The tasks in the order of a seat, as positions in the planned batch."""
        planned = self.site.plan.batch[batch]
        places = {task.id: number for number, task in enumerate(planned.tasks)}
        return tuple(places[task.id] for task in order_for(self.site.plan, planned, seat))

    def task_at(self, batch: str, number: int) -> Task:
        """A task, by its position in the planned batch."""
        return self.site.plan.batch[batch].tasks[number]

    @lru_cache(maxsize=64)  # noqa: B019 - pages live as long as the site
    def _plain(self, batch: str, order: tuple[int, ...]) -> str:
        return "".join(
            self.fragments.blank(batch, number, self.heading(place, len(order)))
            for place, number in enumerate(order, start=1)
        )

    def _body(
        self, stamp: Stamp, place: int, values: Mapping[str, str], faults: Sequence[FormFault]
    ) -> str:
        order = self.order(stamp.batch, stamp.seat)
        number, heading = order[place - 1], self.heading(place, len(order))
        if not values and not faults:
            return self.fragments.blank(stamp.batch, number, heading)
        return self.fragments.task(stamp.batch, number).fill(values, faults, heading, self.words)

    @lru_cache(maxsize=4096)  # noqa: B019 - pages live as long as the site
    def heading(self, place: int, all_tasks: int) -> str:
        """The heading that says which task of how many this is."""
        return self.words("task_of", number=place, all=all_tasks)

    def _form_fields(self, stamp: Stamp) -> dict[str, str]:
        """The hidden fields that every form sends back."""
        return {"csrf": self.seal.csrf(stamp.visit), "stamp": str(escape(self.seal.stamp(stamp)))}

    # ── pages that are rendered once, with gaps for what is somebody's own ───────────────────────

    def _outline(
        self, template: str, own: tuple[str, ...] | None, **given: Hashable
    ) -> tuple[str, ...]:
        texts = self.texts_for(own)
        return self._render_with_gaps(template, "participant", "resume", study_texts=texts, **given)

    def _task_outline(
        self,
        place: int | None,
        all_tasks: int,
        faults: tuple[tuple[str, str, str], ...],
        notice: str,
        *,
        own: tuple[str, ...] | None,
    ) -> tuple[str, ...]:
        site = self.study.spec.site
        return self._render_with_gaps(
            "tasks.html" if place is None else "task.html",
            "body",
            place=place or 0,
            all_tasks=all_tasks,
            is_last=place == all_tasks,
            faults=faults,
            notice=notice,
            study_texts=self.texts_for(own),
            has_layout=self.layouts is not None,
            may_go_back=site.back,
            state={
                "mode": "list" if place is None else "one",
                "place": place or 0,
                "batch": f"{self.study.spec.id}/{_gap('held')}",
                "back": site.back,
                "breakEvery": self.study.spec.design.break_every or 0,
                "root": self.site.prefix,
                "language": self.words.language,
            },
        )

    def _render_with_gaps(self, template: str, *own: str, **given: Any) -> tuple[str, ...]:
        """A page as text, name, text, …: each name marks a gap that differs between people."""
        gaps = {name: Markup(_gap(name)) for name in ("csrf", "stamp", *own)}  # noqa: S704 - no markup in it
        return tuple(_GAPS.split(self.render(template, **gaps, **given)))

    def _fault_messages(self, faults: Sequence[FormFault]) -> FaultMessages:
        """Field, prompt and message of each error, for the summary."""
        prompts = {question.id: question.prompt for question in self.study.spec.questions}
        return tuple(
            (fault.field, prompts[fault.field.split(":")[1]], self.words(fault.words))
            for fault in faults
        )

    def return_link(self, code: str) -> str | None:
        """The address at the platform that submits the code automatically."""
        address = platform(self.study.spec.recruitment.platform).completion_url
        return None if address is None else address + quote(code, safe="")


def headings(text: str) -> bool:
    """Whether a rendered page has its own top-level heading."""
    return re.match(r"\s*<h1", text) is not None


def _gap(name: str) -> str:
    return f"{_MARK}-{name}-"


def _fill_outline(outline: Sequence[str], own: Mapping[str, str]) -> str:
    """An outline with its gaps filled; the values are already escaped."""
    done = list(outline)
    done[1::2] = [own[name] for name in done[1::2]]
    return "".join(done)
