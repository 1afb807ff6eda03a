"""The dashboard of one site: what its pages share, how they are rendered, and signed cookies."""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache, cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from itsdangerous import BadSignature, Signer
from jinja2 import Environment

from rejudge.collect.visit import has_gate
from rejudge.design.pay import Quote, quote_price
from rejudge.judgments.table import Judgments
from rejudge.layout.numbers import number
from rejudge.store.analysis_input import judgments_of
from rejudge.web.dashboard import figures, view
from rejudge.web.dashboard.figures import TimeDistribution, duration
from rejudge.web.dashboard.looks import LookPanel, look_panel
from rejudge.web.dashboard.monitoring import Snapshot, SnapshotCache, StoreReading
from rejudge.web.rendering import SiteContext, asset_path, make_environment

if TYPE_CHECKING:
    from rejudge.web.dashboard.auth import DashboardRequest


class DashboardSigner:
    """Signs the cookies and forms of the dashboard; those of participants are not valid here."""

    def __init__(self, secret: bytes, study: str) -> None:
        salt = f"dashboard {study}"
        self._cookie = Signer(
            secret, salt=salt, key_derivation="hmac", digest_method=hashlib.sha256
        )
        self._csrf = hashlib.sha256(b"dashboard-csrf " + study.encode() + b"\0" + secret).digest()

    def cookie(self, session: str) -> str:
        """The value of the session cookie."""
        return self._cookie.sign(session).decode()

    def session(self, cookie: str) -> str | None:
        """The session of a cookie; None if we did not sign it."""
        try:
            return self._cookie.unsign(cookie.encode()).decode()
        except (BadSignature, ValueError):
            return None

    def csrf(self, session: str) -> str:
        """The token that every form of this session must send back."""
        return hmac.new(self._csrf, session.encode(), "sha256").hexdigest()[:32]

    def is_csrf(self, given: str, session: str) -> bool:
        """Whether a form was sent from one of our pages."""
        return hmac.compare_digest(given.encode(), self.csrf(session).encode())


def cookie_name(study: str) -> str:
    """A cookie name per study, so that one browser can open several dashboards."""
    return f"rejudge-dashboard-{study}"


FREE = 5  # failures before anybody has to wait
WINDOW = timedelta(minutes=1)  # in which they are counted
LONGEST = timedelta(minutes=5)
_FORGET = timedelta(minutes=15)
_MOST = 10_000  # clients that are remembered; nobody can fill the memory


@dataclass(frozen=True, slots=True)
class _Failures:
    count: int
    last: datetime


class Attempts:
    """Failed logins by client, in memory only: addresses are never stored."""

    def __init__(self) -> None:
        self._failures: OrderedDict[str, _Failures] = OrderedDict()
        self._lock = Lock()

    def wait(self, client: str, now: datetime) -> timedelta:
        """How long this client must wait before the next attempt; zero if it need not."""
        with self._lock:
            failed = self._failures.get(client)
        if failed is None or failed.count < FREE:
            return timedelta(0)
        due = failed.last + _pause(failed.count)
        return max(due - now, timedelta(0))

    def fail(self, client: str, now: datetime) -> None:
        """Count one more failure; failures far apart do not add up."""
        with self._lock:
            before = self._failures.pop(client, None)
            keeps = WINDOW if before is None or before.count < FREE else _FORGET
            is_new = before is None or now - before.last > keeps
            count = 1 if before is None or is_new else before.count + 1
            self._failures[client] = _Failures(count, now)
            while len(self._failures) > _MOST:
                self._failures.popitem(last=False)

    def forget(self, client: str) -> None:
        """Reset the count after a successful login."""
        with self._lock:
            self._failures.pop(client, None)


def _pause(failures: int) -> timedelta:
    """The waiting time: a minute after the fifth failure, doubled with each further one."""
    doubled: timedelta = WINDOW * 2 ** min(failures - FREE, 10)
    return min(doubled, LONGEST)


_FRESH = timedelta(seconds=2)  # several people who look at once are shown one reading


def collect_judgments_so_far(site: SiteContext) -> Judgments:
    """Every judgment so far, including those that will be excluded."""
    return judgments_of(site.store)


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that the overview shows."""

    state: str
    headlines: tuple[view.Headline, ...]
    cells: tuple[view.BatchCell, ...]
    overall: view.Overall
    rows: tuple[view.PersonRow, ...]
    people: int
    agreements: tuple[figures.AgreementRow, ...]
    sides: tuple[figures.FirstPositionRow, ...]
    durations: tuple[TimeDistribution, ...]
    level: str  # of the intervals, such as 95 %
    is_known: bool  # whether the slow part has been computed
    note: str
    at: datetime
    looks: LookPanel | None = None  # None: the study plans none


@dataclass
class Dashboard:
    """What the pages of the dashboard share."""

    site: SiteContext
    attempts: Attempts = field(default_factory=Attempts)
    _standing: view.StudyStatus | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def seal(self) -> DashboardSigner:
        """Signs cookies and forms."""
        return DashboardSigner(self.site.secret, self.site.study.spec.id)

    @cached_property
    def watch(self) -> SnapshotCache:
        """The values that are slow to compute."""
        return SnapshotCache(self.site.study, self.site.plan, self._reading)

    @cached_property
    def quote(self) -> Quote:
        """The promised pay, computed once, since it does not change while the study runs."""
        return quote_price(self.site.study, self.site.plan, on=self.site.store.registered_on)

    def standing(self) -> view.StudyStatus:
        """The progress of the study, at most a few seconds old."""
        now = self.site.now()
        with self._lock:
            if self._standing is None or not timedelta(0) <= now - self._standing.now < _FRESH:
                self._standing = self._read(now)
            return self._standing

    def forget(self) -> None:
        """Drop cached values after a change, so that the next page shows it."""
        with self._lock:
            self._standing = None

    def snapshot(self, standing: view.StudyStatus) -> tuple[Snapshot | None, str]:
        """The monitored values so far, and a note if they cannot be computed."""
        return self.watch.latest(_state_key(standing), patience=self.site.patience_seconds)

    def overview(self, most_people: int) -> Overview:
        """The content of the overview."""
        standing = self.standing()
        known, note = self.snapshot(standing)
        plan = self.site.plan
        shown = view.cells(standing, plan)
        rows = view.rows(standing.people, figures.flags(known) if known else None)
        return Overview(
            state=standing.state,
            headlines=view.headlines(standing, plan, self.quote),
            cells=shown,
            overall=view.overall(shown, standing, plan),
            rows=rows[:most_people],
            people=len(rows),
            agreements=figures.agreements(known) if known else (),
            sides=figures.sides(known) if known else (),
            durations=known.durations if known else (),
            level=f"{100 * known.monitoring.level:g}\u202f%" if known else "",
            is_known=known is not None,
            note=note,
            at=standing.now,
            looks=self._looks(),
        )

    def _looks(self) -> LookPanel | None:
        stop, state = self.site.study.spec.stop, self.site.store.look_state()
        if stop is None or state is None:
            return None
        names = {system.id: system.label for system in self.site.study.spec.systems}
        return look_panel(stop, state, self.site.store.look_log(), names)

    def _reading(self) -> StoreReading:
        store = self.site.store
        return StoreReading(collect_judgments_so_far(self.site), store.events(), store.paces())

    def _read(self, now: datetime) -> view.StudyStatus:
        store = self.site.store
        return view.StudyStatus(
            store.state,
            store.occupancies(),
            store.people(now=now),
            store.assignments(),
            len(store.tombstones()),
            now,
        )


def _state_key(standing: view.StudyStatus) -> Hashable:
    """A value that changes when finished work is added or changes its state."""
    return tuple((each.id, each.status) for each in standing.assignments if each.submitted_at)


_PAGES = (
    ("", "Overview"), ("people", "People"), ("log", "Log"), ("downloads", "Downloads"),
    ("access", "Access"),
)  # fmt: skip


_CALIBRATION = ("calibration", "Calibration")


def _pages(site: SiteContext) -> tuple[tuple[str, str], ...]:
    if not has_gate(site.study, site.plan):
        return _PAGES
    return (_PAGES[0], _CALIBRATION, *_PAGES[1:])


def render(
    dashboard: Dashboard, request: DashboardRequest | None, template: str, **values: Any
) -> str:  # what pages show
    """Render a page or part of one; all values are escaped. Without `request`, it is public."""
    site = dashboard.site
    return (
        _environment()
        .get_template(f"dashboard/{template}")
        .render(
            study=site.study.spec,
            root=f"{site.prefix}/dashboard",
            asset=lambda name: site.prefix + asset_path(name),
            is_rehearsal=site.is_rehearsal,
            request=request,
            csrf="" if request is None else dashboard.seal.csrf(request.session),
            pages=_pages(site),
            **values,
        )
    )


@cache
def _environment() -> Environment:
    environment = make_environment()
    environment.filters |= {
        "clock": _clock,
        "moment": _moment,
        "second": _second,
        "duration": duration,
        "number": number,
    }
    return environment


def _clock(moment: datetime) -> str:
    return f"{moment:%H:%M:%S}"


def _second(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
