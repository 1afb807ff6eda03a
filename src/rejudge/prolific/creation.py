"""Create a study on Prolific from a study and its plan, exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from math import ceil, sqrt
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from rejudge.design import Plan, Quote, fill_pages
from rejudge.design import quote as price_of
from rejudge.errors import Problem, StudyError, UsageError
from rejudge.prolific.api import ProlificApi
from rejudge.prolific.description import description_html
from rejudge.prolific.record import ProlificRecord, read_record, write_record
from rejudge.prolific.replies import ProlificStudy, RewardRecommendation
from rejudge.prolific.screeners import Screener, filters_of, resolve_screeners
from rejudge.prolific.signatures import load_jwt
from rejudge.prolific.transport import ProlificError
from rejudge.study import Codes, Study

CURRENCIES: Final = ("GBP", "USD")
BATCH_PARAMETER: Final = "BATCH"  # in the addresses of Taskflow: the batch's id
_IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
_MOST_MINUTES = 24 * 60 - 1
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class CreationOptions:
    """What is decided when the study is created, not in study.yaml."""

    base_url: str  # of our site
    is_taskflow: bool = False  # one address for each batch
    devices: tuple[str, ...] = ()  # any when empty
    exclude_studies: tuple[str, ...] = ()  # Prolific's ids
    exclude_groups: tuple[str, ...] = ()  # of participants; 〃
    project: str | None = None
    workspace: str | None = None  # the account's first when left out
    has_signed_links: bool = False  # where the workspace has secure URLs


@dataclass(frozen=True, slots=True)
class Offer:
    """What one participant is offered."""

    reward: int  # pence or cents
    currency: str
    minutes: int
    places: int
    notes: tuple[str, ...] = ()

    @property
    def hourly(self) -> Fraction:
        """Pence or cents for an hour."""
        return Fraction(self.reward * 60, self.minutes)


@dataclass(frozen=True, slots=True)
class StudyDraft:
    """A study that can be created: the request, and what was found out for it."""

    body: dict[str, Any]  # JSON, without the mark
    screeners: tuple[Screener, ...]
    eligible: int
    offer: Offer
    notes: tuple[str, ...]


def draft_study(
    api: ProlificApi, study: Study, plan: Plan, *, codes: Codes, options: CreationOptions, on: date
) -> StudyDraft:
    """Everything that a request to create the study says; reads from Prolific, changes nothing."""
    if options.has_signed_links:
        load_jwt()  # without it nobody who comes by such a link could be let in
    offer = offer_of(study, plan, on=on)
    _refuse_currency(offer, api.account().currency_code)
    workspace = options.workspace or _first_workspace(api)
    screeners = resolve_screeners(
        study.spec.recruitment,
        api.filters(workspace=workspace),
        exclude_studies=options.exclude_studies,
        exclude_groups=options.exclude_groups,
    )
    recommended = api.reward_recommendations(
        workspace=workspace,
        currency=offer.currency,
        filters=[each.filter["filter_id"] for each in screeners],
    )
    pay_notes = check_pay(offer, recommended)
    eligible = api.count_eligible(filters_of(screeners), workspace=workspace)
    pool_notes = _pool_notes(eligible, offer.places)
    body = study_body(study, plan, offer=offer, codes=codes, options=options, on=on)
    body["filters"] = filters_of(screeners)
    return StudyDraft(body, screeners, eligible, offer, (*offer.notes, *pay_notes, *pool_notes))


def _first_workspace(api: ProlificApi) -> str:
    first = next(api.workspaces(), None)
    if first is None:
        what = "the account has no workspace on Prolific."
        raise ProlificError(Problem(what, "Create one in Prolific's web app."))
    return first.id


def offer_of(study: Study, plan: Plan, *, on: date) -> Offer:
    """Reward, minutes and places of one submission, which covers all batches of a person."""
    price = price_of(study, plan, on=on)
    if price.kind != "paid" or price.reward is None or price.currency is None:
        what = "Prolific needs a payment in money."
        raise _wrong(what, "Write `kind: paid`, a currency and a rule for the amount.", "payment")
    if price.currency not in CURRENCIES:
        what = f"Prolific pays in {' or '.join(CURRENCIES)}, not in {price.currency}."
        raise _wrong(what, "Change it, and give the exchange rate if one is needed.", "currency")
    batches = price.work.rewards_per_participant
    reward = price.reward * batches + (price.calibration_reward or 0)
    return Offer(
        reward=int(reward * 100),
        currency=price.currency,
        minutes=ceil(price.work.hours * 60),
        places=plan.people if batches > 1 else plan.places,
        notes=_batch_notes(price, batches),
    )


def _batch_notes(price: Quote, batches: int) -> tuple[str, ...]:
    notes = list(price.work.notes)
    if batches > 1:
        notes.append(
            f"One submission covers up to {batches} batches and is paid for all of them, even if "
            "the participant stops earlier. To pay by batch, set `batches_per_participant: 1`."
        )
    return tuple(notes)


def check_pay(offer: Offer, recommended: Sequence[RewardRecommendation]) -> tuple[str, ...]:
    """Refuse pay below the platform's minimum; a note where it is below the recommended rate."""
    if not recommended:
        return ("Prolific did not say what it recommends per hour.",)
    newest = recommended[0]
    if offer.hourly < newest.min_reward_per_hour:
        needed = _money(newest.min_reward_per_hour, offer.currency)
        what = (
            f"{_money(offer.reward, offer.currency)} for {offer.minutes} minutes is "
            f"{_money(int(offer.hourly), offer.currency)} an hour; Prolific's minimum is {needed}."
        )
        least = _money(ceil(Fraction(newest.min_reward_per_hour * offer.minutes, 60)), "").strip()
        remedy = f"Raise the pay to {least} or more, or state fewer minutes if a pilot showed so."
        raise _wrong(what, remedy, "payment")
    if offer.hourly < newest.recommended_reward_per_hour:
        usual = _money(newest.recommended_reward_per_hour, offer.currency)
        paid = _money(int(offer.hourly), offer.currency)
        return (f"The pay is {paid} an hour; Prolific recommends {usual}.",)
    return ()


def _pool_notes(eligible: int, places: int) -> tuple[str, ...]:
    if eligible >= places:
        return ()
    return (f"Only {eligible} participants meet the screeners, for {places} places.",)


def _refuse_currency(offer: Offer, account: str | None) -> None:
    if account is not None and account != offer.currency:
        what = f"the account pays in {account}, but the study in {offer.currency}."
        remedy = f"Write `currency: {account}`: rewards are paid in the account's currency."
        raise _wrong(what, remedy, "payment.currency")


def study_body(
    study: Study,
    plan: Plan,
    *,
    offer: Offer,
    codes: Codes,
    options: CreationOptions,
    on: date,
) -> dict[str, Any]:
    """The request without screeners; JSON as the API takes it."""
    information = fill_pages(study, plan, on=on).get("information", "")
    body = {
        "name": study.spec.title[:_LONGEST_NAME],
        "description": description_html(information) or study.spec.title,
        "prolific_id_option": "url_parameters",
        "completion_codes": completion_codes(codes),
        "total_available_places": offer.places,
        "estimated_completion_time": offer.minutes,
        "maximum_allowed_time": maximum_minutes(offer.minutes),
        "reward": offer.reward,
        "device_compatibility": list(options.devices),
        "peripheral_requirements": [],
        "submissions_config": {
            "max_submissions_per_participant": 1,
            "max_concurrent_submissions": -1,
        },
    }
    if options.project is not None:
        body["project"] = options.project
    if options.has_signed_links:
        body["is_external_study_url_secure"] = True
    if options.is_taskflow:
        return body | {"access_details": taskflow_urls(plan, options.base_url)}
    return body | {"external_study_url": study_url(options.base_url)}


def completion_codes(codes: Codes) -> list[dict[str, Any]]:
    """The codes that our pages show, and what Prolific does with each.

    No code approves a submission by itself, because codes can be passed on. Participants who find
    no task left are reviewed by hand, so that they can be paid for coming.
    """
    review = {"action": "MANUALLY_REVIEW"}
    ask_back = {"action": "REQUEST_RETURN", "return_reason": "You did not consent to take part."}
    made = (
        (codes.completed, "COMPLETED", review),
        (codes.declined, "NO_CONSENT", ask_back),
        (codes.full, "OTHER", review),
    )
    return [
        {"code": code, "code_type": kind, "actor": "participant", "actions": [action]}
        for code, kind, action in made
    ]


def study_url(base_url: str, batch: str | None = None) -> str:
    """The address that participants are sent to; the platform fills in their ids."""
    query = "&".join(f"{name}={{{{%{name}%}}}}" for name in _IDS)
    more = "" if batch is None else f"&{BATCH_PARAMETER}={quote(batch, safe='')}"
    return f"{base_url.rstrip('/')}/?{query}{more}"


def taskflow_urls(plan: Plan, base_url: str) -> list[dict[str, Any]]:
    """One address for each batch, for as many people as the plan has for it."""
    if plan.batches_per_participant > 1:
        what = "with Taskflow everybody does one batch."
        remedy = (
            "Leave out --taskflow, or set `batches_per_participant: 1` and draw the plan again."
        )
        raise _wrong(what, remedy, "design.batches_per_participant")
    return [
        {"external_url": study_url(base_url, each.id), "total_allocation": each.participants}
        for each in plan.main
    ]


def maximum_minutes(estimate: int) -> int:
    """The time after which Prolific ends a submission: its own rule, and less than a day."""
    return min(_MOST_MINUTES, ceil(2 + 2 * estimate + 2 * sqrt(estimate)))


# ── creating it once ─────────────────────────────────────────────────────────────────────────────


def create_once(
    api: ProlificApi, folder: Path, draft: StudyDraft, *, mark: str, base_url: str, now: datetime
) -> ProlificRecord:
    """Create the study of a folder, or find the one that an earlier attempt created.

    `mark` is random; an unfinished attempt keeps the mark it had.
    """
    before = read_record(folder)
    refuse_created(folder, before)
    found = None if before is None else find_marked(api, before.mark)
    intent = ProlificRecord(
        mark=mark if before is None else before.mark,
        intended_at=now if before is None else before.intended_at,
        base_url=base_url,
        body=marked(draft.body, mark if before is None else before.mark),
        screeners=draft.screeners,
        eligible=draft.eligible,
    )
    if found is None:
        write_record(folder, intent)
        found = _create(api, intent)
    record = replace(intent, study=found.id, created_at=now)
    record = record.with_action("CREATE", found.status, now=now)
    write_record(folder, record)
    return record


def _create(api: ProlificApi, intent: ProlificRecord) -> ProlificStudy:
    try:
        return api.create_study(intent.body)
    except ProlificError as error:
        found = find_marked(api, intent.mark) if error.is_outcome_unknown else None
        if found is None:
            raise
        return found


def marked(body: dict[str, Any], mark: str) -> dict[str, Any]:
    """The request with a mark by which the study can be found."""
    return body | {"internal_name": f"{body['name']} [rejudge {mark}]", "metadata": mark}


def find_marked(api: ProlificApi, mark: str) -> ProlificStudy | None:
    """The study with a mark, if there is one."""
    for each in api.studies():
        if each.metadata == mark or (each.internal_name or "").endswith(f"[rejudge {mark}]"):
            return each
    return None


def refuse_created(folder: Path, record: ProlificRecord | None) -> None:
    """Refuse to create a second study from one folder."""
    if record is not None and record.study is not None:
        what = f"{folder} has a study on Prolific already (prolific.json)."
        remedy = (
            f"See it with `rejudge prolific status {folder}`. To start over, delete it in "
            "Prolific's web app and move prolific.json away."
        )
        raise UsageError(Problem(what, remedy))


def _money(sub_units: int, currency: str) -> str:
    return f"{currency} {sub_units / 100:.2f}"


def _wrong(what: str, remedy: str, field: str) -> StudyError:
    return StudyError(Problem(what, remedy, file="study.yaml", field=field))
