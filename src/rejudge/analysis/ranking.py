"""Worths of systems from whole rankings, by the Plackett–Luce model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.analysis.analysis_plan import Agenda, undefined
from rejudge.analysis.choosing import judged_sets
from rejudge.analysis.columns import (
    SHARES,
    answers,
    are_choices,
    comparisons,
    knows_participants,
)
from rejudge.analysis.limits import over_limit
from rejudge.analysis.outline import Asked
from rejudge.analysis.results import Finding
from rejudge.analysis.strengths import blank_strength, strength_findings
from rejudge.judgments import Judgments
from rejudge.stats import Comparisons, FirstChance, JudgedSets, PlackettLuce, plackett_luce
from rejudge.study import PlannedTest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NOT_RANKED = (
    "Undefined: the model is one of rankings. Of best–worst answers the middle is not known; plan "
    "joint-mixed-model. For choices between two plan bradley-terry."
)
_CONTRADICTS = "Undefined: some answers contradict themselves, so they are no rankings."
_MODEL = "Plackett–Luce model of whole rankings, log worths that sum to 0, a tie in every order"
_PER_ROW = 1e-7  # seconds, for each estimate


def rankings(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """Log worths of systems, and how far each pair lies apart."""
    found = _sets(agenda, asked, judgments)
    is_wanted = agenda.is_planned(asked) or any(
        each.test == planned.test for each in agenda.further.tests
    )
    if isinstance(found, str):
        if is_wanted or found not in {_NOT_RANKED, SHARES}:
            yield undefined(agenda, asked, planned.test, found)
        return
    reason = _too_long(found, agenda.further.time_limit)
    if reason:
        yield undefined(agenda, asked, planned.test, reason)
        return
    is_known = knows_participants(comparisons(agenda.outline, judgments))
    fit = plackett_luce(found, level=agenda.level, errors="two-way" if is_known else "item")
    if not fit.differences:
        yield undefined(agenda, asked, planned.test, _named(fit, agenda.outline.systems))
        return
    blank = blank_strength(agenda, asked, planned, fit, model=_MODEL, is_known=is_known)
    notes = {
        each.system: _first(chance) for each, chance in zip(fit.strengths, fit.first, strict=True)
    }
    yield from strength_findings(agenda, planned, fit, blank, notes=notes)


def _sets(agenda: Agenda, asked: Asked, judgments: Judgments) -> JudgedSets | str:
    """The rankings of a question, or why it has none."""
    if not asked.is_comparison or not asked.is_implied:
        return _NOT_RANKED
    if not are_choices(judgments):
        return SHARES
    rows = comparisons(agenda.outline, judgments)
    sets = judged_sets(rows, judgments)
    judgment = answers(judgments)
    unranked = _unranked(sets, judgment)
    if unranked is None:
        return _NOT_RANKED
    if not _agree(rows, sets, judgment):
        return _CONTRADICTS
    return replace(sets, score=unranked)


def _unranked(sets: JudgedSets, judgment: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """The scores, −∞ for systems at the end whose order was not asked for.

    None if the order of others is not known: not all pairs of an answer were decided.
    """
    import numpy as np

    shown = np.bincount(sets.judgment)
    missing = shown * (shown - 1) // 2 - np.bincount(judgment, minlength=len(shown))
    lowest = np.full(len(shown), np.inf)
    np.minimum.at(lowest, sets.judgment, sets.score)
    is_last = sets.score == lowest[sets.judgment]
    last = np.bincount(sets.judgment, is_last).astype(np.int64)
    open_end = (missing > 0) & (missing == last * (last - 1) // 2)
    if bool(((missing > 0) & ~open_end).any()):
        return None
    return np.where(is_last & open_end[sets.judgment], -np.inf, sets.score)


def _agree(rows: Comparisons, sets: JudgedSets, judgment: NDArray[np.int64]) -> bool:
    """Whether the order by scores says of each pair what was said of it."""
    import numpy as np

    key = sets.judgment * rows.systems + sets.system  # sorted, as the rows of sets are
    sides = (
        sets.score[np.searchsorted(key, judgment * rows.systems + side)]
        for side in (rows.first, rows.second)
    )
    first, second = sides
    said = np.where(first > second, 1.0, np.where(first < second, 0.0, 0.5))
    return bool((said == rows.preference).all())


def _too_long(sets: JudgedSets, limit: float) -> str:
    estimates = sets.systems * (sets.systems + 3) // 2
    return over_limit(_PER_ROW * len(sets.system) * estimates, limit)


def _first(chance: FirstChance) -> str:
    if chance.value is None:
        return ""
    found = f"Expected to be ranked first of all in {100 * chance.value:.1f} %"
    if chance.interval is None:
        return f"{found}."
    low, high = 100 * chance.interval.low, 100 * chance.interval.high
    return f"{found} [{low:.1f}, {high:.1f}]."


def _named(fit: PlackettLuce, systems: Sequence[str]) -> str:
    """Why there are no worths, with the groups of systems by name."""
    listed = "; ".join(", ".join(map(str, group)) for group in fit.groups)
    names = "; ".join(", ".join(systems[code] for code in group) for group in fit.groups)
    note = fit.note.replace(
        f"{listed} (by number, the better first)", f"{names} (the better first)"
    )
    return note.replace(f"{listed} (by number)", names)
