"""Deposits of bundles in archives: requests, replies, and how far a deposit has come.

The steps of each archive (`zenodo`, `huggingface`) are written once. They send their requests
through a `Sender`: over HTTP, or, in a dry run, to a list that replies as the archive would. What
was done is written into a record beside the bundle, so that a deposit can be taken up again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeAlias

import httpx

from rejudge.bundle.citation import ZENODO
from rejudge.english import shorten
from rejudge.errors import FileError, Problem, RejudgeError, UsageError
from rejudge.files.codecs import JsonCodec

Json: TypeAlias = Any  # JSON values of any depth
Archive: TypeAlias = Literal["zenodo", "huggingface"]
_LONGEST_DETAIL = 300
_UNAUTHORISED = (401, 403)
_FIRST_FAILURE = 400


class DepositError(RejudgeError):
    """An archive refused a request, did not answer, or answered with something unexpected."""

    def __init__(self, problem: Problem, *, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status  # of HTTP; None: there was no reply


@dataclass(frozen=True, slots=True)
class DepositRequest:
    """One request; the token is added when it is sent."""

    method: str
    url: str
    body: bytes = field(default=b"", repr=False)
    content_type: str | None = None
    about: str = ""  # instead of a body that is a file
    headers: Mapping[str, str] = field(default_factory=dict)
    is_signed: bool = True  # False: the address itself is the permission

    @classmethod
    def of_json(cls, method: str, url: str, value: Json, **more: Any) -> DepositRequest:
        """A request whose body is JSON."""
        body = json.dumps(value, ensure_ascii=False).encode("utf-8")
        return cls(method, url, body, more.pop("content_type", "application/json"), **more)


class Sender(Protocol):
    """Sends a request and returns the JSON of the reply; raises a DepositError."""

    def __call__(self, request: DepositRequest) -> Json:
        """The reply to a request."""


@dataclass(frozen=True, slots=True)
class HttpSender:
    """Sends requests over HTTP with the token."""

    http: httpx.Client
    token: str = field(repr=False)

    def __call__(self, request: DepositRequest) -> Json:
        """The reply to a request."""
        headers = dict(request.headers)
        if request.content_type:
            headers["Content-Type"] = request.content_type
        if request.is_signed:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            reply = self.http.request(
                request.method, request.url, content=request.body or None, headers=headers
            )
        except httpx.HTTPError as error:
            what = f"{_host(request.url)} cannot be reached ({type(error).__name__})."
            raise DepositError(Problem(what, _AGAIN)) from None
        if reply.status_code >= _FIRST_FAILURE:
            raise _refusal(request, reply)
        try:
            return reply.json() if reply.content else {}
        except ValueError:
            return {}  # an upload may be answered with words


@dataclass(slots=True)
class RequestList:
    """Sends nothing: keeps the requests, and replies as the archive would.

    `replies` returns the reply to a request; names in braces stand for what only the archive knows.
    """

    replies: Callable[[DepositRequest], Json]
    requests: list[DepositRequest] = field(default_factory=list)

    def __call__(self, request: DepositRequest) -> Json:
        """The reply that can be expected."""
        self.requests.append(request)
        return self.replies(request)


_AGAIN: Final = "Run the same command again: it continues where it stopped."


def _refusal(request: DepositRequest, reply: httpx.Response) -> DepositError:
    host = _host(request.url)
    if reply.status_code in _UNAUTHORISED:
        remedy = "Check the token in the environment: is it valid, and may it write?"
    else:
        remedy = _AGAIN
    detail = shorten(" ".join(reply.text.split()), _LONGEST_DETAIL)
    what = f"{host} refused {request.method} {httpx.URL(request.url).path} ({reply.status_code})"
    return DepositError(Problem(f"{what}: {detail}", remedy), status=reply.status_code)


def _host(url: str) -> str:
    return httpx.URL(url).host or url


def value_at(reply: Json, *path: str) -> str:
    """A text in a reply; DepositError where the archive did not send it."""
    found = reply
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, str | int) or isinstance(found, bool) or found == "":
        what = f"the archive's reply has no {'.'.join(path)}."
        raise DepositError(Problem(what, "Its API may have changed: upgrade rejudge."))
    return str(found)


# ── how far a deposit has come ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class DepositRecord:
    """What is known about a deposit that was begun; it is written beside the bundle."""

    archive: Archive
    address: str  # of the archive's API
    place: str  # id of the deposition, or owner/name of the repository
    bundle: str  # SHA-256 of the archive file that was uploaded
    page: str = ""  # where people see it
    is_published: bool = False


RECORD_CODEC: Final = JsonCodec(DepositRecord, "deposit", "rejudge deposit")


def record_name(bundle_name: str, archive: Archive) -> str:
    """The file beside a bundle that says how far its deposit has come."""
    return f"{bundle_name.removesuffix('.zip')}.{archive}.json"


def refuse_other(record: DepositRecord, *, address: str, file: str) -> None:
    """A record of another archive's address would send the data to the wrong place."""
    if record.address != address:
        raise UsageError(
            Problem(
                f"this deposit was begun at {record.address}, not at {address}.",
                "Use the same address, or remove the file to begin another deposit.",
                file=file,
            )
        )


def metadata_of(files: Mapping[str, bytes], *, file: str) -> Json:
    """What a bundle says about itself for archives; FileError for one that says nothing."""
    if ZENODO not in files:
        raise FileError(
            Problem(
                "this bundle has no description for archives.",
                "Make it again with `rejudge bundle --croissant`.",
                file=file,
            )
        )
    return json.loads(files[ZENODO])


def read_token(environment: Mapping[str, str], archive: Archive) -> str:
    """The token, which is taken from the environment and from nowhere else."""
    name = TOKENS[archive]
    token = environment.get(name, "").strip()
    if not token:
        raise DepositError(
            Problem(
                f"there is no token in the environment variable {name}.",
                f"{_WHERE[archive]} Set {name} to it.",
            )
        )
    return token


TOKENS: Final[Mapping[Archive, str]] = {"zenodo": "ZENODO_TOKEN", "huggingface": "HF_TOKEN"}
_WHERE: Final[Mapping[Archive, str]] = {
    "zenodo": "Create one in Zenodo under Applications, Personal access tokens, with the scopes "
    "deposit:write and deposit:actions.",
    "huggingface": "Create one in Hugging Face under Settings, Access Tokens, with write access.",
}


def check_address(address: str) -> str:
    """An https address, or one on this machine; a token must not be read on the way."""
    plain = address.strip().rstrip("/")
    try:
        url = httpx.URL(plain)
    except httpx.InvalidURL:
        url = httpx.URL("")
    is_local = url.scheme == "http" and url.host in {"127.0.0.1", "::1", "localhost"}
    if not url.host or (url.scheme != "https" and not is_local):
        what = f"'{address}' is not an https address: the token could be read on the way."
        raise UsageError(Problem(what, "Give an address that begins with https://."))
    return plain
