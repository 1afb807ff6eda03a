"""How long a batch is kept for somebody of whom nothing is heard."""

from __future__ import annotations

from datetime import timedelta

from rejudge.design import Plan, estimate
from rejudge.study import Study

_LEAST_MINUTES = 30.0
_TIMES_EXPECTED = 3
_LEAST_TO_BEGIN = 15.0


def lease(study: Study, plan: Plan) -> timedelta:
    """As long as the study says; else three times the expected duration, at least 30 minutes."""
    if study.spec.site.minutes_held is not None:
        return timedelta(minutes=study.spec.site.minutes_held)
    payment = study.spec.payment
    expected = payment.minutes if payment is not None else None
    minutes = estimate(study, plan).minutes if expected is None else expected
    return timedelta(minutes=max(_LEAST_MINUTES, _TIMES_EXPECTED * minutes))


def first_lease(study: Study, plan: Plan) -> timedelta:
    """How long a batch is kept for somebody who has not answered anything in it yet.

    As long as the study says; else three times the reading and practice that come first, at least
    15 minutes. Never longer than the lease itself.
    """
    minutes = study.spec.site.minutes_to_begin
    if minutes is None:
        before = estimate(study, plan).parts.once
        minutes = max(_LEAST_TO_BEGIN, _TIMES_EXPECTED * before)
    return min(lease(study, plan), timedelta(minutes=minutes))
