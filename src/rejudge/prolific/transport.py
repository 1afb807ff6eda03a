"""Requests to Prolific: the token, retries, errors, and dry runs that send nothing.

A request is repeated after an error only if that does no harm; the caller says so (`may_repeat`).
Creating a study or paying a bonus is repeated only if it certainly was not carried out: no
connection could be made, or the platform answered 429. Otherwise a `ProlificError` is raised whose
`is_outcome_unknown` tells the caller to look before trying again.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import httpx
from pydantic import SecretStr

from rejudge.english import shorten
from rejudge.errors import Problem, RejudgeError

BASE_URL: Final = "https://api.prolific.com"
TOKEN_VARIABLES: Final = ("REJUDGE_PROLIFIC_TOKEN", "PROLIFIC_TOKEN")
URL_VARIABLE: Final = "REJUDGE_PROLIFIC_URL"  # for the fake; never anywhere else without TLS
PREFIX: Final = "/api/v1"
PAGE_SIZE: Final = 100
NOT_FOUND: Final = 404

_ATTEMPTS = 6
_FIRST_SECONDS, _MOST_SECONDS = 1.0, 60.0
_BUSY = 429
_REPEATED = frozenset({_BUSY, 500, 502, 503, 504})
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_LONGEST_DETAIL = 600
_PERSONAL_ID = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])")
_READING_POSTS = ("/eligibility-count/", "/study-cost-calculator/")  # they change nothing


class ProlificError(RejudgeError):
    """Prolific refused a request, did not answer, or answered with something unexpected."""

    def __init__(
        self,
        problem: Problem,
        *,
        status: int | None = None,
        code: int | None = None,
        is_outcome_unknown: bool = False,
    ) -> None:
        super().__init__(problem)
        self.status = status  # of HTTP; None: there was no reply
        self.code = code  # Prolific's own number of the error, where it gave one
        self.is_outcome_unknown = is_outcome_unknown  # it may have been carried out


def read_token(environment: Mapping[str, str]) -> str:
    """The API token, which is taken from the environment and from nowhere else."""
    for name in TOKEN_VARIABLES:
        if token := environment.get(name, "").strip():
            return token
    remedy = (
        f"Create a token in Prolific under Settings > API tokens, and set {TOKEN_VARIABLES[0]} in "
        "the environment. It gives full access to the account: do not put it in a file of the "
        "study."
    )
    raise ProlificError(Problem("there is no API token for Prolific.", remedy))


def read_base_url(environment: Mapping[str, str]) -> str:
    """Where the API is: Prolific's own address, or that of a fake on this machine."""
    address = environment.get(URL_VARIABLE, "").strip().rstrip("/") or BASE_URL
    try:
        parts = httpx.URL(address)
    except httpx.InvalidURL:
        parts = httpx.URL("")
    is_local = parts.host in {"127.0.0.1", "::1", "localhost"}
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local):
        what = f"{URL_VARIABLE} is not an https address: the token could be intercepted."
        raise ProlificError(Problem(what, f"Unset it to use {BASE_URL}."))
    return address


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request as a dry run shows it; the token is not part of it."""

    method: str
    url: str
    body: Any  # JSON values; None where there is no body

    def __str__(self) -> str:
        lines = [f"{self.method} {self.url}", "Authorization: Token ***"]
        if self.body is not None:
            lines.append(json.dumps(self.body, ensure_ascii=False, indent=2))
        return "\n".join(lines)


@dataclass(slots=True)
class DryRunTransport(httpx.BaseTransport):
    """Sends requests that only read, and keeps those that would change something.

    A kept request is answered with its own body and an id of zeros, so that the steps after it can
    be shown too. Give it to the `httpx.Client` of a dry run.
    """

    inner: httpx.BaseTransport
    kept: list[PlannedRequest] = field(default_factory=list)
    sent: list[PlannedRequest] = field(default_factory=list)  # those that only read

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Pass on a request that reads; keep any other."""
        body = json.loads(request.read() or b"null")
        planned = PlannedRequest(request.method, str(request.url), body)
        if request.method == "GET" or request.url.path.endswith(_READING_POSTS):
            self.sent.append(planned)
            return self.inner.handle_request(request)
        self.kept.append(planned)
        if request.url.path.endswith("/demographic-export/"):
            return httpx.Response(200, content=b"")
        echoed = body if isinstance(body, dict) else {}
        return httpx.Response(200, json={"id": DRY_RUN_ID, **echoed})

    def close(self) -> None:
        """Close what reads."""
        self.inner.close()


DRY_RUN_ID: Final = "0" * 24


class Transport:
    """Sends requests with the token, repeats them where that is safe, and explains errors.

    `sleep` and `rng` are arguments for tests: waiting times are random (full jitter).
    """

    def __init__(
        self,
        http: httpx.Client,
        token: str,
        *,
        base_url: str = BASE_URL,
        sleep: Callable[[float], None] = time.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self._http = http
        self._token = SecretStr(token)
        self._base = base_url.rstrip("/") + PREFIX
        self._sleep = sleep
        self._rng = rng or random.Random()  # noqa: S311 - spreads requests, protects nothing

    def __repr__(self) -> str:
        return f"Transport({self._base!r}, token=***)"

    def send(
        self,
        method: str,
        path: str,
        *,
        may_repeat: bool,
        params: Mapping[str, str] | None = None,
        body: Any = None,  # JSON values
    ) -> httpx.Response:
        """The reply to a request; a ProlificError unless it was carried out."""
        for attempt in range(_ATTEMPTS):
            is_last = attempt == _ATTEMPTS - 1
            try:
                reply = self._http.request(
                    method,
                    self._base + path,
                    params=params,
                    json=body,
                    headers={"Authorization": f"Token {self._token.get_secret_value()}"},
                )
            except httpx.TransportError as error:
                is_safe = may_repeat or isinstance(error, _NEVER_SENT)
                if is_last or not is_safe:
                    raise self._no_reply(method, path, error, may_repeat=may_repeat) from None
                self._wait(attempt, None)
                continue
            is_repeated = reply.status_code == _BUSY or (
                may_repeat and reply.status_code in _REPEATED
            )
            if is_last or not is_repeated:
                break
            self._wait(attempt, reply.headers.get("retry-after"))
        if not reply.is_success:
            raise self._refusal(method, path, reply, may_repeat=may_repeat)
        return reply

    def json(self, method: str, path: str, **options: Any) -> Any:  # as `send` takes them
        """The JSON of a reply; None where it is empty."""
        reply = self.send(method, path, **options)
        if not reply.content:
            return None
        try:
            return reply.json()
        except ValueError:
            what = f"Prolific's reply to {_describe(method, path)} is not JSON."
            raise ProlificError(Problem(what, _LOOK), status=reply.status_code) from None

    def by_offset(self, path: str, params: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """A list with `limit` and `offset`; the platform may give less at a time than asked for."""
        seen: set[object] = set()
        offset = 0
        while True:
            asked = {**params, "limit": str(PAGE_SIZE), "offset": str(offset)}
            told = self.json("GET", path, params=asked, may_repeat=True)
            page = results_of(told)
            new = [each for each in page if each.get("id") not in seen]
            yield from new
            seen |= {each.get("id") for each in new}
            offset += len(page)
            if not new or _is_end(told, offset):  # nothing new: it does not page at all
                return

    def by_page(self, path: str, params: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """A list with numbered pages; after the last comes an empty one or an error 404."""
        seen: set[object] = set()
        for number in count(1):
            asked = {**params, "page": str(number), "page_size": str(PAGE_SIZE)}
            try:
                told = self.json("GET", path, params=asked, may_repeat=True)
            except ProlificError as error:
                if error.status == NOT_FOUND and number > 1:
                    return
                raise
            new = [each for each in results_of(told) if each.get("id") not in seen]
            yield from new
            seen |= {each.get("id") for each in new}
            if not new or _is_end(told, len(seen)):
                return

    def _wait(self, attempt: int, retry_after: str | None) -> None:
        jitter = self._rng.uniform(0, min(_MOST_SECONDS, _FIRST_SECONDS * 2**attempt))
        asked = int(retry_after) if retry_after and retry_after.isdecimal() else 0
        self._sleep(max(jitter, min(asked, 2 * _MOST_SECONDS)))

    def _no_reply(
        self, method: str, path: str, error: httpx.TransportError, *, may_repeat: bool
    ) -> ProlificError:
        is_unknown = not may_repeat and not isinstance(error, _NEVER_SENT)
        what = f"Prolific did not answer {_describe(method, path)} ({type(error).__name__})."
        remedy = _UNKNOWN if is_unknown else "Check the connection, and try again later."
        return ProlificError(Problem(what, remedy), is_outcome_unknown=is_unknown)

    def _refusal(
        self, method: str, path: str, reply: httpx.Response, *, may_repeat: bool
    ) -> ProlificError:
        status = reply.status_code
        detail, code = _read_error(reply)
        detail = detail.replace(self._token.get_secret_value(), "***")
        is_unknown = status >= 500 and not may_repeat
        remedy = _UNKNOWN if is_unknown else _REMEDIES.get(status, _LOOK)
        said = f": {shorten(_without_ids(detail), _LONGEST_DETAIL)}" if detail else ""
        what = f"Prolific refused {_describe(method, path)} ({status}){said.rstrip('.')}."
        return ProlificError(
            Problem(what, remedy), status=status, code=code, is_outcome_unknown=is_unknown
        )


_LOOK = "Look at the study in Prolific's web app."
_UNKNOWN = (
    "It may have been carried out anyway. Look at the study in Prolific's web app before you "
    "try again."
)
_REMEDIES: Final[Mapping[int, str]] = {
    400: "Correct what the message names and try again.",
    401: f"Check the token in {TOKEN_VARIABLES[0]}; it may have been revoked.",
    403: f"Check that the account of {TOKEN_VARIABLES[0]} may do this in its workspace.",
    404: "It may have been deleted, or it belongs to a different account.",
    409: "The study or submission is not in the right state for this. Run `rejudge prolific "
    "status`.",
    422: "Correct what the message names and try again.",
    429: "There were too many requests. Wait a few minutes and try again.",
}


def results_of(told: Any) -> list[dict[str, Any]]:  # JSON of any shape
    """The entries of a list, which comes bare or as `results`."""
    found = told.get("results") if isinstance(told, Mapping) else told
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise unexpected("a list")
    return found


def unexpected(wanted: str) -> ProlificError:
    """The error for a reply that is not what the API documents."""
    what = f"Prolific's reply does not match its API documentation: {wanted} was expected."
    return ProlificError(
        Problem(what, "Its API may have changed: check for a newer version of rejudge.")
    )


def _is_end(told: Any, so_far: int) -> bool:  # JSON of any shape
    """Whether a page is the last, as far as it says so."""
    if not isinstance(told, Mapping):
        return True
    total = (told.get("meta") or {}).get("count")
    if isinstance(total, int):
        return so_far >= total
    links = told.get("_links")
    if isinstance(links, Mapping) and isinstance(links.get("next"), Mapping):
        return links["next"].get("href") is None
    return False


def _describe(method: str, path: str) -> str:
    """A request in an error message: without ids, which may belong to participants."""
    return f"{method} {PREFIX}{_PERSONAL_ID.sub('…', path)}"


def _without_ids(text: str) -> str:
    return _PERSONAL_ID.sub("…", " ".join(text.split()))


def _read_error(reply: httpx.Response) -> tuple[str, int | None]:
    """What a refusal says and its code; the API has a nested, a flat and an unnested shape."""
    try:
        told = reply.json()
    except ValueError:
        return reply.text, None
    if isinstance(told, dict) and isinstance(told.get("error"), dict):
        told = told["error"]
    if not isinstance(told, dict):
        return _flatten(told), None
    parts = [_flatten(told.get(key)).rstrip(".") for key in _TELLING]
    kept = list(dict.fromkeys(part for part in parts if part))
    code = told.get("error_code")
    return ". ".join(kept) or _flatten(told), code if isinstance(code, int) else None


_TELLING = ("title", "message", "error", "detail", "additional_information")


def _flatten(detail: object) -> str:
    """Text, a list of texts, or texts by field, as one line."""
    if detail is None:
        return ""
    if isinstance(detail, Mapping):
        return "; ".join(f"{name}: {_flatten(each)}" for name, each in detail.items())
    if isinstance(detail, Sequence) and not isinstance(detail, str):
        return ", ".join(_flatten(each) for each in detail)
    return str(detail).strip()
