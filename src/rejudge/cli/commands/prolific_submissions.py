"""rejudge prolific pool, sync, approve and demographics: who takes part, and what they get."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_option
from rejudge.cli.prolific_session import (
    OpenStudy,
    confirm_money,
    connect,
    dry_run_option,
    dry_run_outcome,
    folder_argument,
    now_utc,
    open_created,
    render_quadrants,
    small_table,
    yes_option,
)
from rejudge.english import count
from rejudge.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.collect.submissions import ReconciledVisit
    from rejudge.prolific.client import ProlificApi
    from rejudge.prolific.submissions import Reconciliation, Review

_SHOWN = 30  # visits in a table; --json has all
_ID_END = 6  # characters of a submission's id that tell it apart on the screen


@click.command("pool")
@folder_argument
@dry_run_option
@print_outcome
def pool(folder: Path, *, dry_run: bool) -> Outcome:
    """Show how many people on Prolific meet each screener of STUDY."""
    from rejudge.files.step_files import open_study
    from rejudge.prolific.study import resolve_screeners

    study = open_study(folder)
    with connect(dry_run=dry_run) as (api, session):
        screeners = resolve_screeners(study.spec.recruitment, api.filters())
        filters = [each.filter for each in screeners]
        numbers = [api.count_eligible(filters[:place]) for place in range(len(filters) + 1)]
    if dry_run:
        return dry_run_outcome(session)
    names = ["everybody", *(f"{each.title}: {each.meaning}" for each in screeners)]
    counts = list(zip(names, numbers, strict=True))
    said = {
        "eligible": numbers[-1],
        "screeners": [{"screener": name, "eligible": number} for name, number in counts],
    }
    return Outcome(said, small_table("Eligible participants", ["screener", "eligible"], counts))


@click.command("sync")
@folder_argument
@database_option
@dry_run_option
@print_outcome
def sync(folder: Path, *, database: str | None, dry_run: bool) -> Outcome:
    """Ask Prolific about all submissions: free the places of people who are gone.

    Shows our data beside their submissions: complete in both, in one of them, or in neither, with
    what to do about each visit that needs a decision. A running site does the same by itself.
    """
    from rejudge.prolific.submissions import compare, poll

    with open_created(folder, database) as opened, connect(dry_run=dry_run) as (api, session):
        if dry_run:
            found = compare(opened.store, api, opened.id)
            return dry_run_outcome(session, render_quadrants(found))
        found = poll(opened.store, api, opened.id, now=now_utc)
        paid = _paid(opened, api, found)
    return Outcome(_sync_json(found) | {"paid": f"{paid:.2f}"}, _render_sync(found, paid))


def _paid(opened: OpenStudy, api: ProlificApi, found: Reconciliation) -> Decimal:
    """What was paid for submissions so far, bonuses and fees not counted."""
    from rejudge.prolific.study import screen_out_pay

    reward = api.study(opened.id).reward or 0
    screen_out = screen_out_pay(opened.study, reward)
    sent_away = 0 if screen_out is None else screen_out.reward
    return found.paid(Decimal(reward) / 100, Decimal(sent_away) / 100)


def _sync_json(found: Reconciliation) -> dict[str, Any]:  # JSON of several shapes
    return {
        "freed": found.freed,
        "counts": dict(found.counts()),
        "visits": [
            {
                "participant": each.participant,
                "submission": _short(each),
                "quadrant": each.quadrant,
                "submission_status": each.said,
                "batches": list(each.statuses),
                "code": each.code,
                "advice": each.advice,
            }
            for each in found.visits
        ],
    }


def _render_sync(found: Reconciliation, paid: Decimal) -> tuple[RenderableType, ...]:
    from rich.text import Text

    undecided = [each for each in found.visits if _needs_decision(each)]
    rows = [
        [each.participant or "–", _short(each) or "–", each.said or "not known", each.advice]
        for each in undecided[:_SHOWN]
    ]
    heads = ["participant", "submission", "on Prolific", "what to do"]
    more = len(undecided) - _SHOWN
    return (
        Text(f"{count(found.freed, 'place')} became free.", "bold"),
        *render_quadrants(found),
        *(small_table("To be decided", heads, rows) if rows else ()),
        *((Text(f"… and {more} more; --json lists all."),) if more > 0 else ()),
        Text(f"Paid for submissions so far: {paid:,.2f}, before fees and bonuses."),
    )


def _needs_decision(visit: ReconciledVisit) -> bool:
    settled = ("Nothing to do.", "At work.", "Left; no place is held.", "Approve.")
    return visit.advice not in settled


def _short(visit: ReconciledVisit) -> str | None:
    """The end of a submission's id: enough to find it on Prolific, too little to publish it."""
    return None if visit.session is None else f"…{visit.session[-_ID_END:]}"


# ── approve ──────────────────────────────────────────────────────────────────────────────────────


@click.command("approve")
@folder_argument
@click.option(
    "--reject",
    "to_reject",
    metavar="PARTICIPANT",
    multiple=True,
    help="Reject a participant instead, where Prolific's rules allow it; repeatable.",
)
@click.option(
    "--pay",
    "to_pay",
    metavar="PARTICIPANT",
    multiple=True,
    help="Approve a participant who waits for a decision: failed checks, or complete here but "
    "timed out there; repeatable.",
)
@database_option
@yes_option
@dry_run_option
@print_outcome
def approve(
    folder: Path,
    *,
    to_reject: tuple[str, ...],
    to_pay: tuple[str, ...],
    database: str | None,
    yes: bool,
    dry_run: bool,
) -> Outcome:
    """Approve all submissions that are complete, which pays them; asks first.

    Approval is about pay. Which data count is decided by the exclusion rules of the study. Failed
    gold items never justify a rejection; other reasons are checked against Prolific's rules. People
    who failed enough attention checks with `on_fail: reject` to be rejected wait for your decision:
    --reject or --pay.
    """
    from rejudge.prolific.submissions import compare, poll

    with open_created(folder, database) as opened, connect(dry_run=dry_run) as (api, session):
        if dry_run:
            found = compare(opened.store, api, opened.id)
        else:
            found = poll(opened.store, api, opened.id, now=now_utc)
        reviews = {each.work.participant: each for each in _review(opened)}
        rejected = [_may_reject(name, reviews) for name in dict.fromkeys(to_reject)]
        kept = _undecided(opened, reviews) - set(to_pay) | set(to_reject)
        due = {
            each.session: each
            for each in found.visits
            if _is_due(each, kept) or _is_late(each, to_pay)
        }
        _refuse_unpayable(to_pay, due.values())
        sessions = {each.participant: each.session for each in found.visits if _is_waiting(each)}
        _refuse_reviewed(rejected, sessions)
        if (due or rejected) and not dry_run:
            reward = api.study(opened.id).reward or 0
            words = (
                f"Approving {count(len(due), 'submission')} pays {reward * len(due) / 100:,.2f} "
                f"in rewards, before fees. {count(len(rejected), 'submission')} will be rejected."
            )
            confirm_money(words, is_sure=yes)
        if due:
            api.approve([session for session in due if session is not None])
        for each in rejected:
            _reject(api, each, sessions[each.work.participant])
        if dry_run:
            return dry_run_outcome(session)
        done = sum(map(_is_waiting, due.values())) + len(rejected)
        waiting = sum(map(_is_waiting, found.visits)) - done
    undecided = sorted(kept & sessions.keys() - {each.work.participant for each in rejected})
    return _report_approval(len(due), rejected, waiting, [reviews[name] for name in undecided])


def _is_waiting(visit: ReconciledVisit) -> bool:
    return visit.said == "submitted" and visit.session is not None


def _is_due(visit: ReconciledVisit, kept: set[str]) -> bool:
    """Whether a submission is approved: complete, or promised to people who found no task."""
    is_promised = visit.quadrant == "both" or visit.code == "full"
    return _is_waiting(visit) and is_promised and visit.participant not in kept


def _is_late(visit: ReconciledVisit, to_pay: Sequence[str]) -> bool:
    """Whether somebody is paid who is complete here, but timed out there."""
    is_late = visit.said == "timed-out" and visit.quadrant == "only data"
    return is_late and visit.participant in to_pay and visit.session is not None


def _refuse_unpayable(to_pay: Sequence[str], due: Iterable[ReconciledVisit]) -> None:
    """Refuse to pay somebody who has nothing that can be approved, before anything is sent."""
    payable = {each.participant for each in due}
    for name in to_pay:
        if name not in payable:
            what = f"{name} has no submission that can be approved."
            raise UsageError(Problem(what, "Nothing was sent. See `rejudge prolific sync`."))


def _undecided(opened: OpenStudy, reviews: Mapping[str, Review]) -> set[str]:
    """Whom the study wants rejected and the rules allow to be; a person decides."""
    from rejudge.collect.submissions import rejecting_checks

    if not rejecting_checks(opened.study):
        return set()
    return {name for name, each in reviews.items() if each.category == "FAILED_CHECK"}


def _refuse_reviewed(rejected: Sequence[Review], sessions: Mapping[str | None, str | None]) -> None:
    """Refuse to reject what does not wait for a review, before anything is sent."""
    for each in rejected:
        if each.work.participant not in sessions:
            what = f"{each.work.participant} has no submission that waits for a review."
            raise UsageError(Problem(what, "Nothing was sent."))


def _review(opened: OpenStudy) -> tuple[Review, ...]:
    """Everybody's work against Prolific's rules for rejections."""
    from rejudge.collect.assignment import has_finished
    from rejudge.collect.submissions import study_minutes
    from rejudge.prolific.submissions import ReviewedWork, failed_checks, review_all
    from rejudge.store.analysis_input import judgments_of

    is_by_batch = bool(opened.record.body.get("access_details"))  # a submission is one batch
    failed = failed_checks(
        opened.study, opened.plan, judgments_of(opened.store), by_batch=is_by_batch
    )
    works = [
        ReviewedWork(
            person.participant,
            is_complete=has_finished(person),
            minutes=person.wall_minutes,
            failed_fair=failed.get(person.participant, (0, 0))[0],
            failed_gold=failed.get(person.participant, (0, 0))[1],
        )
        for person in opened.store.people(now=now_utc())
    ]
    return review_all(works, expected_minutes=study_minutes(opened.study, opened.plan))


def _may_reject(name: str, reviews: Mapping[str, Review]) -> Review:
    if name not in reviews:
        raise UsageError(Problem(f"there is no participant {name}.", "Use a pseudonym: p0001."))
    found = reviews[name]
    if not found.may_reject:
        what = f"{name} cannot be rejected by Prolific's rules. {found.reason}"
        raise UsageError(Problem(what, "Approve them; exclude their data if your rules say so."))
    return found


def _reject(api: ProlificApi, review: Review, session: str | None) -> None:
    if session is None or review.message is None or review.category is None:
        what = f"{review.work.participant} has no submission that could be rejected."
        raise DataError(Problem(what))
    api.reject(session, message=review.message, category=review.category)


def _report_approval(
    approved: int, rejected: Sequence[Review], waiting: int, undecided: Sequence[Review]
) -> Outcome:
    from rich.text import Text

    said = {
        "approved": approved,
        "rejected": [_review_json(each) for each in rejected],
        "undecided": [_review_json(each) for each in undecided],
        "waiting": waiting,
    }
    lines = [f"{each.work.participant} rejected: {each.reason}" for each in rejected]
    lines += [
        f"{each.work.participant} waits for --reject or --pay: {each.reason}" for each in undecided
    ]
    if waiting > len(undecided):
        others = count(waiting - len(undecided), "submission")
        lines.append(f"{others} need a decision: rejudge prolific sync.")
    title = Text(f"{count(approved, 'submission')} approved.", "bold")
    return Outcome(said, (title, *map(Text, lines)))


def _review_json(review: Review) -> dict[str, str]:
    return {"participant": review.work.participant, "reason": review.reason}


# ── demographics ─────────────────────────────────────────────────────────────────────────────────


@click.command("demographics")
@folder_argument
@database_option
@click.option("--force", is_flag=True, help="Overwrite an earlier table.")
@dry_run_option
@print_outcome
def demographics(folder: Path, *, database: str | None, force: bool, dry_run: bool) -> Outcome:
    """Fetch what participants told Prolific about themselves, by pseudonym.

    Only people who consented are kept. Writes demographics.csv without ids of the platform. Ages
    are grouped. `rejudge analyse` adds the counts to the profile of participants; the table itself
    is never part of a bundle.
    """
    from rejudge.files.disk import write_bytes
    from rejudge.platforms import DEMOGRAPHICS
    from rejudge.prolific.submissions import join_demographics

    with open_created(folder, database) as opened, connect(dry_run=dry_run) as (api, session):
        content = api.demographics(opened.id)
        if dry_run:
            return dry_run_outcome(session)
        pseudonyms = {
            each.session: each.participant
            for each in opened.store.identities()
            if each.recruiter == "prolific" and each.has_consented
        }
    found = join_demographics(content, pseudonyms=pseudonyms)
    write_bytes(folder / DEMOGRAPHICS, found.to_csv(), force=force)
    distributions = {name: found.distribution(name) for name in found.columns}
    said = {
        "written": str(folder / DEMOGRAPHICS),
        "participants": len(found.rows),
        "missing": list(found.missing),
        "columns": {name: dict(counts) for name, counts in distributions.items()},
    }
    tables = [
        part
        for name, counts in distributions.items()
        for part in small_table(name, ["answer", "participants"], counts)
    ]
    end = f"Written: {folder / DEMOGRAPHICS}"
    return Outcome(said, (*tables, end))


COMMANDS: tuple[click.Command, ...] = (pool, sync, approve, demographics)
