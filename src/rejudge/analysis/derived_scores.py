"""Scores that are computed from others by a stated formula, for each participant and output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from rejudge.analysis.columns import combine_codes
from rejudge.english import count, verb
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import COLUMNS, Coded, Judgments
from rejudge.study.score_formula import Number, Operation, PartScore, ScoreFormula, Term

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KINDS = ("real", "repeat")


@dataclass(frozen=True, slots=True)
class DerivedFormula:
    """A score that is to be computed."""

    id: str
    formula: ScoreFormula


@dataclass(frozen=True, slots=True)
class DerivedScore:
    """A score that was computed from others, and how often it could not be."""

    id: str
    formula: str
    parts: tuple[str, ...]
    low: float | None  # the ends of its scale, from those of its parts; None: not known
    high: float | None
    n: int  # scores that count
    missing: int  # outputs and participants that lack a part
    undefined: int = 0  # that the formula has no value for, such as a division by zero
    is_by_segment: bool = False  # False: of segments, the mean of each output was taken first

    @property
    def says(self) -> str:
        """What was computed, in a sentence."""
        over = "segment" if self.is_by_segment else "output"
        missing = f"{self.missing:,} {verb(self.missing, 'lacks', 'lack')} a part"
        undefined = f"{self.undefined:,} {verb(self.undefined, 'has', 'have')} no value"
        lost = [missing if self.missing else "", undefined if self.undefined else ""]
        rest = "; ".join(part for part in lost if part)
        return (
            f"The score {self.id} = {self.formula} was computed for each participant and {over}: "
            f"{count(self.n, 'score')}{f'; {rest}' if rest else ''}."
        )


def bounds_of(
    term: Term, parts: Mapping[str, tuple[float, float] | None]
) -> tuple[float, float] | None:
    """The range of a formula, given the ranges of its parts; None if unknown.

    Interval arithmetic: no value lies outside, though a part that occurs twice may make it
    wider than needed.
    """
    if isinstance(term, Number):
        return term.value, term.value
    if isinstance(term, PartScore):
        return parts.get(term.question)
    ends = [bounds_of(each, parts) for each in term.terms]
    known = [each for each in ends if each is not None]
    return _combined_ends(term, known) if len(known) == len(ends) else None


def _combined_ends(
    term: Operation, ends: Sequence[tuple[float, float]]
) -> tuple[float, float] | None:
    low, high = [each[0] for each in ends], [each[1] for each in ends]
    if term.operator == "+":
        return sum(low), sum(high)
    if term.operator == "-":
        return low[0] - high[1], high[0] - low[1]
    if term.operator == "mean":
        return sum(low) / len(low), sum(high) / len(high)
    if term.operator in {"min", "max"}:
        choose = min if term.operator == "min" else max
        return choose(low), choose(high)
    if term.operator == "/" and low[1] <= 0 <= high[1]:
        return None
    corners = [
        one * other if term.operator == "*" else one / other
        for one in (low[0], high[0])
        for other in (low[1], high[1])
    ]
    return min(corners), max(corners)


@dataclass(frozen=True, eq=False, slots=True)
class _DerivedRows:
    rows: Judgments
    score: DerivedScore


def add_derived(
    judgments: Judgments, formulas: Sequence[DerivedFormula]
) -> tuple[Judgments, tuple[DerivedScore, ...]]:
    """The judgments with a row for each score that could be computed."""
    found = [_compute(judgments, each) for each in formulas]
    whole = reduce(_append, (each.rows for each in found), judgments)
    return whole, tuple(each.score for each in found)


def _compute(judgments: Judgments, wanted: DerivedFormula) -> _DerivedRows:
    parts = wanted.formula.parts
    table = _rows_of_parts(judgments, parts)
    by_segment = _has_same_segments(table, parts)
    cell = _cells(table, by_segment=by_segment)
    cells = int(cell.max(initial=-1)) + 1
    first = np.unique(cell, return_index=True)[1]
    means: dict[str, NDArray[np.float64]] = {}
    has_all = np.ones(cells, dtype=np.bool_)
    for part in parts:
        rows = table.question.codes == table.question.code(part)
        counts = np.bincount(cell[rows], minlength=cells)
        _refuse_unknown_people(table, counts, wanted.id)
        has_all &= counts > 0
        sums = np.bincount(cell[rows], weights=table.value[rows], minlength=cells)
        means[part] = sums / np.maximum(counts, 1)
    with np.errstate(all="ignore"):
        value = _evaluate(wanted.formula.term, {p: v[has_all] for p, v in means.items()})
        value = np.broadcast_to(value, int(has_all.sum())).astype(np.float64)
    known = np.isfinite(value)
    made = _relabel(table.take(first[has_all][known]), wanted.id, value[known])
    made = made if by_segment else replace(made, segment=np.full(len(made), -1, dtype=np.int32))
    real = int(made.is_of_kind("real").sum())
    lost = int((~has_all).sum())
    return _DerivedRows(
        made,
        DerivedScore(
            wanted.id,
            wanted.formula.text,
            parts,
            None,
            None,
            n=real,
            missing=lost,
            undefined=int((~known).sum()),
            is_by_segment=by_segment,
        ),
    )


def _rows_of_parts(judgments: Judgments, parts: Sequence[str]) -> Judgments:
    codes = [judgments.question.code(part) for part in parts]
    rows = np.isin(judgments.question.codes, codes) & ~judgments.is_comparison
    return judgments.take(rows & np.any([judgments.is_of_kind(k) for k in _KINDS], axis=0))  # type: ignore[arg-type]  # kinds


def _cells(table: Judgments, *, by_segment: bool) -> NDArray[np.int64]:
    """One code for each participant and output, or segment of it."""
    columns = [table.participant.codes, table.item.codes, table.system.codes, table.kind.codes]
    return combine_codes(*columns, *((table.segment,) if by_segment else ()))


def _has_same_segments(table: Judgments, parts: Sequence[str]) -> bool:
    """Whether every output has as many segments on one part as on the others that it has."""
    if not len(table) or (table.segment < 0).any():
        return False
    cell = _cells(table, by_segment=False)
    counts = np.array(
        [
            np.bincount(cell[table.question.codes == table.question.code(part)],
                        minlength=int(cell.max()) + 1)
            for part in parts
        ]
    )  # fmt: skip
    return bool(((counts == counts.max(axis=0)) | (counts == 0)).all())


def _refuse_unknown_people(table: Judgments, counts: NDArray[np.integer], name: str) -> None:
    is_unknown = len(table) and bool((table.participant.codes < 0).any())
    if is_unknown and (table.segment < 0).all() and counts.max(initial=0) > 1:
        raise DataError(
            Problem(
                f"'{name}' cannot be computed: it is not known who judged, so the scores of one "
                "person cannot be put together.",
                "Name the column of participants with --columns participant=…",
            )
        )


def _relabel(rows: Judgments, name: str, value: NDArray[np.float64]) -> Judgments:
    """Rows of one part as rows of the new score; their times belong to the questions."""
    question = Coded(np.zeros(len(rows), dtype=np.int32), (name,))
    return replace(rows, question=question, value=value, seconds=np.full(len(rows), np.nan))


def _append(judgments: Judgments, rows: Judgments) -> Judgments:
    """Both tables; they share all labels but those of questions."""
    labels = (*judgments.question.labels, *rows.question.labels)
    columns: dict[str, Any] = {}  # columns of several types
    for name in COLUMNS:
        one, other = getattr(judgments, name), getattr(rows, name)
        if name == "question":
            codes = other.codes + len(judgments.question.labels)
            columns[name] = Coded(np.concatenate([one.codes, codes]).astype(np.int32), labels)
        elif isinstance(one, Coded):
            columns[name] = Coded(np.concatenate([one.codes, other.codes]), one.labels)
        else:
            columns[name] = np.concatenate([one, other])
    return replace(judgments, **columns)


def _evaluate(term: Term, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64] | float:
    if isinstance(term, Number):
        return term.value
    if isinstance(term, PartScore):
        return values[term.question]
    return _OPERATIONS[term.operator]([_evaluate(each, values) for each in term.terms])


def _mean(values: Sequence[NDArray[np.float64] | float]) -> NDArray[np.float64] | float:
    return _elementwise("add")(values) / len(values)


def _elementwise(name: str) -> Callable[..., NDArray[np.float64]]:
    def computed(values: Sequence[NDArray[np.float64] | float]) -> NDArray[np.float64]:
        return np.asarray(reduce(getattr(np, name), values), dtype=np.float64)

    return computed


_OPERATIONS: dict[str, Callable[..., NDArray[np.float64] | float]] = {
    "+": _elementwise("add"),
    "-": _elementwise("subtract"),
    "*": _elementwise("multiply"),
    "/": _elementwise("divide"),
    "min": _elementwise("minimum"),
    "max": _elementwise("maximum"),
    "mean": _mean,
}
