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
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.supervisors import Multiprocess

from rejudge.errors import Problem, StoreUnavailable, UsageError
from rejudge.web.connections import LimitedProtocol, raise_file_limit
from rejudge.web.site import OpenSite, Serving, now_utc, open_site

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from rejudge.store.store import Store

_SERVING = "REJUDGE_SERVING"  # tells the processes of one site what to serve
_SWEEP_SECONDS = 60.0
_BACKLOG = 2048  # connections that may wait to be accepted


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
