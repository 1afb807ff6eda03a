"""Planned looks of a running site: made when their stage is complete, and told to the platform."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from rejudge.collect.looks import Look
from rejudge.errors import RejudgeError, StoreUnavailable
from rejudge.files.disk import locked
from rejudge.files.step_files import LOOKS, write
from rejudge.store.analysis_input import make_due_look
from rejudge.store.store import Store
from rejudge.web.recruiting import RecruitingService

_BETWEEN_CHECKS = 60.0  # seconds
_WHO = "the site"
_LOG = logging.getLogger("rejudge.looks")


@runtime_checkable
class LookFollower(Protocol):
    """A platform that can be told what a look decided."""

    def follow_look(self, look: Look) -> str:
        """Stop recruiting, or ask for more places; what was done."""


class LookMaker:
    """Makes looks when they are due, writes looks.json, and has the platform follow.

    What the platform could not be told is tried again the next time.
    """

    def __init__(
        self,
        store: Store,
        folder: Path | None,
        recruiting: RecruitingService | None,
        *,
        now: Callable[[], datetime],
        report: Callable[[str], None] = _LOG.warning,
    ) -> None:
        self._store, self._folder, self._now, self._report = store, folder, now, report
        service: object = recruiting  # most platforms cannot be told
        self._platform = service if isinstance(service, LookFollower) else None
        last = store.look_log().last
        self._untold = last if last is not None and last.is_final else None

    def check(self) -> Look | None:
        """Make the next look if it is due; the look."""
        made = make_due_look(self._store, who=_WHO, now=self._now())
        if made is not None:
            self._untold = made
            self._report(f"look {made.number} of {made.looks}: {made.decision}")
            self._write()
        self._tell()
        return made

    def _write(self) -> None:
        if self._folder is None:
            return
        made_from = {"plan": self._store.plan.fingerprint}
        try:
            with locked(self._folder):
                write(self._store.look_log(), self._folder / LOOKS, made_from=made_from, force=True)
        except (RejudgeError, OSError) as error:  # the database has it
            self._report(f"{LOOKS} could not be written: {error}")

    def _tell(self) -> None:
        if self._untold is None or self._platform is None:
            return
        try:
            self._report(self._platform.follow_look(self._untold))
        except RejudgeError as error:
            self._report(f"the platform could not be notified of the look: {error}")
            return
        self._untold = None


@contextmanager
def run_looks(
    store: Store,
    folder: Path,
    recruiting: RecruitingService | None,
    *,
    now: Callable[[], datetime],
) -> Iterator[None]:
    """Make planned looks when they are due; nothing for a study that plans none."""
    stop = threading.Event()
    start_looks(store, folder, recruiting, stop, now=now)
    try:
        yield
    finally:
        stop.set()


def start_looks(
    store: Store,
    folder: Path,
    recruiting: RecruitingService | None,
    stop: threading.Event,
    *,
    now: Callable[[], datetime],
) -> None:
    """Check once a minute in a thread of its own, until it is stopped."""
    if store.study.spec.stop is None:
        return
    maker = LookMaker(store, folder, recruiting, now=now)

    def check() -> None:
        while not stop.wait(_BETWEEN_CHECKS):
            try:
                maker.check()
            except StoreUnavailable:
                continue  # the pages say so
            except RejudgeError as error:
                _LOG.warning("the look could not be made: %s", error)

    threading.Thread(target=check, name="looks", daemon=True).start()
