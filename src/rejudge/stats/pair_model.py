"""One pair of systems: how often the first is preferred, for new items and new participants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rejudge.stats.choice_groups import PARTICIPANT, choice_groups, no_groups
from rejudge.stats.choice_model import choice_model, known_sides
from rejudge.stats.choice_results import (
    ALWAYS_ONE_SIDE,
    PERCENT,
    SIDE,
    ChoiceModel,
    Judged,
    SystemContrast,
)
from rejudge.stats.clusters import Codes, Estimate, Numbers
from rejudge.stats.missing import refuse_missing
from rejudge.stats.mixed import MixedFit, linear_mixed
from rejudge.stats.mixed_contrasts import limit_of_df
from rejudge.stats.mixed_design import INTERCEPT, Column
from rejudge.stats.mixed_effects import Coefficient, Solution, coefficient_of, effect, limited
from rejudge.stats.numbering import how_many
from rejudge.stats.pairwise import Comparisons

_NOT_COMPARED = "Undefined: the two systems were not compared."


def pair_model(
    comparisons: Comparisons,
    pair: tuple[int, int],
    *,
    side: Numbers | Codes | None = None,
    level: float = 0.95,
) -> ChoiceModel:
    """The first system's win percentage against the second, by a mixed model of their comparisons.

        y = δ + γ · side + (1 | item) + (1 | participant) + e,   win percentage = 50 + 50 δ

    y is 1 where the first is preferred, 0 for a tie, −1 where the second is; `side` is 1 where the
    first of `comparisons` was shown first, −1 where the second was, 0 if unknown. Other pairs in
    the table are ignored: nothing is assumed about how strengths add up. Restricted likelihood and
    Satterthwaite's degrees of freedom as in `linear_mixed`; at most 2 (G − 1) of them, G the number
    of items or participants, whichever is smaller, where the variance between participants is
    estimated as 0. A grouping that the table cannot show is left out, and the note says so.
    """
    rows, shown = _of_pair(comparisons, pair, known_sides(side))
    refuse_missing(rows.preference)
    n = len(rows.preference)
    if not n:
        return Judged(0, no_groups(rows.item, rows.participant), PERCENT).empty(_NOT_COMPARED)
    groups = choice_groups(rows.item, rows.participant, lambda codes: how_many(codes) < n)
    judged = Judged(n, groups, PERCENT)
    varies = shown is not None and bool(np.any(shown != shown[0]))
    fixed = {SIDE: shown} if shown is not None and varies else {}
    fit = _fit(2 * rows.preference - 1, fixed, groups.groups, level)
    if fit is None or fit.solution is None or not fit.converged:
        return _by_regression(rows, shown, pair, level)
    preferred = judged.estimate(_preferred(fit, fit.solution, groups.groups, level))
    return judged.model(
        fit,
        [SystemContrast(*pair, preferred, preferred.p)],
        None if shown is None else _pull(fit, judged, varies=varies),
    )


def _of_pair(
    comparisons: Comparisons, pair: tuple[int, int], side: Numbers | None
) -> tuple[Comparisons, Numbers | None]:
    """The comparisons of the pair, turned so that its first system comes first, and the sides."""
    first, second = pair
    turn = (comparisons.first == second) & (comparisons.second == first)
    rows = turn | ((comparisons.first == first) & (comparisons.second == second))
    if side is None:
        return comparisons.of(*pair), None
    shown = np.where(turn, -side, side)[rows]
    return comparisons.of(*pair), shown if shown.any() else None


def _fit(
    choice: Numbers, fixed: Mapping[str, Numbers], groups: Mapping[str, Codes], level: float
) -> MixedFit | None:
    return linear_mixed(choice, fixed, groups, level=level) if groups else None


def _preferred(
    fit: MixedFit, solution: Solution, groups: Mapping[str, Codes], level: float
) -> Coefficient:
    """δ, with no more degrees of freedom than participants allow."""
    limit = limit_of_df(fit, PARTICIPANT, list(groups)) if PARTICIPANT in groups else None
    weights = np.eye(len(solution.kept))[0]
    found = limited(effect(solution, weights), limit)
    return coefficient_of(found, Column(INTERCEPT), level)


def _pull(fit: MixedFit, judged: Judged, *, varies: bool) -> Estimate:
    if not varies:
        return judged.value(None, ALWAYS_ONE_SIDE)
    return judged.estimate(fit.coefficient(SIDE))


def _by_regression(
    rows: Comparisons, side: Numbers | None, pair: tuple[int, int], level: float
) -> ChoiceModel:
    """Without a grouping, or where the groupings leave no residual: two systems are a pair."""
    n = len(rows.preference)
    first, second = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    two = replace(rows, first=first, second=second, systems=2)
    found = choice_model(two, side=side, level=level, most_seconds=math.inf)
    renamed = [replace(each, first=pair[0], second=pair[1]) for each in found.contrasts]
    return replace(found, contrasts=tuple(renamed))
