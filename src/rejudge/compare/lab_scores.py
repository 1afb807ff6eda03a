"""Scores of several labs in one mixed model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.analysis import with_crossings
from rejudge.compare.differences import Pair
from rejudge.compare.labs import Labs
from rejudge.stats import (
    LABS_IN_GENERAL,
    NONE_SHARED,
    Interval,
    LevelContrast,
    MixedFit,
    coverage_table,
    coverage_terms,
    level_contrasts,
    linear_mixed,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.integer] | NDArray[np.float64]

_METHOD = (
    "linear mixed model of all judgments, REML: {fixed} fixed, {groups} random{terms}; t with "
    "Satterthwaite's degrees of freedom, at most {limit}; variances: {variances}"
)
_TERMS = "; systems compared within items and participants by their shares in each (Mundlak 1978)"


@dataclass(frozen=True, slots=True)
class LabScores:
    """One difference of two systems over several labs."""

    value: float | None
    interval: Interval | None
    p: float | None
    between: float | None  # variance of system × lab; None for two labs
    method: str
    note: str = ""


def lab_scores(rows: Labs, pairs: Sequence[Pair], *, level: float) -> tuple[LabScores, ...]:
    """Pairs of systems that every one of these labs judged, over the labs.

    Three labs or more are drawn from many: lab and system × lab are random, with at most one degree
    of freedom fewer than labs. Two labs are these labs: each has differences of its own, and the
    value is their mean, with at most as many degrees of freedom as participants beyond labs.
    Systems that were judged on other items, or by other people, are compared within items and
    participants (`coverage_terms`), unless every lab dealt its items to systems at random.
    """
    fixed, terms = _fixed(rows), _terms(rows)
    drawn: dict[str, NDArray[np.integer]] = {"participant": rows.participant, "item": rows.item}
    if _is_general(rows):
        drawn = {"lab": rows.lab} | drawn
    groups = with_crossings(rows.system, drawn)
    fit = linear_mixed(rows.value, fixed | terms, groups, level=level)
    places = [(rows.systems.index(first), rows.systems.index(second)) for first, second in pairs]
    most, limit = _limit(rows)
    found = level_contrasts(fit, "system", pairs=places, adjust="none", level=level, df_limit=most)
    if not found:
        return tuple(LabScores(None, None, None, None, "", fit.note) for _ in pairs)
    names = ("system", "lab", "system × lab")[: 1 if _is_general(rows) else 3]
    how = _METHOD.format(
        fixed=_listed(names),
        groups=_listed(tuple(groups)),
        terms=_TERMS if terms else "",
        limit=limit,
        variances=_variances(fit),
    )
    return tuple(_found(rows, fit, each, how) for each in found)


def _is_general(rows: Labs) -> bool:
    return len(rows.runs) >= LABS_IN_GENERAL


def _fixed(rows: Labs) -> dict[str, Column]:
    """Systems; and of two labs, which is which, with a difference of its own for each system.

    Labs are −1 and 1 there, so that the effect of a system is that of the mean of the two labs.
    """
    import numpy as np

    fixed: dict[str, Column] = {"system": rows.system}
    if _is_general(rows):
        return fixed
    sign = np.where(rows.lab == 0, -1.0, 1.0)
    crossed = {
        f"{rows.systems[code]} × lab": sign * (rows.system == code)
        for code in np.unique(rows.system)[1:].tolist()
    }
    return {**fixed, "lab": sign, **crossed}


def _terms(rows: Labs) -> dict[str, Column]:
    if all(rows.dealt_at_random):
        return {}
    found = coverage_terms(rows.system, rows.item, rows.participant, systems=len(rows.systems))
    return {each.name: each.column for each in found}


def _limit(rows: Labs) -> tuple[int, str]:
    import numpy as np

    labs = len(rows.runs)
    if _is_general(rows):
        return labs - 1, f"{labs - 1} (one fewer than labs)"
    most = max(1, len(np.unique(rows.participant)) - labs)
    return most, f"{most} (participants beyond labs)"


def _found(rows: Labs, fit: MixedFit, each: LevelContrast, how: str) -> LabScores:
    if not _are_linked(rows, each):
        return LabScores(None, None, None, None, how, NONE_SHARED)
    between = fit.variance("system × lab") if _has(fit, "system × lab") else None
    note = " ".join(part for part in (each.note, fit.note) if part)
    return LabScores(each.value, each.interval, each.p_alone, between, how, note)


def _are_linked(rows: Labs, each: LevelContrast) -> bool:
    """Whether shared items lead from one system to the other, or need not."""
    if all(rows.dealt_at_random):
        return True
    known = coverage_table(rows.system, rows.item, rows.participant, systems=len(rows.systems))
    return known.pair(each.first, each.second).is_within_items


def _has(fit: MixedFit, group: str) -> bool:
    return any(part.group == group for part in fit.components)


def _variances(fit: MixedFit) -> str:
    return ", ".join(
        f"{part.group} {part.variance:.3g}" for part in fit.components if part.variance is not None
    )


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
