"""Connections that cost too much are closed, and everybody else is served.

Most of these tests hold the clock and both ends of a connection: nothing depends on how fast a
machine is, and every limit is tested from both sides.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from uvicorn.server import ServerState

from rejudge.web.connections import LimitedProtocol
from rejudge.web.serving import _config, run_site

WHOLE = b"GET / HTTP/1.1\r\nhost: here\r\n"
HALF_A_HEAD = b"GET / HT"
HALF_A_BODY = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 10\r\n\r\nhalf"
_STEPS = 50  # of the event loop: more than any of these requests takes


class Few(LimitedProtocol):
    """Few connections have room."""

    most = 12


async def _echo(request: Request) -> PlainTextResponse:
    try:
        body = await request.body()
    except ClientDisconnect:
        body = b""
    await asyncio.sleep(0)
    return PlainTextResponse(f"{len(body)} bytes")


async def _large(_: Request) -> StreamingResponse:
    return StreamingResponse(b"a" * (1 << 20) for _ in range(64))


APP = Starlette(routes=[Route("/", _echo, methods=["GET", "POST"]), Route("/large", _large)])


class HeldLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes when a test says so."""

    seconds = 0.0

    def time(self) -> float:
        return self.seconds


class Line(asyncio.Transport):
    """A connection without a network; `reads` says whether the client takes what is sent."""

    def __init__(self, protocol: LimitedProtocol, *, reads: bool = True) -> None:
        super().__init__()
        self.heard = b""
        self.is_cut = False
        self.is_paused = False  # the server is not ready for more
        self._protocol, self._reads = protocol, reads
        protocol.connection_made(self)

    def write(self, data: bytes) -> None:
        self.heard += data
        if not self._reads:
            self._protocol.pause_writing()

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False

    def get_write_buffer_size(self) -> int:
        return 0 if self._reads else len(self.heard)

    def is_closing(self) -> bool:
        return self.is_cut

    def close(self) -> None:
        self.is_cut = True

    def abort(self) -> None:
        self.is_cut = True


class Server:
    """One protocol for each connection, as uvicorn makes them."""

    def __init__(self, loop: HeldLoop, made: type[LimitedProtocol]) -> None:
        self._loop, self._made = loop, made
        self._config = _config(APP, protocol=made)
        self._state = ServerState()

    def connect(self, *, reads: bool = True) -> Line:
        return Line(self._made(self._config, self._state, {}, self._loop), reads=reads)

    def send(self, line: Line, data: bytes) -> None:
        line._protocol.data_received(data)
        self.settle()

    def pour(self, line: Line, piece: bytes, most: int) -> int:
        """Send until the server has had enough; gives how many bytes went out."""
        sent = 0
        while sent < most and not line.is_cut:
            line._protocol.data_received(piece)
            sent += len(piece)
            if line.is_paused:
                self.settle()
        return sent

    def settle(self) -> None:
        async def rest() -> None:
            for _ in range(_STEPS):
                await asyncio.sleep(0)

        self._loop.run_until_complete(rest())

    def wait(self, seconds: float) -> None:
        self._loop.seconds += seconds
        self.settle()

    def is_serving(self) -> bool:
        line = self.connect()
        self.send(line, WHOLE + b"\r\n")
        return line.heard.endswith(b"0 bytes")


@pytest.fixture
def loop() -> Iterator[HeldLoop]:
    async def cancel_others() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    made = HeldLoop()
    yield made
    made.run_until_complete(cancel_others())
    made.close()


@pytest.fixture
def server(loop: HeldLoop) -> Server:
    return Server(loop, LimitedProtocol)


CHUNKED = b"POST / HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("begin", "most"),
    [
        (b"GET / HTTP/1.1\r\nhost: here\r\nx: ", LimitedProtocol.largest_head),
        (b"GET /", LimitedProtocol.largest_head),
        (CHUNKED + b"0\r\nx: ", LimitedProtocol.largest_message),
    ],
    ids=["header", "address", "trailer"],
)
def test_a_head_that_never_ends_is_cut_off(server, begin, most):
    line = server.connect()
    server.send(line, begin)
    assert server.pour(line, b"a" * 4096, 40 << 20) <= most + 4096
    assert line.is_cut
    assert server.is_serving()


def test_many_small_headers_are_too_much_as_well(server):
    line = server.connect()
    headers = b"".join(b"x-%d: %s\r\n" % (n, b"a" * 90) for n in range(500))
    server.send(line, WHOLE + headers + b"\r\n")
    assert line.heard.startswith(b"HTTP/1.1 431 ")
    assert line.is_cut


def test_a_head_of_ordinary_size_is_read(server):
    line = server.connect()
    headers = b"".join(b"x-%d: %s\r\n" % (n, b"a" * 1000) for n in range(20))
    server.send(line, WHOLE + headers + b"\r\n")
    assert line.heard.startswith(b"HTTP/1.1 200 ")


def test_a_body_that_never_ends_is_cut_off(server):
    line = server.connect()
    server.send(line, b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 99999999999\r\n\r\n")
    piece = b"a" * 65536
    assert server.pour(line, piece, 40 << 20) <= LimitedProtocol.largest_message + len(piece)
    assert line.heard.startswith(b"HTTP/1.1 413 ")
    assert server.is_serving()


@pytest.mark.parametrize(
    ("begin", "seconds"),
    [
        (b"", LimitedProtocol.head_seconds),
        (HALF_A_HEAD, LimitedProtocol.head_seconds),
        (WHOLE, LimitedProtocol.head_seconds),
        (HALF_A_BODY, LimitedProtocol.body_seconds),
        (WHOLE + b"\r\n" + HALF_A_HEAD, LimitedProtocol.head_seconds),
    ],
    ids=["silent", "half a line", "half a head", "half a body", "half of the second"],
)
def test_who_does_not_go_on_is_hung_up_on(server, begin, seconds):
    line = server.connect()
    if begin:
        server.send(line, begin)
    server.wait(seconds - 0.001)
    assert b" 408 " not in line.heard
    assert not line.is_cut
    server.wait(0.002)
    assert b" 408 " in line.heard
    assert line.is_cut


def test_who_sends_a_byte_now_and_then_is_hung_up_on_all_the_same(server):
    line = server.connect()
    for byte in WHOLE[:14]:
        server.send(line, bytes([byte]))
        server.wait(1.0)
    assert not line.is_cut
    server.wait(1.0)
    assert b" 408 " in line.heard


def test_blank_lines_do_not_keep_a_connection(server):
    line = server.connect()
    server.send(line, WHOLE + b"\r\n")
    server.send(line, b"\r\n")
    server.wait(LimitedProtocol.head_seconds + 0.001)
    assert line.heard.startswith(b"HTTP/1.1 200 ")
    assert b" 408 " in line.heard


@pytest.mark.parametrize("begin", [HALF_A_HEAD, HALF_A_BODY], ids=["half a head", "half a body"])
def test_half_open_requests_leave_room_for_whole_ones(loop, begin):
    """All of them within one moment of the clock."""
    server = Server(loop, Few)
    lines = []
    for _ in range(4 * Few.most):
        lines.append(server.connect())
        server.send(lines[-1], begin)
    assert server.is_serving()
    assert [line.is_cut for line in lines] == [True] * 37 + [False] * 11  # the longest wait first
    assert lines[0].heard == b""
    assert server.is_serving()


def test_who_never_reads_an_answer_leaves_room_for_others(loop):
    server = Server(loop, Few)
    lines = [server.connect(reads=False) for _ in range(Few.most)]
    for line in lines:
        server.send(line, b"GET /large HTTP/1.1\r\nhost: here\r\n\r\n")
        assert line.heard
    assert server.is_serving()
    assert [line.is_cut for line in lines] == [True] + [False] * (Few.most - 1)


def test_several_requests_on_one_connection_are_answered_in_order(server):
    line = server.connect()
    post = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 3\r\n\r\nabc"
    server.send(line, post + post + WHOLE + b"connection: close\r\n\r\n")
    assert line.heard.count(b"HTTP/1.1 200") == 3
    assert line.heard.index(b"3 bytes") < line.heard.index(b"0 bytes")
    assert line.is_cut


@contextmanager
def connected(address: str) -> Iterator[socket.socket]:
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as line:
        yield line


@pytest.mark.parametrize("begin", [HALF_A_HEAD, HALF_A_BODY], ids=["half a head", "half a body"])
def test_half_open_connections_of_a_network_leave_room_for_others(begin):
    with run_site(APP, protocol=Few) as address, ExitStack() as stack:
        for _ in range(4 * Few.most):
            line = stack.enter_context(connected(address))
            with suppress(BrokenPipeError, ConnectionResetError):  # others have come since
                line.sendall(begin)
        assert httpx.get(address, timeout=None).text == "0 bytes"
