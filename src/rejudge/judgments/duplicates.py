"""One participant, one thing, one question, one judgment; what happens to a second one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments.table import KINDS, Coded, Judgments, Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Duplicates: TypeAlias = Literal["error", "first", "last", "repeat"]


MOST_DUPLICATES = (
    1 / 3
)  # of the rows. Two systems or criteria that no column distinguishes make half of them
# duplicates; repeats that were planned to measure consistency are seldom more than a fifth.
_LEAST = 10  # duplicates; in a smaller table a share says little


def are_many_duplicates(number: int, of: int, *, most: float = MOST_DUPLICATES) -> bool:
    """Whether so many duplicates mean that what distinguishes them was not read."""
    return number >= _LEAST and number / of > most


def settle(
    judgments: Judgments,
    duplicates: Duplicates,
    *,
    file: str | None = None,
    runs: Coded | None = None,
    most: float = MOST_DUPLICATES,
    hint: Callable[[], str] = str,
) -> tuple[Judgments, tuple[str, ...]]:
    """Apply the policy to real judgments made twice in one run, and say what was done.

    error: they are refused. first, last: one of them counts, in the order of the table, the others
    become kind `dropped`. repeat: the first counts, later ones become kind `repeat`.
    Whatever the policy, a table is refused if more than the share `most` of its rows are
    duplicates: then a column that distinguishes them is missing; `hint` may name it.
    """
    import numpy as np

    if duplicates not in get_args(Duplicates):
        known = ", ".join(get_args(Duplicates))
        raise UsageError(
            f"'{duplicates}' is not a policy for duplicates. The policies are {known}."
        )
    again = is_again(judgments, from_end=duplicates == "last", runs=runs)
    count = int(again.sum())
    if not count:
        return judgments, ()
    real = int(judgments.is_of_kind("real").sum())
    share = count / real
    is_many = are_many_duplicates(count, real, most=most)
    if duplicates == "error" or is_many:
        remedy = _remedy(hint(), share=share if is_many else None)
        raise DataError(Problem(_count_in_words(judgments, again), remedy, file=file))
    what = f"{counted(count, 'judgment')} of what the same participant had judged before"
    kind: Kind = "repeat" if duplicates == "repeat" else "dropped"
    codes = np.where(again, KINDS.index(kind), judgments.kind.codes).astype(np.int32)
    settled = replace(judgments, kind=Coded(codes, KINDS))
    if duplicates == "repeat":
        return settled, (f"{what}: kept as repeats.",)
    return settled, (f"{what}: the {duplicates} one of each thing counts.",)


def which_counts(judgments: Judgments) -> Literal["first", "last"]:
    """By which policy judgments were dropped, seen from the first of them."""
    import numpy as np

    place = int(judgments.is_of_kind("dropped").argmax())
    above = judgments.take(np.arange(place + 1))
    same = np.logical_and.reduce([part == part[place] for part in _parts(above)])
    return "first" if (same & above.is_of_kind("real")).any() else "last"


def is_again(
    judgments: Judgments, *, from_end: bool = False, runs: Coded | None = None
) -> NDArray[np.bool_]:
    """Which real judgments are of what their participant has judged above (or below) them.

    The same id in two runs is two people.
    """
    import numpy as np

    is_real = judgments.is_of_kind("real") & (judgments.participant.codes >= 0)
    parts = _parts(judgments.take(is_real))
    key = combine_codes(parts if runs is None else [*parts, runs.codes[is_real]])
    step = -1 if from_end else 1
    order = np.argsort(key[::step], kind="stable")
    same = np.flatnonzero(np.diff(key[::step][order]) == 0) + 1
    again = np.zeros(len(judgments), dtype=np.bool_)
    again[np.flatnonzero(is_real)[::step][order[same]]] = True
    return again


def combine_codes(columns: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
    """One number for each row, the same for rows that agree in all columns (codes from −1)."""
    import numpy as np

    key = np.zeros(len(columns[0]), dtype=np.int64)
    capacity = 1
    for column in columns:
        size = int(column.max(initial=-1)) + 2
        if size == int(column.min(initial=size)) + 2:  # all the same
            continue
        if capacity * size >= 2**62:  # the numbers would run over: close the gaps first
            found, key = np.unique(key, return_inverse=True)
            capacity = len(found)
        key = key * size + (column.astype(np.int64) + 1)
        capacity *= size
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


def _count_in_words(judgments: Judgments, again: NDArray[np.bool_]) -> str:
    import numpy as np

    (first,) = judgments.take(np.flatnonzero(again)[:1]).rows()
    real = int(judgments.is_of_kind("real").sum())
    return (
        f"{int(again.sum()):,} of {counted(real, 'judgment')} repeat what the same participant had "
        f"judged before, such as '{first.question}' of item '{first.item}' by "
        f"'{first.participant}'."
    )


def _remedy(hint: str, *, share: float | None) -> str:
    """What to do about duplicates; `share` is given where there are too many of them."""
    if share is None:
        choose = "Choose what counts: --duplicates first, last, or repeat (to measure consistency)."
        return f"{hint} {choose}".strip()
    allowed = math.ceil(share * 100) / 100
    missing = hint or "Name the missing one with --columns, such as --columns system=…."
    return (
        "This usually means that a column that distinguishes them was not read. "
        f"{missing} If they are duplicates, allow them with --duplicate-share {allowed:g}."
    )
