"""A typed client of Prolific's API: studies, submissions, money and webhooks.

    with httpx.Client(timeout=30) as http:
        api = ProlificApi(http, read_token(os.environ))
        for submission in api.submissions(study_id):
            ...

Every method sends one kind of request and returns what was answered. Lists are read to their end.
Methods that must not be sent twice say so; see `transport` for what is repeated after an error. For
a dry run give the HTTP client a `DryRunTransport`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeVar
from urllib.parse import quote

import httpx
from pydantic import ValidationError

from rejudge.errors import Problem
from rejudge.prolific.replies import (
    LEAST_REJECTION_MESSAGE,
    Account,
    BonusBatch,
    HookSecret,
    PlatformReply,
    ProlificFilter,
    ProlificStudy,
    RejectionCategory,
    RewardRecommendation,
    StudyAction,
    StudyCost,
    StudyStatus,
    Submission,
    SubmissionDetail,
    SubmissionStatus,
    Subscription,
    UrlProgress,
    Workspace,
)
from rejudge.prolific.transport import (
    BASE_URL,
    NOT_FOUND,
    ProlificError,
    Transport,
    results_of,
    unexpected,
)

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


class ProlificApi:
    """Prolific's API with the rights of one token."""

    def __init__(
        self,
        http: httpx.Client,
        token: str,
        *,
        base_url: str = BASE_URL,
        sleep: Callable[[float], None] = time.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self._transport = Transport(http, token, base_url=base_url, sleep=sleep, rng=rng)

    def __repr__(self) -> str:
        return f"ProlificApi({self._transport!r})"

    # ── account ──────────────────────────────────────────────────────────────────────────────────

    def account(self) -> Account:
        """Whose token it is, with their currency and balance."""
        return self._get(Account, "/users/me/")

    def workspaces(self) -> Iterator[Workspace]:
        """The workspaces of the account."""
        return self._by_offset(Workspace, "/workspaces/", {})

    # ── studies ──────────────────────────────────────────────────────────────────────────────────

    def create_study(self, body: Json) -> ProlificStudy:
        """Create an unpublished study. Must not be sent twice: search with `studies` first."""
        return self._post(ProlificStudy, "/studies/", body)

    def studies(self, *, project: str | None = None) -> Iterator[ProlificStudy]:
        """All studies of the account, or of one of its projects; the newest first."""
        path = "/studies/" if project is None else f"/projects/{_id(project)}/studies/"
        return self._by_page(ProlificStudy, path, {})  # this list has no `offset`

    def study(self, study: str) -> ProlificStudy:
        """One study."""
        return self._get(ProlificStudy, f"/studies/{_id(study)}/")

    def update_study(self, study: str, changes: Json) -> ProlificStudy:
        """Change a study. Once published, only its places (up), name and addresses can change."""
        adds = "access_details" in changes  # addresses are added to those there are: never twice
        path = f"/studies/{_id(study)}/"
        told = self._transport.json("PATCH", path, body=dict(changes), may_repeat=not adds)
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
        told = self._transport.json(
            "GET", "/reward-recommendations/", params=params, may_repeat=True
        )
        return [_read(RewardRecommendation, each) for each in results_of(told)]

    def url_progress(self, study: str) -> list[UrlProgress] | None:
        """How far each address of a Taskflow study is; None for a study with one address."""
        try:
            told = self._transport.json(
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
        told = self._transport.json("GET", "/filters/", params=params, may_repeat=True)
        return [_read(ProlificFilter, each) for each in results_of(told)]

    def count_eligible(self, filters: Sequence[Json], *, workspace: str | None = None) -> int:
        """How many participants meet screeners."""
        body: dict[str, Any] = {"filters": [dict(each) for each in filters]}  # JSON values
        if workspace is not None:
            body["workspace_id"] = workspace
        told = self._transport.json("POST", "/eligibility-count/", body=body, may_repeat=True)
        if not isinstance(told, Mapping) or not isinstance(told.get("count"), int):
            raise unexpected("a number of participants")
        return int(told["count"])

    # ── submissions ──────────────────────────────────────────────────────────────────────────────

    def submissions(self, study: str) -> Iterator[Submission]:
        """All submissions of a study, each once."""
        return self._by_offset(Submission, f"/studies/{_id(study)}/submissions/", {})

    def submission(self, submission: str) -> SubmissionDetail:
        """One submission."""
        return self._get(SubmissionDetail, f"/submissions/{_id(submission)}/")

    def submission_counts(self, study: str) -> dict[SubmissionStatus, int]:
        """How many submissions of a study are in which state."""
        told = self._transport.json(
            "GET", f"/studies/{_id(study)}/submissions/counts/", may_repeat=True
        )
        counts: dict[SubmissionStatus, int] = {}
        for name, number in told.items():
            if name != "TOTAL":
                status = _read(Submission, {"id": "", "status": name}).status
                counts[status] = counts.get(status, 0) + int(number)
        return counts

    def approve(self, submissions: Sequence[str]) -> None:
        """Approve submissions, which pays them; Prolific does it within some minutes."""
        for ids in _chunks(submissions, MOST_APPROVED):
            self._transport.json(
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
        self._transport.json("POST", path, body=body, may_repeat=True)

    def demographics(self, study: str) -> bytes:
        """The demographic export of a study as CSV."""
        path = f"/studies/{_id(study)}/demographic-export/"
        return self._transport.send("POST", path, body={"filters": []}, may_repeat=True).content

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
        self._transport.json("POST", path, may_repeat=False)

    # ── webhooks ─────────────────────────────────────────────────────────────────────────────────

    def create_hook_secret(self, workspace: str) -> HookSecret:
        """A new secret for the webhooks of a workspace; the one before it stops to work."""
        return self._post(HookSecret, "/hooks/secrets/", {"workspace_id": workspace})

    def subscribe(self, workspace: str, *, event_type: str, target_url: str) -> Subscription:
        """Have events of a kind sent to an https address, and confirm that it is ours."""
        body = {"workspace_id": workspace, "event_type": event_type, "target_url": target_url}
        reply = self._transport.send("POST", "/hooks/subscriptions/", body=body, may_repeat=False)
        made = _read(Subscription, reply.json())
        secret = reply.headers.get("x-hook-secret")
        if secret is not None:
            path = f"/hooks/subscriptions/{_id(made.id)}/"
            self._transport.json("POST", path, body={"secret": secret}, may_repeat=True)
        return made

    # ── one reply, and lists ─────────────────────────────────────────────────────────────────────

    def _get(self, kind: type[R], path: str) -> R:
        return _read(kind, self._transport.json("GET", path, may_repeat=True))

    def _post(self, kind: type[R], path: str, body: Json, *, may_repeat: bool = False) -> R:
        told = self._transport.json("POST", path, body=dict(body), may_repeat=may_repeat)
        return _read(kind, told)

    def _by_offset(self, kind: type[R], path: str, params: Mapping[str, str]) -> Iterator[R]:
        return (_read(kind, each) for each in self._transport.by_offset(path, params))

    def _by_page(self, kind: type[R], path: str, params: Mapping[str, str]) -> Iterator[R]:
        return (_read(kind, each) for each in self._transport.by_page(path, params))


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
