"""The tables of Mechanical Turk: input (one HIT in a row) and results (one assignment in a row).

Many requesters put several items into one HIT, in columns such as `input0`, `input1` and so on.
`melt` turns such a row into one record for each item, in the order in which they were shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

from rejudge.errors import FileError, Problem
from rejudge.exchange.survey_tables import SurveyTable
from rejudge.study.page_layout import split_name

INPUT: Final = "Input."
ANSWER: Final = "Answer."
_NEEDED: Final = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus")
_TIME = re.compile(r"\w{3} (\w{3}) (\d{1,2}) (\d\d):(\d\d):(\d\d) (\w{3,4}) (\d{4})")
_MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905 - a line
_HOURS: Final[Mapping[str, int]] = {
    "UTC": 0, "GMT": 0, "PST": -8, "PDT": -7, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
    "MST": -7, "MDT": -6,
}  # fmt: skip
_MOST_OUTPUTS: Final = 8  # side by side; more numbers than this can only be items
_SAME_SHARE: Final = 0.5  # of the indices: then a column is missing rather than of another kind


@dataclass(frozen=True, slots=True)
class HitAssignment:
    """One row of results: what one worker answered in one HIT."""

    file: str
    row: int  # as a spreadsheet counts, from 1
    hit: str
    id: str
    worker: str  # never leaves the reader of the file
    status: str
    accepted_at: datetime | None
    submitted_at: datetime | None
    seconds: float | None
    wanted: int | None  # assignments of this HIT
    about: Mapping[str, str]  # reward, title and so on
    inputs: Mapping[str, str]
    answers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Shape:
    """How the columns of a HIT divide into items."""

    indices: tuple[int, ...]  # of the items in a row; empty: one item
    columns: Mapping[tuple[str, int], str]  # by stem and index
    shared: tuple[str, ...]  # the same for all items of a row

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of what a record has."""
        return (*dict.fromkeys(stem for stem, _ in self.columns), *self.shared)


def is_results(header: Sequence[str]) -> bool:
    """Whether a table has results of HITs."""
    return all(name in header for name in _NEEDED)


def shape_of(columns: Sequence[str], answers: Iterable[str], *, file: str) -> Shape:
    """Whether a HIT has several items, seen from numbers at the end of its columns' names.

    Where answers are known, some of them must have the same numbers: otherwise output1 and output2
    are two outputs of one item.
    """
    stems = _stems(columns, file=file)
    items = _items_of(stems, list(answers), file=file)
    if items is None:
        return Shape((), {}, tuple(columns))
    _refuse_gaps(stems, items, file=file)
    named = {
        (stem, index): name
        for stem, found in stems.items()
        if set(found) == items
        for index, name in found.items()
    }
    used = set(named.values())
    return Shape(tuple(sorted(items)), named, tuple(name for name in columns if name not in used))


def _items_of(
    stems: Mapping[str, Mapping[int, str]], answers: Sequence[str], *, file: str
) -> frozenset[int] | None:
    """The numbers of the items of a HIT; None for one item."""
    asked = {frozenset(indices) for indices in _stems(answers, file=file).values()}
    support = {
        each: sum(_nearly_covers(other, each) for other in stems.values())
        for each in {frozenset(indices) for indices in stems.values() if len(indices) > 1}
    }
    common = [
        each
        for each, count in support.items()
        if each in asked or (count > 1 and (not answers or len(each) > _MOST_OUTPUTS))
    ]
    return max(common, key=lambda each: (support[each], len(each)), default=None)


def _nearly_covers(found: Collection[int], items: frozenset[int]) -> bool:
    """Whether a column of each of these items is there, but for some that may be missing."""
    return len(items & set(found)) > _SAME_SHARE * len(items)


def melt(row: Mapping[str, str], shape: Shape) -> Iterator[dict[str, str]]:
    """The items of a HIT in their order, each with its own fields and the shared ones."""
    shared = {name: row.get(name, "") for name in shape.shared}
    if not shape.indices:
        yield shared
        return
    stems = tuple(dict.fromkeys(stem for stem, _ in shape.columns))
    for index in shape.indices:
        yield {stem: row.get(shape.columns[stem, index], "") for stem in stems} | shared


def read_assignments(table: SurveyTable) -> tuple[HitAssignment, ...]:
    """All assignments of a results file, whatever their status."""
    problems: list[Problem] = []
    found = []
    for row, number in zip(table.records(), table.numbers[1:], strict=True):
        problems += _empty_ids(row, number, table.file)
        times = []
        for column in ("AcceptTime", "SubmitTime"):
            moment = _moment(row.get(column, ""))
            if moment is None and row.get(column, "").strip():
                what = f"'{row[column]}' is not a time of Mechanical Turk."
                place = f"row {number}, {column}"
                problems.append(Problem(what, _AS_EXPORTED, table.file, field=place))
            times.append(moment)
        found.append(_assignment(row, number, table.file, (times[0], times[1])))
    if problems:
        raise FileError(*problems[:20])
    return tuple(found)


def _empty_ids(row: Mapping[str, str], number: int, file: str) -> Iterator[Problem]:
    for column in ("HITId", "AssignmentId", "WorkerId"):
        if not row[column].strip():
            what = f"{column} is empty, so it is not known whose answers these are."
            yield Problem(what, _AS_DOWNLOADED, file, field=f"row {number}")


_AS_DOWNLOADED = "Use the file as it was downloaded, or remove the row."
_AS_EXPORTED = "Use the file as it was downloaded; a spreadsheet changes times."


def flatten_answers(cells: Mapping[str, str]) -> dict[str, str]:
    """Answers by name, however the form sent them; several choices are joined by `|`."""
    flat: dict[str, str] = {}
    boxes: dict[str, list[str]] = {}
    for name, cell in cells.items():
        if name == "taskAnswers":
            flat |= _json_answers(cell)
        elif name.endswith(".label"):
            flat[name.removesuffix(".label")] = cell
        elif "." in name and cell.strip().casefold() in {"true", "false"}:
            field, _, value = name.rpartition(".")
            boxes.setdefault(field, [])
            if cell.strip().casefold() == "true":
                boxes[field].append(value)
        else:
            flat[name] = cell
    flat |= {field: "|".join(chosen) for field, chosen in boxes.items()}
    return {name: cell.strip() for name, cell in flat.items() if cell.strip()}


def _assignment(
    row: Mapping[str, str],
    number: int,
    file: str,
    times: tuple[datetime | None, datetime | None],
) -> HitAssignment:
    inputs = {n.removeprefix(INPUT): c for n, c in row.items() if n.startswith(INPUT)}
    answers = {n.removeprefix(ANSWER): c for n, c in row.items() if n.startswith(ANSWER)}
    about = ("Title", "Description", "Keywords", "Reward", "AssignmentDurationInSeconds",
             "RequesterAnnotation", "CreationTime")  # fmt: skip
    return HitAssignment(
        file=file,
        row=number,
        hit=row["HITId"].strip(),
        id=row["AssignmentId"].strip(),
        worker=row["WorkerId"].strip(),
        status=row["AssignmentStatus"].strip(),
        accepted_at=times[0],
        submitted_at=times[1],
        seconds=_number(row.get("WorkTimeInSeconds", "")),
        wanted=int(_number(row.get("MaxAssignments", "")) or 0) or None,
        about={name: row.get(name, "").strip() for name in about},
        inputs=inputs,
        answers=flatten_answers(answers),
    )


def _json_answers(cell: str) -> dict[str, str]:
    """The answers of a crowd form: a JSON list with one object."""
    try:
        found = json.loads(cell)
    except ValueError:
        return {}
    objects = found if isinstance(found, list) else [found]
    flat: dict[str, str] = {}
    for each in objects:
        if isinstance(each, dict):
            for name, value in each.items():
                flat |= dict(_json_answer(name, value))
    return flat


def _json_answer(name: str, value: Any) -> Iterator[tuple[str, str]]:  # any JSON value
    if isinstance(value, dict):
        if value and all(isinstance(each, bool) for each in value.values()):
            yield name, "|".join(key for key, chosen in value.items() if chosen)
        elif set(value) == {"label"}:
            yield name, str(value["label"])
        else:
            for key, inner in value.items():
                yield from _json_answer(f"{name}.{key}", inner)
    elif isinstance(value, bool):
        yield name, "true" if value else "false"
    elif value is not None:
        yield name, value if isinstance(value, str) else json.dumps(value)


def _stems(names: Iterable[str], *, file: str) -> dict[str, dict[int, str]]:
    stems: dict[str, dict[int, str]] = {}
    for name in names:
        stem, index = split_name(name)
        if index is None or not stem:
            continue
        found = stems.setdefault(stem, {})
        if index in found:
            what = f"'{found[index]}' and '{name}' have the same number."
            raise FileError(Problem(what, "Rename one of the columns.", file=file))
        found[index] = name
    return stems


def _refuse_gaps(
    stems: Mapping[str, Mapping[int, str]], items: frozenset[int], *, file: str
) -> None:
    gone = sorted(set(range(min(items), max(items) + 1)) - items)
    missing = [f"number {index} of all items" for index in gone]
    for stem, found in stems.items():
        if set(found) != items and _nearly_covers(found, items):
            missing += [f"{stem}{index}" for index in sorted(items - set(found))]
    if missing:
        what = f"columns are missing: {', '.join(missing[:10])}."
        raise FileError(Problem(what, "Give the complete file.", file=file))


def _moment(cell: str) -> datetime | None:
    found = _TIME.fullmatch(cell.strip())
    if found is None or found[1] not in _MONTHS or found[6] not in _HOURS:
        return None
    zone = timezone(timedelta(hours=_HOURS[found[6]]))
    day, hour, minute, second, year = (int(found[n]) for n in (2, 3, 4, 5, 7))
    try:
        local = datetime(year, _MONTHS.index(found[1]) + 1, day, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None
    return local.astimezone(UTC)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
