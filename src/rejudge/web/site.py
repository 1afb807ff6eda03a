"""The site of a study folder: study, plan and database, checked before anything is served."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rejudge.collect.panels import Panels, merge_panels, panel_key, read_panel
from rejudge.design.draw import draw
from rejudge.design.freeze import Frozen, changes_since_freeze
from rejudge.design.pages import page_values
from rejudge.design.plan import Plan
from rejudge.errors import FileError, Problem, StudyError, UsageError
from rejudge.files.step_files import FROZEN, PLAN, check_fresh, open_plan, open_study, read
from rejudge.incoming import read_inside
from rejudge.store.store import Store, open_store
from rejudge.study.model import PLACEHOLDERS, Study, placeholders
from rejudge.study.parse import INTERFACE
from rejudge.tables_in import NamedFile
from rejudge.web.wording import read_interface

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from rejudge.web.recruiting import RecruitingService


SECRET = "REJUDGE_SECRET"  # noqa: S105 - the name of the variable, not its content
_ANYBODY = 100_000  # places of a batch in a preview
_SHOWN = frozenset({"design", "items", "pages", "plan"})  # what participants see of a study
_MOST_LISTED = 10  # changes
_LEAST_SECRET = 16  # characters; fewer can be guessed


@dataclass(frozen=True, slots=True)
class Serving:
    """What to serve, from which database, and under which address."""

    folder: str
    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    base_url: str | None = None
    proxies: tuple[str, ...] = ()  # web servers in front that say whose request they pass on
    is_preview: bool = False

    @property
    def address(self) -> str:
        """The public address, without a trailing slash."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (self.base_url or f"http://{host}:{self.port}").rstrip("/")

    @property
    def is_secure(self) -> bool:
        """Whether cookies are sent over TLS only."""
        return self.address.startswith("https://")


def now_utc() -> datetime:
    """The current time of this machine, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class OpenSite:
    """A site that is ready to be served, and its store."""

    app: Starlette
    store: Store
    scratch: TemporaryDirectory[str] | None = None  # of a preview

    @property
    def recruiting(self) -> RecruitingService | None:
        """The platform that recruits for the study, if it has one."""
        found: RecruitingService | None = self.app.state.pages.site.recruiting
        return found

    def close(self) -> None:
        """Close the store, and delete what a preview stored."""
        self.store.close()
        if self.scratch is not None:
            self.scratch.cleanup()


def open_site(serving: Serving, *, now: Callable[[], datetime] = now_utc) -> OpenSite:
    """Open the study of a folder and its store, and make the application.

    A preview needs no plan: one is drawn, with room for everybody, and nothing is kept.
    """
    if serving.is_preview:
        return _open_preview(serving, now=now)
    study, plan = open_plan(Path(serving.folder))
    _refuse_changed(Path(serving.folder), study, plan)
    _refuse_unfilled(study, plan, on=now().date())
    interface = _interface(Path(serving.folder), study)
    panels = _panels(Path(serving.folder), study)
    store = open_store(serving.database, study, plan, now=now())
    if panels is not None:
        store.use_panels(panels)
    return OpenSite(_app(serving, store, interface, now=now), store)


def _panels(folder: Path, study: Study) -> Panels | None:
    """The lists of participants that a study names; None where it names none."""
    recruitment, stage = study.spec.recruitment, study.spec.qualification
    passed = () if stage is None else stage.skip_lists
    if not recruitment.exclude_lists and not recruitment.admit_lists and not passed:
        return None
    key = panel_key(os.environ)

    def read(name: str) -> frozenset[str]:
        content = read_inside(
            folder, name, remedy="Put the list there, or remove it from study.yaml."
        )
        return read_panel(NamedFile(name, content), key)

    excluded = [read(name) for name in recruitment.exclude_lists]
    admitted = [read(name) for name in recruitment.admit_lists]
    return merge_panels(key, excluded, admitted, [read(name) for name in passed])


def _open_preview(serving: Serving, *, now: Callable[[], datetime]) -> OpenSite:
    study = open_study(Path(serving.folder))
    interface = _interface(Path(serving.folder), study)
    plan = _given_plan(Path(serving.folder), study) or draw(study)
    batches = tuple(replace(b, participants=_ANYBODY) for b in plan.batches)
    roomy = replace(plan, batches=batches, lists=None)
    scratch = TemporaryDirectory(prefix="rejudge-preview-")
    database = str(Path(scratch.name) / "preview.db")
    try:
        store = open_store(database, study, roomy, now=now(), is_rehearsal=True)
        if store.gate() is not None:
            store.set_gate(is_open=True, who="preview", now=now())
        return OpenSite(_app(serving, store, interface, now=now), store, scratch)
    except BaseException:
        scratch.cleanup()
        raise


def _given_plan(folder: Path, study: Study) -> Plan | None:
    """The stored plan if its batches were read from a file; a preview cannot draw those."""
    plan = read(Plan, folder / PLAN) if (folder / PLAN).exists() else None
    is_given = plan is not None and plan.source is not None
    return plan if plan is not None and is_given and check_fresh(plan, study) is None else None


def _refuse_changed(folder: Path, study: Study, plan: Plan) -> None:
    """Refuse to serve a study that differs from what was frozen."""
    path = folder / FROZEN
    if not path.exists():
        return
    shown = [
        each
        for each in changes_since_freeze(read(Frozen, path), study, plan)
        if each.touches in _SHOWN
    ]
    if not shown:
        return
    remedy = (
        f"Restore what was changed. Or, if you meant to change it, draw the plan again if needed "
        f"(`rejudge plan {folder} --force`) and freeze again (`rejudge freeze {folder} --force`): "
        "the change is then recorded."
    )
    listed = [Problem(f"{each}.", file=str(path)) for each in shown[:_MOST_LISTED]]
    if len(shown) > _MOST_LISTED:
        listed.append(Problem(f"{len(shown) - _MOST_LISTED} more changes.", file=str(path)))
    what = "what participants would see differs from what was frozen."
    raise FileError(Problem(what, remedy, file=str(path)), *listed)


def _app(
    serving: Serving, store: Store, interface: dict[str, str], *, now: Callable[[], datetime]
) -> Starlette:
    from rejudge.web.app import create_app
    from rejudge.web.recruiting import open_recruiting
    from rejudge.web.rendering import SiteContext

    recruiting = None
    if not serving.is_preview:
        recruiting = open_recruiting(Path(serving.folder), store, now=now, base_url=serving.address)
    context = SiteContext(
        study=store.study,
        plan=store.plan,
        store=store,
        now=now,
        secret=site_secret(store),
        base_url=serving.address,
        is_secure=serving.is_secure,
        is_preview=serving.is_preview,
        interface=interface,
        recruiting=recruiting,
    )
    return create_app(context)


def _refuse_unfilled(study: Study, plan: Plan, *, on: date) -> None:
    """Refuse pages with placeholders that have no value: participants must not see `{contact}`."""
    known = page_values(study, plan, on=on)
    problems = [
        Problem(
            f"{{{name}}} has no value.",
            f"`rejudge check` says what is missing. To show the braces, write {{{{{name}}}}}.",
            file=getattr(study.spec.pages, role),
        )
        for role, text in study.shown_pages.items()
        for name in dict.fromkeys(placeholders(text))
        if name in PLACEHOLDERS and name not in known
    ]
    if problems:
        raise StudyError(*problems)


def _interface(folder: Path, study: Study) -> dict[str, str]:
    """The study's own texts for buttons and messages, if it has any."""
    if study.interface is None:
        return {}
    return read_interface(study.interface.encode(), file=str(folder / INTERFACE))


def site_secret(store: Store) -> bytes:
    """The secret that signs cookies and forms: from the environment, or stored in the database."""
    given = os.environ.get(SECRET)
    if given is None:
        return store.secret
    if len(given) < _LEAST_SECRET:
        what = f"{SECRET} is shorter than {_LEAST_SECRET} characters."
        raise UsageError(Problem(what, "Use a long random one, or leave it unset."))
    return given.encode("utf-8")
