"""Which system an item shows: a field of the item itself, or a row of a table beside the files.

Most annotation tools know texts but not systems. Their items usually have a field that names the
system; its usual spellings are found, and others can be given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from rejudge.errors import FileError, Problem, UsageError
from rejudge.exchange.opening import Document, Record, open_documents
from rejudge.exchange.values import clean
from rejudge.judgments.duplicates import MOST_DUPLICATES

Role: TypeAlias = Literal["item", "dataset", "system", "system_a", "system_b", "systems"]

_SPELLINGS: Final[Mapping[str, str]] = {
    "item": "item item_id instance_id id",
    "dataset": "dataset corpus",
    "system": "system model system_id model_id system_name model_name",
    "system_a": "system_a model_a system_1 model_1 system_left model_left",
    "system_b": "system_b model_b system_2 model_2 system_right model_right",
    "systems": "systems models",
    "answers": "",  # fields that hold answers have names of their own
}
_KEYS: Final = ("id", "instance_id", "item_id", "item")  # of a table of items
_NESTED: Final = ("meta", "metadata", "data")  # fields in which tools keep what they were given
_SHOWN: Final = 12  # names of fields in a message


@dataclass(frozen=True, slots=True)
class ItemFields:
    """Where roles are found: fields by role as given, and rows of a table of items by their id."""

    columns: Mapping[str, str] = field(default_factory=dict)  # an empty name turns a role off
    table: Mapping[str, Record] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)  # new names by the tool's
    most_repeated: float = MOST_DUPLICATES  # share of judgments that may be given again

    @classmethod
    def read(
        cls,
        columns: Mapping[str, str],
        table: Path | None,
        questions: Mapping[str, str] | None = None,
        *,
        most_repeated: float = MOST_DUPLICATES,
    ) -> ItemFields:
        """From what was typed; `table` is a CSV or JSON file with one row for each item."""
        unknown = [role for role in columns if role not in _SPELLINGS]
        if unknown:
            what = f"there is no role '{unknown[0]}' here."
            remedy = f"Roles are {', '.join(_SPELLINGS)}."
            raise UsageError(Problem(what, remedy, field="--columns"))
        rows = {} if table is None else _read_table(table)
        return cls(columns, rows, questions or {}, most_repeated)

    @property
    def answers(self) -> tuple[str, ...]:
        """The fields that were named as answers."""
        return tuple(self.columns.get("answers", "").split("|"))

    def question(self, name: str) -> str:
        """What a question of the tool is to be called."""
        return self.questions.get(name, name)

    def resolve(self, tool_id: str | None, data: Record) -> tuple[str, Record]:
        """What an item is called, and its fields together with those of the table."""
        row = self.table.get(tool_id or "", {})
        named = next((found for each in (row, data) if (found := self.find("item", each))), None)
        return clean(named) or tool_id or "item", {**data, **row}

    def find(self, role: Role, data: Record) -> Any:
        """The value of a role among the fields of an item, or None."""
        if role in self.columns:
            return _at_path(data, self.columns[role])
        known = _spellings(role)
        for each in (data, *(data.get(name) for name in _NESTED)):
            if isinstance(each, Mapping):
                fitting = [name for name in each if isinstance(name, str) and _plain(name) in known]
                for name in sorted(fitting, key=lambda name: _plain(name) != _plain(role)):
                    if each[name] not in (None, ""):
                        return each[name]
        return None

    def names(self, data: Record) -> str:
        """The fields of an item that could be named, for messages."""
        names = [name for name, value in _flat(data) if not isinstance(value, Mapping)]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return ", ".join(names[:_SHOWN]) + more

    def is_role(self, name: str) -> bool:
        """Whether a field says what was judged, so that it is not itself an answer."""
        is_usual = any(_plain(name) in _spellings(role) for role in _SPELLINGS)
        return is_usual or name in self.columns.values()

    def is_off(self, role: Role) -> bool:
        """Whether the user said that nothing has this role."""
        return self.columns.get(role) == ""


def _read_table(file: Path) -> dict[str, Record]:
    (document,) = open_documents([file], (".csv",))
    found: dict[str, Record] = {}
    for row in _rows_of(document):
        key = next((clean(row[name]) for name in _KEYS if name in row), None)
        if key is None:
            what = "a row of the table of items has no id."
            remedy = f"Add a column with the ids of the tool: {' or '.join(_KEYS)}."
            raise FileError(Problem(what, remedy, file=document.name, field="--items"))
        if key in found:
            what = f"item '{key}' has two rows."
            raise FileError(Problem(what, "Leave one out.", file=document.name, field="--items"))
        found[key] = row
    return found


def _rows_of(document: Document) -> Iterator[Record]:
    if not document.name.lower().endswith((".json", ".jsonl", ".ndjson")):
        head, rows = document.table()
        yield from (dict(zip(head, row.cells, strict=False)) for row in rows)
        return
    for line, value in document.records():
        if not isinstance(value, dict):
            what = "an item must be an object with fields."
            raise FileError(
                Problem(what, "Check the table of items.", file=document.name, line=line)
            )
        yield value


def _at_path(data: Record, path: str) -> Any:
    """A field by its name, or by names joined with dots; list elements are numbered from 0."""
    if path in data or not path:
        return data.get(path)
    value: Any = data
    for name in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, Sequence) and not isinstance(value, str) and name.isdecimal():
            value = value[int(name)] if int(name) < len(value) else None
        else:
            return None
    return value


def _flat(data: Record) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        yield str(name), value
        if isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", each) for inner, each in value.items())


@cache
def _spellings(role: str) -> frozenset[str]:
    return frozenset(_plain(each) for each in _SPELLINGS[role].split())


@lru_cache(maxsize=4096)  # every item has the same fields
def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
