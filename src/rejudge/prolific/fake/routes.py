"""The addresses of the fake's API, and what each answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from rejudge.prolific.fake import researcher
from rejudge.prolific.fake.hooks import FakeSubscription
from rejudge.prolific.fake.panel import demographic_csv
from rejudge.prolific.fake.records import (
    NO_CODE,
    RATES,
    FakeRefusal,
    FakeStudy,
    FakeSubmission,
    cost_of,
)
from rejudge.prolific.fake.world import ProlificWorld

FAKE_URL: Final = "https://prolific.invalid"  # in this process; leads nowhere else
_PAGE = 20
_MOST_APPROVED = 1000


@dataclass(frozen=True, slots=True)
class FakeCall:
    """A request, as the handlers take it."""

    world: ProlificWorld
    ids: tuple[str, ...]  # from the address
    query: Mapping[str, str]
    body: Mapping[str, Any]  # JSON; empty where there is none


@dataclass(frozen=True, slots=True)
class FakeReply:
    """What is answered."""

    content: Any  # JSON values, or bytes
    status: int = 200
    headers: Mapping[str, str] | None = None

    def encoded(self) -> bytes:
        """The body."""
        return (
            self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode()
        )


Handle: TypeAlias = Callable[[FakeCall], FakeReply]


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


def _listed(call: FakeCall, entries: Sequence[Mapping[str, Any]]) -> FakeReply:
    """A page of a list, by `page` and `page_size` or by `limit` and `offset`; 20 when not said."""
    size = int(call.query.get("page_size") or call.query.get("limit") or _PAGE)
    start = int(call.query.get("offset") or (int(call.query.get("page", 1)) - 1) * size)
    if size < 1 or start < 0:
        raise FakeRefusal("There is no such page.", status=404)
    is_more = start + size < len(entries)
    links = {"next": {"href": f"{FAKE_URL}/next" if is_more else None, "title": "Next"}}
    page = list(entries[start : start + size])
    return FakeReply({"results": page, "_links": links, "meta": {"count": len(entries)}})


def _unpaged(entries: Sequence[Mapping[str, Any]]) -> FakeReply:
    return FakeReply({"results": list(entries), "meta": {"count": len(entries)}})


# ── account and screeners ────────────────────────────────────────────────────────────────────────


def _me(call: FakeCall) -> FakeReply:
    ledger = call.world.ledger
    money = {"currency_code": ledger.currency, "balance": ledger.balance}
    return FakeReply({"id": call.world.user, **money, "available_balance": ledger.balance})


def _workspaces(call: FakeCall) -> FakeReply:
    return _listed(call, [{"id": call.world.workspace, "title": "My workspace"}])


def _filters(call: FakeCall) -> FakeReply:
    return _unpaged(list(call.world.filters.values()))


def _eligible(call: FakeCall) -> FakeReply:
    return FakeReply({"count": call.world.count_eligible(call.body.get("filters", ()))})


def _recommendations(call: FakeCall) -> FakeReply:
    currency = call.query.get("currency", "")
    if call.query.get("workspace_id") != call.world.workspace:
        raise FakeRefusal({"workspace_id": ["This field is required."]})
    if currency not in RATES:
        raise FakeRefusal({"currency": ["Use GBP or USD."]})
    least, usual = RATES[currency]
    newest = {"min_reward_per_hour": least, "recommended_reward_per_hour": usual}
    older = {"min_reward_per_hour": least - 100, "recommended_reward_per_hour": usual - 100}
    return FakeReply([{"currency": currency, **each} for each in (newest, older)])


# ── studies ──────────────────────────────────────────────────────────────────────────────────────


def _study_json(world: ProlificWorld, study: FakeStudy) -> dict[str, Any]:
    return {
        **study.body,
        "id": study.id,
        "status": study.status,
        "date_created": study.created_at.isoformat(),
        "published_at": study.published_at and study.published_at.isoformat(),
        "places_taken": world.taken_places(study),
        "presentment_currency_code": world.ledger.currency,
        "total_cost": cost_of(study.reward * study.places)["total_cost"],
        "researcher": {"id": world.user},
    }


def _study_reply(call: FakeCall, study: FakeStudy, status: int = 200) -> FakeReply:
    return FakeReply(_study_json(call.world, study), status)


def _create_study(call: FakeCall) -> FakeReply:
    return _study_reply(call, researcher.create_study(call.world, call.body), 201)


def _studies(call: FakeCall) -> FakeReply:
    """The newest first; this list knows pages, but no `offset`."""
    pages = {name: value for name, value in call.query.items() if name in {"page", "page_size"}}
    newest = reversed(call.world.studies.values())
    listed = [_study_json(call.world, each) for each in newest]
    return _listed(replace(call, query=pages), listed)


def _study(call: FakeCall) -> FakeReply:
    return _study_reply(call, call.world.study(call.ids[0]))


def _change_study(call: FakeCall) -> FakeReply:
    study = call.world.study(call.ids[0])
    researcher.change_study(call.world, study, call.body)
    return _study_reply(call, study)


def _transition_study(call: FakeCall) -> FakeReply:
    study = call.world.study(call.ids[0])
    researcher.transition_study(call.world, study, str(call.body.get("action")))
    return _study_reply(call, study)


def _cost(call: FakeCall) -> FakeReply:
    study = call.world.study(call.ids[0])
    return FakeReply(cost_of(study.reward * study.places))


def _calculate(call: FakeCall) -> FakeReply:
    return FakeReply(cost_of(call.body["reward"] * call.body["total_available_places"]))


def _progress(call: FakeCall) -> FakeReply:
    study = call.world.study(call.ids[0])
    if not study.urls:
        raise FakeRefusal("This is not a Taskflow study.", status=404)
    progress = [
        {
            "external_url": each.url,
            "total_allocation": each.allocation,
            "allocated": number,
            "capacity_increments": each.increments,
        }
        for each, number in call.world.url_counts(study)
    ]
    return FakeReply({"id": study.id, "progress": progress})


def _export(call: FakeCall) -> FakeReply:
    own = call.world.of_study(call.world.study(call.ids[0]).id)
    return FakeReply(demographic_csv(own, call.world.members))


# ── submissions ──────────────────────────────────────────────────────────────────────────────────


def _submission_json(submission: FakeSubmission) -> dict[str, Any]:
    started, completed = submission.started_at, submission.completed_at
    is_done = completed is not None
    return {
        "id": submission.id,
        "participant_id": submission.participant,
        "status": submission.status,
        "started_at": started and started.isoformat(),
        "completed_at": completed and completed.isoformat(),
        "time_taken": submission.seconds,
        "study_code": (submission.entered_code or NO_CODE) if is_done else None,
        "return_requested": submission.return_requested and submission.return_requested.isoformat(),
        "has_siblings": False,
    }


def _of_study(call: FakeCall) -> FakeReply:
    own = call.world.of_study(call.world.study(call.ids[0]).id)
    return _listed(call, [_submission_json(each) for each in own])


def _submission(call: FakeCall) -> FakeReply:
    found = call.world.submission(call.ids[0])
    return FakeReply(_detail_json(found))


def _detail_json(found: FakeSubmission) -> dict[str, Any]:
    more = {
        "participant": found.participant,
        "study_id": found.study,
        "parent_study_id": None,
        "entered_code": found.entered_code,
        "bonus_payments": found.bonuses,
    }
    dropped = {"participant_id", "study_code"}
    kept = {k: v for k, v in _submission_json(found).items() if k not in dropped}
    return {**kept, **more}


def _counts(call: FakeCall) -> FakeReply:
    own = call.world.of_study(call.world.study(call.ids[0]).id)
    states = (
        "ACTIVE", "APPROVED", "AWAITING REVIEW", "REJECTED", "RESERVED", "RETURNED", "TIMED-OUT",
        "PARTIALLY APPROVED", "SCREENED OUT",
    )  # fmt: skip
    counts = {state: sum(each.status == state for each in own) for state in states}
    return FakeReply({**counts, "TOTAL": len(own)})


def _transition_submission(call: FakeCall) -> FakeReply:
    found = call.world.submission(call.ids[0])
    researcher.reject(call.world, found, call.body)
    return FakeReply(_detail_json(found))


def _bulk_approve(call: FakeCall) -> FakeReply:
    ids = list(call.body.get("submission_ids") or ())
    if not 0 < len(ids) <= _MOST_APPROVED:
        raise FakeRefusal({"submission_ids": ["Give 1 to 1000 ids."]})
    call.world.approve_later(ids)
    return FakeReply({"message": "The request to bulk approve has been made successfully."})


# ── money ───────────────────────────────────────────────────────────────────────────────────────


def _bonuses(call: FakeCall) -> FakeReply:
    payment = researcher.set_up_bonuses(call.world, call.body)
    return FakeReply(researcher.bonus_json(payment), 201)


def _pay(call: FakeCall) -> FakeReply:
    payment = call.world.ledger.bonus_payments.get(call.ids[0])
    if payment is None:
        raise FakeRefusal("Not found.", status=404)
    call.world.ledger.pay_bonuses(payment)
    return FakeReply(b"", 202)


# ── webhooks ─────────────────────────────────────────────────────────────────────────────────────


def _create_secret(call: FakeCall) -> FakeReply:
    workspace = str(call.body["workspace_id"])
    secret = call.world.hooks.create_secret(workspace)
    return FakeReply({"id": workspace, "value": secret, "workspace_id": workspace}, 201)


def _hook_json(hook: FakeSubscription) -> dict[str, Any]:
    names = {"id": hook.id, "event_type": hook.event_type, "target_url": hook.target_url}
    return {**names, "is_enabled": hook.is_enabled, "workspace_id": hook.workspace}


def _subscribe(call: FakeCall) -> FakeReply:
    body = call.body
    made = call.world.hooks.subscribe(body["workspace_id"], body["event_type"], body["target_url"])
    return FakeReply(_hook_json(made), 201, {"X-Hook-Secret": made.proof})


def _confirm(call: FakeCall) -> FakeReply:
    return FakeReply(_hook_json(call.world.hooks.confirm(call.ids[0], str(call.body["secret"]))))


_ID = r"([0-9A-Za-z_-]+)"
ROUTES: Final[tuple[tuple[str, re.Pattern[str], Handle], ...]] = tuple(
    (method, re.compile(path.replace("ID", _ID) + "/?"), handle)
    for method, path, handle in (
        ("GET", "/users/me", _me),
        ("GET", "/workspaces", _workspaces),
        ("GET", "/filters", _filters),
        ("POST", "/eligibility-count", _eligible),
        ("GET", "/reward-recommendations", _recommendations),
        ("POST", "/study-cost-calculator", _calculate),
        ("GET", "/studies", _studies),
        ("GET", "/projects/ID/studies", _studies),
        ("POST", "/studies", _create_study),
        ("GET", "/studies/ID", _study),
        ("PATCH", "/studies/ID", _change_study),
        ("POST", "/studies/ID/transition", _transition_study),
        ("GET", "/studies/ID/cost", _cost),
        ("GET", "/studies/ID/access-details-progress", _progress),
        ("POST", "/studies/ID/demographic-export", _export),
        ("GET", "/studies/ID/submissions", _of_study),
        ("GET", "/studies/ID/submissions/counts", _counts),
        ("POST", "/submissions/bulk-approve", _bulk_approve),
        ("POST", "/submissions/bonus-payments", _bonuses),
        ("GET", "/submissions/ID", _submission),
        ("POST", "/submissions/ID/transition", _transition_submission),
        ("POST", "/bulk-bonus-payments/ID/pay", _pay),
        ("POST", "/hooks/secrets", _create_secret),
        ("POST", "/hooks/subscriptions", _subscribe),
        ("POST", "/hooks/subscriptions/ID", _confirm),
    )
)
