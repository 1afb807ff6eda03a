"""One participant, one thing, one question, one judgment; what happens to a second one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments.table import KINDS, Coded, Judgments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Duplicates: TypeAlias = Literal["error", "first", "last", "repeat"]


def settle(
    judgments: Judgments, duplicates: Duplicates, *, file: str | None = None
) -> tuple[Judgments, tuple[str, ...]]:
    """Apply the policy to real judgments made twice, and say what was done.

    error: they are refused. first, last: one is kept, in the order of the table. repeat: the
    first counts, later ones are kept as kind `repeat`.
    """
    import numpy as np

    if duplicates not in get_args(Duplicates):
        known = ", ".join(get_args(Duplicates))
        raise UsageError(f"'{duplicates}' is no policy for duplicates. Known are {known}.")
    again = is_again(judgments, from_end=duplicates == "last")
    count = int(again.sum())
    if not count:
        return judgments, ()
    if duplicates == "error":
        raise DataError(_refusal(judgments, again, file))
    what = f"{counted(count, 'judgment')} of what the same participant had judged before"
    if duplicates == "repeat":
        codes = np.where(again, KINDS.index("repeat"), judgments.kind.codes).astype(np.int32)
        kept = replace(judgments, kind=Coded(codes, KINDS))
        return kept, (f"{what}: kept as repeats.",)
    return judgments.take(~again), (f"{what}: the {duplicates} one of each thing is kept.",)


def is_again(judgments: Judgments, *, from_end: bool = False) -> NDArray[np.bool_]:
    """Which real judgments are of what their participant has judged above (or below) them."""
    import numpy as np

    real = np.flatnonzero(judgments.kind.codes == judgments.kind.code("real"))
    rows = real[::-1] if from_end else real
    again = np.zeros(len(judgments), dtype=np.bool_)
    if len(rows):
        key = combined([column[rows] for column in _parts(judgments)])
        order = np.argsort(key, kind="stable")
        same = np.flatnonzero(np.diff(key[order]) == 0) + 1
        again[rows[order[same]]] = True
    return again


def combined(columns: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
    """One number for each row, the same for rows that agree in all columns (codes from −1)."""
    import numpy as np

    key = np.zeros(len(columns[0]), dtype=np.int64)
    room = 1
    for column in columns:
        size = int(column.max(initial=-1)) + 2
        if room * size >= 2**62:  # the numbers would run over: close the gaps first
            found, key = np.unique(key, return_inverse=True)
            room = len(found)
        key = key * size + (column.astype(np.int64) + 1)
        room *= size
    return key


def _parts(judgments: Judgments) -> list[NDArray[np.integer]]:
    """Who judged what; a pair is the same both ways round."""
    import numpy as np

    a, b = judgments.system_a.codes, judgments.system_b.codes
    return [
        judgments.participant.codes,
        judgments.question.codes,
        judgments.item.codes,
        judgments.system.codes,
        np.minimum(a, b),
        np.maximum(a, b),
        judgments.segment,
        judgments.task.codes,
    ]


def _refusal(judgments: Judgments, again: NDArray[np.bool_], file: str | None) -> Problem:
    import numpy as np

    (first,) = judgments.take(np.flatnonzero(again)[:1]).rows()
    return Problem(
        f"{counted(int(again.sum()), 'judgment')} of what the same participant had judged before, "
        f"for instance "
        f"'{first.question}' of item '{first.item}' by '{first.participant}'.",
        "Say what to do: duplicates first, last or repeat (to measure consistency).",
        file=file,
    )
