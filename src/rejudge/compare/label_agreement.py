"""Type III: do the participants of two runs give the same labels to the same outputs?

Labels come from judgments, or from printed contingency tables where the labels themselves are not
published. Agreement inside each run is listed as well, and is a different quantity.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.compare.alignment import Alignment, groups_of, study_of
from rejudge.compare.comparison import LabelAgreement
from rejudge.compare.labs import Labs, judged_by, labs_of
from rejudge.compare.run import Run, RunCriterion
from rejudge.english import join_words
from rejudge.paper.printed import Contingency, table_agreement
from rejudge.stats import count_table, cross_kappa, krippendorff_alpha

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Level: TypeAlias = Literal["nominal", "ordinal", "interval"]


_PAIR = 2
_ACROSS = (
    "cross-replication kappa (Wong, Paritosh & Aroyo 2021): judgments of different runs on the "
    "same outputs, {level} distances; interval: leaving out one output at a time, for these people"
)
_ALL = (
    "Krippendorff's alpha of all people of these runs together, {level} distances; interval: "
    "resamples of outputs, for these people"
)
_CHOICES = (
    "Which of two compared outputs counts as the first is drawn at random, so that chance "
    "agreement does not depend on the names of systems."
)
_INTERVALS = {
    "percent": "Student's t on the scale of log odds",
    "krippendorff-alpha": "leaving out one unit at a time",
}
_KAPPA = "standard error of Fleiss, Cohen & Everitt (1969)"
_ABSENT = "Not computed from the printed table of {} and {}: {} is not among the compared runs."


def label_agreement(aligned: Alignment, *, seed: int = 1) -> tuple[LabelAgreement, ...]:
    """Agreement between runs on the same items, where labels are available, and within each run."""
    return (
        *(
            each
            for group in groups_of(aligned.runs)
            for each in _between_runs(aligned, group, seed)
        ),
        *agreement_of_tables(aligned.runs),
        *(each for run in aligned.runs for each in _within_runs(run)),
    )


def _within_runs(run: Run) -> Iterator[LabelAgreement]:
    names: dict[object, str | None] = {each.cell: each.id for each in run.criteria}
    names["", ()] = None  # all together
    for each in run.findings:
        cell = (each.key.question, each.key.group)
        if each.measure != "agreement" or each.value is None or cell not in names:
            continue
        if each.systems:
            continue  # of one pair of systems: a part of the whole
        yield LabelAgreement(
            criterion=names[cell],
            runs=(run.id,),
            coefficient=each.by,
            value=each.value,
            n=each.n,
            interval=each.interval,
            is_between=False,
            method="as printed" if run.source == "paper" else "as analysed",
        )


def _between_runs(
    aligned: Alignment, group: tuple[str, ...], seed: int
) -> Iterator[LabelAgreement]:
    """Each criterion over those runs of the group with labels on it; two are a pair already."""
    labelled = [run.id for run in aligned.runs if run.id in group and run.judgments is not None]
    fewest = min(len(group), _PAIR + 1)
    if len(labelled) < fewest:
        without = [run for run in group if run not in labelled]
        why = f"Not computable: there are no labels for {join_words(without)}."
        yield from _without_labels(aligned, group, why)
        return
    for criterion in aligned.criteria:
        runs = judged_by(aligned, criterion, group)
        labs = labs_of(aligned, criterion, runs) if len(runs) >= fewest else None
        if labs is None:
            many = "not all" if len(group) == _PAIR else "fewer than three"
            why = f"Not computable: {many} of these runs have judgments on {criterion.id}."
            yield _missing_agreement(criterion.id, group, why)
        else:
            yield from _of_labels(criterion, runs, labs, seed)


def _without_labels(
    aligned: Alignment, group: tuple[str, ...], why: str
) -> Iterator[LabelAgreement]:
    """The reason, once for all criteria, or for those that no printed table covers."""
    covered = criteria_in_tables(aligned.runs, group)
    if not covered:
        yield _missing_agreement(None, group, why)
        return
    for criterion in aligned.criteria:
        if criterion.id not in covered:
            yield _missing_agreement(criterion.id, group, why)


def _of_labels(
    criterion: RunCriterion, group: tuple[str, ...], labs: Labs, seed: int
) -> Iterator[LabelAgreement]:
    labs = labs.once_each()
    unit = labs.unit
    in_all = _judged_in_all(unit, labs.lab, len(group))
    if not in_all.any():
        why = "Not computable: the runs have no judged output in common."
        yield _missing_agreement(criterion.id, group, why)
        return
    rng = np.random.default_rng([seed, zlib.crc32(".".join((*group, criterion.id)).encode())])
    unit, value, lab = unit[in_all], _labels(labs, unit, rng)[in_all], labs.lab[in_all]
    level = _level(criterion, labs)
    note = _CHOICES if labs.are_comparisons else ""
    if len(group) == _PAIR:
        yield _across(criterion.id, group, (unit, value, lab), level=level, note=note)
    whole = krippendorff_alpha(count_table(unit, value), level, rng=rng)
    yield LabelAgreement(
        criterion=criterion.id,
        runs=group,
        coefficient="krippendorff-alpha",
        value=whole.value,
        n=whole.n,
        interval=whole.interval,
        is_between=True,
        method=_ALL.format(level=level),
        note=f"{whole.note} {note}".strip(),
    )


def _across(
    criterion: str,
    group: tuple[str, ...],
    said: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]],
    *,
    level: Level,
    note: str,
) -> LabelAgreement:
    unit, value, lab = said
    found = cross_kappa(unit, value, lab == 1, level)
    relative = ""
    if found.normalised is not None:
        one, two = found.inside
        relative = (
            f"Relative to agreement inside the runs on these outputs (alpha {one:.2f} and "
            f"{two:.2f}): {found.normalised:.2f}."
        )
    return LabelAgreement(
        criterion=criterion,
        runs=group,
        coefficient="cross-kappa",
        value=found.value,
        n=found.n,
        interval=found.interval,
        is_between=True,
        method=_ACROSS.format(level=level),
        note=" ".join(part for part in (relative, found.note, note) if part),
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


def _missing_agreement(criterion: str | None, group: tuple[str, ...], why: str) -> LabelAgreement:
    coefficient = "cross-kappa" if len(group) == _PAIR else "krippendorff-alpha"
    return LabelAgreement(
        criterion=criterion,
        runs=group,
        coefficient=coefficient,
        value=None,
        n=None,
        interval=None,
        is_between=True,
        method="",
        note=why,
    )


def agreement_of_tables(runs: Sequence[Run]) -> tuple[LabelAgreement, ...]:
    """Agreement from each printed table of labels.

    A table whose two sides are compared runs is between them. One whose sides are both annotators
    is inside the run that prints it.
    """
    return tuple(
        each for run in runs for table in run.contingency for each in _of_table(table, run, runs)
    )


def criteria_in_tables(runs: Sequence[Run], group: Sequence[str]) -> frozenset[str]:
    """The criteria on which a printed table has the labels of exactly these runs."""
    return frozenset(
        table.criterion
        for run in runs
        for table in run.contingency
        if set(_sides(table, runs)) == set(group)
    )


def _of_table(table: Contingency, printed_in: Run, runs: Sequence[Run]) -> Iterator[LabelAgreement]:
    sides = _sides(table, runs)
    if (sides[0] is None) != (sides[1] is None):
        yield _without_side(table, printed_in, sides)
        return
    known = tuple(dict.fromkeys(side for side in sides if side is not None))
    for name, each in table_agreement(table).items():
        yield LabelAgreement(
            criterion=table.criterion,
            runs=known or (printed_in.id,),
            coefficient=name,
            value=each.value,
            n=each.n,
            interval=each.interval,
            is_between=len(known) > 1,
            method=_method(name, table, printed_in, has_interval=each.interval is not None),
            note=each.note,
            is_from_table=True,
        )


def _method(name: str, table: Contingency, printed_in: Run, *, has_interval: bool) -> str:
    where = f"{printed_in.name}, {table.place}" if table.place else printed_in.name
    level = f", {table.level} distances" if name == "krippendorff-alpha" else ""
    source = f"from the printed table of {table.rows} and {table.columns} ({where}){level}"
    if not has_interval:
        return source
    how = _INTERVALS.get(name, _KAPPA)
    return f"{source}; interval: {how}, judged units assumed independent"


def _sides(table: Contingency, runs: Sequence[Run]) -> tuple[str | None, str | None]:
    return _run_by_name(table.rows, runs), _run_by_name(table.columns, runs)


def _run_by_name(name: str, runs: Sequence[Run]) -> str | None:
    """The run of this id, or the first run of the study of this id."""
    if name in {run.id for run in runs}:
        return name
    return next((run.id for run in runs if study_of(run) == name), None)


def _without_side(
    table: Contingency, printed_in: Run, sides: tuple[str | None, str | None]
) -> LabelAgreement:
    absent = table.rows if sides[0] is None else table.columns
    present = sides[0] or sides[1] or printed_in.id
    return LabelAgreement(
        criterion=table.criterion,
        runs=(present,),
        coefficient="cohen-kappa",
        value=None,
        n=None,
        interval=None,
        is_between=True,
        method="",
        note=_ABSENT.format(table.rows, table.columns, absent),
        is_from_table=True,
    )
