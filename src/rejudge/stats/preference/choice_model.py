"""Mixed models of choices: all systems at once, or one pair.

A choice between two is +1, 0 (tie) or −1; a judgment of more than two gives each system a score.
Each system has a strength, which varies over items and over participants:

    first against second:  y = β_a − β_b + γ · side + (u_ia − u_ib) + (v_ra − v_rb) + e
    k systems:             the k − 1 orthonormal (Helmert) differences of  β_s + u_is + v_rs + e_s

The errors generalise to new items and new participants. The model is linear in the choice, not in
its log odds: tests keep their level, and effects are shares of wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import get_args

import numpy as np

from rejudge.errors import DataError, Problem, require_known
from rejudge.stats.arrays import Codes, Numbers, count_distinct, one_thread, refuse_missing
from rejudge.stats.estimate import Contrast, Estimate
from rejudge.stats.mixed.contrasts import Adjustment, level_contrasts, limit_of_df
from rejudge.stats.mixed.effects import Solution, limit_df, linear_combination
from rejudge.stats.mixed.linear import MixedFit, linear_mixed
from rejudge.stats.mixed.sums import consecutive_codes
from rejudge.stats.preference.choice_fit import (
    SYSTEM,
    ChoiceFit,
    ChoiceRows,
    Entries,
    fit_choices,
    shows_levels,
)
from rejudge.stats.preference.choice_results import (
    ALWAYS_ONE_SIDE,
    NOT_LINKED,
    PARTICIPANT,
    PERCENT,
    SCORES,
    SIDE,
    ChoiceModel,
    EffectScale,
    JudgmentCounts,
    choice_groups,
    no_groups,
    why_no_test,
)
from rejudge.stats.preference.pairwise import Comparisons
from rejudge.stats.reasons import Reason, Why

_MOST_OUTPUTS = 200_000_000  # divided by the systems and as many further columns
_FURTHER_COLUMNS = 50
_NO_JUDGMENTS = Why.NEEDS(least="one", what="judgment that compares two systems")
_NOT_COMPARED = Why.NOT_COMPARED()


@dataclass(frozen=True, slots=True)
class JudgedSets:
    """Judgments of several systems at once, by column: one row for each system that was shown.

    `score`: higher is better. Best–worst choices have 1 for the best, −1 for the worst and 0 for
    the others; rankings have the number of systems ranked below, or any other even steps.
    """

    judgment: Codes
    system: Codes
    score: Numbers
    item: Codes  # the same in all rows of a judgment; −1 if unknown
    participant: Codes  # 〃
    systems: int


def choice_model(
    comparisons: Comparisons,
    *,
    side: Numbers | Codes | None = None,
    adjust: Adjustment = "tukey",
    level: float = 0.95,
) -> ChoiceModel:
    """Contrasts of all pairs of systems from comparisons of two, by restricted likelihood.

    `side` is 1 where the first system was shown first, −1 where the second was, 0 if unknown. The
    estimates are win percentages: 50 + 50 (β_a − β_b), a tie as half a win. Degrees of freedom are
    Satterthwaite's, and at most 2 (G − 1) where the variance of system × participant is estimated
    as 0 (`limit_of_df`). Strengths add up in this model; `pair_model` does not assume that.
    """
    require_known(adjust, get_args(Adjustment), option="adjust")
    n = len(comparisons.preference)
    refuse_missing(comparisons.preference)
    shown = known_sides(side)
    table = _Table(
        entries=_pairs(comparisons, shown),
        numbers=_judged_systems(np.concatenate([comparisons.first, comparisons.second])),
        item=comparisons.item,
        participant=comparisons.participant,
        covariates=() if shown is None else (SIDE,),
        scale=PERCENT,
    )
    return _model(table, n, adjust=adjust, level=level)


def set_model(
    sets: JudgedSets,
    *,
    adjust: Adjustment = "tukey",
    level: float = 0.95,
) -> ChoiceModel:
    """Contrasts of all pairs of systems from best–worst choices or rankings, as `choice_model`.

    The estimates are differences of scores, in the units of the scores. Judgments may have
    different numbers of systems; one of a single system says nothing and is left out.
    """
    require_known(adjust, get_args(Adjustment), option="adjust")
    refuse_missing(sets.score)
    order, alone = _order_rows(sets)
    if not len(order):
        return JudgmentCounts(0, no_groups(order, order), SCORES).empty(_NO_JUDGMENTS)
    judgment = consecutive_codes(np.unique(sets.judgment[order], return_inverse=True)[1])
    first = np.flatnonzero(np.diff(judgment, prepend=-1))
    item, participant = (
        _one_each(codes[order], first, judgment) for codes in (sets.item, sets.participant)
    )
    score = sets.score[order]
    mean = np.bincount(judgment, score) / np.bincount(judgment)
    numbers = _judged_systems(sets.system[order])
    system = np.searchsorted(numbers, sets.system[order])
    entries = Entries(judgment, system, (score - mean[judgment])[:, None], 1.0)
    table = _Table(entries, numbers, item, participant, (), SCORES)
    found = _model(table, len(first), adjust=adjust, level=level)
    if not alone:
        return found
    left_out = Why.LEFT_OUT(n=alone, total=alone + len(first), what="judgments have one system")
    return replace(found, reasons=(*found.reasons, left_out))


@dataclass(frozen=True, slots=True)
class _Table:
    """Judgments made ready for a model; items and participants by judgment."""

    entries: Entries
    numbers: tuple[int, ...]  # of the systems that were judged
    item: Codes
    participant: Codes
    covariates: tuple[str, ...]
    scale: EffectScale


def known_sides(side: Numbers | Codes | None) -> Numbers | None:
    """The sides as numbers; None where none is known."""
    if side is None or not np.any(side):
        return None
    numbers = np.asarray(side, dtype=np.float64)
    refuse_missing(numbers)
    return numbers


def _pairs(comparisons: Comparisons, side: Numbers | None) -> Entries:
    """Two rows for each comparison: half of the choice for one, minus half for the other."""
    choice = 2 * comparisons.preference - 1
    columns = np.stack([choice] if side is None else [side, choice], axis=1)
    both = np.stack([comparisons.first, comparisons.second], axis=1).reshape(-1)
    halves = columns[:, None, :] * np.array([0.5, -0.5])[:, None]
    return Entries(
        judgment=np.repeat(np.arange(len(choice)), 2),
        system=consecutive_codes(both) if len(both) else both,
        columns=halves.reshape(-1, columns.shape[1]),
        weight=2.0,
    )


def _order_rows(sets: JudgedSets) -> tuple[Codes, int]:
    """Rows judgment by judgment, without judgments of a single system, and how many those are."""
    _, judgment = np.unique(sets.judgment, return_inverse=True)
    sizes = np.bincount(judgment) if len(judgment) else judgment
    order = np.argsort(judgment, kind="stable")
    return order[sizes[judgment[order]] > 1], int(np.count_nonzero(sizes == 1))


def _one_each(codes: Codes, first: Codes, judgment: Codes) -> Codes:
    """The item or participant of each judgment."""
    found = codes[first]
    if np.any(found[judgment] != codes):
        raise DataError(
            Problem(
                "A judgment has rows of several items or participants.",
                "Give every judgment a number of its own.",
            )
        )
    return found


def _judged_systems(system: Codes) -> tuple[int, ...]:
    return tuple(np.unique(system).tolist())


@one_thread()
def _model(table: _Table, n: int, *, adjust: Adjustment, level: float) -> ChoiceModel:
    unfitted = JudgmentCounts(n, no_groups(table.item, table.participant), table.scale)
    if len(table.numbers) < 2:
        return unfitted.empty(_NO_JUDGMENTS)
    systems, outputs = len(table.numbers), int(table.entries.sizes.sum())
    most = _MOST_OUTPUTS // (systems + _FURTHER_COLUMNS)
    if outputs > most:
        size = f"{outputs:,} compared outputs"
        what = f"the model of {systems:,} systems"
        reason = Why.TOO_LARGE(what=what, size=size, most=f"{most:,}", advice="")
        return unfitted.empty(reason)
    return _fit_model(table, n, adjust=adjust, level=level)


def _fit_model(table: _Table, n: int, *, adjust: Adjustment, level: float) -> ChoiceModel:
    rows = ChoiceRows.of(table.entries)
    groups = choice_groups(table.item, table.participant, shows_levels(rows))
    judged = JudgmentCounts(n, groups, table.scale)
    named = {
        f"{SYSTEM} × {name}": codes[table.entries.judgment] for name, codes in groups.groups.items()
    }
    found = fit_choices(
        rows,
        named,
        numbers=table.numbers,
        covariates=table.covariates,
        level=level,
    )
    if not found.fit.converged:
        reason = why_no_test(found.fit)
        return judged.empty(reason, _without_test(found, judged, reason))
    contrasts = level_contrasts(
        found.fit, SYSTEM, adjust=adjust, level=level, df_limit=_limit(found, named)
    )
    return judged.model(
        found.fit,
        [judged.estimate(each, pair=(each.first, each.second)) for each in contrasts],
        _side(found, judged) if table.covariates else None,
    )


def _limit(found: ChoiceFit, groups: Mapping[str, Codes]) -> int | None:
    name = f"{SYSTEM} × {PARTICIPANT}"
    return limit_of_df(found.fit, name, list(groups)) if name in groups else None


def _without_test(found: ChoiceFit, judged: JudgmentCounts, reason: Reason) -> list[Contrast]:
    """The estimates of the plain regression, where the model is undefined."""
    plain = found.plain
    contrasts = []
    for pair in combinations(plain.layout.levels[SYSTEM], 2):
        rows = [plain.layout.marginal_row(SYSTEM, each) for each in pair]
        weights = plain.known(rows[0] - rows[1])
        value = None if weights is None else float(weights @ plain.beta)
        why = NOT_LINKED if value is None else reason
        contrasts.append(judged.value(value, why, pair=pair))
    return contrasts


def _side(found: ChoiceFit, judged: JudgmentCounts) -> Contrast:
    terms = [each.term for each in found.plain.layout.columns]
    if SIDE not in terms:
        return judged.value(None, ALWAYS_ONE_SIDE)
    return judged.estimate(found.fit.coefficient(SIDE))


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
        return JudgmentCounts(0, no_groups(rows.item, rows.participant), PERCENT).empty(
            _NOT_COMPARED
        )
    groups = choice_groups(rows.item, rows.participant, lambda codes: count_distinct(codes) < n)
    judged = JudgmentCounts(n, groups, PERCENT)
    varies = shown is not None and bool(np.any(shown != shown[0]))
    fixed = {SIDE: shown} if shown is not None and varies else {}
    fit = _fit(2 * rows.preference - 1, fixed, groups.groups, level)
    if fit is None or fit.solution is None or not fit.converged:
        return _by_regression(rows, shown, pair, level)
    preferred = _preference(fit, fit.solution, groups.groups, level)
    return judged.model(
        fit,
        [judged.estimate(preferred, pair=pair)],
        None if shown is None else _side_effect(fit, judged, varies=varies),
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


def _preference(
    fit: MixedFit, solution: Solution, groups: Mapping[str, Codes], level: float
) -> Estimate:
    """δ, with no more degrees of freedom than participants allow."""
    limit = limit_of_df(fit, PARTICIPANT, list(groups)) if PARTICIPANT in groups else None
    weights = np.eye(len(solution.kept))[0]
    return limit_df(linear_combination(solution, weights), limit).estimate(level)


def _side_effect(fit: MixedFit, judged: JudgmentCounts, *, varies: bool) -> Contrast:
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
    found = choice_model(two, side=side, level=level)
    renamed = [replace(each, first=pair[0], second=pair[1]) for each in found.contrasts]
    return replace(found, contrasts=tuple(renamed))
