"""One pair of systems compared by several labs: how often the first is preferred."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rejudge.stats.clusters import Codes, Interval, Numbers
from rejudge.stats.missing import refuse_missing
from rejudge.stats.mixed import MixedFit, linear_mixed
from rejudge.stats.mixed_effects import Effect, effect, limited
from rejudge.stats.mixed_groups import Component
from rejudge.stats.numbering import how_many

LABS_IN_GENERAL = 3  # labs, from which on anything can be said of others

_NOT_COMPARED = "Undefined: fewer than two labs compared the two systems."
_NO_GROUPS = "No interval: nothing shows how far items or participants differ."
_EVEN = 50.0


@dataclass(frozen=True, slots=True)
class LabShare:
    """A win percentage over several labs. Undefined is None; `note` then says why."""

    value: float | None
    labs: int
    n: int  # comparisons
    standard_error: float | None = None
    df: float | None = None
    p: float | None = None  # two-sided, against 50 %
    interval: Interval | None = None
    between: float | None = None  # variance of the labs' percentages; None for two labs
    components: tuple[Component, ...] = ()
    note: str = ""


def win_percent_over_labs(
    preference: Numbers,
    *,
    lab: Codes,
    item: Codes,
    participant: Codes,
    level: float = 0.95,
) -> LabShare:
    """How often the first of two systems is preferred (1, ½ for a tie, 0), over several labs.

    Three labs or more: percentage = μ + (1 | lab) + (1 | item) + (1 | participant) + e, for labs in
    general, with at most one degree of freedom fewer than labs. Two labs: each has a percentage of
    its own, and the value is their mean, for these labs; at most as many degrees of freedom as
    there are participants beyond labs, or items but one. REML and Satterthwaite as in
    `linear_mixed`. Codes of participants must differ between labs; those of shared items must not.
    """
    refuse_missing(preference)
    labs, n = how_many(lab), len(preference)
    if labs < 2:  # noqa: PLR2004 - one lab is no summary of several
        return LabShare(None, labs, n, note=_NOT_COMPARED)
    percent = 100 * preference - _EVEN
    means = np.bincount(lab, percent) / np.maximum(np.bincount(lab), 1)
    mean = float(means[np.unique(lab)].mean()) + _EVEN
    shared = {"participant": participant, "item": item}
    groups = {name: codes for name, codes in shared.items() if 1 < how_many(codes) < n}
    if not groups:
        return LabShare(mean, labs, n, note=_NO_GROUPS)
    is_general = labs >= LABS_IN_GENERAL
    fixed = {} if is_general else {"lab": np.where(lab == lab.min(), -1.0, 1.0)}
    fit = linear_mixed(percent, fixed, {"lab": lab} | groups if is_general else groups, level=level)
    if fit.solution is None:
        return LabShare(mean, labs, n, note=fit.note)
    intercept = effect(fit.solution, np.eye(len(fit.solution.kept))[0])
    found = limited(intercept, _most_df(labs, shared))
    return _share(found, fit, labs=labs, level=level)


def _most_df(labs: int, shared: Mapping[str, Codes]) -> float:
    if labs >= LABS_IN_GENERAL:
        return labs - 1
    people, items = how_many(shared["participant"]) - labs, how_many(shared["item"]) - 1
    return max(1, min(people, items))


def _share(found: Effect, fit: MixedFit, *, labs: int, level: float) -> LabShare:
    around = found.interval(level)
    return LabShare(
        found.value + _EVEN,
        labs,
        fit.n,
        standard_error=found.standard_error,
        df=found.df,
        p=found.p,
        interval=around and Interval(around.low + _EVEN, around.high + _EVEN, level),
        between=fit.variance("lab") if labs >= LABS_IN_GENERAL else None,
        components=fit.components,
        note=" ".join(part for part in (found.note, fit.note) if part),
    )
