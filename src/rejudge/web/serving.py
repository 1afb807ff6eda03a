"""Running the site: one or several processes, a sweeper in each, and a clean shutdown."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING

from rejudge.errors import FileError, Problem, UsageError
from rejudge.web.connections import LimitedProtocol, raise_file_limit

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

    from rejudge.collect import Panels
    from rejudge.design import Plan
    from rejudge.store import Store
    from rejudge.study import Study
    from rejudge.web.recruiting import RecruitingService

SECRET = "REJUDGE_SECRET"  # noqa: S105 - the name of the variable, not its content
_SERVING = "REJUDGE_SERVING"  # tells the processes of one site what to serve
_SWEEP_SECONDS = 60.0
_BACKLOG = 2048  # connections that may wait to be accepted
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
    from rejudge.files import open_plan
    from rejudge.store import open_store

    if serving.is_preview:
        return _open_preview(serving, now=now)
    study, plan = open_plan(Path(serving.folder))
    _refuse_changed(Path(serving.folder), study, plan)
    _refuse_unfilled(study, plan, on=now().date())
    interface = _interface(Path(serving.folder))
    panels = _panels(Path(serving.folder), study)
    store = open_store(serving.database, study, plan, now=now())
    if panels is not None:
        store.use_panels(panels)
    return OpenSite(_app(serving, store, interface, now=now), store)


def _panels(folder: Path, study: Study) -> Panels | None:
    """The lists of participants that a study names; None where it names none."""
    from rejudge.collect import merge_panels, panel_key, read_panel
    from rejudge.files import read_inside
    from rejudge.study import decode

    recruitment, stage = study.spec.recruitment, study.spec.qualification
    passed = () if stage is None else stage.skip_lists
    if not recruitment.exclude_lists and not recruitment.admit_lists and not passed:
        return None
    key = panel_key(os.environ)

    def read(name: str) -> frozenset[str]:
        content = read_inside(
            folder, name, remedy="Put the list there, or remove it from study.yaml."
        )
        return read_panel(decode(content, file=name), key, file=name)

    excluded = [read(name) for name in recruitment.exclude_lists]
    admitted = [read(name) for name in recruitment.admit_lists]
    return merge_panels(key, excluded, admitted, [read(name) for name in passed])


def _open_preview(serving: Serving, *, now: Callable[[], datetime]) -> OpenSite:
    from rejudge.design import draw
    from rejudge.files import open_study
    from rejudge.store import open_store

    study = open_study(Path(serving.folder))
    interface = _interface(Path(serving.folder))
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
    from rejudge.design import Plan
    from rejudge.files import PLAN, check_fresh, read

    plan = read(Plan, folder / PLAN) if (folder / PLAN).exists() else None
    is_given = plan is not None and plan.source is not None
    return plan if plan is not None and is_given and check_fresh(plan, study) is None else None


def _refuse_changed(folder: Path, study: Study, plan: Plan) -> None:
    """Refuse to serve a study that differs from what was frozen."""
    from rejudge.design import Frozen, changes
    from rejudge.files import FROZEN, read

    path = folder / FROZEN
    if not path.exists():
        return
    shown = [each for each in changes(read(Frozen, path), study, plan) if each.touches in _SHOWN]
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
    from rejudge.design import page_values
    from rejudge.errors import StudyError
    from rejudge.study import PLACEHOLDERS, placeholders

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


def _interface(folder: Path) -> dict[str, str]:
    """The study's own texts for buttons and messages, if it has any."""
    from rejudge.files import read_inside
    from rejudge.web.wording import INTERFACE, read_interface

    path = folder / INTERFACE
    if not path.exists():
        return {}
    return read_interface(read_inside(folder, INTERFACE, remedy=""), file=str(path))


def site_secret(store: Store) -> bytes:
    """The secret that signs cookies and forms: from the environment, or stored in the database."""
    given = os.environ.get(SECRET)
    if given is None:
        return store.secret
    if len(given) < _LEAST_SECRET:
        what = f"{SECRET} is shorter than {_LEAST_SECRET} characters."
        raise UsageError(Problem(what, "Use a long random one, or leave it unset."))
    return given.encode("utf-8")


def bind_socket(host: str, port: int) -> socket.socket:
    """A bound socket: connections wait until the server starts. Port 0 picks a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named as TCP, or asyncio leaves small packets waiting for each other: 40 ms on every reply
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
        taken.listen(_BACKLOG)
    except OSError as error:
        taken.close()
        what = f"{host}, port {port}, cannot be used: {error.strerror}."
        raise UsageError(Problem(what, "Choose another with --host and --port.")) from None
    return taken


def serve(serving: Serving, taken: socket.socket, site: OpenSite) -> None:
    """Serve until SIGINT or SIGTERM; requests that have started are finished first."""
    with _exit_after_signal() as stop:
        if serving.workers > 1:
            site.store.close()
            _serve_by_several(serving, taken, stop)
            return
        raise_file_limit()
        server = _server(site.app, proxies=serving.proxies)
        stop.calls(lambda: setattr(server, "should_exit", True))
        from rejudge.web.looks import run_looks
        from rejudge.web.recruiting import run_poller

        folder = Path(serving.folder)
        try:
            with (
                run_sweeper(site.store),
                run_poller(site.recruiting),
                run_looks(site.store, folder, site.recruiting, now=now_utc),
            ):
                server.run(sockets=[taken])
        finally:
            site.close()


def serve_app(app: Starlette, taken: socket.socket) -> None:
    """Serve an application without a study until SIGINT or SIGTERM."""
    with _exit_after_signal() as stop:
        server = _server(app)
        stop.calls(lambda: setattr(server, "should_exit", True))
        server.run(sockets=[taken])


def _serve_by_several(serving: Serving, taken: socket.socket, stop: _Stop) -> None:
    from uvicorn.supervisors import Multiprocess

    os.environ[_SERVING] = json.dumps(asdict(serving))
    config = _config(
        "rejudge.web.serving:worker_app",
        workers=serving.workers,
        factory=True,
        proxies=serving.proxies,
    )
    several = Multiprocess(config, [taken])
    stop.calls(several.should_exit.set)
    several.run()


def worker_app() -> Starlette:
    """The application in one of several processes; each opens its own store."""
    from rejudge.web.looks import start_looks
    from rejudge.web.recruiting import start_poller

    raise_file_limit()
    serving = Serving(**json.loads(os.environ[_SERVING]))
    site = open_site(serving)
    _sweeper(site.store, now_utc, threading.Event()).start()
    start_poller(site.recruiting, threading.Event())
    folder = Path(serving.folder)
    start_looks(site.store, folder, site.recruiting, threading.Event(), now=now_utc)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    return site.app


def _end_with_parent() -> None:
    """Exit when the parent process is gone; it would hold the port forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def run_site(
    app: Starlette,
    *,
    protocol: type[LimitedProtocol] = LimitedProtocol,
    taken: socket.socket | None = None,
) -> Iterator[str]:
    """Run the site in a thread, on a free port of this machine; yields its address.

    `taken` is a socket that was bound before, so that others know the address already.
    """
    taken = taken or bind_socket("127.0.0.1", 0)
    address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    server = _server(app, protocol=protocol)
    beside = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    beside.start()
    try:
        yield address
    finally:
        server.should_exit = True
        beside.join(timeout=10)
        taken.close()


@contextmanager
def run_sweeper(store: Store, *, now: Callable[[], datetime] = now_utc) -> Iterator[None]:
    """Free the places of inactive participants, once a minute."""
    stop = threading.Event()
    sweeper = _sweeper(store, now, stop)
    sweeper.start()
    try:
        yield
    finally:
        stop.set()
        sweeper.join(timeout=10)


def _sweeper(store: Store, now: Callable[[], datetime], stop: threading.Event) -> threading.Thread:
    from rejudge.errors import StoreUnavailable

    def sweep() -> None:
        while not stop.wait(_SWEEP_SECONDS):
            try:
                store.expire(now=now())
            except StoreUnavailable:
                continue  # the pages say so; claiming sweeps too, once the store is back

    return threading.Thread(target=sweep, name="sweeper", daemon=True)


def _server(
    app: Starlette,
    *,
    proxies: Sequence[str] = (),
    protocol: type[LimitedProtocol] = LimitedProtocol,
) -> uvicorn.Server:
    import uvicorn

    return uvicorn.Server(_config(app, proxies=proxies, protocol=protocol))


def _config(
    app: Starlette | str,
    *,
    workers: int = 1,
    factory: bool = False,
    proxies: Sequence[str] = (),
    protocol: type[LimitedProtocol] = LimitedProtocol,
) -> uvicorn.Config:
    """No access log, since addresses contain people's ids, and no server header."""
    import uvicorn

    return uvicorn.Config(
        app,
        factory=factory,
        workers=workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        http=protocol,
        ws="none",
        forwarded_allow_ips=["127.0.0.1", "::1", *proxies],
        timeout_keep_alive=20,
        timeout_graceful_shutdown=10,
        timeout_worker_healthcheck=30,  # a busy machine is no reason to kill a process
    )


class _Stop:
    """Remembers a request to stop and what to do then, even if it comes too early."""

    def __init__(self) -> None:
        self._is_said = False
        self._then: Callable[[], object] = lambda: None

    def calls(self, then: Callable[[], object]) -> None:
        """Call this when asked to stop, or now if that has happened."""
        self._then = then
        if self._is_said:
            then()

    def say(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - of a signal
        """Handle a signal. The server receives it first and passes it on when it has ended."""
        self._is_said = True
        self._then()


@contextmanager
def _exit_after_signal() -> Iterator[_Stop]:
    """Stopping on request is not a failure: the command ends with 0."""
    stop = _Stop()
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, stop.say) for number in signals}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
