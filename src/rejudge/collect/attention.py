"""Who may be screened out or rejected, and why: the rules that crowd platforms share.

An attention check is fair if it says which answer to give, or if its output is nonsense. Gold items
are not attention checks: failing them may exclude data, but never justifies a rejection.
"""

from __future__ import annotations

from typing import Final

from rejudge.collect.visit import asks_first
from rejudge.design import Plan, estimate
from rejudge.study import Study

FAIR_CHECKS: Final = frozenset({"instruction", "nonsense"})  # kinds
SHORT_MINUTES: Final = 5.0  # below it one failed fair check is enough


def failures_to_reject(minutes: float) -> int:
    """How many failed fair checks allow a rejection in a study that takes so long."""
    return 1 if minutes < SHORT_MINUTES else 2


def study_minutes(study: Study, plan: Plan) -> float:
    """How long a study takes by these rules: as stated or as estimated, whichever is longer."""
    payment = study.spec.payment
    stated = None if payment is None else payment.minutes
    return max(estimate(study, plan).minutes, stated or 0.0)


def rejecting_checks(study: Study) -> frozenset[str]:
    """The ids of the fair checks whose failure the study wants to lead to a rejection."""
    return frozenset(
        check.id
        for check in study.spec.checks
        if check.on_fail == "reject" and check.kind in FAIR_CHECKS
    )


def can_screen_out(study: Study) -> bool:
    """Whether people can be screened out before the tasks."""
    practice = study.spec.practice
    has_mark = practice is not None and practice.pass_mark is not None
    return asks_first(study) or has_mark
