"""The columns of all descriptive tables: how each looks, and where it appears.

A new column of a frame is one entry here; a new frame is its name in the entries of its columns,
and a caption. The order of the entries is that of the columns. A column that no row has a value for
is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from rejudge.english import capital, count, join_words
from rejudge.findings.frame import Frame, Row, Value
from rejudge.layout.numbers import NARROW, level_text, number
from rejudge.layout.table import Cell, Column, Kind, Table
from rejudge.tables.view import CellFunction, ColumnEntry, Labels, Medium, TableView, tabulate_view


class IntervalEnds(NamedTuple):
    """The ends of an interval in one cell."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TableText:
    """What is said about a table: `{question}` and the facts of its frame can stand in it."""

    caption: str | Callable[[Frame], str]
    most_in_print: int | None = None


_MINUTE_DIGITS = 1
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
PAGES = {
    "consent": "Information and consent",
    "instructions": "Instructions",
    "practice": "Practice",
    "task": "Task",
    "batch": "Whole batch",
    "exit": "Last questions",
}
MOST_REMARK_CHARACTERS = 2000  # on the page and in print
MEASURED = "Times on the page as recorded with each judgment; each page counts once."
_BY_THE_CLOCK = (
    "Wall time is from a participant's first submission to the last; in active time, a pause "
    "counts as 5 minutes at most."
)
MEASURED_ON_PAGES = (
    "Consent and instructions: by the server's clock, from one page to the next. Practice, tasks "
    "and the exit page: as recorded on the page. Only participants whose judgments count."
)
INFORMATION = (
    "Information within items: 100 % if both systems were judged equally often on every item; "
    "0 % if they share no items, so that a difference between them may be one between items."
)
ALL, CSV, SHOWN = "csv page paper terminal notebook", "csv", "page paper terminal notebook"


def frame_table(frame: Frame, labels: Labels, medium: Medium) -> Table:
    """The table of a frame for a medium; systems are named by their labels."""
    return _table([frame], labels, medium)


def frame_file(frames: Sequence[Frame], labels: Labels) -> Table:
    """The frames of one name in one table for programs, by question and group, with the table that
    papers print."""
    return replace(_table(frames, labels, "csv"), in_print=_table(frames, labels, "paper"))


def _table(frames: Sequence[Frame], labels: Labels, medium: Medium) -> Table:
    first = frames[0]
    text = TABLES[first.name]
    about = [(each.question or None, _groups(each) or None) for each in frames]
    rows = tuple(
        {**row, "question": question, "group": group}
        for (question, group), frame in zip(about, frames, strict=True)
        for row in frame.rows
    )
    questions = list(dict.fromkeys(question for question, _ in about if question))
    whole = replace(first, question=join_words(questions), group=first.group * (len(frames) == 1))
    notes = dict.fromkeys(note for frame in frames for note in frame.notes)
    table = tabulate_view(
        first.name,
        TableView(rows, labels, medium, source=first),
        (*_ADDRESS, *COLUMNS),
        caption=_caption(replace(whole, notes=tuple(notes)), text),
        notes=first.notes if len(frames) == 1 else (),
    )
    return replace(table, most_in_print=text.most_in_print)


def _groups(frame: Frame) -> str:
    return ", ".join(each.name for each in frame.group)


def _caption(frame: Frame, text: TableText) -> str:
    if callable(text.caption):
        caption = text.caption(frame)
    else:
        caption = text.caption.format(question=_place(frame), **frame.facts)
    listed = f"{len(frame):,} of {frame.size:,} are listed." if len(frame) < frame.size else ""
    return " ".join(filter(None, (caption, listed, *frame.notes)))


def _place(frame: Frame) -> str:
    return ", ".join(filter(None, (frame.question, _groups(frame))))


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


def shorten_remark(text: str) -> str:
    """The beginning of a long remark."""
    if len(text) <= MOST_REMARK_CHARACTERS:
        return text
    return f"{text[:MOST_REMARK_CHARACTERS].rstrip()} …"


def quantile_table(frame: Frame) -> Table:
    """The quantiles of times side by side, with their intervals below them."""
    rows = frame.rows
    shares = [f"{100 * row['share']:g}{NARROW}%" for row in rows]
    unit = capital(str(frame.facts["unit"]))
    scale = 60 if unit == "Minutes" else 1
    pages = count(int(str(frame.facts["pages"])), "page")
    level = level_text(float(str(frame.facts["level"])))
    return Table(
        "times",
        f"{unit} per page: the given percentage of {pages} took no longer. Intervals at {level}. "
        f"{MEASURED}",
        (Column("pages"), *(Column(share, 1, share) for share in shares)),
        (
            (unit, *(row["seconds"] / scale for row in rows)),
            (
                "Interval",
                *(
                    None
                    if row["low"] is None
                    else IntervalEnds(row["low"] / scale, row["high"] / scale)
                    for row in rows
                ),
            ),
        ),
    )


def duration(seconds: float, unit: Value) -> str:
    """A time in the unit that its table has, such as `6.8 minutes`."""
    return f"{number(seconds / 60 if unit == 'minutes' else seconds)} {unit}"


def unit_name(row: Row) -> str:
    """The item of an output, and its segment where it has several."""
    return row["item"] if row["segment"] is None else f"{row['item']}, segment {row['segment']}"


# How a cell is made from a row


def _part_name(facets: Sequence[str]) -> str:
    """A variance component in words; that of system, item and participant has the residual."""
    names = " × ".join(facets)
    return f"{names}, and the rest" if len(facets) == len(("system", "item", "person")) else names


def _value(name: str) -> CellFunction:
    return lambda row, _: row.get(name)


def _label(name: str) -> CellFunction:
    return lambda row, view: view.labels.get(row.get(name, ""), row.get(name))


def _both(row: Row, labels: Labels, between: str) -> str:
    return between.join(labels.get(row[name], row[name]) for name in ("first", "second"))


def _pair(between: str) -> CellFunction:
    return lambda row, view: _both(row, view.labels, between)


def _page(row: Row, _: TableView) -> Cell:
    name = PAGES[row["page"]]
    return name if row["place"] is None else f"{name} {row['place']}"


def _joined(name: str, between: str, words: Mapping[str, str] | None = None) -> CellFunction:
    def cell(row: Row, view: TableView) -> Cell:
        known = view.labels if words is None else words
        return between.join(known.get(each, each) for each in row[name]) or None

    return cell


def _interval(row: Row, _: TableView) -> Cell:
    return None if row.get("low") is None else IntervalEnds(row["low"], row["high"])


def _seconds_per_page(row: Row, _: TableView) -> Cell:
    return row["seconds"] / row["pages"] if row.get("seconds") else None


def _are_minutes(view: TableView) -> bool:
    """Long times are in seconds for programs and in minutes for people."""
    return view.medium != "csv" and view.source.facts.get("unit") == "minutes"


def _in_unit(cell: CellFunction) -> CellFunction:
    def in_unit(row: Row, view: TableView) -> Cell:
        seconds = cell(row, view)
        if not _are_minutes(view):
            return seconds
        if isinstance(seconds, IntervalEnds):
            return IntervalEnds(seconds.low / 60, seconds.high / 60)
        return seconds / 60 if isinstance(seconds, int | float) else None

    return in_unit


# The columns


def _column(
    name: str,
    tables: Mapping[str, str],
    digits: int | None = None,
    heading: str = "",
    *,
    kind: Kind | None = None,
    key: str = "",
    cell: CellFunction | None = None,
    is_time: bool = False,
) -> ColumnEntry:
    """`name` is that of the column in files, `key` that in frames where it is another."""
    get = cell or _value(key or name.replace(" ", "_"))
    made = ColumnEntry(
        name,
        _in_unit(get) if is_time else get,
        tables,
        kind or ("text" if digits is None else "number"),
        digits,
        heading,
        when="any",
    )
    if not is_time:
        return made
    return replace(
        made,
        digits=lambda view: _MINUTE_DIGITS if _are_minutes(view) else digits or 0,
        heading=lambda view: _unit_heading(heading, name, view),
    )


def _unit_heading(heading: str, name: str, view: TableView) -> str:
    """In minutes where the times are, and a heading names their unit."""
    title = heading or capital(name)
    in_minutes = title.replace("Seconds", "Minutes").replace("seconds", "minutes")
    return in_minutes if _are_minutes(view) and in_minutes != title else heading


def _numbers(names: Iterable[str], tables: Mapping[str, str]) -> list[ColumnEntry]:
    """Counts, named after their columns in frames."""
    return [_column(name, tables, 0) for name in names]


def _times(names: Iterable[str], tables: Mapping[str, str], digits: int = 0) -> list[ColumnEntry]:
    """Seconds, named after their columns in frames."""
    return [_column(name, tables, digits, is_time=True) for name in names]


COLUMNS: Sequence[ColumnEntry] = (
    _column("system", {"scores": ALL, "coverage": ALL, "copied-inputs": ALL},
            cell=_label("system")),
    _column("about", {"profile": "csv paper", "remarks": ALL}),
    _column("asked", {"profile": "csv paper terminal", "remarks": ALL}),
    _column("answer", {"profile": ALL}, cell=lambda row, _: row["answer"] or "not said"),
    _column("step", {"arrivals": ALL}),
    _column("people", {"arrivals": ALL}, 0),
    _column("page", {"times-pages": CSV, "times-shares": CSV, "times-bins": CSV}),
    _column("place", {"times-pages": CSV, "times-shares": CSV, "times-bins": CSV}, 0),
    _column("page", {"times-pages": SHOWN, "times-shares": SHOWN, "times-bins": SHOWN},
            cell=_page),
    _column("batch", {"times-batches": ALL}),
    _column("share", {"times": ALL}, 2),
    _column("score", {"scores": ALL}, cell=lambda row, _: row["score"] or "not on the scale"),
    _column("count", {"scores": ALL}, 0),
    _column("percent", {"scores": ALL}, 1),
    _column("row", {"wins": ALL}, cell=_label("row")),
    _column("column", {"wins": ALL}, cell=_label("column")),
    *_numbers(("wins", "losses", "ties"), {"wins": ALL}),
    _column("win percent", {"wins": ALL}, 1),
    _column("rank", {"units": CSV}, 1),
    _column("participant", {"own-differences": ALL, "people": ALL, "times-people": ALL,
                            "remarks": ALL}),
    _column("item", {"units": CSV, "remarks": ALL}),
    _column("item", {"units": SHOWN}, cell=lambda row, _: unit_name(row)),
    _column("systems", {"units": ALL}, heading="Output of", cell=_joined("systems", " and ")),
    _column("system", {"remarks": ALL}, cell=_joined("systems", " against ")),
    _column("remark", {"remarks": CSV}, key="text"),
    _column("remark", {"remarks": SHOWN}, cell=lambda row, _: shorten_remark(row["text"])),
    _column("first", {"coverage-pairs": CSV, "own-differences": CSV, "identical-outputs": CSV},
            cell=_label("first")),
    _column("second", {"coverage-pairs": CSV, "own-differences": CSV, "identical-outputs": CSV},
            cell=_label("second")),
    _column("first", {"people-pairs": ALL}),
    _column("second", {"people-pairs": ALL}),
    _column("systems", {"coverage-pairs": SHOWN, "identical-outputs": SHOWN}, cell=_pair(", ")),
    _column("systems", {"own-differences": SHOWN}, cell=_pair(" – ")),
    _column("segment", {"units": CSV}, 0),
    _column("task", {"units": CSV}),
    _column("judgments", {"coverage": ALL}, 0),
    _column("judgments", {"people": ALL}, 0, "n"),
    _column("difference", {"own-differences": ALL}, 2, key="value"),
    _column("interval", {"own-differences": ALL}, 2, kind="interval", cell=_interval),
    *_times(["seconds"], {"times": ALL, "times-shares": ALL}, 1),
    _column("interval", {"times": ALL}, 1, kind="interval", cell=_interval, is_time=True),
    *(_column(name, {"times-shares": ALL}, 3) for name in ("share", "low", "high")),
    *_times(("low", "high"), {"times-bins": ALL}, 1),
    _column("items", {"coverage": ALL, "own-differences": ALL, "identical-outputs": ALL}, 0),
    _column("participants", {"coverage": ALL, "times-batches": ALL, "profile": ALL}, 0),
    _column("of those analysed", {"profile": "csv page paper"}, 0, key="participants_kept"),
    _column("outputs", {"copied-inputs": ALL}, 0),
    _column("identical to input", {"copied-inputs": ALL}, 0, key="identical"),
    _column("identical", {"identical-outputs": ALL}, 0),
    _column("share, percent", {"copied-inputs": ALL, "identical-outputs": ALL}, 1, key="share"),
    *_numbers(("shared items", "shared participants"), {"coverage-pairs": ALL}),
    _column("information share", {"coverage-pairs": CSV}, 3),
    _column("information within items, %", {"coverage-pairs": SHOWN}, 0,
            cell=lambda row, _: 100 * row["information_share"]),
    _column("n", {"units": ALL, "people-pairs": ALL, "times-pages": ALL, "times-bins": ALL}, 0,
            "n"),
    _column("disagreement", {"units": ALL}, 2),
    _column("largest difference", {"units": "csv paper page"}, 2),
    _column("slowness", {"units": ALL}, 2),
    _column("off alpha", {"units": "csv paper page"}, 3, key="contribution"),
    _column("rank off alpha", {"units": CSV}, 0, key="contribution_rank"),
    _column("longest run", {"people": "csv page"}, 0),
    _column("most frequent answer, percent", {"people": ALL}, 0, "Most frequent, %",
            key="modal_share"),
    *_numbers(("pages",), {"people": CSV, "times-people": ALL, "times-batches": CSV}),
    *_times(("seconds",), {"people": CSV, "times-people": ALL}),
    *_times(("wall seconds", "active seconds"), {"times-people": "csv page"}),
    _column("pauses", {"times-people": "csv page"}, 0,
            cell=lambda row, _: None if row["wall_seconds"] is None else row["pauses"]),
    *_times(("least", "mean", "median", "most", "sd"), {"times-people": ALL}),
    *_times(("mean", "median", "least", "most", "mean of pages"), {"times-batches": ALL}, 1),
    *_times(("least",), {"times-pages": ALL}, 1),
    _column("lower", {"times-pages": ALL}, 1, "Lower quarter", is_time=True),
    *_times(("median",), {"times-pages": ALL}, 1),
    _column("upper", {"times-pages": ALL}, 1, "Upper quarter", is_time=True),
    *_times(("most",), {"times-pages": ALL}, 1),
    *_times(("mean", "sd"), {"times-pages": CSV}, 1),
    _column("seconds per page", {"people": SHOWN}, 1, cell=_seconds_per_page),
    _column("first shown, percent", {"people": ALL}, 1, "First shown, %", key="first_shown"),
    _column("first shown, n", {"people": CSV}, 0, key="first_shown_n"),
    _column("first shown, p", {"people": CSV}, 4, kind="p", key="first_shown_p"),
    _column("first shown, p corrected", {"people": ALL}, 4, "p (Holm)", kind="p",
            key="first_shown_p_adjusted"),
    _column("judged again", {"people": CSV}, 0, key="repeats"),
    _column("same again, percent", {"people": "csv page"}, 0, "Same again, %", key="same_again"),
    _column("agreement with others, percent", {"people": ALL}, 0, "Like others, %",
            key="agreement"),
    _column("agreement, n", {"people": CSV}, 0, key="agreement_n"),
    _column("with the majority, percent", {"people": "csv page"}, 0, "With the majority, %",
            key="with_majority"),
    _column("with the majority, n", {"people": "csv page"}, 0, "n of these", key="with_majority_n"),
    _column("correlation with others", {"people": ALL}, 2, "Correlation", key="correlation"),
    _column("others", {"people": CSV}, 0),
    _column("flags", {"people": CSV}, cell=_joined("flags", ", ", {})),
    _column("stands out by", {"people": SHOWN}, cell=_joined("flags", ", ", FLAGS)),
    _column("spearman", {"people-pairs": ALL}, 3),
    _column("pearson", {"people-pairs": ALL}, 3),
    _column("percent", {"people-pairs": ALL}, 1),
    _column("part", {"variance": ALL}, cell=lambda row, _: _part_name(row["part"])),
    _column("variance", {"variance": ALL}, 3),
    _column("share, percent", {"variance": ALL}, 1, "Share, %",
            cell=lambda row, _: None if row["share"] is None else 100 * row["share"]),
    _column("note", {"variance": "csv"}, cell=lambda row, _: row["note"] or None),
    _column("grows by", {"reliability": ALL}),
    *_numbers(("participants", "items"), {"reliability": ALL}),
    _column("judgments of each system", {"reliability": "csv"}, 0, key="judgments"),
    _column("reliability of the order", {"reliability": ALL}, 2, "Order", key="relative"),
    _column("reliability of the means", {"reliability": ALL}, 2, "Means", key="absolute"),
    _column("cost", {"reliability": ALL}, 0),
    _column("kappa", {"people-pairs": ALL}, 3),
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
    mean = frame.facts["mean_kappa"]
    kappa = f" Mean of Cohen’s kappa over pairs: {mean:.2f}." if isinstance(mean, float) else ""
    return (
        f"Pairs of participants on {frame.question}: {LIKENESS[str(frame.facts['measure'])]}, over "
        f"the units that both judged, three or more.{kappa}"
    )


def _times_caption(frame: Frame) -> str:
    return f"Quantiles of times. {frame.facts['pages']} pages. {MEASURED}"


def _variance(frame: Frame) -> str:
    notes = (f" {_part_name(row['part'])}: {row['note']}" for row in frame.rows if row["note"])
    return f"Where the variance of a single score on {frame.question} comes from.{''.join(notes)}"


def _reliability(frame: Frame) -> str:
    """Of the order of systems and of their means."""
    currency, method = frame.facts.get("currency"), frame.facts.get("method")
    cost = f" Cost in {currency}." if currency else ""
    return (
        f"Reliability of the order of systems (Eρ²) and of their means (Φ) on {frame.question}, "
        f"for studies with other numbers of participants or of items.{cost} "
        f"{capital(f'{method}.') if method else ''}"
    ).strip()


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
    "copied-inputs": TableText(
        "Outputs of judged items that are identical to their input, apart from white space, by "
        "system."
    ),
    "identical-outputs": TableText(
        "Judged items for which two systems have the same output, apart from white space."
    ),
    "times": TableText(_times_caption),
    "times-pages": TableText(f"Seconds on each page. {MEASURED_ON_PAGES}", MOST_IN_PRINT),
    "times-shares": TableText(
        "Share of times up to a number of seconds, with a band that holds for all of them at once. "
        f"{MEASURED_ON_PAGES}",
        MOST_IN_PRINT,
    ),
    "times-bins": TableText(
        "How many times were longer than the first and at most the second number of seconds; the "
        f"last bin has all longer ones. {MEASURED_ON_PAGES}",
        MOST_IN_PRINT,
    ),
    "times-people": TableText(
        f"Time of each participant on pages, in {{unit}}. {MEASURED} {_BY_THE_CLOCK}", MOST_IN_PRINT
    ),
    "times-batches": TableText(
        f"Total time of the participants of each batch, in {{unit}}. {MEASURED}", MOST_IN_PRINT
    ),
    "arrivals": TableText(
        "How many people came, whether or not they judged anything, and how many of them agreed to "
        "take part and did not pass the qualification."
    ),
    "profile": TableText("Who took part: counts of participants."),
    "variance": TableText(_variance),
    "reliability": TableText(_reliability),
    "remarks": TableText("What participants wrote in their own words.", MOST_IN_PRINT),
}
_ADDRESS: Sequence[ColumnEntry] = (
    *(_column(name, dict.fromkeys(TABLES, "csv")) for name in ("question", "group")),
    *(
        replace(_column(name, dict.fromkeys(TABLES, "paper")), is_block=True, when="many")
        for name in ("question", "group")
    ),
)
