"""Compute scores from others by a stated formula, for each participant and output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from rejudge.analysis.columns import combined
from rejudge.analysis.derived_scores import DerivedFormula, DerivedScore
from rejudge.analysis.outline import Outline
from rejudge.errors import DataError, Problem
from rejudge.judgments import COLUMNS, Coded, Judgments
from rejudge.study import Number, PartScore, Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KINDS = ("real", "repeat")


@dataclass(frozen=True, eq=False, slots=True)
class _Computed:
    rows: Judgments
    score: DerivedScore


def with_derived(
    judgments: Judgments, formulas: Sequence[DerivedFormula]
) -> tuple[Judgments, tuple[DerivedScore, ...]]:
    """The judgments with a row for each score that could be computed."""
    found = [_computed(judgments, each) for each in formulas]
    whole = reduce(_appended, (each.rows for each in found), judgments)
    return whole, tuple(each.score for each in found)


def with_segments(outline: Outline, scores: Sequence[DerivedScore]) -> Outline:
    """The outline in which derived scores of segments are marked as such."""
    by_segment = {each.id for each in scores if each.is_by_segment}
    asked = (replace(q, in_segments=q.in_segments or q.id in by_segment) for q in outline.questions)
    return replace(outline, questions=tuple(asked))


def _computed(judgments: Judgments, wanted: DerivedFormula) -> _Computed:
    import numpy as np

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
        value = _evaluated(wanted.formula.term, {p: v[has_all] for p, v in means.items()})
        value = np.broadcast_to(value, int(has_all.sum())).astype(np.float64)
    known = np.isfinite(value)
    made = _relabelled(table.take(first[has_all][known]), wanted.id, value[known])
    made = made if by_segment else replace(made, segment=np.full(len(made), -1, dtype=np.int32))
    real = int(made.is_of_kind("real").sum())
    lost = int((~has_all).sum())
    return _Computed(
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
    import numpy as np

    codes = [judgments.question.code(part) for part in parts]
    rows = np.isin(judgments.question.codes, codes) & ~judgments.is_comparison
    return judgments.take(rows & np.any([judgments.is_of_kind(k) for k in _KINDS], axis=0))  # type: ignore[arg-type]  # kinds


def _cells(table: Judgments, *, by_segment: bool) -> NDArray[np.int64]:
    """One code for each participant and output, or segment of it."""
    columns = [table.participant.codes, table.item.codes, table.system.codes, table.kind.codes]
    return combined(*columns, *((table.segment,) if by_segment else ()))


def _has_same_segments(table: Judgments, parts: Sequence[str]) -> bool:
    """Whether every output has as many segments on one part as on the others that it has."""
    import numpy as np

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


def _relabelled(rows: Judgments, name: str, value: NDArray[np.float64]) -> Judgments:
    """Rows of one part as rows of the new score; their times belong to the questions."""
    import numpy as np

    question = Coded(np.zeros(len(rows), dtype=np.int32), (name,))
    return replace(rows, question=question, value=value, seconds=np.full(len(rows), np.nan))


def _appended(judgments: Judgments, rows: Judgments) -> Judgments:
    """Both tables; they share all labels but those of questions."""
    import numpy as np

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


def _evaluated(
    term: Term, values: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64] | float:
    if isinstance(term, Number):
        return term.value
    if isinstance(term, PartScore):
        return values[term.question]
    return _OPERATIONS[term.operation]([_evaluated(each, values) for each in term.terms])


def _mean(values: Sequence[NDArray[np.float64] | float]) -> NDArray[np.float64] | float:
    return _elementwise("add")(values) / len(values)


def _elementwise(name: str) -> Callable[..., NDArray[np.float64]]:
    def computed(values: Sequence[NDArray[np.float64] | float]) -> NDArray[np.float64]:
        import numpy as np

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
