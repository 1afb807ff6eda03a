"""Rankings in a table: ranks of several systems, or the comparisons that a ranking implies.

One answer that orders three systems decides three comparisons. Counted one by one they would look
like three independent answers, so each ranking is given a task of its own, as our site does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import Coded, Judgments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEVERAL = 3  # systems: two are compared, not ranked
_BY_CHANCE = 0.01  # so improbable are rankings of those who choose pair by pair at random
_RANKED = (
    "{} by rank were read as {} between systems, rank 1 as the best and equal ranks as ties; those "
    "of one answer count as one ranking. If a higher rank is better, turn the ranks round first."
)
_IMPLIED = (
    "There is no column of tasks, but the choices of each participant on each item put all systems "
    "in one order: {} were read as {}. If the pairs were judged one by one, name the column that "
    "tells their tasks apart: --columns task=…."
)


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """Judgments with rankings as such; `rows` are the rows of the table that they come from."""

    judgments: Judgments
    rows: NDArray[np.int64]
    notes: tuple[str, ...] = ()


def with_rankings(
    judgments: Judgments, *, value: str, runs: Coded | None = None, file: str | None = None
) -> Ranked:
    """Read ranks as the comparisons they imply, and give comparisons of one ranking one task.

    Scores are ranks where the name of their column, `value`, says so. Comparisons are those of
    rankings where no task is known, everybody compared every two of three or more systems on an
    item, none of the orders contradicts itself, and chance would hardly bring that about.
    """
    import numpy as np

    plain = Ranked(judgments, np.arange(len(judgments)))
    if not len(judgments) or not (judgments.participant.codes >= 0).all():
        return plain
    if (judgments.segment >= 0).any() or not judgments.is_of_kind("real").all():
        return plain
    if judgments.is_comparison.all():
        return _find_implied(judgments, runs) or plain
    if "rank" in value.casefold() and not judgments.is_comparison.any():
        return _compare_ranks(judgments, runs, file) or plain
    return plain


def _answers(judgments: Judgments, runs: Coded | None) -> NDArray[np.int64]:
    """One number for each participant and item (and task, where it is known)."""
    import numpy as np

    names = ("participant", "question", "item", "batch", "task")
    codes = [getattr(judgments, name).codes for name in names]
    keys = np.stack([*codes, *([] if runs is None else [runs.codes])], axis=1)
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)


def _compare_ranks(judgments: Judgments, runs: Coded | None, file: str | None) -> Ranked | None:
    """Ranks as comparisons, all pairs of systems in each answer."""
    import numpy as np

    answer = _answers(judgments, runs)
    sizes = np.bincount(answer)
    if sizes.max() < 2:  # noqa: PLR2004 - one system has no rank among others
        return None
    _refuse_twice(judgments, answer, file)
    order = np.lexsort((judgments.system.codes, answer))  # sides must not tell the ranks
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    first, second = [], []
    for size in np.unique(sizes).tolist():
        block = order[starts[sizes == size][:, np.newaxis] + np.arange(size)]
        for one, two in combinations(range(size), 2):
            first.append(block[:, one])
            second.append(block[:, two])
    pairs = np.stack([np.concatenate(first), np.concatenate(second)])
    a, b = pairs[:, np.lexsort((pairs[1], pairs[0]))]
    rank, system = judgments.value, judgments.system
    absent = Coded(np.full(len(a), -1, dtype=np.int32), system.labels)
    read = replace(
        judgments.take(a),
        value=np.where(rank[a] == rank[b], 0.5, (rank[a] < rank[b]).astype(np.float64)),
        system=absent,
        system_a=system.take(a),
        system_b=system.take(b),
    )
    if (judgments.task.codes < 0).all():
        read = replace(read, task=read.item)
    answers = counted(int((sizes > 1).sum()), "answer")
    return Ranked(read, a, (_RANKED.format(answers, counted(len(a), "comparison")),))


def _refuse_twice(judgments: Judgments, answer: NDArray[np.int64], file: str | None) -> None:
    import numpy as np

    keys = np.stack([answer, judgments.system.codes], axis=1)
    _, first, how_often = np.unique(keys, axis=0, return_index=True, return_counts=True)
    if not (how_often > 1).any():
        return
    (row,) = judgments.take(first[how_often > 1][:1]).rows()
    raise DataError(
        Problem(
            f"participant '{row.participant}' ranked system '{row.system}' twice on item "
            f"'{row.item}'.",
            "Give each ranking a task of its own (--columns task=…), or leave one of them out.",
            file=file,
        )
    )


def _find_implied(judgments: Judgments, runs: Coded | None) -> Ranked | None:
    """Comparisons without tasks that are rankings, each with the item as its task."""
    import numpy as np

    if (judgments.task.codes >= 0).any() or _are_apart(judgments):
        return None
    answer = _answers(judgments, runs)
    sizes = _systems_in(judgments, answer)
    if sizes is None or not _are_orders(judgments, answer, sizes):
        return None
    if sum(math.log(_chance(size)) for size in sizes.tolist()) > math.log(_BY_CHANCE):
        return None
    said = counted(len(judgments), "comparison"), counted(len(sizes), "ranking")
    read = replace(judgments, task=judgments.item)
    return Ranked(read, np.arange(len(judgments)), (_IMPLIED.format(*said),))


def _are_apart(judgments: Judgments) -> bool:
    """Whether positions or times show that pairs were judged one by one."""
    import numpy as np

    keys = np.stack([judgments.participant.codes, judgments.item.codes], axis=1)
    answers = len(np.unique(keys, axis=0))
    at = judgments.position
    return bool((at >= 0).any()) and len(np.unique(np.column_stack([keys, at]), axis=0)) > answers


def _systems_in(judgments: Judgments, answer: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """How many systems each answer orders; None unless each has all pairs of three or more."""
    import numpy as np

    a, b = judgments.system_a.codes, judgments.system_b.codes
    pairs = np.stack([answer, np.minimum(a, b), np.maximum(a, b)], axis=1)
    if len(np.unique(pairs, axis=0)) < len(pairs):
        return None
    seen = np.unique(np.concatenate([np.stack([answer, each], axis=1) for each in (a, b)]), axis=0)
    sizes = np.bincount(seen[:, 0])
    is_complete = (np.bincount(answer) == sizes * (sizes - 1) // 2).all()
    return sizes if is_complete and sizes.min() >= _SEVERAL else None


def _are_orders(judgments: Judgments, answer: NDArray[np.int64], sizes: NDArray[np.int64]) -> bool:
    """Whether the wins of each answer are those of an order: 0, 1, 2 … without ties."""
    import numpy as np

    if np.isin(judgments.value, (0.0, 1.0)).sum() < len(judgments):
        return False
    won = np.where(judgments.value == 1, judgments.system_a.codes, judgments.system_b.codes)
    width = len(judgments.system_a.labels)
    wins = np.bincount(answer * width + won, minlength=len(sizes) * width).reshape(-1, width)
    squares = (
        (sizes - 1) * sizes * (2 * sizes - 1) // 6
    )  # 0² + 1² + … + (k − 1)², the most there is
    return bool(((wins**2).sum(axis=1) == squares).all())


def _chance(size: int) -> float:
    """How often random choices between all pairs of so many systems make an order."""
    return math.exp(math.lgamma(size + 1) - math.comb(size, 2) * math.log(2))
