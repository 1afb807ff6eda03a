"""The fake's API over HTTP: addresses, replies, pages of lists, and both shapes of errors.

One function answers a request, whether it comes in this process (`fake_transport`) or over the
network (`create_fake_app`).
"""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rejudge.prolific.fake.records import FakeFault, FakeRefusal
from rejudge.prolific.fake.routes import ROUTES, FakeCall, FakeReply
from rejudge.prolific.fake.world import ProlificWorld

_PREFIX = "/api/v1"


def fake_transport(world: ProlificWorld) -> httpx.MockTransport:
    """The API for an `httpx.Client` in this process."""

    def handle(request: httpx.Request) -> httpx.Response:
        reply = answer(
            world,
            request.method,
            request.url.raw_path.decode(),
            authorization=request.headers.get("authorization", ""),
            content=request.read(),
        )
        return httpx.Response(reply.status, content=reply.encoded(), headers=_headers(reply))

    return httpx.MockTransport(handle)


def create_fake_app(world: ProlificWorld) -> Starlette:
    """The API as an application, to be served on this machine."""

    async def handle(request: Request) -> Response:
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        content = await request.body()
        reply = await run_in_threadpool(
            answer,
            world,
            request.method,
            target,
            authorization=request.headers.get("authorization", ""),
            content=content,
        )
        return Response(reply.encoded(), reply.status, headers=_headers(reply))

    methods = ["GET", "POST", "PATCH", "PUT", "DELETE"]
    return Starlette(routes=[Route("/{path:path}", handle, methods=methods)])


def _headers(reply: FakeReply) -> dict[str, str]:
    kind = "text/csv" if isinstance(reply.content, bytes) else "application/json"
    return {"content-type": kind, **(reply.headers or {})}


def answer(
    world: ProlificWorld, method: str, target: str, *, authorization: str, content: bytes
) -> FakeReply:
    """What the platform answers a request."""
    path, _, query = target.partition("?")
    with world.lock:
        fault = _take_fault(world, path)
        if fault is not None and not fault.is_carried_out:
            return _broken(fault)
        if authorization != f"Token {world.token}":
            return FakeReply({"detail": "Invalid token."}, 401)
        world.pass_time()
        reply = _handled(world, method, (path, query), content)
        return reply if fault is None else _broken(fault)


def _take_fault(world: ProlificWorld, path: str) -> FakeFault | None:
    fault = next((each for each in world.faults if path.endswith(each.path)), None)
    if fault is not None:
        world.faults.remove(fault)
    return fault


def _broken(fault: FakeFault) -> FakeReply:
    return FakeReply(b"<html>Bad gateway</html>", fault.status)


def _handled(
    world: ProlificWorld, method: str, target: tuple[str, str], content: bytes
) -> FakeReply:
    place, query = target[0].removeprefix(_PREFIX), dict(parse_qsl(target[1]))
    for allowed, pattern, handle in ROUTES:
        found = pattern.fullmatch(place)
        if found is None or allowed != method:
            continue
        try:
            body = json.loads(content) if content else {}
            return handle(FakeCall(world, found.groups(), query, body))
        except FakeRefusal as refusal:
            return _refusal(place, refusal)
        except (ValueError, TypeError, KeyError, AttributeError):
            return _refusal(place, FakeRefusal("The request cannot be read."))
    return FakeReply({"detail": "Not found."}, 404)


def _refusal(place: str, refusal: FakeRefusal) -> FakeReply:
    """Studies have nested errors, money unnested ones, and everything else flat ones."""
    detail = {
        "status": refusal.status,
        "error_code": 140000 + refusal.status,
        "title": "The request was refused",
        "detail": refusal.detail,
        "additional_information": "/docs",
    }
    if place.startswith("/studies/"):
        return FakeReply({"error": detail}, refusal.status)
    if "bonus-payments" in place:
        return FakeReply(detail, refusal.status)
    return FakeReply({"message": "Refused", "detail": refusal.detail}, refusal.status)
