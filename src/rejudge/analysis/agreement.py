"""Agreement: the coefficients, and the findings about how far people agree.

The names and labels of the coefficients, and the kinds of question that they fit, are in
`rejudge.study.methods`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import (
    FEWEST,
    AnalysisPlan,
    Piece,
    over_size,
)
from rejudge.analysis.columns import (
    UnitAnswers,
    answers_by_unit,
    combine_codes,
    has_participants,
    inputs,
    units,
)
from rejudge.analysis.data import QuestionData
from rejudge.analysis.findings import undefined_finding
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.english import count
from rejudge.findings.model import Finding, Key
from rejudge.findings.words import Fact, How
from rejudge.judgments.table import Judgments
from rejudge.stats.reasons import Reason, Why, unique
from rejudge.study.methods import USUAL_AGREEMENT, Coefficient

if TYPE_CHECKING:
    from numpy.typing import NDArray

Found: TypeAlias = stats.Estimate | stats.Kappas | stats.ICC
Facts: TypeAlias = tuple[Fact, ...]
RESAMPLED = How.INTERVAL(how="resamples of units, for these participants")
OVER_UNITS = How.INTERVAL(how="t over units on the scale of log odds, for these participants")
_WITHOUT_ITEMS = How.INTERVAL(how="one item left out at a time, for these participants")
_OVER_ITEMS = How.INTERVAL(how="t over items on the scale of log odds, for these participants")
_MEAN_OVER_ITEMS = How.INTERVAL(how="t over items, for these participants")
_GWET_WEIGHTS: dict[str, stats.GwetWeights] = {
    "nominal": "none",
    "ordinal": "ordinal",
    "interval": "quadratic",
    "ratio": "quadratic",
}


@dataclass(frozen=True, slots=True)
class Computation:
    """How a coefficient is computed, and where it is undefined."""

    compute: Callable[
        [AnalysisPlan, AnalysedQuestion, UnitAnswers, np.random.Generator], tuple[Found, Facts]
    ]  # the coefficient, and its method
    not_of_choices: Reason | None = None  # why it is undefined for choices; None: it is defined
    has_interval_for_new_people: bool = False


def _percent(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,  # noqa: ARG001 - its interval needs no chance
) -> tuple[Found, Facts]:
    interval = OVER_UNITS if table.item is None else _OVER_ITEMS
    what = "percentage of pairs of judgments that agree, averaged over units"
    found = stats.percent_agreement(table.counts, level=analysis.level)
    return found, (How.AGREEMENT(coefficient=what), interval)


def _alpha(
    analysis: AnalysisPlan, asked: AnalysedQuestion, table: UnitAnswers, rng: np.random.Generator
) -> tuple[Found, Facts]:
    found = stats.krippendorff_alpha(table.counts, asked.level, rng=rng, level=analysis.level)
    what = f"Krippendorff's alpha for {asked.level} values"
    return found, (How.AGREEMENT(coefficient=what), _interval(table))


def _fleiss(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,
) -> tuple[Found, Facts]:
    found = stats.fleiss_kappa(table.counts, rng=rng, level=analysis.level)
    return found, (How.AGREEMENT(coefficient="Fleiss' kappa"), _interval(table))


def _cohen(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,
) -> tuple[Found, Facts]:
    columns = table.unit, table.participant, table.value
    found = stats.cohen_kappas(*columns, rng=rng, item=table.item, level=analysis.level)
    if found.is_of_crowd:
        pooled = stats.pooled_kappa(*columns, item=table.item, level=analysis.level)
        why = Why.POOLED_CROWD(percent=100 * (found.held or 0.0))
        how = (How.POOLED_KAPPA(), How.INTERVAL(how="that of nominal alpha"))
        return replace(pooled, reasons=(why, *pooled.reasons)), how
    what = "mean of Cohen's kappas over pairs of participants who share enough units"
    interval = RESAMPLED if table.item is None else _MEAN_OVER_ITEMS
    return found, (How.AGREEMENT(coefficient=what), interval)


def _interval(table: UnitAnswers) -> Fact:
    return RESAMPLED if table.item is None else _WITHOUT_ITEMS


def nominal_alpha(table: UnitAnswers, rng: np.random.Generator, level: float) -> stats.Estimate:
    return stats.krippendorff_alpha(table.counts, "nominal", rng=rng, level=level)


def _gwet(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    table: UnitAnswers,
    rng: np.random.Generator,  # noqa: ARG001 - its interval needs no chance
    *,
    weights: stats.GwetWeights | None,
) -> tuple[Found, Facts]:
    """AC1, or AC2 with weights that fit the level of measurement."""
    chosen = weights or _GWET_WEIGHTS[asked.level]
    possible = _possible(analysis, asked)
    found = stats.gwet_agreement(
        table.unit,
        table.value,
        weights=chosen,
        values=np.array(possible) if possible else None,
        item=table.item,
        level=analysis.level,
    )
    name = "Gwet's AC1" if weights else f"Gwet's AC2, {chosen} weights"
    over = "units" if table.item is None else "items on the scale of log(1 − AC)"
    interval = How.INTERVAL(how=f"Gwet's, t over {over}, for these participants")
    return found, (How.AGREEMENT(coefficient=name), interval)


def _possible(analysis: AnalysisPlan, asked: AnalysedQuestion) -> tuple[float, ...]:
    """All answers that could have been given, if they are known."""
    if asked.is_comparison:
        return (0.0, 1.0) if analysis.coding == "side" else ()
    return asked.points


def _icc(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,  # noqa: ARG001 - its interval needs no chance
) -> tuple[Found, Facts]:
    """ICC(2,1) if everybody judged everything, otherwise ICC(1,1)."""
    columns = table.unit, table.participant, table.value
    forms = {
        each.form: each
        for each in stats.intraclass(*columns, item=table.item, level=analysis.level)
    }
    chosen = forms["2,1"] if forms["2,1"].value is not None else forms["1,1"]
    what = How.AGREEMENT(coefficient=f"intraclass correlation ICC({chosen.form}) of one judgment")
    return chosen, (what,) if table.item is None else (what, _WITHOUT_ITEMS)


def _kendall(
    analysis: AnalysisPlan,  # noqa: ARG001 - as for all coefficients
    asked: AnalysedQuestion,  # noqa: ARG001 - as for all coefficients
    table: UnitAnswers,
    rng: np.random.Generator,  # noqa: ARG001 - it has no interval
    *,
    ties: stats.WTies,
) -> tuple[Found, Facts]:
    """Each participant's scores order the units that everybody judged."""
    units, unit = np.unique(table.unit, return_inverse=True)
    people, person = np.unique(table.participant, return_inverse=True)
    judged = np.bincount(unit, minlength=len(units)) == len(people)
    rows = judged[unit]
    order = np.lexsort((unit[rows], person[rows]))
    shape = (len(people), int(judged.sum()))
    found = stats.kendall_w(table.value[rows][order].reshape(shape), ties=ties)
    further = (_w_test(found), _missing_units_note(len(units) - shape[1], len(units)))
    said = tuple(Why.TEXT(text=each) for each in further if each)
    agreement = stats.Estimate(
        found.value, shape[1], judgments=shape[0] * shape[1], reasons=(*found.reasons, *said)
    )
    what = f"{_W_NAMES[ties]}: how {shape[0]} participants order the same units"
    return agreement, (How.AGREEMENT(coefficient=what),)


_W_NAMES: dict[stats.WTies, str] = {
    "corrected": "Kendall's W, corrected for ties",
    "uncorrected": "Kendall's W, not corrected for ties",
}


def _w_test(found: stats.Estimate) -> str:
    if found.test is None or found.p is None:
        return ""
    how = "exact" if found.test.is_exact else f"χ²({found.n - 1}) = {found.statistic:.2f}"
    return f"Against random orders: {how}, p = {found.p:.3g}."


def _missing_units_note(units: int, total: int) -> str:
    if not units:
        return ""
    return f"{units} of {total} units were left out, because not everybody judged them."


_NO_SCORES = Why.WRONG_KIND(what="the intraclass correlation", needs="scores", has="a choice")
_NOT_ORDERED = Why.WRONG_KIND(
    what="AC2", needs="ordered values (without an order it is AC1)", has="a choice"
)
_NO_ORDER = Why.WRONG_KIND(what="Kendall's W", needs="an order of units", has="a choice")

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


_RESAMPLED = frozenset({"cohen-kappa", "percent"})  # for new participants
_MOST_RESAMPLED = 6_000_000  # pairs of judgments of one unit
_MANY_PEOPLE = 50  # of so many no two units are judged alike by all


def agreement_findings(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    """Each planned coefficient, without a plan the usual two; then agreement on each pair."""
    yield from overall_agreement(analysis, data)
    if data.question.is_comparison and data.has_participants:
        yield from _by_pair(analysis, data)


def overall_agreement(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    """Each planned coefficient over all systems; without a plan the usual two, as exploratory."""
    asked = data.question
    item = inputs(data.outline, data.rows)
    table = _with_items(asked, answers_by_unit(data.rows, analysis.coding), item)
    reasons = {
        each: _why_undefined(asked, each) if data.has_participants else Why.UNKNOWN_PEOPLE()
        for each in analysis.agreement
    }
    defined = [each for each in analysis.agreement if reasons[each] is None]
    found = dict(zip(defined, _coefficients(analysis, asked, defined, table), strict=True))
    for each in analysis.agreement:
        reason = reasons[each]
        if reason is None:
            yield found[each]
        else:
            yield undefined_finding(analysis, asked, each, reason, measure="agreement")


def _coefficients(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    coefficients: Sequence[Coefficient],
    table: UnitAnswers,
) -> list[Finding]:
    """Each coefficient of a table, in pieces; here those whose resamples are divided."""
    apart = [each for each in coefficients if each not in _RESAMPLED]
    pieces = [Piece(overall, (asked, each, table)) for each in apart]
    found = dict(zip(apart, analysis.run_pieces(pieces), strict=True))
    return [
        found[each] if each in found else overall(analysis, asked, each, table)
        for each in coefficients
    ]


def _with_items(
    asked: AnalysedQuestion, table: UnitAnswers, item: NDArray[np.integer]
) -> UnitAnswers:
    """The table with the item of each judgment, if several units belong to one item.

    Outputs of one item, sentences of a text and pairs of a ranking resemble each other.
    """
    are_alike = (
        asked.in_segments
        or asked.is_implied
        or stats.count_distinct(table.unit) > stats.count_distinct(item)
    )
    return replace(table, item=item if are_alike else None)


def _why_undefined(asked: AnalysedQuestion, coefficient: Coefficient) -> Reason | None:
    reason = COMPUTATIONS[coefficient].not_of_choices
    if reason and asked.is_named:
        return Why.NO_ORDER()
    return reason if asked.is_comparison else None


def overall(
    analysis: AnalysisPlan, asked: AnalysedQuestion, coefficient: Coefficient, table: UnitAnswers
) -> Finding:
    """One coefficient over all units of a table."""
    name = f"{asked.id}.{coefficient}"
    rng = analysis.rng(name)
    found, how = COMPUTATIONS[coefficient].compute(analysis, asked, table, rng)
    if isinstance(found, stats.PooledKappa):  # its interval is for new participants
        new: stats.Interval | None = found.interval
        of_new: tuple[Reason, ...] = ()
        found = replace(found, interval=nominal_alpha(table, rng, analysis.level).interval)
    else:
        new, of_new = _for_new_people(analysis, asked, coefficient, table, rng=rng)
    planned = analysis.plan.agreement if analysis.plan else ()
    finding = Finding(
        key=Key(asked.id, "agreement", coefficient),
        by=coefficient,
        value=found.value,
        n=found.n,
        n_of="units",
        how=how,
        interval=found.interval,
        interval_for_new_people=None if found.value is None else _not_narrower(new, found.interval),
        is_planned=coefficient in planned,
        reasons=found.reasons,
    )
    return _unless_few(finding, table, of_new_people=() if found.value is None else of_new)


def _not_narrower(
    new: stats.Interval | None, these: stats.Interval | None
) -> stats.Interval | None:
    """The interval for new participants with all that these participants leave open.

    The two come from different methods, of which the first can be narrower by chance or where
    resamples show too little; nobody is more certain of other people than of these.
    """
    if new is None or these is None:
        return new
    return replace(new, low=min(new.low, these.low), high=max(new.high, these.high))


def _unless_few(
    finding: Finding, table: UnitAnswers, *, of_new_people: tuple[Reason, ...] = ()
) -> Finding:
    """A finding without its intervals where units, or the items they belong to, are too few.

    Otherwise with the reasons of its interval for new participants.
    """
    shared = np.bincount(table.unit)[table.unit] > 1
    codes, noun = (table.unit, "unit") if table.item is None else (table.item, "item")
    number = stats.count_distinct(codes[shared])
    if number >= FEWEST or not (finding.interval or finding.interval_for_new_people):
        return replace(finding, reasons=unique(finding.reasons, of_new_people))
    reason = Why.FEW_CLUSTERS(few=count(number, noun), vary=f"{noun}s")
    return replace(
        finding,
        interval=None,
        interval_for_new_people=None,
        reasons=(*finding.reasons, reason),
    )


def _by_pair(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    """Agreement on each pair of systems: some are harder to tell apart than others."""
    judgments, asked, systems = data.rows, data.question, data.systems
    table = answers_by_unit(judgments, analysis.coding)
    a, b = (each.recode(systems) for each in (judgments.system_a, judgments.system_b))
    low, high = np.minimum(a, b), np.maximum(a, b)
    item = inputs(data.outline, judgments)
    for first, second in sorted(set(zip(low.tolist(), high.tolist(), strict=True))):
        chosen = (low == first) & (high == second)
        rows = _with_items(asked, table.of(chosen), item[chosen])
        for coefficient in USUAL_AGREEMENT:
            name = f"{asked.id}.{coefficient}.{systems[first]}.{systems[second]}"
            found, how = COMPUTATIONS[coefficient].compute(
                analysis, asked, rows, analysis.rng(name)
            )
            yield _unless_few(
                Finding(
                    key=Key(asked.id, "agreement", coefficient, (systems[first], systems[second])),
                    by=coefficient,
                    value=found.value,
                    n=found.n,
                    n_of="units",
                    how=how,
                    interval=found.interval,
                    is_planned=False,
                    reasons=found.reasons,
                ),
                rows,
            )


def _for_new_people(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    coefficient: Coefficient,
    table: UnitAnswers,
    *,
    rng: np.random.Generator,
) -> tuple[stats.Interval | None, tuple[Reason, ...]]:
    """The interval for new participants, and its reasons."""
    measured = asked.level
    is_of_alpha = coefficient == "icc" and table.item is not None
    if is_of_alpha:  # interval alpha estimates the same
        coefficient, measured = "krippendorff-alpha", "interval"
    if not COMPUTATIONS[coefficient].has_interval_for_new_people:
        return None, ()
    meetings = _meetings(table) if coefficient == "cohen-kappa" else 0
    pairs, what = "pairs of judgments of one unit", "the interval for new participants"
    reason = over_size(int(meetings), _MOST_RESAMPLED, pairs, what)
    if reason:
        return None, (reason,)
    found = stats.new_participants_interval(
        table.unit,
        table.participant,
        table.value,
        coefficient,  # type: ignore[arg-type]  # one of its measures, as was asked above
        rng=rng,
        measured=measured,
        item=table.item,
        level=analysis.level,
        executor=analysis.executor,
    )
    of_alpha = (Why.OF_INTERVAL_ALPHA(),) if is_of_alpha and found.interval else ()
    return found.interval, (*of_alpha, *found.reasons)


def _meetings(table: UnitAnswers) -> float:
    """How many pairs of judgments of one unit there are at most, counting once the units that the
    same people judged alike."""
    size = np.bincount(table.unit).astype(np.float64)
    units, meetings = int(np.count_nonzero(size)), float((size * (size - 1) / 2).sum())
    kinds = float(1 + stats.count_distinct(table.value)) ** min(
        stats.count_distinct(table.participant), _MANY_PEOPLE
    )
    return meetings * min(1.0, kinds / max(units, 1))


def pooled_agreement(analysis: AnalysisPlan, real: Judgments) -> Iterator[Finding]:
    """Every coefficient over all criteria that share a scale, where a plan or a user asks for it.

    A unit is an output (or a segment) on one criterion. Units of one item are alike, so intervals
    go by items.
    """
    if not analysis.pools_agreement or not has_participants(real):
        return
    for asked in _on_one_scale(analysis):
        names = [each.id for each in asked]
        table = _answers_on(analysis, real, names)
        whole = replace(asked[0], id=", ".join(names))
        unknown = (Why.UNKNOWN_SCALE(),) if whole.bounds is None else ()
        for found in _coefficients(analysis, whole, analysis.agreement, table):
            key = replace(found.key, question="", pooled=tuple(names))
            yield replace(found, key=key, reasons=(*found.reasons, *unknown))


def _on_one_scale(analysis: AnalysisPlan) -> Iterator[tuple[AnalysedQuestion, ...]]:
    derived = {each.id for each in analysis.outline.derived}
    found: dict[object, list[AnalysedQuestion]] = {}
    for asked in analysis.outline.questions:
        if not (asked.is_comparison or asked.is_named or asked.id in derived):
            scale = asked.level, asked.bounds, asked.points
            found.setdefault(scale, []).append(asked)
    yield from (tuple(same) for same in found.values() if len(same) > 1)


def _answers_on(analysis: AnalysisPlan, real: Judgments, names: Sequence[str]) -> UnitAnswers:
    codes = [real.question.code(name) for name in names]
    rows = real.take(np.isin(real.question.codes, codes))
    unit = combine_codes(rows.question.codes, units(rows))
    item = inputs(analysis.outline, rows)
    return UnitAnswers(unit, rows.participant.codes, rows.value, item)
