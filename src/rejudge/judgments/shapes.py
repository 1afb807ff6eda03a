"""Shapes of tables, made into one row per judgment: wide tables, and rankings.

One answer that orders three systems decides three comparisons. Counted one by one they would look
like three independent answers, so each ranking is given a task of its own, as our site does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments.cells import as_text
from rejudge.judgments.columns import find_column, no_such_column
from rejudge.judgments.table import Coded, Judgments

if TYPE_CHECKING:
    import pyarrow as pa

Per: TypeAlias = Literal["criterion", "participant", "system", "item", "numbered"]

_ROLE: Mapping[Per, str] = {
    "criterion": "question",
    "participant": "participant",
    "system": "system",
    "item": "item",
    "numbered": "position",
}
_NUMBERED = re.compile(r"(?P<stem>.*?\D)[\s._-]*(?P<number>\d+)")


_SHOWN = 4  # columns of one series that a message lists


@dataclass(frozen=True, slots=True)
class Wide:
    """How a table is wide.

    `criterion`, `participant`, `system`, `item`: each of `columns` holds the values of one
    criterion, participant, system or item and bears its name; `*` stands for any letters.
    `numbered`: the columns of one row belong together by their numbers (`system_a0 … system_a31`,
    `choice0 …`); `columns` may name their patterns (`system_a{n}`); without them every
    numbered column is taken.
    """

    per: Per
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.per not in get_args(Per):
            raise UsageError(f"a table is wide per {', '.join(get_args(Per))}, not '{self.per}'.")
        if not self.columns and self.per != "numbered":
            raise UsageError(f"name the columns: {self.per}=first,second.")

    @classmethod
    def parse(cls, text: str) -> Wide:
        """Read `criterion=fluency,meaning`, `participant=r1,r2`, `system=x,y` or `numbered`."""
        per, _, listed = text.partition("=")
        columns = tuple(name.strip() for name in listed.split(",") if name.strip())
        return cls(per.strip(), columns)  # type: ignore[arg-type]  # checked when it is made


@dataclass(frozen=True, slots=True)
class ColumnBlocks:
    """The parts that a wide table falls into: for each, the columns that are renamed in it."""

    role: str  # of the column that tells the parts apart
    labels: tuple[str, ...]
    renamed: tuple[Mapping[str, str], ...]  # in each part: the long name → the wide one

    @property
    def long_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.renamed for name in part))

    def only(self, names: Container[str]) -> ColumnBlocks:
        """The same parts with some of the long columns alone."""
        kept = tuple({k: v for k, v in part.items() if k in names} for part in self.renamed)
        return ColumnBlocks(self.role, self.labels, kept)

    def names_beside(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The columns of the long table, of a wide one with these."""
        made = (self.role, *self.long_names)
        same = (name for name in columns if name not in self.taken and name not in made)
        return (*same, *made)

    def wide_name(self, name: str) -> str:
        """How a column of the long table is spelt in the wide one, for messages."""
        columns = [part[name] for part in self.renamed if name in part]
        if name == self.role and not columns:
            return "number of the column" if self.is_numbered else "name of the column"
        shown = ", ".join(columns[:_SHOWN])
        return f"{shown} …" if len(columns) > _SHOWN else shown

    @property
    def is_numbered(self) -> bool:
        return self.role not in {"question", "participant", "system", "item"}

    @property
    def taken(self) -> frozenset[str]:
        return frozenset(name for part in self.renamed for name in part.values())


def blocks_of(wide: Wide, names: Sequence[str], *, file: str | None = None) -> ColumnBlocks:
    """Find the columns of each part, or say which are not there."""
    if wide.per == "numbered":
        return _find_numbered(wide, names, file)
    found: list[str] = []
    problems: list[Problem] = []
    for wanted in wide.columns:
        columns = _match_names(wanted, names)
        problems += [] if columns else [no_such_column(wanted, names, file)]
        found += [column for column in columns if column not in found]
    if problems:
        raise DataError.of(problems)
    return ColumnBlocks(_ROLE[wide.per], tuple(found), tuple({"value": name} for name in found))


def melt(table: pa.Table, blocks: ColumnBlocks) -> pa.Table:
    """The parts below each other, so that part k, row i is row k·n + i."""
    import pyarrow as pa

    made = (blocks.role, *blocks.long_names)
    same = [n for n in table.column_names if n not in blocks.taken and n not in made]
    parts = []
    for label, renamed in zip(blocks.labels, blocks.renamed, strict=True):
        columns = {name: table[name] for name in same}
        for name in blocks.long_names:
            source = renamed.get(name)
            columns[name] = pa.nulls(len(table)) if source is None else table[source]
        repeated = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), len(table)),
                                                  pa.array([label]))  # fmt: skip
        parts.append(pa.table({**columns, blocks.role: repeated}))
    return _stack(parts)


def _stack(parts: Sequence[pa.Table]) -> pa.Table:
    """Tables below each other; a column of words and numbers becomes one of words."""
    import pyarrow as pa

    columns = {}
    for name in parts[0].column_names:
        pieces = [part[name] for part in parts]
        kinds = {piece.type for piece in pieces if not pa.types.is_null(piece.type)}
        if len(kinds) > 1:
            pieces = [as_text(piece) for piece in pieces]
        kind = pieces[0].type if len(kinds) > 1 else next(iter(kinds), pa.null())
        chunks = [chunk for piece in pieces for chunk in _of_type(piece, kind).chunks]
        columns[name] = pa.chunked_array(chunks, type=kind)
    return pa.table(columns)


def _of_type(piece: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    import pyarrow as pa

    if piece.type == kind:
        return piece
    return pa.chunked_array([pa.nulls(len(piece), kind)], type=kind)


def _match_names(wanted: str, names: Sequence[str]) -> list[str]:
    if "*" in wanted:
        return [name for name in names if fnmatchcase(name, wanted)]
    column = find_column(names, wanted)
    return [] if column is None else [column]


def _find_numbered(wide: Wide, names: Sequence[str], file: str | None) -> ColumnBlocks:
    series: dict[str, dict[int, str]] = {}
    for name in names:
        found = _NUMBERED.fullmatch(name.strip())
        if found and _is_wanted(wide.columns, name):
            stem = re.sub(r"^(input|answer)\.", "", found["stem"], flags=re.IGNORECASE)
            series.setdefault(stem.rstrip(" ._-"), {})[int(found["number"])] = name
    series = {stem: found for stem, found in series.items() if len(found) > 1}
    if not series:
        what = "there are no numbered columns such as choice0, choice1."
        raise DataError(Problem(what, f"The table has {', '.join(names)}.", file=file))
    numbers = sorted({number for found in series.values() for number in found})
    return ColumnBlocks(
        "number" if "position" in series else "position",
        tuple(str(number - numbers[0] + 1) for number in numbers),
        tuple(
            {stem: found[number] for stem, found in series.items() if number in found}
            for number in numbers
        ),
    )


def _is_wanted(patterns: Sequence[str], name: str) -> bool:
    if not patterns:
        return True
    forms = (
        re.escape(pattern).replace(r"\{n\}", r"\d+").replace(r"\*", ".*") for pattern in patterns
    )
    return any(re.fullmatch(form, name) for form in forms)


_SEVERAL = 3  # systems: two are compared, not ranked
_BY_CHANCE = 0.01  # so improbable are rankings of those who choose pair by pair at random
_RANKED = (
    "{} by rank were read as {} between systems, rank 1 as the best and equal ranks as ties; those "
    "of one answer count as one ranking. If a higher rank is better, reverse the ranks first."
)
_IMPLIED = (
    "There is no column of tasks, but the choices of each participant on each item put all systems "
    "in one order: {} were read as {}. If the pairs were judged one by one, name the column that "
    "tells their tasks apart: --columns task=…."
)


@dataclass(frozen=True, eq=False, slots=True)
class RankedJudgments:
    """Judgments with rankings as such; `rows` are the rows of the table that they come from."""

    judgments: Judgments
    rows: NDArray[np.int64]
    notes: tuple[str, ...] = ()


def with_rankings(
    judgments: Judgments, *, value: str, runs: Coded | None = None, file: str | None = None
) -> RankedJudgments:
    """Read ranks as the comparisons they imply, and give comparisons of one ranking one task.

    Scores are ranks where the name of their column, `value`, says so. Comparisons are those of
    rankings where no task is known, everybody compared every two of three or more systems on an
    item, none of the orders contradicts itself, and chance would hardly bring that about.
    """
    plain = RankedJudgments(judgments, np.arange(len(judgments)))
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
    names = ("participant", "question", "item", "batch", "task")
    codes = [getattr(judgments, name).codes for name in names]
    keys = np.stack([*codes, *([] if runs is None else [runs.codes])], axis=1)
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)


def _compare_ranks(
    judgments: Judgments, runs: Coded | None, file: str | None
) -> RankedJudgments | None:
    """Ranks as comparisons, all pairs of systems in each answer."""
    answer = _answers(judgments, runs)
    sizes = np.bincount(answer)
    if sizes.max() < 2:
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
    return RankedJudgments(read, a, (_RANKED.format(answers, counted(len(a), "comparison")),))


def _refuse_twice(judgments: Judgments, answer: NDArray[np.int64], file: str | None) -> None:
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


def _find_implied(judgments: Judgments, runs: Coded | None) -> RankedJudgments | None:
    """Comparisons without tasks that are rankings, each with the item as its task."""
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
    return RankedJudgments(read, np.arange(len(judgments)), (_IMPLIED.format(*said),))


def _are_apart(judgments: Judgments) -> bool:
    """Whether positions or times show that pairs were judged one by one."""
    keys = np.stack([judgments.participant.codes, judgments.item.codes], axis=1)
    answers = len(np.unique(keys, axis=0))
    at = judgments.position
    return bool((at >= 0).any()) and len(np.unique(np.column_stack([keys, at]), axis=0)) > answers


def _systems_in(judgments: Judgments, answer: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """How many systems each answer orders; None unless each has all pairs of three or more."""
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
