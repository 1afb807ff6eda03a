"""Findings about how far people agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from rejudge.analysis.agenda import Agenda, joined, undefined
from rejudge.analysis.columns import Said, has_participants, said
from rejudge.analysis.outline import Asked
from rejudge.analysis.results import Finding
from rejudge.analysis.size import BEYOND
from rejudge.judgments import Judgments
from rejudge.stats import (
    ICC,
    Agreement,
    Concordance,
    Interval,
    Kappas,
    WTies,
    cohen_kappas,
    fleiss_kappa,
    intraclass,
    kendall_w,
    krippendorff_alpha,
    new_participants_interval,
    percent_agreement,
)

if TYPE_CHECKING:
    import numpy as np

Found: TypeAlias = Agreement | Kappas | ICC
MOST_FOR_NEW_PEOPLE = 500_000  # judgments; resampling people goes through all of them each time

RESAMPLED = "interval: resamples of units, for these participants"
OVER_UNITS = "interval: t over units on the scale of log odds, for these participants"


NOBODY = "Undefined: it is not known who judged."


def agreed(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """Each planned coefficient; without a plan the usual two, as exploratory."""
    table = said(judgments, agenda.coding)
    for coefficient in agenda.agreement:
        reason = NOBODY if not has_participants(judgments) else _unsuited(asked, coefficient)
        if reason:
            yield undefined(agenda, asked, coefficient, reason, measure="agreement")
        else:
            yield _overall(agenda, asked, coefficient, table)
    if asked.is_comparison and has_participants(judgments):
        yield from _by_pair(agenda, asked, judgments, table)


def _unsuited(asked: Asked, coefficient: str) -> str:
    if not asked.is_comparison:
        return ""
    if coefficient == "icc":
        return "Undefined: choices are no scores, which the intraclass correlation needs."
    if coefficient in _ORDERS:
        return "Undefined: choices give no order of units, which Kendall's W needs."
    return ""


def _overall(agenda: Agenda, asked: Asked, coefficient: str, table: Said) -> Finding:
    name = f"{asked.id}.{coefficient}"
    rng = agenda.rng(name)
    found, how = _COEFFICIENTS[coefficient](agenda, asked, table, rng)
    new, note = _for_new_people(agenda, asked, coefficient, table, rng=rng)
    planned = agenda.plan.agreement if agenda.plan else ()
    return Finding(
        id=name,
        question=asked.id,
        measure="agreement",
        by=coefficient,
        systems=(),
        value=found.value,
        n=found.n,
        n_of="units",
        method=how,
        interval=found.interval,
        interval_for_new_people=new if found.value is not None else None,
        is_planned=coefficient in planned,
        note=joined(found.note, note if found.value is not None else ""),
    )


def _by_pair(agenda: Agenda, asked: Asked, judgments: Judgments, table: Said) -> Iterator[Finding]:
    """Agreement on each pair of systems: some are harder to tell apart than others."""
    import numpy as np

    a = judgments.system_a.recoded(agenda.outline.systems)
    b = judgments.system_b.recoded(agenda.outline.systems)
    low, high = np.minimum(a, b), np.maximum(a, b)
    systems = agenda.outline.systems
    for first, second in sorted(set(zip(low.tolist(), high.tolist(), strict=True))):
        rows = table.of((low == first) & (high == second))
        for coefficient in ("percent", "krippendorff-alpha"):
            name = f"{asked.id}.{coefficient}.{systems[first]}.{systems[second]}"
            found, how = _COEFFICIENTS[coefficient](agenda, asked, rows, agenda.rng(name))
            yield Finding(
                id=name,
                question=asked.id,
                measure="agreement",
                by=coefficient,
                systems=(systems[first], systems[second]),
                value=found.value,
                n=found.n,
                n_of="units",
                method=how,
                interval=found.interval,
                is_planned=False,
                note=found.note,
            )


def _percent(
    agenda: Agenda,
    asked: Asked,  # noqa: ARG001 - as for all coefficients
    table: Said,
    rng: np.random.Generator,  # noqa: ARG001 - its interval needs no chance
) -> tuple[Found, str]:
    how = f"pairs of participants who said the same, mean over units, in percent; {OVER_UNITS}"
    return percent_agreement(table.counts, level=agenda.level), how


def _alpha(
    agenda: Agenda, asked: Asked, table: Said, rng: np.random.Generator
) -> tuple[Found, str]:
    how = f"Krippendorff's alpha for {asked.level} values; {RESAMPLED}"
    return krippendorff_alpha(table.counts, asked.level, rng=rng, level=agenda.level), how


def _fleiss(
    agenda: Agenda,
    asked: Asked,  # noqa: ARG001 - as for all coefficients
    table: Said,
    rng: np.random.Generator,
) -> tuple[Found, str]:
    return fleiss_kappa(table.counts, rng=rng, level=agenda.level), f"Fleiss' kappa; {RESAMPLED}"


def _cohen(
    agenda: Agenda,
    asked: Asked,  # noqa: ARG001 - as for all coefficients
    table: Said,
    rng: np.random.Generator,
) -> tuple[Found, str]:
    found = cohen_kappas(table.unit, table.participant, table.value, rng=rng, level=agenda.level)
    how = "mean of Cohen's kappas over pairs of participants who share enough units"
    return found, f"{how}; {RESAMPLED}"


def _icc(
    agenda: Agenda,
    asked: Asked,  # noqa: ARG001 - as for all coefficients
    table: Said,
    rng: np.random.Generator,  # noqa: ARG001 - its interval needs no chance
) -> tuple[Found, str]:
    """ICC(2,1) where everybody judged everything, else ICC(1,1)."""
    forms = {
        each.form: each
        for each in intraclass(table.unit, table.participant, table.value, level=agenda.level)
    }
    chosen = forms["2,1"] if forms["2,1"].value is not None else forms["1,1"]
    return chosen, f"intraclass correlation ICC({chosen.form}) of one judgment"


def _kendall(
    agenda: Agenda,  # noqa: ARG001 - as for all coefficients
    asked: Asked,  # noqa: ARG001 - as for all coefficients
    table: Said,
    rng: np.random.Generator,  # noqa: ARG001 - it has no interval
    *,
    ties: WTies,
) -> tuple[Found, str]:
    """Each participant's scores order the units that everybody judged."""
    import numpy as np

    units, unit = np.unique(table.unit, return_inverse=True)
    people, person = np.unique(table.participant, return_inverse=True)
    judged = np.bincount(unit, minlength=len(units)) == len(people)
    rows = judged[unit]
    order = np.lexsort((unit[rows], person[rows]))
    shape = (len(people), int(judged.sum()))
    found = kendall_w(table.value[rows][order].reshape(shape), ties=ties)
    note = joined(found.note, _w_test(found), _w_left_out(len(units) - shape[1], len(units)))
    agreement = Agreement(found.value, shape[1], shape[0] * shape[1], note=note)
    return agreement, f"{found.method}: the orders that {shape[0]} participants give the same units"


def _w_test(found: Concordance) -> str:
    if found.value is None or found.p is None:
        return ""
    how = "all orders counted" if found.is_exact else f"χ²({found.n - 1}) = {found.statistic:.2f}"
    return f"Against orders by chance: {how}, p = {found.p:.3g}."


def _w_left_out(units: int, total: int) -> str:
    return f"{units} of {total} units were not judged by everybody; left out." if units else ""


_ORDERS: dict[str, WTies] = {"kendall-w": "corrected", "kendall-w-uncorrected": "uncorrected"}
_COEFFICIENTS: dict[
    str, Callable[[Agenda, Asked, Said, np.random.Generator], tuple[Found, str]]
] = {
    "percent": _percent,
    "krippendorff-alpha": _alpha,
    "fleiss-kappa": _fleiss,
    "cohen-kappa": _cohen,
    "icc": _icc,
    **{name: partial(_kendall, ties=ties) for name, ties in _ORDERS.items()},
}


def _for_new_people(
    agenda: Agenda, asked: Asked, coefficient: str, table: Said, *, rng: np.random.Generator
) -> tuple[Interval | None, str]:
    """The interval that holds were other people asked, with what it says of itself."""
    if coefficient == "icc" or coefficient in _ORDERS:
        return None, ""
    if len(table.value) > MOST_FOR_NEW_PEOPLE:
        limit = f"{MOST_FOR_NEW_PEOPLE:,}"
        return None, f"{BEYOND} {limit} judgments."
    found = new_participants_interval(
        table.unit,
        table.participant,
        table.value,
        coefficient,  # type: ignore[arg-type]  # a planned coefficient is one of its measures
        rng=rng,
        measured=asked.level,
        level=agenda.level,
    )
    return found.interval, found.note
