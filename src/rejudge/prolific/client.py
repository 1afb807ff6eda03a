"""What Prolific's API answers: only what rejudge uses; unknown keys and states are tolerated.

Money is in sub-units (pence, cents) everywhere but in the lines of a bonus payment.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import count
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args
from urllib.parse import quote

import httpx
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)

from rejudge.english import shorten
from rejudge.errors import Problem, RejudgeError

StudyStatus: TypeAlias = Literal[
    "UNPUBLISHED", "SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW", "COMPLETED",
    "UNKNOWN",
]  # fmt: skip
SubmissionStatus: TypeAlias = Literal[
    "RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED", "REJECTED",
    "RETURNED", "TIMED-OUT", "SCREENED OUT", "UNKNOWN",
]  # fmt: skip
StudyAction: TypeAlias = Literal["PUBLISH", "PAUSE", "START", "STOP"]
RejectionCategory: TypeAlias = Literal[
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK",
    "LOW_EFFORT", "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER",
]  # fmt: skip
LEAST_REJECTION_MESSAGE = 100  # characters

HOLDS_PLACE: frozenset[SubmissionStatus] = frozenset(
    {"RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED"}
)
FREES_PLACE: frozenset[SubmissionStatus] = frozenset({"RETURNED", "REJECTED", "TIMED-OUT"})


def _status_of(kind: Any) -> BeforeValidator:  # a Literal, which no type describes
    """Read a state however it is spelled (AWAITING_REVIEW, TIMED-OUT); new ones are UNKNOWN."""
    known = {_plain(name): name for name in get_args(kind)}
    return BeforeValidator(lambda given: known.get(_plain(str(given)), "UNKNOWN"))


def _plain(name: str) -> str:
    return name.upper().replace("_", " ").replace("-", " ")


def _round(amount: object) -> object:
    """Money as whole sub-units: the API documents it as a number with decimals."""
    return round(amount) if isinstance(amount, float) else amount


_SubUnits = Annotated[int, BeforeValidator(_round)]
_AnyStudyStatus = Annotated[StudyStatus, _status_of(StudyStatus)]
_AnySubmissionStatus = Annotated[SubmissionStatus, _status_of(SubmissionStatus)]


def read_submission_status(given: object) -> SubmissionStatus:
    """The state of a submission however it is spelled; a new one is UNKNOWN."""
    known: dict[str, SubmissionStatus] = {_plain(name): name for name in get_args(SubmissionStatus)}
    return known.get(_plain(str(given)), "UNKNOWN")


class PlatformReply(BaseModel):
    """Something that Prolific answered; keys that are not used are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Account(PlatformReply):
    """The researcher's account."""

    id: str = ""
    currency_code: str | None = None
    balance: _SubUnits | None = None
    available_balance: _SubUnits | None = None


class Workspace(PlatformReply):
    """A workspace of the account."""

    id: str
    title: str = ""


class ProlificStudy(PlatformReply):
    """A study on Prolific."""

    id: str
    name: str = ""
    internal_name: str | None = None
    metadata: str | None = None
    status: _AnyStudyStatus = "UNPUBLISHED"
    reward: _SubUnits | None = None
    currency_code: str | None = Field(
        None, validation_alias=AliasChoices("presentment_currency_code", "currency_code")
    )
    total_available_places: int = 0
    places_taken: int | None = None
    estimated_completion_time: int | None = None
    maximum_allowed_time: int | None = None
    external_study_url: str | None = None
    published_at: datetime | None = None
    total_cost: float | None = None


class StudyCost(PlatformReply):
    """What a study costs in all, and its parts where Prolific tells them."""

    total_cost: _SubUnits
    rewards: _SubUnits | None = None
    fees: _SubUnits | None = None
    vat: _SubUnits | None = None


class RewardRecommendation(PlatformReply):
    """Hourly pay in a currency: the platform's minimum, and what it recommends."""

    currency: str = ""
    min_reward_per_hour: _SubUnits
    recommended_reward_per_hour: _SubUnits


class ProlificFilter(PlatformReply):
    """A screener: a choice of answers, or a range of numbers."""

    filter_id: str
    title: str = ""
    type: str = ""  # select, range, …
    choices: dict[str, str] = Field(default_factory=dict)  # labels by id
    min: float | None = None
    max: float | None = None


class Submission(PlatformReply):
    """One participant's submission, as lists have it. Its id is the SESSION_ID of our links."""

    id: str
    participant_id: str = ""
    status: _AnySubmissionStatus
    started_at: datetime | None = None
    completed_at: datetime | None = None
    study_code: str | None = None  # as the participant entered it
    time_taken: float | None = None  # seconds
    return_requested: datetime | bool | None = None
    has_siblings: bool = False


class SubmissionDetail(PlatformReply):
    """One submission with all that is known of it."""

    id: str
    participant_id: str = Field("", validation_alias=AliasChoices("participant_id", "participant"))
    study_id: str = ""
    status: _AnySubmissionStatus
    entered_code: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    return_requested: datetime | bool | None = None
    bonus_payments: tuple[_SubUnits, ...] = ()


class BonusBatch(PlatformReply):
    """Bonuses that were set up; they are paid by a request of their own, once."""

    id: str
    study: str = ""
    amount: _SubUnits = 0
    fees: _SubUnits = 0
    vat: _SubUnits = 0
    total_amount: _SubUnits = 0


class UrlProgress(PlatformReply):
    """How far one address of a Taskflow study is."""

    external_url: str
    total_allocation: int = 0
    allocated: int = 0
    capacity_increments: int = 0

    @property
    def open(self) -> int:
        """How many more people can be sent there."""
        return max(0, self.total_allocation + self.capacity_increments - self.allocated)


class Subscription(PlatformReply):
    """A webhook: where events of a kind are sent."""

    id: str
    event_type: str = ""
    target_url: str = ""
    is_enabled: bool = True
    workspace_id: str = ""


class HookSecret(PlatformReply):
    """What webhooks are signed with."""

    id: str = ""
    value: str = Field(repr=False)
    workspace_id: str = ""


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
        return f"{type(self).__name__}({self._base!r}, token=***)"

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


Json = Mapping[str, Any]  # a JSON object
R = TypeVar("R", bound=PlatformReply)

MOST_APPROVED: Final = 1000  # submissions in one request
MOST_BONUSES: Final = 200  # lines in one request
_AFTER: Final[Mapping[StudyAction, frozenset[StudyStatus]]] = {  # states in which it was done
    "PUBLISH": frozenset({"PUBLISHING", "ACTIVE"}),
    "PAUSE": frozenset({"PAUSED"}),
    "START": frozenset({"ACTIVE"}),
    "STOP": frozenset({"AWAITING REVIEW", "COMPLETED"}),
}


class ProlificApi(Transport):
    """Prolific's API with the rights of one token."""

    # ── account ──────────────────────────────────────────────────────────────────────────────────

    def account(self) -> Account:
        """Whose token it is, with their currency and balance."""
        return self._get(Account, "/users/me/")

    def workspaces(self) -> Iterator[Workspace]:
        """The workspaces of the account."""
        return (_read(Workspace, each) for each in self.by_offset("/workspaces/", {}))

    # ── studies ──────────────────────────────────────────────────────────────────────────────────

    def create_study(self, body: Json) -> ProlificStudy:
        """Create an unpublished study. Must not be sent twice: search with `studies` first."""
        return self._post(ProlificStudy, "/studies/", body)

    def studies(self, *, project: str | None = None) -> Iterator[ProlificStudy]:
        """All studies of the account, or of one of its projects; the newest first."""
        path = "/studies/" if project is None else f"/projects/{_id(project)}/studies/"
        return (
            _read(ProlificStudy, each) for each in self.by_page(path, {})
        )  # this list has no `offset`

    def study(self, study: str) -> ProlificStudy:
        """One study."""
        return self._get(ProlificStudy, f"/studies/{_id(study)}/")

    def update_study(self, study: str, changes: Json) -> ProlificStudy:
        """Change a study. Once published, only its places (up), name and addresses can change."""
        adds = "access_details" in changes  # addresses are added to those there are: never twice
        path = f"/studies/{_id(study)}/"
        told = self.json("PATCH", path, body=dict(changes), may_repeat=not adds)
        return _read(ProlificStudy, told)

    def transition_study(self, study: str, action: StudyAction) -> ProlificStudy:
        """Publish, pause, resume or stop a study; when no reply comes, its state is read."""
        path = f"/studies/{_id(study)}/transition/"
        try:
            return self._post(ProlificStudy, path, {"action": action})
        except ProlificError as error:
            if not error.is_outcome_unknown:
                raise
            found = self.study(study)
            if found.status not in _AFTER[action]:
                raise
            return found

    def study_cost(self, study: str) -> StudyCost:
        """What a study costs with fees and tax."""
        return self._get(StudyCost, f"/studies/{_id(study)}/cost/")

    def calculate_cost(self, *, reward: int, places: int) -> StudyCost:
        """What a study would cost."""
        body = {"reward": reward, "total_available_places": places}
        return self._post(StudyCost, "/study-cost-calculator/", body, may_repeat=True)

    def reward_recommendations(
        self, *, workspace: str, currency: str, filters: Sequence[str] = ()
    ) -> list[RewardRecommendation]:
        """Minimum and recommended hourly pay with these screeners; the newest first."""
        params = {"workspace_id": workspace, "currency": currency}
        if filters:
            params["screener_ids"] = ",".join(filters)
        told = self.json("GET", "/reward-recommendations/", params=params, may_repeat=True)
        return [_read(RewardRecommendation, each) for each in results_of(told)]

    def url_progress(self, study: str) -> list[UrlProgress] | None:
        """How far each address of a Taskflow study is; None for a study with one address."""
        try:
            told = self.json(
                "GET", f"/studies/{_id(study)}/access-details-progress/", may_repeat=True
            )
        except ProlificError as error:
            if error.status == NOT_FOUND:
                return None
            raise
        return [_read(UrlProgress, each) for each in told.get("progress", ())]

    # ── screeners ────────────────────────────────────────────────────────────────────────────────

    def filters(self, *, workspace: str | None = None) -> list[ProlificFilter]:
        """All screeners there are now. Their ids change: look them up by title."""
        params = {} if workspace is None else {"workspace_id": workspace}
        told = self.json("GET", "/filters/", params=params, may_repeat=True)
        return [_read(ProlificFilter, each) for each in results_of(told)]

    def count_eligible(self, filters: Sequence[Json], *, workspace: str | None = None) -> int:
        """How many participants meet screeners."""
        body: dict[str, Any] = {"filters": [dict(each) for each in filters]}  # JSON values
        if workspace is not None:
            body["workspace_id"] = workspace
        told = self.json("POST", "/eligibility-count/", body=body, may_repeat=True)
        if not isinstance(told, Mapping) or not isinstance(told.get("count"), int):
            raise unexpected("a number of participants")
        return int(told["count"])

    # ── submissions ──────────────────────────────────────────────────────────────────────────────

    def submissions(self, study: str) -> Iterator[Submission]:
        """All submissions of a study, each once."""
        return (
            _read(Submission, each)
            for each in self.by_offset(f"/studies/{_id(study)}/submissions/", {})
        )

    def submission(self, submission: str) -> SubmissionDetail:
        """One submission."""
        return self._get(SubmissionDetail, f"/submissions/{_id(submission)}/")

    def submission_counts(self, study: str) -> dict[SubmissionStatus, int]:
        """How many submissions of a study are in which state."""
        told = self.json("GET", f"/studies/{_id(study)}/submissions/counts/", may_repeat=True)
        counts: dict[SubmissionStatus, int] = {}
        for name, number in told.items():
            if name != "TOTAL":
                status = _read(Submission, {"id": "", "status": name}).status
                counts[status] = counts.get(status, 0) + int(number)
        return counts

    def approve(self, submissions: Sequence[str]) -> None:
        """Approve submissions, which pays them; Prolific does it within some minutes."""
        for ids in _chunks(submissions, MOST_APPROVED):
            self.json(
                "POST",
                "/submissions/bulk-approve/",
                body={"submission_ids": ids},
                may_repeat=True,  # who is approved already is not paid again
            )

    def reject(self, submission: str, *, message: str, category: RejectionCategory) -> None:
        """Reject a submission, with a message that tells the participant why."""
        if len(message) < LEAST_REJECTION_MESSAGE:
            what = f"the message has {len(message)} characters."
            remedy = f"Prolific asks for at least {LEAST_REJECTION_MESSAGE}: say what was wrong."
            raise ProlificError(Problem(what, remedy))
        body = {"action": "REJECT", "message": message, "rejection_category": category}
        path = f"/submissions/{_id(submission)}/transition/"  # idempotent, as documented
        self.json("POST", path, body=body, may_repeat=True)

    def demographics(self, study: str) -> bytes:
        """The demographic export of a study as CSV."""
        path = f"/studies/{_id(study)}/demographic-export/"
        return self.send("POST", path, body={"filters": []}, may_repeat=True).content

    # ── money ────────────────────────────────────────────────────────────────────────────────────

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal]) -> list[BonusBatch]:
        """Set up bonuses, by participant or submission id, in pounds or dollars (not pence).

        Nothing is paid yet; `pay_bonuses` does that, once for each batch of up to 200.
        """
        batches = []
        for ids in _chunks(list(amounts), MOST_BONUSES):
            lines = "\n".join(_bonus_line(each, amounts[each]) for each in ids)
            body = {"study_id": study, "csv_bonuses": lines}
            batches.append(self._post(BonusBatch, "/submissions/bonus-payments/", body))
        return batches

    def pay_bonuses(self, batch: str) -> None:
        """Pay bonuses that were set up. Must not be sent twice: Prolific would pay twice."""
        path = f"/bulk-bonus-payments/{_id(batch)}/pay/"
        self.json("POST", path, may_repeat=False)

    # ── webhooks ─────────────────────────────────────────────────────────────────────────────────

    def create_hook_secret(self, workspace: str) -> HookSecret:
        """A new secret for the webhooks of a workspace; the one before it stops to work."""
        return self._post(HookSecret, "/hooks/secrets/", {"workspace_id": workspace})

    def subscribe(self, workspace: str, *, event_type: str, target_url: str) -> Subscription:
        """Have events of a kind sent to an https address, and confirm that it is ours."""
        body = {"workspace_id": workspace, "event_type": event_type, "target_url": target_url}
        reply = self.send("POST", "/hooks/subscriptions/", body=body, may_repeat=False)
        made = _read(Subscription, reply.json())
        secret = reply.headers.get("x-hook-secret")
        if secret is not None:
            path = f"/hooks/subscriptions/{_id(made.id)}/"
            self.json("POST", path, body={"secret": secret}, may_repeat=True)
        return made

    # ── one reply, and lists ─────────────────────────────────────────────────────────────────────

    def _get(self, kind: type[R], path: str) -> R:
        return _read(kind, self.json("GET", path, may_repeat=True))

    def _post(self, kind: type[R], path: str, body: Json, *, may_repeat: bool = False) -> R:
        told = self.json("POST", path, body=dict(body), may_repeat=may_repeat)
        return _read(kind, told)


def _read(kind: type[R], told: Any) -> R:  # JSON of any shape
    try:
        return kind.model_validate(told)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, each["loc"])) for each in error.errors())
        raise unexpected(f"{kind.__name__} ({fields})") from None


def _id(given: str) -> str:
    """An id as part of an address; nothing in it can lead to another one."""
    return quote(given, safe="")


def _bonus_line(who: str, amount: Decimal) -> str:
    is_payable = amount > 0 and amount == round(amount, 2)
    if not is_payable or not who.isalnum():
        what = f"a bonus of {amount} cannot be paid." if not is_payable else "an id is not valid."
        raise ProlificError(Problem(what, "Give pounds or dollars above 0 with two decimals."))
    return f"{who},{amount:.2f}"


def _chunks(ids: Sequence[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(ids), size):
        yield list(ids[start : start + size])
