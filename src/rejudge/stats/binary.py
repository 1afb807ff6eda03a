"""Binary mixed models: judgments with two outcomes, such as right or wrong, 0 or 1, 1 or 2.

A logistic regression in which participants and items have offsets of their own. It is the ordinal
model with two categories and a single threshold, and is fitted as such; the intercept of a logistic
regression is minus that threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from rejudge.stats.clusters import Codes, Interval, Numbers
from rejudge.stats.mixed_design import INTERCEPT, Fixed
from rejudge.stats.mixed_effects import Coefficient, quantile, tail
from rejudge.stats.mixed_groups import components, refuse_bad_columns
from rejudge.stats.ordinal import OrdinalFit, Threshold, ordinal_mixed

_OUTCOMES = 2


@dataclass(frozen=True, slots=True)
class BinaryFit(OrdinalFit):
    """A fitted binary mixed model. Where it is undefined there are no coefficients, and `note` says
    why. Coefficients, the intercept first, are log odds of `outcome`, tested by z."""

    outcome: float | None = None  # the higher of the two values


def binary_mixed(
    value: Numbers, fixed: Fixed, groups: Mapping[str, Codes], *, level: float = 0.95
) -> BinaryFit:
    """Fit P(value is the higher one) = logistic(intercept + fixed effects + offsets of groupings).

    `fixed` and `groups` as in `linear_mixed`. Laplace's approximation, as lme4's glmer with a
    binomial family has it by default (Bates, Mächler, Bolker & Walker 2015); errors come from the
    curvature in all parameters. Undefined where the values are not two, and where a level of an
    effect has one outcome only (separation), since the log odds then have no finite estimate.
    """
    refuse_bad_columns(value, groups)
    outcomes = np.unique(value)
    if len(outcomes) > _OUTCOMES:
        reason = f"It needs two different values; there are {len(outcomes)}."
        unknown = components(groups, dict.fromkeys(groups))
        return BinaryFit(
            (), (), unknown, None, len(value), converged=False, singular=False, note=reason
        )
    fit = ordinal_mixed(value, fixed, groups, level=level)
    parts = {each.name: getattr(fit, each.name) for each in fields(OrdinalFit)}
    if fit.solution is None:
        return BinaryFit(**parts)
    own = {"coefficients": (_intercept(fit.thresholds[0], level), *fit.coefficients)}
    return BinaryFit(**{**parts, **own}, outcome=float(outcomes[-1]))


def _intercept(threshold: Threshold, level: float) -> Coefficient:
    value, error = -threshold.value, threshold.standard_error
    reach = quantile(level, None) * error
    return Coefficient(
        INTERCEPT,
        None,
        value,
        error,
        df=None,
        statistic=value / error,
        p=tail(value / error, None),
        interval=Interval(value - reach, value + reach, level),
    )
