"""Connections that cost too much are closed, and everybody else is served."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from rejudge.web.connections import LimitedProtocol
from rejudge.web.serving import run_site

WAIT = 120  # seconds; generous, for nothing here depends on speed
WHOLE = b"GET / HTTP/1.1\r\nhost: here\r\n"


class Hasty(LimitedProtocol):
    """Everything is soon too slow, on a busy machine even a whole request."""

    head_seconds = 0.4
    body_seconds = 0.6


class Patient(LimitedProtocol):
    """Nothing is ever too slow; but messages are short, and few have room."""

    largest_message = 256 * 1024
    head_seconds = 600.0
    body_seconds = 600.0
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


@pytest.fixture(scope="module")
def hasty() -> Iterator[str]:
    with run_site(APP, protocol=Hasty) as address:
        yield address


@pytest.fixture(scope="module")
def patient() -> Iterator[str]:
    with run_site(APP, protocol=Patient) as address:
        yield address


@contextmanager
def connected(address: str) -> Iterator[socket.socket]:
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=WAIT) as line:
        yield line


def heard(line: socket.socket) -> bytes:
    """All that comes until the other side hangs up."""
    said = b""
    try:
        while piece := line.recv(65536):
            said += piece
    except ConnectionResetError:
        pass
    return said


def pour(line: socket.socket, piece: bytes, most: int) -> int:
    """Send until the other side has had enough; gives how many bytes went out."""
    sent = 0
    try:
        while sent < most:
            line.sendall(piece)
            sent += len(piece)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return sent


def is_served(address: str) -> bool:
    return httpx.get(address, timeout=WAIT).text == "0 bytes"


@pytest.mark.parametrize(
    "begin",
    [
        b"GET / HTTP/1.1\r\nhost: here\r\nx: ",
        b"GET /",
        b"POST / HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: ",
    ],
    ids=["header", "address", "trailer"],
)
def test_a_head_that_never_ends_is_cut_off_early(patient, begin):
    with connected(patient) as line:
        line.sendall(begin)
        sent = pour(line, b"a" * 16384, 40 << 20)
        assert sent < 4 << 20  # what the two systems hold in between
    assert is_served(patient)


def test_many_small_headers_are_too_much_as_well(patient):
    with connected(patient) as line:
        line.sendall(WHOLE + b"".join(b"x-%d: %s\r\n" % (n, b"a" * 90) for n in range(500)))
        line.sendall(b"\r\n")
        assert heard(line).startswith(b"HTTP/1.1 431 ")


def test_a_head_of_ordinary_size_is_read(patient):
    headers = {f"x-{n}": "a" * 1000 for n in range(20)}
    assert httpx.get(patient, headers=headers, timeout=WAIT).status_code == 200


def test_a_body_that_never_ends_is_cut_off(patient):
    with connected(patient) as line:
        line.sendall(b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 99999999999\r\n\r\n")
        assert pour(line, b"a" * 65536, 40 << 20) < 8 << 20
    assert is_served(patient)


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        b"GET / HT",
        WHOLE,
        b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 10\r\n\r\nhalf",
        WHOLE + b"\r\n" + b"GET / HT",
    ],
    ids=["silent", "half a line", "half a head", "half a body", "half of the second"],
)
def test_who_does_not_go_on_is_hung_up_on(hasty, begin):
    with connected(hasty) as line:
        line.sendall(begin)
        assert b" 408 " in heard(line)


def test_blank_lines_do_not_keep_a_connection(hasty):
    with connected(hasty) as line:
        line.sendall(WHOLE + b"\r\n")
        said = line.recv(65536)
        pour(line, b"\r\n", 1)
        assert b" 408 " in said + heard(line)


@pytest.mark.parametrize(
    "begin",
    [b"GET / HT", b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 10\r\n\r\nhalf"],
    ids=["half a head", "half a body"],
)
def test_half_open_requests_leave_room_for_whole_ones(begin):
    with run_site(APP, protocol=Patient) as address, ExitStack() as stack:
        lines = [stack.enter_context(connected(address)) for _ in range(4 * Patient.most)]
        for line in lines:
            pour(line, begin, 1)
        assert is_served(address)
        assert heard(lines[0]) == b""  # who has waited longest went first
        assert is_served(address)


def test_who_never_reads_an_answer_leaves_room_for_others():
    with run_site(APP, protocol=Patient) as address, ExitStack() as stack:
        for _ in range(Patient.most):
            line = stack.enter_context(connected(address))
            line.sendall(b"GET /large HTTP/1.1\r\nhost: here\r\n\r\n")
            line.recv(1)  # it is being answered
        assert is_served(address)


def test_several_requests_on_one_connection_are_answered_in_order(patient):
    with connected(patient) as line:
        post = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 3\r\n\r\nabc"
        last = WHOLE + b"connection: close\r\n\r\n"
        line.sendall(post + post + last)
        said = heard(line)
    assert said.count(b"HTTP/1.1 200") == 3
    assert said.index(b"3 bytes") < said.index(b"0 bytes")
