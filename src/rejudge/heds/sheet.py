"""A datasheet: the entries of a file, and the answers that they hold.

A `Sheet` keeps every key of the file it was read from, in order. Edits return a new sheet in which
only the entries of the edited answer differ; a file is written in the layout of the official form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from rejudge import incoming
from rejudge.errors import DataError, FileError, Problem
from rejudge.fingerprint import Json
from rejudge.heds.answers import SheetAnswer, says_absent, written_form
from rejudge.heds.schema import (
    CRITERION_LIST,
    SheetQuestion,
    SheetSchema,
    Version,
    detect_version,
    schema,
)

EXTRA_KEY: Final = "x-rejudge"  # ours; both forms keep keys they do not know
LIMIT: Final = 16 << 20  # bytes; a sheet with thirty criteria has less than one megabyte
_OUTSIDE: Final = ""  # the key of answers that do not belong to a criterion


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A question, and for section 4 the criterion it is answered for."""

    question: SheetQuestion
    criterion: str | None = None

    @property
    def key(self) -> str:
        """Under which key its entries hold the answer."""
        return _OUTSIDE if self.criterion is None else self.criterion

    def __str__(self) -> str:
        return self.question.number + (f" ({self.criterion})" if self.criterion else "")


@dataclass(frozen=True, slots=True)
class HiddenText:
    """An explanation that is stored, but that no ticked option asks for: the form hides it."""

    question: SheetQuestion
    criterion: str | None
    text: str


@dataclass(frozen=True)
class Sheet:
    """A filled datasheet, or one to be filled."""

    version: Version
    entries: Mapping[str, Json]
    is_mixed: bool = False  # a 2.x sheet that was opened and saved in the form of 3.0
    file: str | None = field(default=None, repr=False, compare=False)

    @cached_property
    def schema(self) -> SheetSchema:
        """The questions of its version."""
        return schema(self.version)

    @cached_property
    def criteria(self) -> tuple[str, ...]:
        """The quality criteria, in the order of the file."""
        return tuple(name for name in self._control if name != _OUTSIDE)

    @property
    def open_criterion(self) -> str | None:
        """The criterion whose tab the form opens."""
        return next((name for name, is_open in self._control.items() if is_true(is_open)), None)

    @cached_property
    def orphans(self) -> tuple[str, ...]:
        """Criteria with answers that are not in the list: deleted in the form, but still stored."""
        found = dict.fromkeys(
            name
            for id_, entry in self.entries.items()
            if id_.startswith(f"{CRITERION_LIST}-") and isinstance(entry, dict)
            for member in ("data", "text")
            for name in _member(entry, member)
        )
        return tuple(name for name in found if name != _OUTSIDE and name not in self.criteria)

    @cached_property
    def hidden_texts(self) -> tuple[HiddenText, ...]:
        """Explanations that the form does not show."""
        return tuple(
            HiddenText(cell.question, cell.criterion, text)
            for cell in self.cells()
            if cell.question.is_choice and not self._explained(cell)
            if (text := self._text(cell)).strip()
        )

    @cached_property
    def unknown_keys(self) -> tuple[str, ...]:
        """Keys of the file that belong to no question of its version; they are kept."""
        known = {*self.schema.storage_ids, EXTRA_KEY}
        return tuple(key for key in self.entries if key not in known)

    def cells(self) -> Iterator[SheetCell]:
        """Everything that can be answered, in the order of the form."""
        per_criterion = [each for each in self.schema.questions if each.per_criterion]
        for question in self.schema.questions:
            if not question.per_criterion:
                yield SheetCell(question)
            elif question is per_criterion[0]:
                for name in self.criteria:
                    yield from (SheetCell(each, name) for each in per_criterion)

    def cell(self, question: SheetQuestion | str, criterion: str | None = None) -> SheetCell:
        """A question by its number or id, and the criterion where it needs one."""
        asked = self.schema.question(question) if isinstance(question, str) else question
        if asked.per_criterion and criterion is None:
            what = f"Question {asked.number} is answered for each criterion."
            raise DataError(Problem(what, "Say for which one."))
        return SheetCell(asked, criterion if asked.per_criterion else None)

    def answer(self, question: SheetQuestion | str, criterion: str | None = None) -> SheetAnswer:
        """What the sheet says; the explanation of a choice only where an option takes one."""
        cell = self.cell(question, criterion)
        options = self._ticked(cell)
        is_shown = not cell.question.is_choice or self._explained(cell)
        text = self._text(cell) if is_shown else ""
        return SheetAnswer(text, options, is_absent=says_absent(cell.question, text, options))

    def answers(self) -> Iterator[tuple[SheetCell, SheetAnswer]]:
        """All answers, in the order of the form."""
        for cell in self.cells():
            yield cell, self.answer(cell.question, cell.criterion)

    def with_answer(
        self,
        question: SheetQuestion | str,
        answer: SheetAnswer | str,
        *,
        criterion: str | None = None,
    ) -> Sheet:
        """The sheet with one answer changed; no other entry is touched.

        A hidden explanation is kept as long as the new answer has none of its own.
        """
        cell = self.cell(question, criterion)
        self._refuse_unknown_criterion(cell)
        given = SheetAnswer(answer) if isinstance(answer, str) else answer
        new = written_form(cell.question, given)
        takes_text = any(cell.question.option(key).takes_text for key in new.options)
        keeps = cell.question.is_choice and not new.text and not takes_text
        return self.with_stored(cell, replace(new, text=self._text(cell)) if keeps else new)

    def stored(self, cell: SheetCell) -> SheetAnswer:
        """What the file holds on a question, hidden text included."""
        options, text = self._ticked(cell), self._text(cell)
        return SheetAnswer(text, options, is_absent=says_absent(cell.question, text, options))

    def value_at(self, id_: str, cell: SheetCell) -> Json:
        """The value that an entry holds for a cell, whatever its type; None where there is none."""
        return self._stored(id_, "data", cell.key)

    def with_stored(self, cell: SheetCell, answer: SheetAnswer) -> Sheet:
        """The sheet with exactly this answer, hidden text included; nothing is checked."""
        changed = {
            cell.question.option_id(option.key): self._option_entry(cell, option.key, answer)
            for option in cell.question.options
        }
        if answer.text or not cell.question.is_choice or cell.question.text_id in self.entries:
            changed[cell.question.text_id] = self._text_entry(cell, answer.text)
        return self.with_entries(changed)

    def with_entries(self, changed: Mapping[str, Json]) -> Sheet:
        """The sheet with some entries replaced or added."""
        return replace(self, entries={**self.entries, **changed})

    def without_entries(self, keys: Iterable[str]) -> Sheet:
        """The sheet without some keys of its file."""
        gone = set(keys)
        kept = {key: value for key, value in self.entries.items() if key not in gone}
        return replace(self, entries=kept)

    def write(self) -> bytes:
        """The file, as the official form lays it out."""
        text = json.dumps(self.entries, ensure_ascii=False, indent=4)
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()

    @property
    def _control(self) -> Mapping[str, Json]:
        listed = self.entries.get(CRITERION_LIST)
        return _member(listed, "control") if isinstance(listed, dict) else {}

    def _refuse_unknown_criterion(self, cell: SheetCell) -> None:
        if cell.criterion is not None and cell.criterion not in self.criteria:
            known = ", ".join(self.criteria) or "none yet"
            what = f"The sheet has no criterion '{cell.criterion}'."
            raise DataError(Problem(what, f"Its criteria: {known}."))

    def _stored(self, id_: str, member: str, key: str) -> Json:
        entry = self.entries.get(id_)
        return _member(entry, member).get(key) if isinstance(entry, dict) else None

    def _ticked(self, cell: SheetCell) -> tuple[int, ...]:
        return tuple(
            option.key
            for option in cell.question.options
            if is_true(self._stored(cell.question.option_id(option.key), "data", cell.key))
        )

    def _explained(self, cell: SheetCell) -> bool:
        return any(cell.question.option(key).takes_text for key in self._ticked(cell))

    def _text(self, cell: SheetCell) -> str:
        return as_text(self._stored(cell.question.text_id, "data", cell.key))

    def _option_entry(self, cell: SheetCell, key: int, answer: SheetAnswer) -> Json:
        is_on = key in answer.options
        value = cell.question.option(key).value if is_on else ""
        old = self.entries.get(cell.question.option_id(key))
        entry = old if isinstance(old, dict) else {}
        new: dict[str, Json] = {
            "data": {**_member(entry, "data"), cell.key: is_on},
            "control": entry.get("control", {}),
            "text": {**_member(entry, "text"), cell.key: value},
        }
        return self._numbered(new, entry, cell.question.number)

    def _text_entry(self, cell: SheetCell, text: str) -> Json:
        old = self.entries.get(cell.question.text_id)
        entry = old if isinstance(old, dict) else {}
        new: dict[str, Json] = {
            "data": {**_member(entry, "data"), cell.key: text},
            "control": entry.get("control", {}),
        }
        return self._numbered(new, entry, None if cell.question.is_choice else cell.question.number)

    def _numbered(
        self, new: dict[str, Json], old: Mapping[str, Json], number: str | None
    ) -> dict[str, Json]:
        others = {name: value for name, value in old.items() if name not in {*new, "number"}}
        if self.schema.writes_number:
            new = {**new, "number": number}
        return {**new, **others}


def read(content: bytes, *, file: str | None = None, version: Version | None = None) -> Sheet:
    """A datasheet from the bytes of its file; the version is recognised where it is not given."""
    entries = _read_entries(content, file)
    found = detect_version(entries, file=file)
    sheet = Sheet(version or found.version, entries, found.is_mixed, file)
    problems = tuple(_malformed_entries(sheet, file))
    if problems:
        raise FileError(*problems)
    return sheet


def read_sheet(path: Path, *, version: Version | None = None) -> Sheet:
    """A datasheet from a file."""
    remedy = "Give the JSON file that the datasheet's form has saved."
    content = incoming.read_bytes(path, remedy=remedy, limit=LIMIT)
    return read(content, file=str(path), version=version)


@cache
def blank_sheet(version: Version) -> Sheet:
    """An untouched sheet, with every key that the form needs."""
    return complete_sheet(Sheet(version, {}))


def complete_sheet(sheet: Sheet) -> Sheet:
    """The sheet with every key of its version, all values in the types that the form expects."""
    whole = sheet.with_entries({CRITERION_LIST: _criterion_list(sheet)})
    return complete_questions(whole, sheet.schema.questions)


def complete_questions(sheet: Sheet, questions: Iterable[SheetQuestion]) -> Sheet:
    """The sheet with every key of some questions."""
    changed: dict[str, Json] = {}
    for question in questions:
        for option in question.options:
            id_ = question.option_id(option.key)
            changed[id_] = _whole_entry(sheet, id_, question, option.value)
        changed[question.text_id] = _whole_entry(sheet, question.text_id, question, None)
    return sheet.with_entries(changed)


def input_box(sheet: Sheet, opened: str | None) -> dict[str, Json]:
    """What the list of criteria holds as data: text left in the form's box for a new name."""
    old = sheet.entries.get(CRITERION_LIST)
    data = _member(old, "data") if isinstance(old, dict) else {}
    if any(as_text(value).strip() for value in data.values()):
        return data
    return {opened or _OUTSIDE: ""} if sheet.schema.writes_number else {}


def is_true(value: Json) -> bool:
    """Whether an option is ticked, also where another tool wrote `"true"` or 1."""
    if isinstance(value, str):
        return value.strip().casefold() == "true"
    return bool(value)


def as_text(value: Json) -> str:
    """A stored text, also where another tool wrote a number."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _member(entry: Mapping[str, Json], name: str) -> dict[str, Json]:
    value = entry.get(name)
    return value if isinstance(value, dict) else {}


def _criterion_list(sheet: Sheet) -> Json:
    old = sheet.entries.get(CRITERION_LIST)
    entry = old if isinstance(old, dict) else {}
    first = sheet.open_criterion or next(iter(sheet.criteria), None)
    control: dict[str, Json] = {name: name == first for name in sheet.criteria}
    data = input_box(sheet, first)
    whole: dict[str, Json] = {"data": data, "control": control, "text": {}}
    if sheet.schema.writes_number:
        whole["number"] = ""
    return {**whole, **{name: value for name, value in entry.items() if name not in whole}}


def _whole_entry(sheet: Sheet, id_: str, question: SheetQuestion, value: str | None) -> Json:
    """One entry with all its members; `value` is that of an option, None for texts."""
    old = sheet.entries.get(id_)
    entry = old if isinstance(old, dict) else {}
    stored = _member(entry, "data")
    wanted = sheet.criteria if question.per_criterion else (_OUTSIDE,)
    keys = dict.fromkeys((*stored, *wanted))
    data: dict[str, Json] = {}
    text: dict[str, Json] = {}
    for key in keys:
        if value is None:
            said = as_text(stored.get(key))
            data[key] = said if said.strip() else ""
        else:
            data[key] = is_true(stored.get(key))
            text[key] = value if data[key] else ""
    whole: dict[str, Json] = {"data": data, "control": {}}
    if value is not None:
        whole["text"] = text
    if sheet.schema.writes_number:
        whole["number"] = None if id_.endswith("-other_text") else question.number
    return {**whole, **{name: each for name, each in entry.items() if name not in whole}}


def _read_entries(content: bytes, file: str | None) -> dict[str, Json]:
    """The JSON object of a file, or what is wrong with the file."""
    line = None
    try:
        entries = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = "the file is not UTF-8 text."
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        what = _why_no_json(content, error)
    else:
        if isinstance(entries, dict):
            return entries
        what = f"a datasheet is one JSON object, but this is {_kind(entries)}."
    raise FileError(Problem(what, _SAVE_AGAIN, file=file, line=line))


def _why_no_json(content: bytes, error: ValueError | RecursionError) -> str:
    if not content.strip():
        return "the file is empty."
    if content.lstrip().startswith(b"<"):
        return "a datasheet is one JSON object, but this is a page, not JSON."
    if isinstance(error, RecursionError):
        return "this is not valid JSON: it is nested too deeply."
    why = error.msg if isinstance(error, json.JSONDecodeError) else str(error).partition(";")[0]
    return f"this is not valid JSON: {why[:1].lower()}{why[1:]}."


def _refuse_constant(word: str) -> Json:
    raise ValueError(f"{word} is not a JSON value")


_SAVE_AGAIN: Final = "Save the sheet again from the form, or restore an earlier copy."
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _malformed_entries(sheet: Sheet, file: str | None) -> Iterator[Problem]:
    """Entries in which there is no place for an answer; other odd values are read and reported."""
    remedy = "Correct the entry, or save the sheet again from the form."
    for id_ in sheet.schema.storage_ids:
        if id_ not in sheet.entries:
            continue
        entry = sheet.entries[id_]
        if not isinstance(entry, dict):
            yield Problem(_not_an_object("the entry", entry), remedy, file=file, field=id_)
            continue
        for name in ("data", "control", "text"):
            member = entry.get(name, {})
            place = f"{id_}, {name}"
            if not isinstance(member, dict):
                yield Problem(_not_an_object(f"'{name}'", member), remedy, file=file, field=place)
                continue
            for key, value in member.items():
                if isinstance(value, dict | list):
                    what = f"'{key}' is {_kind(value)}, but should be a text or true or false."
                    yield Problem(what, remedy, file=file, field=place)


def _not_an_object(subject: str, value: Json) -> str:
    return f"{subject} should be an object, but is {_kind(value)}."


def _kind(value: Json) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return kinds.get(type(value), "null" if value is None else "a number")


def refuse_unknown_criterion(sheet: Sheet, name: str, known: Collection[str] | None = None) -> None:
    """Raise a DataError unless a sheet has a criterion; `known`: which ones count."""
    criteria = sheet.criteria if known is None else known
    if name not in criteria:
        what = f"The sheet has no criterion '{name}'."
        raise DataError(Problem(what, f"Its criteria: {', '.join(criteria) or 'none yet'}."))
