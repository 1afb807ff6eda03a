"""Reviewing submissions by Prolific's rules: who may be rejected, and for what reason.

Prolific accepts a rejection only for a failed fair attention check (one if the study takes less
than five minutes, two otherwise), for a time three standard deviations below the mean, or for
skipped questions that were required. Gold items are not attention checks: failing them may exclude
data and lead to a replacement, never to a rejection. What is not rejected is approved and paid;
which data count is decided by the exclusion rules of the study, not here.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejudge.collect.submissions import FAIR_CHECKS, failures_to_reject
from rejudge.design.plan import Plan
from rejudge.english import count
from rejudge.judgments.answers import check_results
from rejudge.judgments.table import Judgments
from rejudge.study.model import Study

Category: TypeAlias = Literal["FAILED_CHECK", "TOO_QUICKLY", "NO_DATA"]

_LEAST_TIMES = 10  # fewer have no standard deviation worth the name
_DEVIATIONS = 3


@dataclass(frozen=True, slots=True)
class ReviewedWork:
    """The work of one participant, as far as a review may look at it."""

    participant: str  # pseudonym
    is_complete: bool
    minutes: float | None = None  # from arrival to handing in
    failed_fair: int = 0
    failed_gold: int = 0


@dataclass(frozen=True, slots=True)
class Review:
    """What may be done with a submission, and why."""

    work: ReviewedWork
    may_reject: bool
    reason: str
    category: Category | None = None
    message: str | None = None  # for the participant, should it be rejected


def failed_checks(
    study: Study, plan: Plan, judgments: Judgments, *, by_batch: bool = False
) -> Mapping[str, tuple[int, int]]:
    """By participant: how many fair attention checks and how many gold items were failed.

    `by_batch`: where each batch is a submission of its own, those of the batch with the most.
    """
    kinds = {check.id: check.kind for check in study.spec.checks}
    fair: Counter[tuple[str, str]] = Counter()
    gold: Counter[tuple[str, str]] = Counter()
    for result in check_results(plan, judgments):
        if not result.is_right:
            is_fair = kinds.get(result.check) in FAIR_CHECKS
            place = (result.participant, result.batch if by_batch else "")
            (fair if is_fair else gold)[place] += 1
    most: dict[str, tuple[int, int]] = {}
    for name, batch in fair.keys() | gold.keys():
        known = most.get(name, (0, 0))
        most[name] = (max(known[0], fair[name, batch]), max(known[1], gold[name, batch]))
    return most


def shortest_plausible(minutes: Iterable[float]) -> float | None:
    """The time below which work is exceptionally fast: three standard deviations below the mean.

    None while fewer than ten people have finished, or where the bound is not above zero, as it is
    when some took very long.
    """
    times = list(minutes)
    if len(times) < _LEAST_TIMES:
        return None
    bound = statistics.fmean(times) - _DEVIATIONS * statistics.stdev(times)
    return bound if bound > 0 else None


def review(work: ReviewedWork, *, expected_minutes: float, shortest: float | None) -> Review:
    """Whether a submission may be rejected by Prolific's rules, and the reason either way."""
    needed = failures_to_reject(expected_minutes)
    if work.failed_fair >= needed:
        failed = f"{count(work.failed_fair, 'attention check')} failed"
        return _may(
            work,
            "FAILED_CHECK",
            f"{failed}; {needed} allow a rejection in a study of {expected_minutes:.0f} minutes.",
            "Attention checks in this study state which answer to choose. In your submission "
            f"{work.failed_fair} of them had another answer.",
        )
    if work.minutes is not None and shortest is not None and work.minutes < shortest:
        return _may(
            work,
            "TOO_QUICKLY",
            f"{work.minutes:.1f} minutes, which is below {shortest:.1f} (mean − 3 SD).",
            f"The study was completed in {work.minutes:.1f} minutes, more than three standard "
            "deviations faster than the mean of all participants.",
        )
    return Review(work, may_reject=False, reason=_why_not(work, needed))


def review_all(works: Sequence[ReviewedWork], *, expected_minutes: float) -> tuple[Review, ...]:
    """All submissions, each against the times of all that are complete."""
    finished = [w.minutes for w in works if w.is_complete and w.minutes is not None]
    shortest = shortest_plausible(finished)
    return tuple(
        review(work, expected_minutes=expected_minutes, shortest=shortest) for work in works
    )


def _may(work: ReviewedWork, category: Category, reason: str, message: str) -> Review:
    polite = (
        f"{message} If you think this is a mistake, please send us a message; we will look at it."
    )
    return Review(work, may_reject=True, reason=reason, category=category, message=polite)


def _why_not(work: ReviewedWork, needed: int) -> str:
    if not work.is_complete:
        return "The data are not complete; ask the person to return the submission first."
    if work.failed_fair:
        return f"{work.failed_fair} of {needed} failed attention checks that allow a rejection."
    if work.failed_gold:
        return (
            f"{count(work.failed_gold, 'gold item')} failed. The data may be excluded, but gold "
            "items never justify a rejection."
        )
    return "There is no reason not to approve."
