"""One answer of a datasheet: given, said to be absent, or blank."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from rejudge import fingerprint, incoming
from rejudge.errors import DataError, FileError, Problem
from rejudge.fingerprint import Json
from rejudge.heds.schema import (
    CRITERION_LIST,
    VERSIONS,
    Fill,
    SheetQuestion,
    SheetSchema,
    Version,
    detect_version,
    schema,
)

AnswerState: TypeAlias = Literal["value", "absent", "blank"]

_MARKS: Final = frozenset(
    ("n/a", "na", "n.a", "n. a", "none", "no", "nil", "-", "–", "—", "not applicable")
)
_WITH_REASON: Final = re.compile(r"n/a\s*[.:;,(–—-]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SheetAnswer:
    """What a sheet says to one question: ticked options, text, or both.

    To write an answer, give `text`, `options` (keys) or both; `SheetAnswer(is_absent=True)` writes
    what the form asks for where there is nothing to say, and `SheetAnswer()` clears the answer.
    """

    text: str = ""  # of a choice: the explanation that belongs to a ticked option
    options: tuple[int, ...] = ()
    is_absent: bool = False  # the sheet says that there is nothing to say

    @property
    def state(self) -> AnswerState:
        """Whether there is a value, a statement that there is none, or nothing at all."""
        if self.is_absent:
            return "absent"
        return "value" if self.text.strip() or self.options else "blank"


def answer_hash(answer: SheetAnswer) -> str:
    """The fingerprint of an answer, to see whether somebody has changed it since."""
    text = answer.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return fingerprint.of_json([*sorted(answer.options), text])


def describe_answer(question: SheetQuestion, answer: SheetAnswer) -> str:
    """An answer in words: the names of the ticked options, and the text."""
    names = "; ".join(question.option(key).name for key in answer.options)
    return join_parts([names, answer.text.strip()])


def join_parts(parts: Sequence[str]) -> str:
    """Options and explanation in one line; an option may end with a full stop."""
    said = [part for part in parts if part]
    signs = (" " if part.endswith(".") else ": " for part in said[:-1])
    return "".join(part + sign for part, sign in zip(said[:-1], signs, strict=True)) + "".join(
        said[-1:]
    )


def says_absent(question: SheetQuestion, text: str, options: tuple[int, ...]) -> bool:
    """Whether an answer says that there is nothing to say, in any of the usual ways."""
    if question.is_choice:
        return bool(options) and all(question.option(key).is_absent for key in options)
    return is_bare_mark(question, text) or bool(_WITH_REASON.match(text.strip()))


def is_bare_mark(question: SheetQuestion, text: str) -> bool:
    """Whether a text is one of the usual marks, such as N/A, without a reason."""
    said = text.strip().rstrip(".").casefold()
    return said in _MARKS or said in _conventions(question)


def written_form(question: SheetQuestion, answer: SheetAnswer) -> SheetAnswer:
    """An answer as the file holds it: known options, the usual mark, no stray line breaks."""
    options = tuple(sorted(set(answer.options)))
    _refuse_options(question, options)
    text = _clean(question, answer.text)
    if answer.is_absent and not text and not options:
        text, options = _absence(question)
    return SheetAnswer(text, options, is_absent=says_absent(question, text, options))


def _absence(question: SheetQuestion) -> tuple[str, tuple[int, ...]]:
    if not question.is_choice:
        return question.absent or "N/A", ()
    for option in question.options:
        if option.is_absent:
            return "", (option.key,)
    what = f"Question {question.number} has no option for 'not applicable'."
    raise DataError(Problem(what, "Choose one of its options."))


def _refuse_options(question: SheetQuestion, options: tuple[int, ...]) -> None:
    known = len(question.options)
    for key in options:
        if not 1 <= key <= known:
            what = f"Question {question.number} has no option {key}."
            remedy = f"Its options are 1 to {known}." if known else "It is answered with a text."
            raise DataError(Problem(what, remedy))
    if question.kind == "single" and len(options) > 1:
        what = f"Question {question.number} takes one option, but {len(options)} were given."
        raise DataError(Problem(what, "Choose one."))


def _clean(question: SheetQuestion, text: str) -> str:
    """The form deletes line breaks in one-line fields and joins the words; a blank keeps them."""
    if not text.strip():  # the form stalls on answers of blanks only
        return ""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if question.multiline or question.is_choice:
        return lines
    return re.sub(r"[ \t]*\n\s*", " ", lines.strip("\n"))


def _conventions(question: SheetQuestion) -> frozenset[str]:
    """What either version asks people to write where there is nothing to say."""
    number = question.number
    twins = (schema(version) for version in VERSIONS)
    stated = [each.question(number).absent for each in twins if each.has(number)]
    return frozenset(text.casefold() for text in (question.absent, *stated) if text)


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
        """The sheet with one answer changed; no other entry is touched."""
        cell = self.cell(question, criterion)
        if cell.criterion is not None:
            refuse_unknown_criterion(self, cell.criterion)
        given = SheetAnswer(answer) if isinstance(answer, str) else answer
        return self.with_stored(cell, written_form(cell.question, given))

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


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one answer comes from."""

    question: str  # its number in the version of the sheet
    criterion: str | None
    fill: Fill
    source: str  # which part of the study it was taken from: "judgments", "study.yaml, payment"
    value: str  # the fingerprint of the answer as filled in
    time: str  # ISO 8601, UTC

    def about(self, criterion: str) -> Provenance:
        """The same for a criterion that was renamed."""
        return replace(self, criterion=criterion)


def provenance_of(sheet: Sheet) -> tuple[Provenance, ...]:
    """All records; those that cannot be read are left out."""
    listed = extra(sheet).get("answers")
    read = [_record(each) for each in listed] if isinstance(listed, list) else []
    return tuple(record for record in read if record is not None)


def find_provenance(sheet: Sheet, question: str, criterion: str | None = None) -> Provenance | None:
    """Where the answer to a question (its number) comes from; None: nothing is recorded."""
    wanted = (question, criterion)
    records = provenance_of(sheet)
    return next((each for each in records if (each.question, each.criterion) == wanted), None)


def is_edited(sheet: Sheet, record: Provenance) -> bool:
    """Whether the answer was changed by hand since it was filled in."""
    return answer_hash(sheet.answer(record.question, record.criterion)) != record.value


def record_answer(
    sheet: Sheet, question: str, *, criterion: str | None = None, source: str, time: str
) -> Sheet:
    """The sheet with a note on where its present answer to a question comes from.

    `time` is in UTC, as ISO 8601 has it.
    """
    _refuse_time(time)
    cell = _known_cell(sheet, question, criterion)
    asked = cell.question
    value = answer_hash(sheet.answer(asked, criterion))
    new = Provenance(asked.number, criterion, asked.fill, source, value, time)
    key = (new.question, new.criterion)
    others = [each for each in provenance_of(sheet) if (each.question, each.criterion) != key]
    return with_records(sheet, [*others, new])


def forget_answer(sheet: Sheet, question: str, criterion: str | None = None) -> Sheet:
    """The sheet without a note on where an answer comes from: a person has confirmed it."""
    cell = _known_cell(sheet, question, criterion)
    key = (cell.question.number, cell.criterion)
    kept = [each for each in provenance_of(sheet) if (each.question, each.criterion) != key]
    return sheet if len(kept) == len(provenance_of(sheet)) else with_records(sheet, kept)


def _known_cell(sheet: Sheet, question: str, criterion: str | None) -> SheetCell:
    cell = sheet.cell(question, criterion)
    if cell.criterion is not None:
        refuse_unknown_criterion(sheet, cell.criterion, (*sheet.criteria, *sheet.orphans))
    return cell


def _refuse_time(time: str) -> None:
    try:
        datetime.fromisoformat(time)
    except ValueError as error:
        remedy = "Give a time in UTC, such as '2026-11-17T10:00:00Z'."
        raise DataError(Problem(f"record_answer: 'time' is {time!r}.", remedy)) from error


def with_records(sheet: Sheet, records: Iterable[Provenance]) -> Sheet:
    """The sheet with exactly these records."""
    listed: list[Json] = [_json(record) for record in records]
    return with_extra(sheet, {"heds_version": sheet.version, "answers": listed})


def extra(sheet: Sheet) -> Mapping[str, Json]:
    """What the extra key of the sheet holds."""
    found = sheet.entries.get(EXTRA_KEY)
    return found if isinstance(found, dict) else {}


def with_extra(sheet: Sheet, members: Mapping[str, Json]) -> Sheet:
    """The sheet with some members of its extra key replaced; the others stay."""
    return sheet.with_entries({EXTRA_KEY: {**extra(sheet), **members}})


def _json(record: Provenance) -> dict[str, Json]:
    return {
        "question": record.question,
        "criterion": record.criterion,
        "class": record.fill,
        "source": record.source,
        "value": record.value,
        "time": record.time,
    }


def _record(told: Json) -> Provenance | None:
    if not isinstance(told, dict):
        return None
    question, criterion = told.get("question"), told.get("criterion")
    fill = next((each for each in get_args(Fill) if each == told.get("class")), None)
    rest = [told.get(name) for name in ("source", "value", "time")]
    texts = [each for each in rest if isinstance(each, str)]
    if not isinstance(question, str) or fill is None or len(texts) < len(rest):
        return None
    if criterion is not None and not isinstance(criterion, str):
        return None
    return Provenance(question, criterion, fill, *texts)


_Member: TypeAlias = "dict[str, Json]"
_RESERVED: Final = frozenset(("__proto__", "constructor"))  # names that JavaScript objects have
_SPECIAL: Final = re.compile(r"[&<>]")
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")


def criterion_name_problem(name: str) -> str | None:
    """Why the form cannot handle a criterion of this name; None where it can."""
    if not name.strip():
        return "is empty"
    if _BREAKS.search(name):
        return "contains a line break or control character"
    if name != name.strip():
        return "begins or ends with a blank"
    if _SPECIAL.search(name):
        return "contains &, < or >, which the form turns into a second criterion"
    if re.fullmatch(r"[0-9]+", name):
        return "consists of digits only, so the form sorts it before the others"
    return "is a reserved word of JavaScript" if name in _RESERVED else None


def safe_criterion_name(name: str, taken: Iterable[str] = ()) -> str:
    """A name like the given one that the form can handle and that is not taken."""
    words = _BREAKS.sub(" ", name).replace("&", " and ")
    clean = " ".join(_SPECIAL.sub("-", words).split()).strip("_ ") or "Criterion"
    if criterion_name_problem(clean):  # digits, or a reserved word
        clean = f"Criterion {clean}"
    used = set(taken)
    others = (f"{clean} ({n})" for n in range(2, len(used) + 3))
    return next(each for each in (clean, *others) if each not in used)


def add_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet with one more criterion, its answers blank.

    Answers of a deleted criterion of the same name are not brought back; `restore_criterion` does.
    """
    _refuse_name(sheet, name)
    bare = prune_criterion(sheet, name) if name in sheet.orphans else sheet
    return _with_blanks(_with_control(bare, (*sheet.criteria, name)))


def rename_criterion(sheet: Sheet, old: str, new: str) -> Sheet:
    """The sheet with a criterion and all its answers under another name."""
    refuse_unknown_criterion(sheet, old)
    if old == new:
        return sheet
    _refuse_name(sheet, new)
    bare = prune_criterion(sheet, new) if new in sheet.orphans else sheet
    names = tuple(new if name == old else name for name in sheet.criteria)
    is_open = sheet.open_criterion == old
    listed = _with_control(bare, names, open_criterion=new if is_open else sheet.open_criterion)
    moved = _edit_members(listed, lambda member: _rename(member, old, new))
    records = [
        record.about(new) if record.criterion == old else record for record in provenance_of(sheet)
    ]
    return with_records(moved, records) if records else moved


def copy_criterion(sheet: Sheet, old: str, new: str) -> Sheet:
    """The sheet with one more criterion that has the answers of another."""
    refuse_unknown_criterion(sheet, old)
    added = add_criterion(sheet, new)
    return _edit_members(
        added, lambda member: {**member, new: member[old]} if old in member else member
    )


def remove_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet without a criterion in its list; its answers stay stored, as the form does it."""
    refuse_unknown_criterion(sheet, name)
    return _with_control(sheet, tuple(each for each in sheet.criteria if each != name))


def restore_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet with a deleted criterion back in its list, with the answers still stored."""
    if name not in sheet.orphans:
        known = ", ".join(sheet.orphans) or "none"
        what = f"No answers are stored for a deleted criterion '{name}'."
        raise DataError(Problem(what, f"Deleted criteria: {known}."))
    _refuse_name(sheet, name)
    return _with_blanks(_with_control(sheet, (*sheet.criteria, name)))


def prune_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet without a criterion and without anything stored for it.

    The empty name stands for what the form stores before the first criterion exists.
    """
    if name:
        refuse_unknown_criterion(sheet, name, (*sheet.criteria, *sheet.orphans))
    listed = remove_criterion(sheet, name) if name in sheet.criteria else sheet
    bare = _edit_members(
        listed, lambda member: {key: value for key, value in member.items() if key != name}
    )
    records = provenance_of(bare)
    kept = [record for record in records if not name or record.criterion != name]
    return bare if len(kept) == len(records) else with_records(bare, kept)


def prune(sheet: Sheet) -> Sheet:
    """The sheet without what the form does not show: deleted criteria, hidden explanations."""
    for name in (*sheet.orphans, ""):
        sheet = prune_criterion(sheet, name)
    for hidden in sheet.hidden_texts:
        answer = sheet.answer(hidden.question, hidden.criterion)
        sheet = sheet.with_answer(hidden.question, answer, criterion=hidden.criterion)
    return sheet


def _refuse_name(sheet: Sheet, name: str) -> None:
    problem = criterion_name_problem(name)
    if problem:
        better = safe_criterion_name(name, sheet.criteria)
        what = f"The criterion name '{name}' {problem}."
        raise DataError(Problem(what, f"Use another, for instance '{better}'."))
    if name in sheet.criteria:
        what = f"There is a criterion '{name}' already."
        raise DataError(Problem(what, "Choose another name."))


def _with_control(
    sheet: Sheet, names: tuple[str, ...], *, open_criterion: str | None = None
) -> Sheet:
    """The list of criteria; exactly one is open, or section 4 has no tab in the form."""
    wanted = open_criterion or sheet.open_criterion
    opened = wanted if wanted in names else next(iter(names), None)
    old = sheet.entries.get(CRITERION_LIST)
    entry = dict(old) if isinstance(old, dict) else {"data": {}, "control": {}, "text": {}}
    entry["control"] = {name: name == opened for name in names}
    entry["data"] = input_box(sheet, opened)
    if sheet.schema.writes_number:
        entry.setdefault("number", "")
    return sheet.with_entries({CRITERION_LIST: entry})


def _with_blanks(sheet: Sheet) -> Sheet:
    """A blank for every question on every criterion; the form of 3.0 needs them."""
    return complete_questions(
        sheet, (each for each in sheet.schema.questions if each.per_criterion)
    )


def _edit_members(sheet: Sheet, edit: Callable[[_Member], _Member]) -> Sheet:
    changed: dict[str, Json] = {}
    for id_, entry in sheet.entries.items():
        if not id_.startswith(f"{CRITERION_LIST}-") or not isinstance(entry, dict):
            continue
        members = {
            name: edit(member)
            for name in ("data", "text")
            if isinstance(member := entry.get(name), dict)
        }
        changed[id_] = {**entry, **members}
    return sheet.with_entries(changed)


def _rename(member: _Member, old: str, new: str) -> _Member:
    return {new if key == old else key: value for key, value in member.items()}
