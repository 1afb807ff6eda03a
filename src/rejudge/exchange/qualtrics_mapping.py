"""What the columns of other people's surveys mean: a mapping file or the export tags say it.

A mapping file is a CSV with a row for each export tag: `tag`, `item`, `question`, and `system` or
`system_a` and `system_b`. `batch`, `position`, `dataset`, `kind` and `choices` (`1=a|2=b`) may
follow; further columns, such as the difficulty of an item, stay beside the judgments. The manifest
that `rejudge export --to qualtrics` writes is such a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

from rejudge.errors import FileError, Problem
from rejudge.exchange.survey_tables import SurveyTable
from rejudge.judgments.table import Choice, Judgment, Kind
from rejudge.spreadsheet import unescape

NEEDED: Final = ("tag", "item", "question")
_KNOWN: Final = frozenset(
    (*NEEDED, "system", "system_a", "system_b", "batch", "task", "position", "dataset", "kind",
     "choices", "control")
)  # fmt: skip
_SHOWN = 10
_EXAMPLE = "tag,item,question,system"
_PARTS = re.compile(r"(?P<item>.+?)__(?P<system>.+?)(?:__(?P<question>.+))?")
_LEADING_NUMBER = re.compile(r"\s*(-?\d+(?:\.\d+)?)(?![\d.,])")
_CHOICES: Mapping[str, Choice] = {"a": "a", "b": "b", "tie": "tie", "1": "a", "2": "b"}


@dataclass(frozen=True, slots=True)
class MappedTag:
    """What a cell under one export tag judges."""

    tag: str
    judged: Judgment  # all but person, value and time
    choices: Mapping[str, str]  # cell → value; empty: the cell is the value
    batch: str
    further: Mapping[str, str] = field(default_factory=dict)  # other columns of the mapping

    @property
    def is_comparison(self) -> bool:
        """Whether two systems are compared."""
        return self.judged.system is None

    def value(self, cell: str) -> float | Choice | None:
        """The value that a cell stands for; None if it stands for none."""
        known = self.choices.get(cell)
        if self.choices and known is None:
            return None
        word = known if known is not None else cell
        if self.is_comparison:
            return _CHOICES.get(word.casefold())
        number = _LEADING_NUMBER.match(word)
        return None if number is None else float(number[1])


def is_mapping(header: Sequence[str]) -> bool:
    """Whether a table is a mapping of export tags."""
    return all(name in header for name in NEEDED)


def read_mapping(table: SurveyTable) -> dict[str, MappedTag]:
    """The meaning of each export tag, or every fault of the file."""
    problems: list[Problem] = []
    mapped: dict[str, MappedTag] = {}
    for row, number in zip(table.records(), table.numbers[1:], strict=True):
        found = _mapped(row)
        if isinstance(found, str) or found.tag in mapped:
            what = found if isinstance(found, str) else f"the tag '{found.tag}' is listed twice."
            problems.append(Problem(what, "Correct the row.", table.file, field=f"row {number}"))
        else:
            mapped[found.tag] = found
    if problems:
        raise FileError(*problems[:20])
    return mapped


def mapping_from_tags(tags: Iterable[str]) -> dict[str, MappedTag]:
    """What tags such as `item__system__question` say by themselves; others are left out."""
    mapped = {}
    for tag in tags:
        parts = _PARTS.fullmatch(tag)
        if parts is not None:
            judged = Judgment(
                None, parts["item"], parts["question"] or "rating", 0.0, system=parts["system"]
            )
            mapped[tag] = MappedTag(tag, judged, {}, "")
    return mapped


def no_mapping(tags: Sequence[str], *, file: str) -> FileError:
    """The error for a survey whose columns are not explained."""
    more = f" and {len(tags) - _SHOWN} more" if len(tags) > _SHOWN else ""
    shown = ", ".join(tags[:_SHOWN]) + more
    what = f"it is not known which item and system the columns are about: {shown}."
    remedy = (
        f"Give a mapping file as well, a CSV with the columns {_EXAMPLE} and one row for each "
        "of these tags; or name the study if rejudge wrote the survey."
    )
    return FileError(Problem(what, remedy, file=file))


def _mapped(row: Mapping[str, str]) -> MappedTag | str:
    cells = {name: unescape(cell.strip()) for name, cell in row.items()}
    for name in NEEDED:
        if not cells.get(name):
            return f"`{name}` is empty."
    pair = cells.get("system_a", ""), cells.get("system_b", "")
    system = cells.get("system", "")
    if bool(system) == all(pair) or any(pair) != all(pair):
        return "a row needs a `system`, or `system_a` and `system_b`."
    kind = cells.get("kind") or "real"
    position = cells.get("position", "")
    if kind not in get_args(Kind) or (position and not position.isdecimal()):
        return f"`kind` must be one of {', '.join(get_args(Kind))}, `position` a whole number."
    judged = Judgment(
        None,
        cells["item"],
        cells["question"],
        0.0,
        system=system or None,
        system_a=pair[0] or None,
        system_b=pair[1] or None,
        side="a" if all(pair) else None,
        dataset=cells.get("dataset") or None,
        batch=cells.get("batch") or None,
        task=cells.get("task") or None,
        position=int(position) if position else None,
        kind=kind,  # type: ignore[arg-type]  # is one of them, see above
    )
    choices = (each.partition("=") for each in cells.get("choices", "").split("|") if "=" in each)
    named = {cell.strip(): value.strip() for cell, _, value in choices}
    further = {name: cell for name, cell in cells.items() if name and name not in _KNOWN}
    return MappedTag(cells["tag"], judged, named, cells.get("batch", ""), further)
