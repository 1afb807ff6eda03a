"""What one connection may cost: bytes, seconds and a place among the others.

A web server in front of the site sees to this too, but nobody has to have one.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

_SPARE_FILES = 160  # for the database, its readers and everything else
_WANTED_FILES = 4096
_turns = count()  # in which connections began to wait; clocks give the same time to several


class LimitedProtocol(HttpToolsProtocol):
    """HTTP/1.1 that closes connections which send too much, too slowly or too often."""

    largest_head: ClassVar[int] = 32 * 1024  # bytes of the address and all headers
    largest_message: ClassVar[int] = 4 * 1024 * 1024  # of these and the body
    head_seconds: ClassVar[float] = 15.0  # from the first byte, or from the connection
    body_seconds: ClassVar[float] = 60.0  # from the end of the headers
    most: ClassVar[int] = 1000  # connections; beyond, the one idle longest is closed

    def __init__(self, *given: Any, **named: Any) -> None:  # as uvicorn makes protocols
        super().__init__(*given, **named)
        self._deadline: asyncio.TimerHandle | None = None
        self._is_in_head = True  # between requests too
        self._head_bytes = 0  # as they come
        self._field_bytes = 0  # as they are read, trailers included
        self._message_bytes = 0
        self.waiting_since = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Register the connection; if there are too many, close the one that has waited longest."""
        super().connection_made(transport)
        self.waiting_since = next(_turns)
        self._arm(self.head_seconds)
        if len(self.connections) > self.most:
            waiting = [
                each
                for each in self.connections
                if isinstance(each, LimitedProtocol) and each.is_waiting
            ]
            if waiting:
                min(waiting, key=lambda each: each.waiting_since).hang_up()

    @property
    def is_waiting(self) -> bool:
        """Whether we are waiting for the client, to send a request or to read a reply."""
        is_in_body = not self._is_in_head
        return self._is_idle or is_in_body or self.transport.get_write_buffer_size() > 0

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered or read."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return self._is_in_head and (cycle is None or cycle.response_complete)

    def hang_up(self) -> None:
        """Close the connection at once."""
        self._disarm()
        self.connections.discard(self)
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what arrives, within the limits."""
        if self.transport.is_closing():
            return
        if self._deadline is None and self._is_idle:  # the first bytes of the next request
            self.waiting_since = next(_turns)
            self._arm(self.head_seconds)
        self._head_bytes += len(data) if self._is_in_head else 0
        self._message_bytes += len(data)
        super().data_received(data)
        if self._is_in_head and self._head_bytes > self.largest_head:
            self._refuse(b"431 Request Header Fields Too Large")
        elif self._message_bytes > self.largest_message:
            self._refuse(b"413 Content Too Large")

    def send_400_response(self, msg: str) -> None:
        """Reject a request that is invalid or was rejected while it was read."""
        if self._field_bytes > self.largest_head:
            self._refuse(b"431 Request Header Fields Too Large")
        elif not self.transport.is_closing():
            super().send_400_response(msg)

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._is_in_head = True
        self._field_bytes = 0
        self._arm(self.head_seconds)

    def on_url(self, url: bytes) -> None:
        """Part of the address arrives."""
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer after the body."""
        self._count(name + value)
        super().on_header(name, value)

    def _count(self, field: bytes) -> None:
        self._field_bytes += len(field)
        if self._field_bytes > self.largest_head:
            raise ValueError("too large")  # the parser stops, and the request is refused

    def on_headers_complete(self) -> None:
        """The headers are complete; the body has its own deadline."""
        self._is_in_head = False
        self._head_bytes = 0
        self._arm(self.body_seconds)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is complete; whatever follows is the next one."""
        self._disarm()
        self._is_in_head = True
        self._message_bytes = 0
        super().on_message_complete()

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._deadline = self.loop.call_later(seconds, self._time_out)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _time_out(self) -> None:
        self._deadline = None
        self._refuse(b"408 Request Timeout")

    def _refuse(self, status: bytes) -> None:
        """Send the reason, unless a reply is being sent, and close the connection."""
        self._disarm()
        if self.transport.is_closing():
            return
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(
                b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            )
        self.transport.close()


def raise_file_limit() -> None:
    """Raise the limit of open files to what the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(_WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft != resource.RLIM_INFINITY:
        LimitedProtocol.most = max(16, min(LimitedProtocol.most, soft - _SPARE_FILES))
