"""The columns of all descriptive tables, each registered once: how it looks and where it appears.

A new column of a frame is one entry here; a new frame is its name in the entries of its columns,
and a caption. The order of the entries is the order of the columns. A column that no row has a
value for is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from typing import Any, NamedTuple, TypeAlias

from rejudge.english import count
from rejudge.findings.frame import Frame, Row
from rejudge.layout.numbers import number
from rejudge.layout.table import Cell, Column, Kind, Table, file_name

Labels: TypeAlias = Mapping[str, str]
CellOf: TypeAlias = Callable[[Row, Labels], Cell]


class Medium(Flag):
    """Where a table appears. Files are CSV for programs, LaTeX and Markdown for papers."""

    CSV = auto()
    PAPER = auto()
    PAGE = auto()
    TERMINAL = auto()
    FILES = CSV | PAPER
    SHOWN = PAPER | PAGE | TERMINAL
    ALL = CSV | PAPER | PAGE | TERMINAL


class Ends(NamedTuple):
    """The ends of an interval in one cell."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column, with the tables and media that it appears in."""

    column: Column
    cell: CellOf
    tables: Mapping[str, Medium]


@dataclass(frozen=True, slots=True)
class TableText:
    """What is said about a table: `{question}` and the facts of its frame can stand in it."""

    caption: str | Callable[[Frame], str]
    most_in_print: int | None = None


MOST_IN_PRINT = 40  # rows of a table that could be longer than a page
LIKENESS = {
    "spearman": "Spearman’s correlation",
    "pearson": "Pearson’s correlation",
    "percent": "units on which both gave the same answer, in percent",
}
FLAGS = {
    "one-answer": "always the same answer",
    "fast": "much faster than the others",
    "faster-than-reading": "faster than the texts can be read",
    "one-side": "leans to one side",
}
INFORMATION = (
    "Information within items: 100 % if both systems were judged equally often on every item; "
    "0 % if they share no items, so that a difference between them may be one between items."
)
ALL, CSV, SHOWN, FILES = Medium.ALL, Medium.CSV, Medium.SHOWN, Medium.FILES
PAPER, PAGE, TERMINAL = Medium.PAPER, Medium.PAGE, Medium.TERMINAL


def frame_table(frame: Frame, labels: Labels, medium: Medium = Medium.FILES) -> Table:
    """The table of a frame for a medium; systems are named by their labels."""
    text = TABLES[frame.name]
    parts = (frame.question, frame.name, *(each.name for each in frame.group))
    chosen = [
        (replace(each.column, only=_only(where)) if medium is Medium.FILES else each.column, each)
        for each in COLUMNS
        if (where := each.tables.get(frame.name, Medium(0))) & medium
    ]
    rows = frame.rows
    table = Table(
        "-".join(file_name(part) for part in parts if part),
        _caption(frame, text),
        tuple(column for column, _ in chosen),
        tuple(tuple(each.cell(row, labels) for _, each in chosen) for row in rows),
        most_in_print=text.most_in_print,
        notes=frame.notes,
    )
    return table.without_empty() if rows else table


def _only(where: Medium) -> Any:  # a Literal
    if Medium.CSV not in where:
        return "print"
    return "" if Medium.PAPER in where else "csv"


def _caption(frame: Frame, text: TableText) -> str:
    if callable(text.caption):
        caption = text.caption(frame)
    else:
        caption = text.caption.format(question=_place(frame), **frame.facts)
    listed = f"{len(frame):,} of {frame.size:,} are listed." if len(frame) < frame.size else ""
    return " ".join(filter(None, (caption, listed, *frame.notes)))


def _place(frame: Frame) -> str:
    return ", ".join((frame.question, *(each.name for each in frame.group)))


def pivot(
    frame: Frame, labels: Labels, rows: str, columns: str, cell: str, *, heading: str, digits: int
) -> Table:
    """A frame as a grid: one row for each value of a column, one column for each of another."""

    def name(value: Any) -> str:  # a value of a column
        return labels.get(value, str(value))

    cells = {(row[rows], row[columns]): row[cell] for row in frame.rows}
    down = dict.fromkeys(row[rows] for row in frame.rows)
    across = dict.fromkeys(row[columns] for row in frame.rows)
    return Table(
        f"{frame.question}-{frame.name}",
        _caption(frame, TABLES[frame.name]),
        (Column(heading), *(Column(name(each), digits, name(each)) for each in across)),
        tuple((name(row), *(cells.get((row, each)) for each in across)) for row in down),
    )


def score_grid(frame: Frame, labels: Labels, digits: int = 1) -> Table:
    """How often each score was given: one row per system and one column per score, in percent."""
    on_scale = replace(frame, columns=frame.where(lambda row: row["score"] is not None).columns)
    sizes: dict[str, int] = {}
    for row in frame.rows:
        sizes[row["system"]] = sizes.get(row["system"], 0) + row["count"]
    off = sum(row["count"] for row in frame.rows if row["score"] is None)
    table = pivot(on_scale, labels, "system", "score", "percent", heading="system", digits=digits)
    rows = zip(table.rows, sizes.values(), strict=True)
    return replace(
        table,
        caption=f"{'Labels' if frame.facts['is_named'] else 'Scores'} on {frame.question}, "
        "percent within systems.",
        columns=(table.columns[0], Column("n", 0, "n"), *table.columns[1:]),
        rows=tuple((row[0], n, *row[1:]) for row, n in rows),
        notes=(*frame.notes, *([f"{count(off, 'score')} not on the scale."] if off else [])),
    )


def win_matrix(frame: Frame, labels: Labels, digits: int = 1) -> Table:
    """Percentages of wins as a matrix; without rows for fewer than three systems."""
    table = pivot(
        frame, labels, "row", "column", "win_percent", heading="row against column", digits=digits
    )
    order = (0, *(1 + _place_of(table, row[0]) for row in table.rows))
    ordered = replace(
        table,
        columns=tuple(table.columns[at] for at in order),
        rows=tuple(tuple(row[at] for at in order) for row in table.rows),
    )
    return ordered if len(table.rows) > 2 else replace(ordered, rows=())


def _place_of(table: Table, name: Cell) -> int:
    return [column.name for column in table.columns[1:]].index(str(name))


def own_difference_grid(frame: Frame, labels: Labels) -> Table:
    """One row per pair of systems and one column per participant, with signs."""
    told = [
        {**row, "systems": _pair(" – ")(row, labels), "value": _signed(row["value"])}
        for row in frame.rows
    ]
    return pivot(
        Frame.of(frame.name, told, question=frame.question),
        {}, "systems", "participant", "value", heading="systems", digits=2,
    )  # fmt: skip


def _signed(value: float | None) -> str | None:
    return None if value is None else f"{'+' if value >= 0 else ''}{number(value, 2)}"


def unit_name(row: Row) -> str:
    """The item of an output, and its segment where it has several."""
    return row["item"] if row["segment"] is None else f"{row['item']}, segment {row['segment']}"


# How a cell is made from a row


def _value(name: str) -> CellOf:
    return lambda row, _: row.get(name)


def _label(name: str) -> CellOf:
    return lambda row, labels: labels.get(row.get(name, ""), row.get(name))


def _pair(between: str) -> CellOf:
    return lambda row, labels: between.join(
        labels.get(row[name], row[name]) for name in ("first", "second")
    )


def _joined(name: str, between: str, words: Mapping[str, str] | None = None) -> CellOf:
    def cell(row: Row, labels: Labels) -> Cell:
        return between.join((words or labels).get(each, each) for each in row[name]) or None

    return cell


def _interval(row: Row, _: Labels) -> Cell:
    return None if row.get("low") is None else Ends(row["low"], row["high"])


def _seconds_per_page(row: Row, _: Labels) -> Cell:
    return row["seconds"] / row["pages"] if row.get("seconds") else None


# The columns


def _column(
    name: str,
    tables: Mapping[str, Medium],
    digits: int | None = None,
    heading: str = "",
    *,
    kind: Kind | None = None,
    key: str = "",
    cell: CellOf | None = None,
) -> TableColumn:
    """`name` is that of the column in files, `key` that in frames where it is another."""
    key = key or name.replace(" ", "_")
    return TableColumn(Column(name, digits, heading, kind), cell or _value(key), tables)


def _numbers(names: Iterable[str], tables: Mapping[str, Medium]) -> list[TableColumn]:
    """Counts and whole seconds, named after their columns in frames."""
    return [_column(name, tables, 0) for name in names]


COLUMNS: Sequence[TableColumn] = (
    _column("system", {"scores": ALL, "coverage": ALL}, cell=_label("system")),
    _column("score", {"scores": ALL}, cell=lambda row, _: row["score"] or "not on the scale"),
    _column("count", {"scores": ALL}, 0),
    _column("percent", {"scores": ALL}, 1),
    _column("row", {"wins": ALL}, cell=_label("row")),
    _column("column", {"wins": ALL}, cell=_label("column")),
    *_numbers(("wins", "losses", "ties"), {"wins": ALL}),
    _column("win percent", {"wins": ALL}, 1),
    _column("rank", {"units": CSV}, 1),
    _column("participant", {"own-differences": ALL, "people": ALL}),
    _column("item", {"units": CSV}),
    _column("item", {"units": SHOWN}, cell=lambda row, _: unit_name(row)),
    _column("systems", {"units": ALL}, heading="Output of", cell=_joined("systems", " and ")),
    _column("first", {"coverage-pairs": CSV, "own-differences": CSV}, cell=_label("first")),
    _column("second", {"coverage-pairs": CSV, "own-differences": CSV}, cell=_label("second")),
    _column("first", {"people-pairs": ALL}),
    _column("second", {"people-pairs": ALL}),
    _column("systems", {"coverage-pairs": SHOWN}, cell=_pair(", ")),
    _column("systems", {"own-differences": SHOWN}, cell=_pair(" – ")),
    _column("segment", {"units": CSV}, 0),
    _column("task", {"units": CSV}),
    _column("judgments", {"coverage": ALL}, 0),
    _column("judgments", {"people": ALL}, 0, "n"),
    _column("difference", {"own-differences": ALL}, 2, key="value"),
    _column("interval", {"own-differences": ALL}, 2, kind="interval", cell=_interval),
    _column("items", {"coverage": ALL, "own-differences": ALL}, 0),
    _column("participants", {"coverage": ALL}, 0),
    *_numbers(("shared items", "shared participants"), {"coverage-pairs": ALL}),
    _column("information share", {"coverage-pairs": CSV}, 3),
    _column("information within items, %", {"coverage-pairs": SHOWN}, 0,
            cell=lambda row, _: 100 * row["information_share"]),
    _column("n", {"units": ALL, "people-pairs": ALL}, 0, "n"),
    _column("disagreement", {"units": ALL}, 2),
    _column("largest difference", {"units": FILES | PAGE}, 2),
    _column("slowness", {"units": ALL}, 2),
    _column("off alpha", {"units": FILES | PAGE}, 3, key="contribution"),
    _column("rank off alpha", {"units": CSV}, 0, key="contribution_rank"),
    _column("longest run", {"people": CSV | PAGE}, 0),
    _column("most frequent answer, percent", {"people": ALL}, 0, "Most frequent, %",
            key="modal_share"),
    *_numbers(("pages", "seconds"), {"people": CSV}),
    _column("seconds per page", {"people": SHOWN}, 1, cell=_seconds_per_page),
    _column("first shown, percent", {"people": ALL}, 1, "First shown, %", key="first_shown"),
    _column("first shown, n", {"people": CSV}, 0, key="first_shown_n"),
    _column("first shown, p", {"people": CSV}, 4, kind="p", key="first_shown_p"),
    _column("first shown, p corrected", {"people": ALL}, 4, "p (Holm)", kind="p",
            key="first_shown_p_adjusted"),
    _column("judged again", {"people": CSV}, 0, key="repeats"),
    _column("same again, percent", {"people": CSV | PAGE}, 0, "Same again, %", key="same_again"),
    _column("agreement with others, percent", {"people": ALL}, 0, "Like others, %",
            key="agreement"),
    _column("agreement, n", {"people": CSV}, 0, key="agreement_n"),
    _column("with the majority, percent", {"people": CSV | PAGE}, 0, "With the majority, %",
            key="with_majority"),
    _column("with the majority, n", {"people": CSV | PAGE}, 0, "n of these", key="with_majority_n"),
    _column("correlation with others", {"people": ALL}, 2, "Correlation", key="correlation"),
    _column("others", {"people": CSV}, 0),
    _column("flags", {"people": CSV}, cell=_joined("flags", ", ", {})),
    _column("stands out by", {"people": SHOWN}, cell=_joined("flags", ", ", FLAGS)),
    _column("spearman", {"people-pairs": ALL}, 3),
    _column("pearson", {"people-pairs": ALL}, 3),
    _column("percent", {"people-pairs": ALL}, 1),
)  # fmt: skip


# What is said about each table


def _scores(frame: Frame) -> str:
    off = sum(row["count"] for row in frame.rows if row["score"] is None)
    off_scale = f" {off:,} scores are not on the scale." if off else ""
    return f"How often each score was given on {_place(frame)}, percent within systems.{off_scale}"


def _people(frame: Frame) -> str:
    below, measure = frame.facts["fast_below"], str(frame.facts["measure"])
    fast = "" if below is None else f" Flagged as fast: below {below:.1f} seconds per page."
    likeness = (
        "none, for answers without an order"
        if measure == "percent"
        else f"mean of {LIKENESS[measure]} with each other participant, equally weighted"
    )
    return f"How each participant worked on {frame.question}. Correlations: {likeness}.{fast}"


def _people_pairs(frame: Frame) -> str:
    return (
        f"Pairs of participants on {frame.question}: {LIKENESS[str(frame.facts['measure'])]}, over "
        "the units that both judged, three or more."
    )


TABLES: Mapping[str, TableText] = {
    "scores": TableText(_scores),
    "coverage": TableText("Who judged what on {question}, by system."),
    "coverage-pairs": TableText(
        f"What each pair of systems has in common on {{question}}. {INFORMATION}"
    ),
    "own-differences": TableText(
        "Each participant’s own difference on {question}: first minus second, mean over the items "
        "judged for both. Each interval is for that participant alone."
    ),
    "wins": TableText(
        "Who beat whom on {question}: percent won by the row against the column, counting a tie as "
        "half."
    ),
    "units": TableText(
        "Outputs or pairs of outputs on {question}, the hardest first: by disagreement ({measure}) "
        "and slowness (1 is usual).",
        MOST_IN_PRINT,
    ),
    "people": TableText(_people, MOST_IN_PRINT),
    "people-pairs": TableText(_people_pairs, MOST_IN_PRINT),
}
