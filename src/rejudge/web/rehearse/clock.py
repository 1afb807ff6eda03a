"""A clock that can be moved: a rehearsal of three days takes a minute."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta


class Clock:
    """Tells the time that was set; it never goes back."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The time, aware and in UTC."""
        return self._now

    def move_to(self, moment: datetime) -> None:
        """Go on to a moment; one that has passed changes nothing."""
        with self._lock:
            self._now = max(self._now, moment)

    def move_by(self, seconds: float) -> None:
        """Go on by some seconds."""
        with self._lock:
            self._now += timedelta(seconds=max(0.0, seconds))
