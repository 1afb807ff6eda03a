"""The coefficients of agreement: how each is computed from who said what about each unit.

Their names, labels and the kinds of question that they fit are in `rejudge.study.methods`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from rejudge.analysis.analysis_plan import Agenda
from rejudge.analysis.columns import UnitAnswers
from rejudge.analysis.findings import join_notes
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.stats import (
    ICC,
    Agreement,
    Concordance,
    GwetWeights,
    Kappas,
    WTies,
    cohen_kappas,
    fleiss_kappa,
    gwet_agreement,
    intraclass,
    kendall_w,
    krippendorff_alpha,
    percent_agreement,
    pooled_kappa,
)
from rejudge.study import Coefficient

Found: TypeAlias = Agreement | Kappas | ICC
RESAMPLED = "interval: resamples of units, for these participants"
OVER_UNITS = "interval: t over units on the scale of log odds, for these participants"
_WITHOUT_ITEMS = "interval: one item left out at a time, for these participants"
_OVER_ITEMS = OVER_UNITS.replace("units", "items")
_MEAN_OVER_ITEMS = "interval: t over items, for these participants"
_GWET_WEIGHTS: dict[str, GwetWeights] = {
    "nominal": "none",
    "ordinal": "ordinal",
    "interval": "quadratic",
    "ratio": "quadratic",
}


@dataclass(frozen=True, slots=True)
class Computation:
    """How a coefficient is computed, and where it is undefined."""

    compute: Callable[
        [Agenda, AnalysedQuestion, UnitAnswers, np.random.Generator], tuple[Found, str]
    ]  # the coefficient, and its method in words
    not_of_choices: str = ""  # why it is undefined for choices; empty: it is defined
    has_interval_for_new_people: bool = False


def _percent(
    agenda: Agenda,
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,  # noqa: ARG001 - its interval needs no chance
) -> tuple[Found, str]:
    interval = OVER_UNITS if table.item is None else _OVER_ITEMS
    how = f"pairs of participants who said the same, mean over units, in percent; {interval}"
    return percent_agreement(table.counts, level=agenda.level), how


def _alpha(
    agenda: Agenda, asked: AnalysedQuestion, table: UnitAnswers, rng: np.random.Generator
) -> tuple[Found, str]:
    how = f"Krippendorff's alpha for {asked.level} values; {_interval_in_words(table)}"
    return krippendorff_alpha(table.counts, asked.level, rng=rng, level=agenda.level), how


def _fleiss(
    agenda: Agenda,
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,
) -> tuple[Found, str]:
    found = fleiss_kappa(table.counts, rng=rng, level=agenda.level)
    return found, f"Fleiss' kappa; {_interval_in_words(table)}"


def _cohen(
    agenda: Agenda,
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,
) -> tuple[Found, str]:
    columns = table.unit, table.participant, table.value
    found = cohen_kappas(*columns, rng=rng, item=table.item, level=agenda.level)
    if found.is_of_crowd:
        pooled = pooled_kappa(*columns, item=table.item, level=agenda.level)
        how = "Cohen's kappa pooled over all pairs of judgments; interval: that of nominal alpha"
        return replace(pooled, note=join_notes(_of_crowd(found), pooled.note)), how
    how = "mean of Cohen's kappas over pairs of participants who share enough units"
    interval = RESAMPLED if table.item is None else _MEAN_OVER_ITEMS
    return found, f"{how}; {interval}"


def _interval_in_words(table: UnitAnswers) -> str:
    return RESAMPLED if table.item is None else _WITHOUT_ITEMS


def _of_crowd(found: Kappas) -> str:
    held = 100 * (found.held or 0.0)
    return (
        "Pooled over all pairs of judgments, not the mean over pairs of participants: those who "
        f"share enough units hold {held:.0f} % of all pairs of judgments, and kappas of few units "
        "are too low on average."
    )


def nominal_alpha(table: UnitAnswers, rng: np.random.Generator, level: float) -> Agreement:
    return krippendorff_alpha(table.counts, "nominal", rng=rng, level=level)


def _gwet(
    agenda: Agenda,
    asked: AnalysedQuestion,
    table: UnitAnswers,
    rng: np.random.Generator,  # noqa: ARG001 - its interval needs no chance
    *,
    weights: GwetWeights | None,
) -> tuple[Found, str]:
    """AC1; or AC2, with weights that fit the level of measurement."""
    chosen = weights or _GWET_WEIGHTS[asked.level]
    possible = _possible(agenda, asked)
    found = gwet_agreement(
        table.unit,
        table.value,
        weights=chosen,
        values=np.array(possible) if possible else None,
        item=table.item,
        level=agenda.level,
    )
    name = "Gwet's AC1" if weights else f"Gwet's AC2, {chosen} weights"
    over = "units" if table.item is None else "items on the scale of log(1 − AC)"
    return found, f"{name}; interval: Gwet's, t over {over}, for these participants"


def _possible(agenda: Agenda, asked: AnalysedQuestion) -> tuple[float, ...]:
    """All answers that could have been given, as far as that is known."""
    if asked.is_comparison:
        return (0.0, 1.0) if agenda.coding == "side" else ()
    return asked.points


def _icc(
    agenda: Agenda,
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,  # noqa: ARG001 - its interval needs no chance
) -> tuple[Found, str]:
    """ICC(2,1) where everybody judged everything, else ICC(1,1)."""
    columns = table.unit, table.participant, table.value
    forms = {each.form: each for each in intraclass(*columns, item=table.item, level=agenda.level)}
    chosen = forms["2,1"] if forms["2,1"].value is not None else forms["1,1"]
    how = f"intraclass correlation ICC({chosen.form}) of one judgment"
    return chosen, how if table.item is None else f"{how}; {_WITHOUT_ITEMS}"


def _kendall(
    agenda: Agenda,  # noqa: ARG001 - as for all coefficients
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,  # noqa: ARG001 - it has no interval
    *,
    ties: WTies,
) -> tuple[Found, str]:
    """Each participant's scores order the units that everybody judged."""
    units, unit = np.unique(table.unit, return_inverse=True)
    people, person = np.unique(table.participant, return_inverse=True)
    judged = np.bincount(unit, minlength=len(units)) == len(people)
    rows = judged[unit]
    order = np.lexsort((unit[rows], person[rows]))
    shape = (len(people), int(judged.sum()))
    found = kendall_w(table.value[rows][order].reshape(shape), ties=ties)
    note = join_notes(found.note, _w_test(found), _w_left_out(len(units) - shape[1], len(units)))
    agreement = Agreement(found.value, shape[1], shape[0] * shape[1], note=note)
    return agreement, f"{found.method}: the orders that {shape[0]} participants give the same units"


def _w_test(found: Concordance) -> str:
    if found.value is None or found.p is None:
        return ""
    how = "exact" if found.is_exact else f"χ²({found.n - 1}) = {found.statistic:.2f}"
    return f"Against random orders: {how}, p = {found.p:.3g}."


def _w_left_out(units: int, total: int) -> str:
    return f"{units} of {total} units were not judged by everybody; left out." if units else ""


_NO_SCORES = "Undefined: the intraclass correlation needs scores, and choices are not scores."
_NOT_ORDERED = (
    "Undefined: choices are not ordered, and AC2 differs from AC1 only for ordered values."
)
_NO_ORDER = "Undefined: Kendall's W needs an order of units, which choices do not give."

COMPUTATIONS: dict[Coefficient, Computation] = {
    "percent": Computation(_percent, has_interval_for_new_people=True),
    "krippendorff-alpha": Computation(_alpha, has_interval_for_new_people=True),
    "cohen-kappa": Computation(_cohen, has_interval_for_new_people=True),
    "fleiss-kappa": Computation(_fleiss, has_interval_for_new_people=True),
    "gwet-ac1": Computation(partial(_gwet, weights="none")),
    "gwet-ac2": Computation(partial(_gwet, weights=None), _NOT_ORDERED),
    "icc": Computation(_icc, _NO_SCORES),
    "kendall-w": Computation(partial(_kendall, ties="corrected"), _NO_ORDER),
    "kendall-w-uncorrected": Computation(partial(_kendall, ties="uncorrected"), _NO_ORDER),
}
