"""What researchers do in the fake: create, change and publish studies, reject and complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from rejudge.prolific.fake.records import (
    RATES,
    FakeBonusPayment,
    FakeRefusal,
    FakeStudy,
    FakeSubmission,
    TaskflowUrl,
    charges,
    cost_of,
)
from rejudge.prolific.fake.study_rules import Fault, change_faults, study_faults
from rejudge.prolific.fake.world import CONFLICT, ProlificWorld
from rejudge.prolific.replies import LEAST_REJECTION_MESSAGE, StudyStatus, SubmissionStatus

Body = Mapping[str, Any]  # of a request
_LEAST_PERCENT, _MOST_PERCENT = 8, 99
_MOST_BONUSES = 200
_MOST_SCREENERS, _MOST_EXPORTS = 15, 2
_ENDED: frozenset[StudyStatus] = frozenset({"COMPLETED", "AWAITING REVIEW"})
_STUDY_MOVES: Mapping[str, tuple[frozenset[StudyStatus], StudyStatus]] = {
    "PUBLISH": (frozenset({"UNPUBLISHED", "SCHEDULED"}), "ACTIVE"),
    "SCHEDULE_PUBLISH": (frozenset({"UNPUBLISHED"}), "SCHEDULED"),
    "CANCEL_PUBLISH": (frozenset({"SCHEDULED"}), "UNPUBLISHED"),
    "PAUSE": (frozenset({"ACTIVE"}), "PAUSED"),
    "START": (frozenset({"PAUSED"}), "ACTIVE"),
    "STOP": (frozenset({"ACTIVE", "PAUSED", "AWAITING REVIEW"}), "COMPLETED"),
}
_SUBMISSION_MOVES: Mapping[str, tuple[frozenset[SubmissionStatus], SubmissionStatus]] = {
    "START": (frozenset({"RESERVED"}), "ACTIVE"),
    "RETURN": (frozenset({"RESERVED", "ACTIVE", "AWAITING REVIEW", "TIMED-OUT"}), "RETURNED"),
    "SCREEN_OUT": (frozenset({"ACTIVE", "AWAITING REVIEW"}), "SCREENED OUT"),
    "UNREJECT": (frozenset({"REJECTED"}), "AWAITING REVIEW"),
    "UNRETURN": (frozenset({"RETURNED"}), "AWAITING REVIEW"),
}


def create_study(world: ProlificWorld, body: Body) -> FakeStudy:
    """Create an unpublished study; the same body twice makes two."""
    known = {each["filter_id"]: each for each in world.filters.values()}
    _refuse(study_faults(body, known))
    urls = [
        TaskflowUrl(each["external_url"], each["total_allocation"])
        for each in body.get("access_details") or ()
    ]
    made = FakeStudy(world.new_id(), dict(body), world.now(), urls=urls)
    world.studies[made.id] = made
    return made


def change_study(world: ProlificWorld, study: FakeStudy, changes: Body) -> None:
    """Change a study; raising the places of a finished one reopens it."""
    is_published = study.status not in {"UNPUBLISHED", "SCHEDULED"}
    known = [(each.url, each.allocation) for each in study.urls]
    _refuse(change_faults(study.body, changes, is_published=is_published, urls=known))
    before = study.places
    study.body |= {name: value for name, value in changes.items() if name != "access_details"}
    for each in changes.get("access_details") or ():
        study.urls.append(TaskflowUrl(each["external_url"], each["total_allocation"]))
    if study.urls:
        study.body["total_available_places"] = sum(each.allocation for each in study.urls)
    if is_published and study.places > before and study.status in _ENDED:
        study.is_stopped = False
        world.set_study(study, "ACTIVE")


def transition_study(
    world: ProlificWorld, study: FakeStudy, action: str, publish_at: datetime | None = None
) -> None:
    """Publish, pause, resume or stop a study."""
    if action not in _STUDY_MOVES:
        raise FakeRefusal({"action": ["Unknown action."]})
    allowed, after = _STUDY_MOVES[action]
    if study.status not in allowed:
        raise FakeRefusal(f"Cannot {action} a study that is {study.status}.", status=CONFLICT)
    if action in {"PUBLISH", "SCHEDULE_PUBLISH"}:
        _refuse_unaffordable(world, study)
    study.publish_at = publish_at
    study.is_stopped = action == "STOP"
    world.set_study(study, after)


def _refuse_unaffordable(world: ProlificWorld, study: FakeStudy) -> None:
    minutes = study.body["estimated_completion_time"]
    if study.reward * 60 < RATES[world.ledger.currency][0] * minutes:
        raise FakeRefusal({"reward": ["Below the minimum for an hour."]})
    if cost_of(study.reward * study.places)["total_cost"] > world.ledger.balance:
        raise FakeRefusal("Insufficient funds.")


def transition_submission(
    world: ProlificWorld, submission: FakeSubmission, action: str, body: Body
) -> None:
    """Approve, reject, complete, return or screen out; the same twice changes nothing more."""
    if action == "APPROVE":
        world.approve(submission)
    elif action == "COMPLETE":
        _complete(world, submission, body)
    elif action == "REJECT":
        _reject(world, submission, body)
    elif action in _SUBMISSION_MOVES:
        allowed, after = _SUBMISSION_MOVES[action]
        if submission.status not in {*allowed, after}:
            raise FakeRefusal(f"Cannot {action}: {submission.status}.", status=CONFLICT)
        world.set_submission(submission, after)
    else:
        raise FakeRefusal({"action": ["Unknown action."]})


def _reject(world: ProlificWorld, submission: FakeSubmission, body: Body) -> None:
    if submission.status == "REJECTED":
        return
    if len(str(body.get("message", ""))) < LEAST_REJECTION_MESSAGE:
        raise FakeRefusal({"message": ["Ensure this field has at least 100 characters."]})
    if not body.get("rejection_category"):
        raise FakeRefusal({"rejection_category": ["This field is required."]})
    if submission.status != "AWAITING REVIEW":
        raise FakeRefusal(f"Cannot reject: {submission.status}.", status=CONFLICT)
    submission.reviewed_at = world.now()
    submission.rejection = str(body["rejection_category"])
    world.set_submission(submission, "REJECTED")


def _complete(world: ProlificWorld, submission: FakeSubmission, body: Body) -> None:
    study = world.study(submission.study)
    known = study.code(str(body.get("completion_code")))
    if known is None or known.get("actor") != "researcher":
        raise FakeRefusal({"completion_code": ["Unknown code for researchers."]})
    if submission.status not in {"ACTIVE", "AWAITING REVIEW", "TIMED-OUT"}:
        return
    percent = (body.get("completion_code_data") or {}).get("percentage_of_reward")
    if percent is not None and not _LEAST_PERCENT <= percent <= _MOST_PERCENT:
        raise FakeRefusal({"percentage_of_reward": ["Must be from 8 to 99."]})
    submission.completed_at = submission.completed_at or world.now()
    if percent is None:
        world.carry_out(submission, known.get("actions", ()))
        return
    world.set_submission(submission, "PARTIALLY APPROVED")
    share = round(study.reward * Fraction(str(percent)) / 100)
    world.ledger.pay("partial reward", submission, share)


def set_up_bonuses(world: ProlificWorld, body: Body) -> FakeBonusPayment:
    """Set up bonuses: lines with a participant or submission and an amount in major units."""
    study = world.study(str(body.get("study_id")))
    lines = str(body.get("csv_bonuses", "")).strip().splitlines()
    if not 0 < len(lines) <= _MOST_BONUSES:
        raise FakeRefusal({"csv_bonuses": ["Give 1 to 200 lines."]})
    own = world.of_study(study.id)
    by_id = {each.id: each for each in own} | {each.participant: each for each in own}
    read: list[tuple[FakeSubmission, int]] = []
    for line in lines:
        who, _, amount = line.partition(",")
        try:
            pence = Decimal(amount.strip()) * 100
        except InvalidOperation:
            raise FakeRefusal({"csv_bonuses": ["Not a number."]}) from None
        if who.strip() not in by_id or pence <= 0 or pence != int(pence):
            raise FakeRefusal({"csv_bonuses": [f"Cannot pay {who.strip()}."]})
        read.append((by_id[who.strip()], int(pence)))
    payment = FakeBonusPayment(world.new_id(), study.id, tuple(read))
    world.ledger.bonus_payments[payment.id] = payment
    return payment


def bonus_json(payment: FakeBonusPayment) -> dict[str, Any]:
    """Bonuses that were set up, as the API tells it."""
    amount = sum(pence for _, pence in payment.lines)
    fee, vat = charges(amount)
    total = amount + fee + vat
    sums = {"amount": amount, "fees": fee, "vat": vat, "total_amount": total}
    return {"id": payment.id, "study": payment.study, **sums}


def record_export(study: FakeStudy, screeners: Sequence[str]) -> None:
    """Count an export of demographics: up to 15 screeners, two different sets for a study."""
    if len(screeners) > _MOST_SCREENERS:
        raise FakeRefusal({"filters": ["At most 15 filters."]})
    asked = frozenset(screeners)
    if asked not in study.exports:
        if len(study.exports) >= _MOST_EXPORTS:
            raise FakeRefusal("Two sets of filters were exported already.", status=CONFLICT)
        study.exports.append(asked)


def _refuse(faults: Sequence[Fault]) -> None:
    detail: dict[str, list[str]] = {}
    for name, what in faults:
        detail.setdefault(name, []).append(what)
    if detail:
        raise FakeRefusal(detail)
