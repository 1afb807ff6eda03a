"""Type III: do the participants of two runs give the same labels to the same outputs?

Labels come from judgments, or from printed contingency tables where the labels themselves are not
published. Agreement inside each run is listed as well, and is a different quantity.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.compare.alignment import Alignment, criterion_of, groups_of, study_of
from rejudge.compare.comparison import IN_TABLE
from rejudge.compare.labs import Labs, judged_by, labs_of
from rejudge.compare.run import Run, RunCriterion
from rejudge.english import join_words
from rejudge.findings.model import Finding
from rejudge.findings.words import Fact, How
from rejudge.paper.printed import Contingency, table_agreement
from rejudge.stats import count_table, cross_kappa, krippendorff_alpha
from rejudge.stats.reasons import Reason, Why

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Level: TypeAlias = Literal["nominal", "ordinal", "interval"]


_PAIR = 2
_INTERVALS = {
    "percent": "Student's t on the scale of log odds",
    "krippendorff-alpha": "leaving out one unit at a time",
}
_KAPPA = "standard error of Fleiss, Cohen & Everitt (1969)"


def label_agreement(aligned: Alignment, *, seed: int = 1) -> Iterator[Finding]:
    """Agreement between runs on the same items, where labels are available, and within each run."""
    for group in groups_of(aligned.runs):
        yield from _between_runs(aligned, group, seed)
    yield from agreement_of_tables(aligned)
    for run in aligned.runs:
        yield from _within_runs(aligned, run)


def _agreement(
    aligned: Alignment,
    criterion: RunCriterion | None,
    runs: Sequence[str],
    coefficient: str,
    *,
    is_from_table: bool = False,
) -> Finding:
    """Agreement without its value: between runs, or in the one that is named."""
    method = f"{coefficient}-{IN_TABLE}" if is_from_table else coefficient
    return Finding(
        key=aligned.key(criterion, "agreement", method, runs),
        by=coefficient,
        value=None,
        n=None,
        n_of="units",
        how=(),
    )


def _within_runs(aligned: Alignment, run: Run) -> Iterator[Finding]:
    asked: dict[object, str | None] = {each.cell: each.id for each in run.criteria}
    asked["", ()] = None  # all together
    for each in run.findings:
        if each.measure != "agreement" or each.value is None or each.key.cell not in asked:
            continue
        if each.systems:
            continue  # of one pair of systems: a part of the whole
        name = asked[each.key.cell]
        criterion = None if name is None else criterion_of(aligned.original, name)
        if name is not None and criterion is None:
            continue  # the original did not ask it
        yield replace(
            _agreement(aligned, criterion, (run.id,), each.by),
            value=each.value,
            n=each.n,
            interval=each.interval,
            half_unit=each.half_unit,
            how=(How.PRINTED() if run.source == "paper" else How.AS_ANALYSED(),),
        )


def _between_runs(aligned: Alignment, group: tuple[str, ...], seed: int) -> Iterator[Finding]:
    """Each criterion over those runs of the group with labels on it; two are a pair already."""
    labelled = [run.id for run in aligned.runs if run.id in group and run.judgments is not None]
    fewest = min(len(group), _PAIR + 1)
    if len(labelled) < fewest:
        without = [run for run in group if run not in labelled]
        why = Why.NO_LABELS(runs=join_words(without))
        yield from _without_labels(aligned, group, why)
        return
    for criterion in aligned.criteria:
        runs = judged_by(aligned, criterion, group)
        labs = labs_of(aligned, criterion, runs) if len(runs) >= fewest else None
        if labs is None:
            many = "not all" if len(group) == _PAIR else "fewer than three"
            why = Why.FEW_JUDGED(many=many, criterion=criterion.id)
            yield _missing(aligned, criterion, group, why)
        else:
            yield from _of_labels(aligned, criterion, runs, (labs, seed))


def _without_labels(aligned: Alignment, group: tuple[str, ...], why: Reason) -> Iterator[Finding]:
    """The reason, once for all criteria, or for those that no printed table covers."""
    covered = criteria_in_tables(aligned.runs, group)
    if not covered:
        yield _missing(aligned, None, group, why)
        return
    for criterion in aligned.criteria:
        if criterion.id not in covered:
            yield _missing(aligned, criterion, group, why)


def _of_labels(
    aligned: Alignment, criterion: RunCriterion, group: tuple[str, ...], told: tuple[Labs, int]
) -> Iterator[Finding]:
    labs, seed = told
    labs = labs.once_each()
    unit = labs.unit
    in_all = _judged_in_all(unit, labs.lab, len(group))
    if not in_all.any():
        yield _missing(aligned, criterion, group, Why.NO_SHARED_OUTPUT())
        return
    rng = np.random.default_rng([seed, zlib.crc32(".".join((*group, criterion.id)).encode())])
    unit, value, lab = unit[in_all], _labels(labs, unit, rng)[in_all], labs.lab[in_all]
    level = _level(criterion, labs)
    turned = (Why.TURNED_CHOICES(),) if labs.are_comparisons else ()
    if len(group) == _PAIR:
        across = cross_kappa(unit, value, lab == 1, level)
        relative: tuple[Reason, ...] = ()
        if across.normalised is not None:
            one, two = across.inside
            relative = (Why.RELATIVE(one=one or 0.0, two=two or 0.0, value=across.normalised),)
        yield replace(
            _agreement(aligned, criterion, group, "cross-kappa"),
            value=across.value,
            n=across.n,
            interval=across.interval,
            how=(How.CROSS_KAPPA(level=level),),
            reasons=(*relative, *across.reasons, *turned),
        )
    whole = krippendorff_alpha(count_table(unit, value), level, rng=rng)
    yield replace(
        _agreement(aligned, criterion, group, "krippendorff-alpha"),
        value=whole.value,
        n=whole.n,
        interval=whole.interval,
        how=(How.ALPHA_OF_ALL(level=level),),
        reasons=(*whole.reasons, *turned),
    )


def _judged_in_all(unit: NDArray[np.int64], lab: NDArray[np.int64], labs: int) -> NDArray[np.bool_]:
    size = int(unit.max(initial=-1)) + 1
    seen = np.bincount(unit * labs + lab, minlength=size * labs).reshape(size, labs)
    return np.asarray(np.all(seen > 0, axis=1))[unit]


def _labels(labs: Labs, unit: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
    if not labs.are_comparisons:
        return labs.value
    is_turned = rng.random(int(unit.max(initial=-1)) + 1) < 0.5
    return np.where(is_turned[unit], 1 - labs.value, labs.value)


def _level(criterion: RunCriterion, labs: Labs) -> Level:
    if labs.are_comparisons:
        return "nominal"
    return "ordinal" if criterion.kind == "rating" and not criterion.is_derived else "interval"


def _missing(
    aligned: Alignment, criterion: RunCriterion | None, group: tuple[str, ...], why: Reason
) -> Finding:
    coefficient = "cross-kappa" if len(group) == _PAIR else "krippendorff-alpha"
    return replace(_agreement(aligned, criterion, group, coefficient), reasons=(why,))


def agreement_of_tables(aligned: Alignment) -> Iterator[Finding]:
    """Agreement from each printed table of labels.

    A table whose two sides are compared runs is between them. One whose sides are both annotators
    is inside the run that prints it.
    """
    for run in aligned.runs:
        for table in run.contingency:
            yield from _of_table(aligned, table, run)


def criteria_in_tables(runs: Sequence[Run], group: Sequence[str]) -> frozenset[str]:
    """The criteria on which a printed table has the labels of exactly these runs."""
    return frozenset(
        table.criterion
        for run in runs
        for table in run.contingency
        if set(_sides(table, runs)) == set(group)
    )


def _of_table(aligned: Alignment, table: Contingency, printed_in: Run) -> Iterator[Finding]:
    sides = _sides(table, aligned.runs)
    criterion = criterion_of(aligned.original, table.criterion)
    known = tuple(dict.fromkeys(side for side in sides if side is not None))
    if criterion is None:
        return  # the original did not ask it
    if (sides[0] is None) != (sides[1] is None):
        absent = table.rows if sides[0] is None else table.columns
        why = Why.NOT_AMONG_RUNS(rows=table.rows, columns=table.columns, absent=absent)
        empty = _agreement(aligned, criterion, known, "cohen-kappa", is_from_table=True)
        yield replace(empty, reasons=(why,))
        return
    runs = known or (printed_in.id,)
    for name, each in table_agreement(table).items():
        yield replace(
            _agreement(aligned, criterion, runs, name, is_from_table=True),
            value=each.value,
            n=each.n,
            interval=each.interval,
            how=(_method(name, table, printed_in, has_interval=each.interval is not None),),
            reasons=each.reasons,
        )


def _method(name: str, table: Contingency, printed_in: Run, *, has_interval: bool) -> Fact:
    where = f"{printed_in.name}, {table.place}" if table.place else printed_in.name
    level = f", {table.level} distances" if name == "krippendorff-alpha" else ""
    assumed = f"; interval: {_INTERVALS.get(name, _KAPPA)}, judged units assumed independent"
    return How.FROM_TABLE(
        rows=table.rows,
        columns=table.columns,
        where=where,
        level=level,
        interval=assumed if has_interval else "",
    )


def _sides(table: Contingency, runs: Sequence[Run]) -> tuple[str | None, str | None]:
    return _run_by_name(table.rows, runs), _run_by_name(table.columns, runs)


def _run_by_name(name: str, runs: Sequence[Run]) -> str | None:
    """The run of this id, or the first run of the study of this id."""
    if name in {run.id for run in runs}:
        return name
    return next((run.id for run in runs if study_of(run) == name), None)
