"""What researchers do in the fake: create, change and publish studies, reject, pay bonuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
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
from rejudge.prolific.replies import LEAST_REJECTION_MESSAGE, StudyStatus

Body = Mapping[str, Any]  # of a request
_MOST_BONUSES = 200
_ENDED: frozenset[StudyStatus] = frozenset({"COMPLETED", "AWAITING REVIEW"})
_STUDY_MOVES: Mapping[str, tuple[frozenset[StudyStatus], StudyStatus]] = {
    "PUBLISH": (frozenset({"UNPUBLISHED"}), "ACTIVE"),
    "PAUSE": (frozenset({"ACTIVE"}), "PAUSED"),
    "START": (frozenset({"PAUSED"}), "ACTIVE"),
    "STOP": (frozenset({"ACTIVE", "PAUSED", "AWAITING REVIEW"}), "COMPLETED"),
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
    is_published = study.status != "UNPUBLISHED"
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


def transition_study(world: ProlificWorld, study: FakeStudy, action: str) -> None:
    """Publish, pause, resume or stop a study."""
    if action not in _STUDY_MOVES:
        raise FakeRefusal({"action": ["Unknown action."]})
    allowed, after = _STUDY_MOVES[action]
    if study.status not in allowed:
        raise FakeRefusal(f"Cannot {action} a study that is {study.status}.", status=CONFLICT)
    if action == "PUBLISH":
        _refuse_unaffordable(world, study)
    study.is_stopped = action == "STOP"
    world.set_study(study, after)


def _refuse_unaffordable(world: ProlificWorld, study: FakeStudy) -> None:
    minutes = study.body["estimated_completion_time"]
    if study.reward * 60 < RATES[world.ledger.currency][0] * minutes:
        raise FakeRefusal({"reward": ["Below the minimum for an hour."]})
    if cost_of(study.reward * study.places)["total_cost"] > world.ledger.balance:
        raise FakeRefusal("Insufficient funds.")


def reject(world: ProlificWorld, submission: FakeSubmission, body: Body) -> None:
    """Reject a submission; the same twice changes nothing more."""
    if body.get("action") != "REJECT":
        raise FakeRefusal({"action": ["Unknown action."]})
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


def _refuse(faults: Sequence[Fault]) -> None:
    detail: dict[str, list[str]] = {}
    for name, what in faults:
        detail.setdefault(name, []).append(what)
    if detail:
        raise FakeRefusal(detail)
