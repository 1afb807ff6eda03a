"""Wide tables made long: one column per criterion, participant, system or number becomes rows."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments.columns import find_column, no_such_column

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

    from rejudge.judgments.arrow import as_text

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
