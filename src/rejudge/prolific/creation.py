"""Create a study on Prolific from a study and its plan, exactly once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from html import escape
from math import ceil, sqrt
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from rejudge.collect.assignment import BATCH_PARAMETER, sign_batch
from rejudge.design.pages import fill_pages
from rejudge.design.plan import Plan
from rejudge.errors import Problem, UsageError
from rejudge.prolific.api import ProlificApi
from rejudge.prolific.offer import (
    Offer,
    ScreenOutPay,
    check_pay,
    description_html,
    offer_of,
    refuse_currency,
    wrong_study,
)
from rejudge.prolific.record import ProlificRecord, read_record, write_record
from rejudge.prolific.replies import ProlificStudy
from rejudge.prolific.screeners import Screener, filters_of, resolve_screeners
from rejudge.prolific.transport import ProlificError
from rejudge.study.model import Study
from rejudge.study.site import Codes

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


@dataclass(frozen=True, slots=True)
class SiteKeys:
    """What only the site of the study knows: the codes it shows, and what it signs links with."""

    codes: Codes
    secret: bytes | None = None  # None: links are shown, as in a dry run, and not used


@dataclass(frozen=True, slots=True)
class StudyDraft:
    """A study that can be created: the request, and what was found out for it."""

    body: dict[str, Any]  # JSON, without the mark
    screeners: tuple[Screener, ...]
    eligible: int
    offer: Offer
    notes: tuple[str, ...]


def draft_study(
    api: ProlificApi,
    study: Study,
    plan: Plan,
    *,
    site: SiteKeys,
    options: CreationOptions,
    on: date,
) -> StudyDraft:
    """Everything that a request to create the study says; reads from Prolific, changes nothing."""
    offer = offer_of(study, plan, on=on, is_taskflow=options.is_taskflow)
    refuse_currency(offer, api.account().currency_code)
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
    body = study_body(study, plan, offer=offer, site=site, options=options, on=on)
    body["filters"] = filters_of(screeners)
    return StudyDraft(body, screeners, eligible, offer, (*offer.notes, *pay_notes, *pool_notes))


def _first_workspace(api: ProlificApi) -> str:
    first = next(api.workspaces(), None)
    if first is None:
        what = "the account has no workspace on Prolific."
        raise ProlificError(Problem(what, "Create one in Prolific's web app."))
    return first.id


def _pool_notes(eligible: int, places: int) -> tuple[str, ...]:
    if eligible >= places:
        return ()
    return (f"Only {eligible} participants meet the screeners, for {places} places.",)


def study_body(
    study: Study,
    plan: Plan,
    *,
    offer: Offer,
    site: SiteKeys,
    options: CreationOptions,
    on: date,
) -> dict[str, Any]:
    """The request without screeners; JSON as the API takes it."""
    information = fill_pages(study, plan, on=on).get("information", "")
    body = {
        "name": study.spec.title[:_LONGEST_NAME],
        "description": description_html(information) or f"<p>{escape(study.spec.title)}</p>",
        "prolific_id_option": "url_parameters",
        "completion_codes": completion_codes(site.codes, offer.screen_out),
        "total_available_places": offer.places,
        "estimated_completion_time": offer.minutes,
        "maximum_allowed_time": maximum_minutes(offer.minutes),
        "reward": offer.reward,
        "device_compatibility": list(options.devices),
        "peripheral_requirements": [],
        "submissions_config": {
            "max_submissions_per_participant": offer.submissions,
            "max_concurrent_submissions": -1,
        },
    }
    if options.project is not None:
        body["project"] = options.project
    if options.is_taskflow:
        return body | {"access_details": taskflow_urls(study, plan, options.base_url, site.secret)}
    return body | {"external_study_url": study_url(options.base_url)}


def completion_codes(codes: Codes, screen_out: ScreenOutPay | None = None) -> list[dict[str, Any]]:
    """The codes that our pages show, and what Prolific does with each.

    No code approves a submission by itself, because codes can be passed on, and none rejects one:
    Prolific has no such action, and a person has to look. Participants who find no task left are
    reviewed by hand, so that they can be paid for coming.
    """
    review = {"action": "MANUALLY_REVIEW"}
    _refuse_same_codes(codes)
    made: list[tuple[str | None, str, dict[str, Any]]] = [
        (codes.completed, "COMPLETED", review),
        (codes.declined, "NO_CONSENT", _return_request("You did not consent to take part.")),
        (codes.full, "OTHER", review),
        (codes.not_qualified, "OTHER", review),  # paid for the time that the qualification took
        (codes.failed_checks, "FAILED_ATTENTION_CHECK", review),
    ]
    if screen_out is None:
        reason = _return_request("The study is for other participants.")
        made.append((codes.screened_out, "SCREENED_OUT", reason))
    else:
        paid = {"fixed_screen_out_reward": screen_out.reward, "slots": screen_out.places}
        action = {"action": "FIXED_SCREEN_OUT_PAYMENT", **paid}
        made.append((codes.screened_out, "FIXED_SCREENOUT", action))
    return [
        {"code": code, "code_type": kind, "actor": "participant", "actions": [action]}
        for code, kind, action in made
        if code is not None
    ]


def _refuse_same_codes(codes: Codes) -> None:
    """Refuse two ends with the same code: Prolific could not tell them apart."""
    given = [code.upper() for code in codes.model_dump().values() if code is not None]
    twice = [code for code in given if given.count(code) > 1]
    if twice:
        what = f"the code {twice[0]} is given twice, but Prolific needs one for each end."
        raise wrong_study(what, "Change one of them, or leave it out.", "site.codes")


def _return_request(reason: str) -> dict[str, Any]:
    return {"action": "REQUEST_RETURN", "return_reason": reason}


def study_url(base_url: str, batch: str | None = None) -> str:
    """The address that participants are sent to; the platform fills in their ids.

    `batch`: what the link says to lead to one batch (`collect.sign_batch`).
    """
    query = "&".join(f"{name}={{{{%{name}%}}}}" for name in _IDS)
    more = "" if batch is None else f"&{BATCH_PARAMETER}={quote(batch, safe='')}"
    return f"{base_url.rstrip('/')}/?{query}{more}"


def taskflow_urls(
    study: Study, plan: Plan, base_url: str, secret: bytes | None
) -> list[dict[str, Any]]:
    """One address for each batch, for as many people as the plan has for it."""
    _refuse_taskflow(plan)
    return [
        {
            "external_url": batch_url(study, base_url, each.id, secret),
            "total_allocation": each.participants,
        }
        for each in plan.main
    ]


def batch_url(study: Study, base_url: str, batch: str, secret: bytes | None) -> str:
    """The address of one batch, signed so that nobody can change it to another."""
    signed = f"{batch}.…" if secret is None else sign_batch(secret, study.spec.id, batch)
    return study_url(base_url, signed)


def batch_of_url(address: str) -> str:
    """The batch that an address of Taskflow leads to; the address itself where it names none."""
    found = parse_qs(urlsplit(address).query).get(BATCH_PARAMETER)
    return found[0].rpartition(".")[0] if found else address


def refuse_changed_plan(record: ProlificRecord, plan: Plan) -> None:
    """Refuse to publish a study whose places are no longer those of the plan."""
    details = record.body.get("access_details")
    if details:
        sent = {batch_of_url(e["external_url"]): e["total_allocation"] for e in details}
        is_same = sent == {each.id: each.participants for each in plan.main}
    else:
        is_same = record.body.get("total_available_places") in {plan.places, plan.people}
    if not is_same:
        what = "the plan was drawn again after the study was created on Prolific."
        remedy = (
            "Restore the plan, or delete the study in Prolific's web app, move prolific.json away "
            "and create it again."
        )
        raise UsageError(Problem(what, remedy, file="plan.json"))


def _refuse_taskflow(plan: Plan) -> None:
    """Refuse plans whose rules Prolific cannot keep when it distributes the batches."""
    several = plan.batches_per_participant > 1
    if plan.lists is not None:
        what = "participants of this plan have their own lists, which Prolific does not know."
    elif several and plan.conflicts:
        what = "some batches share inputs, and Prolific would give both to the same person."
    elif several and any(batch.is_calibration for batch in plan.batches):
        what = "calibration is done once, but Prolific pays every batch the same."
    else:
        return
    remedy = "Leave out --taskflow, or set `batches_per_participant: 1` and draw the plan again."
    raise wrong_study(what, remedy, "design.batches_per_participant")


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
        body=mark_request(draft.body, mark if before is None else before.mark),
        screeners=draft.screeners,
        eligible=draft.eligible,
    )
    if found is None:
        write_record(folder, intent)
        found = _create(api, intent)
    record = replace(intent, study=found.id, created_at=now)
    record = record.with_action("CREATE", found.status, now=now)
    write_record(folder, record)
    _check_places(api, record, found)
    return record


def _check_places(api: ProlificApi, record: ProlificRecord, made: ProlificStudy) -> None:
    """Compare the places that Prolific has, address by address, with those it was asked for."""
    details = record.body.get("access_details")
    if details:
        asked = {each["external_url"]: each["total_allocation"] for each in details}
        told = api.url_progress(made.id) or ()
        has = {each.external_url: each.total_allocation for each in told}
    else:
        asked = {"": record.body["total_available_places"]}
        has = {"": made.total_available_places}
    if asked != has:
        what = (
            f"Prolific has {sum(has.values())} places for {len(has)} addresses, but the plan has "
            f"{sum(asked.values())} for {len(asked)}."
        )
        raise ProlificError(Problem(what, "Do not publish the study; look at it on Prolific."))


def _create(api: ProlificApi, intent: ProlificRecord) -> ProlificStudy:
    try:
        return api.create_study(intent.body)
    except ProlificError as error:
        found = find_marked(api, intent.mark) if error.is_outcome_unknown else None
        if found is None:
            raise
        return found


def mark_request(body: dict[str, Any], mark: str) -> dict[str, Any]:
    """The request with a mark by which the study can be found."""
    if "name" not in body:
        raise ProlificError(Problem("the study has no 'name'.", "Give the body of a `StudyDraft`."))
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
        what = f"{folder} already has a study on Prolific (prolific.json)."
        remedy = (
            f"See it with `rejudge prolific status {folder}`. To start over, delete it in "
            "Prolific's web app and move prolific.json away."
        )
        raise UsageError(Problem(what, remedy))
