"""A datasheet: what is answered to its questions, for which criteria, and where answers come from.

A `Sheet` holds answers, not the entries of a file: it is read from the files of both forms and
written in the layout of the official one. What belongs to no question is kept as it is. Where
answers come from is kept under a key that both forms leave alone:

    "x-rejudge": {"heds_version": "3.0", "answers": [{"question": "3.2.1", "criterion": null,
        "class": "auto", "source": "judgments", "value": "9f…", "time": "2026-11-17T10:00:00Z"}]}

`value` is the fingerprint of the answer as it was filled in. As long as it is that of the answer
in the sheet, nobody has edited the answer since.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
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
AnswerKey: TypeAlias = tuple[str, str]  # number of the question, criterion


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A question, and for section 4 the criterion it is answered for."""

    question: SheetQuestion
    criterion: str | None = None

    @property
    def key(self) -> AnswerKey:
        """Under what a sheet holds its answer."""
        return self.question.number, self.criterion or _OUTSIDE

    def __str__(self) -> str:
        return self.question.number + (f" ({self.criterion})" if self.criterion else "")


@dataclass(frozen=True, slots=True)
class HiddenText:
    """An explanation that is stored, but that no ticked option asks for: the form hides it."""

    question: SheetQuestion
    criterion: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one answer comes from."""

    question: str  # its number in the version of the sheet
    criterion: str | None
    fill: Fill
    source: str  # which part of the study it was taken from: "judgments", "study.yaml, payment"
    value: str  # the fingerprint of the answer as filled in
    time: str  # ISO 8601, UTC


@dataclass(frozen=True)
class Sheet:
    """A filled datasheet, or one to be filled."""

    version: Version
    criteria: tuple[str, ...] = ()
    given: Mapping[AnswerKey, SheetAnswer] = field(default_factory=dict)  # hidden texts included
    records: tuple[Provenance, ...] = ()
    rest: Mapping[str, Json] = field(default_factory=dict)  # what belongs to no question
    is_mixed: bool = False  # a 2.x sheet that was opened and saved in the form of 3.0
    file: str | None = field(default=None, repr=False, compare=False)

    @cached_property
    def schema(self) -> SheetSchema:
        """The questions of its version."""
        return schema(self.version)

    @cached_property
    def orphans(self) -> tuple[str, ...]:
        """Criteria with answers that are not in the list: deleted in the form, but still stored."""
        names = dict.fromkeys(criterion for _, criterion in self.given)
        return tuple(each for each in names if each not in (_OUTSIDE, *self.criteria))

    @cached_property
    def hidden_texts(self) -> tuple[HiddenText, ...]:
        """Explanations that the form does not show."""
        return tuple(
            HiddenText(cell.question, cell.criterion, self.stored(cell).text)
            for cell in self.cells()
            if self.stored(cell).text.strip() and not _is_shown(cell.question, self.stored(cell))
        )

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
        found = self.stored(cell)
        return found if _is_shown(cell.question, found) else replace(found, text="")

    def answers(self) -> Iterator[tuple[SheetCell, SheetAnswer]]:
        """All answers, in the order of the form."""
        for cell in self.cells():
            yield cell, self.answer(cell.question, cell.criterion)

    def stored(self, cell: SheetCell) -> SheetAnswer:
        """What the file holds on a question, hidden text included."""
        return self.given.get(cell.key, _BLANK)

    def with_answer(
        self,
        question: SheetQuestion | str,
        answer: SheetAnswer | str,
        *,
        criterion: str | None = None,
    ) -> Sheet:
        """The sheet with one answer changed."""
        cell = self.cell(question, criterion)
        if cell.criterion is not None:
            refuse_unknown_criterion(self, cell.criterion)
        given = SheetAnswer(answer) if isinstance(answer, str) else answer
        return self.with_stored(cell, written_form(cell.question, given))

    def with_stored(self, cell: SheetCell, answer: SheetAnswer) -> Sheet:
        """The sheet with exactly this answer, hidden text included; nothing is checked."""
        given = {key: each for key, each in self.given.items() if key != cell.key}
        return replace(self, given=given if answer == _BLANK else {**given, cell.key: answer})

    def write(self) -> bytes:
        """The file, as the official form lays it out."""
        text = json.dumps(dict(_entries(self)), ensure_ascii=False, indent=4)
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


_BLANK: Final = SheetAnswer()


def _is_shown(question: SheetQuestion, answer: SheetAnswer) -> bool:
    if not question.is_choice:
        return True
    return any(question.option(key).takes_text for key in answer.options)


def blank_sheet(version: Version) -> Sheet:
    """An untouched sheet."""
    return Sheet(version)


def refuse_unknown_criterion(sheet: Sheet, name: str, known: Collection[str] | None = None) -> None:
    """Raise a DataError unless a sheet has a criterion; `known`: which ones count."""
    criteria = sheet.criteria if known is None else known
    if name not in criteria:
        what = f"The sheet has no criterion '{name}'."
        raise DataError(Problem(what, f"Its criteria: {', '.join(criteria) or 'none yet'}."))


# the file


def read(content: bytes, *, file: str | None = None, version: Version | None = None) -> Sheet:
    """A datasheet from the bytes of its file; the version is recognised where it is not given."""
    entries = _read_entries(content, file)
    found = detect_version(entries, file=file)
    problems = tuple(_malformed_entries(schema(version or found.version), entries, file))
    if problems:
        raise FileError(*problems)
    sheet = sheet_of(entries, version or found.version)
    return replace(sheet, is_mixed=found.is_mixed, file=file)


def read_sheet(path: Path, *, version: Version | None = None) -> Sheet:
    """A datasheet from a file."""
    remedy = "Give the JSON file that the datasheet's form has saved."
    content = incoming.read_bytes(path, remedy=remedy, limit=LIMIT)
    return read(content, file=str(path), version=version)


def sheet_of(entries: Mapping[str, Json], version: Version) -> Sheet:
    """The sheet that the entries of a file hold, read as one of a version."""
    form = schema(version)
    given = {}
    for question in form.questions:
        stored = [_member(entries.get(id_), "data") for id_ in question.storage_ids]
        keys = dict.fromkeys(key for each in stored for key in each)
        if not question.per_criterion:
            keys = dict.fromkeys((_OUTSIDE,))
        for key in keys:
            answer = _stored_answer(question, entries, key)
            if answer != _BLANK:
                given[question.number, key] = answer
    known = {*form.storage_ids, EXTRA_KEY}
    extra = entries.get(EXTRA_KEY)
    rest = {key: value for key, value in entries.items() if key not in known}
    listed: Json = []
    if isinstance(extra, dict):
        listed = extra.get("answers")
        others = {key: value for key, value in extra.items() if key not in _OWN_MEMBERS}
        rest |= {EXTRA_KEY: others} if others else {}
    records = [_record(each) for each in listed] if isinstance(listed, list) else []
    return Sheet(
        version,
        tuple(name for name in _member(entries.get(CRITERION_LIST), "control") if name),
        given,
        tuple(record for record in records if record is not None),
        rest,
    )


def _stored_answer(question: SheetQuestion, entries: Mapping[str, Json], key: str) -> SheetAnswer:
    options = tuple(
        option.key
        for option in question.options
        if _is_true(_member(entries.get(question.option_id(option.key)), "data").get(key))
    )
    value = _member(entries.get(question.text_id), "data").get(key)
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return SheetAnswer(text, options, is_absent=says_absent(question, text, options))


def _entries(sheet: Sheet) -> Iterator[tuple[str, Json]]:
    """Every key that the form needs, then what belongs to no question."""
    numbered = sheet.schema.writes_number
    first = next(iter(sheet.criteria), _OUTSIDE)
    listed: dict[str, Json] = {
        "data": {first: ""} if numbered else {},
        "control": {name: name == first for name in sheet.criteria},
        "text": {},
    }
    yield CRITERION_LIST, listed | ({"number": ""} if numbered else {})
    deleted = dict.fromkeys(key for number, key in sheet.given if number.startswith("4."))
    for question in sheet.schema.questions:
        keys = dict.fromkeys((*sheet.criteria, *deleted)) if question.per_criterion else (_OUTSIDE,)
        answers = {key: sheet.given.get((question.number, key), _BLANK) for key in keys}
        for option in question.options:
            ticked = {key: option.key in each.options for key, each in answers.items()}
            entry: dict[str, Json] = {
                "data": {**ticked},
                "control": {},
                "text": {key: option.value if is_on else "" for key, is_on in ticked.items()},
            }
            number = {"number": question.number} if numbered else {}
            yield question.option_id(option.key), {**entry, **number}
        texts: Json = {key: each.text for key, each in answers.items()}
        of_text = {"number": None if question.is_choice else question.number} if numbered else {}
        yield question.text_id, {"data": texts, "control": {}, **of_text}
    yield from ((key, value) for key, value in sheet.rest.items() if key != EXTRA_KEY)
    others = sheet.rest.get(EXTRA_KEY)
    if sheet.records or others:
        extra: dict[str, Json] = {**others} if isinstance(others, dict) else {}
        listed_records: list[Json] = [_json(record) for record in sheet.records]
        answers_of = {"answers": listed_records} if sheet.records else {}
        yield EXTRA_KEY, {**extra, "heds_version": sheet.version, **answers_of}


_OWN_MEMBERS: Final = ("heds_version", "answers")


def _is_true(value: Json) -> bool:
    """Whether an option is ticked, also where another tool wrote `"true"` or 1."""
    if isinstance(value, str):
        return value.strip().casefold() == "true"
    return bool(value)


def _member(entry: Json, name: str) -> dict[str, Json]:
    value = entry.get(name) if isinstance(entry, dict) else None
    return value if isinstance(value, dict) else {}


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


def _malformed_entries(
    form: SheetSchema, entries: Mapping[str, Json], file: str | None
) -> Iterator[Problem]:
    """Entries in which there is no place for an answer; other odd values are read."""
    remedy = "Correct the entry, or save the sheet again from the form."
    for id_ in form.storage_ids:
        if id_ not in entries:
            continue
        entry = entries[id_]
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


# where answers come from


def find_provenance(sheet: Sheet, question: str, criterion: str | None = None) -> Provenance | None:
    """Where the answer to a question (its number) comes from; None: nothing is recorded."""
    wanted = (question, criterion)
    return next((each for each in sheet.records if (each.question, each.criterion) == wanted), None)


def is_edited(sheet: Sheet, record: Provenance) -> bool:
    """Whether the answer was changed by hand since it was filled in."""
    return answer_hash(sheet.answer(record.question, record.criterion)) != record.value


def record_answer(
    sheet: Sheet, question: str, *, criterion: str | None = None, source: str, time: str
) -> Sheet:
    """The sheet with a note on where its present answer to a question comes from.

    `time` is in UTC, as ISO 8601 has it.
    """
    datetime.fromisoformat(time)
    cell = sheet.cell(question, criterion)
    value = answer_hash(sheet.answer(cell.question, criterion))
    asked = cell.question
    new = Provenance(asked.number, cell.criterion, asked.fill, source, value, time)
    others = forget_answer(sheet, question, criterion).records
    return replace(sheet, records=(*others, new))


def forget_answer(sheet: Sheet, question: str, criterion: str | None = None) -> Sheet:
    """The sheet without a note on where an answer comes from: a person has confirmed it."""
    cell = sheet.cell(question, criterion)
    key = (cell.question.number, cell.criterion)
    kept = tuple(each for each in sheet.records if (each.question, each.criterion) != key)
    return sheet if len(kept) == len(sheet.records) else replace(sheet, records=kept)


def _json(record: Provenance) -> dict[str, Json]:
    return {
        "question": record.question,
        "criterion": record.criterion,
        "class": record.fill,
        "source": record.source,
        "value": record.value,
        "time": record.time,
    }


def _record(stored: Json) -> Provenance | None:
    """One record; None where it cannot be read."""
    if not isinstance(stored, dict):
        return None
    question, criterion = stored.get("question"), stored.get("criterion")
    fill = next((each for each in get_args(Fill) if each == stored.get("class")), None)
    rest = [stored.get(name) for name in ("source", "value", "time")]
    texts = [each for each in rest if isinstance(each, str)]
    if not isinstance(question, str) or fill is None or len(texts) < len(rest):
        return None
    if criterion is not None and not isinstance(criterion, str):
        return None
    return Provenance(question, criterion, fill, *texts)


# the quality criteria

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
    return replace(_without(sheet, name), criteria=(*sheet.criteria, name))


def rename_criterion(sheet: Sheet, old: str, new: str) -> Sheet:
    """The sheet with a criterion and all its answers under another name."""
    refuse_unknown_criterion(sheet, old)
    if old == new:
        return sheet
    _refuse_name(sheet, new)
    bare = _without(sheet, new)
    names = {old: new}
    return replace(
        bare,
        criteria=tuple(names.get(name, name) for name in sheet.criteria),
        given={(number, names.get(key, key)): each for (number, key), each in bare.given.items()},
        records=tuple(
            replace(each, criterion=new) if each.criterion == old else each for each in bare.records
        ),
    )


def copy_criterion(sheet: Sheet, old: str, new: str) -> Sheet:
    """The sheet with one more criterion that has the answers of another."""
    refuse_unknown_criterion(sheet, old)
    added = add_criterion(sheet, new)
    copies = {(number, new): each for (number, key), each in sheet.given.items() if key == old}
    return replace(added, given={**added.given, **copies})


def remove_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet without a criterion in its list; its answers stay stored, as the form does it."""
    refuse_unknown_criterion(sheet, name)
    return replace(sheet, criteria=tuple(each for each in sheet.criteria if each != name))


def restore_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet with a deleted criterion back in its list, with the answers still stored."""
    if name not in sheet.orphans:
        known = ", ".join(sheet.orphans) or "none"
        what = f"No answers are stored for a deleted criterion '{name}'."
        raise DataError(Problem(what, f"Deleted criteria: {known}."))
    _refuse_name(sheet, name)
    return replace(sheet, criteria=(*sheet.criteria, name))


def prune(sheet: Sheet) -> Sheet:
    """The sheet without what the form does not show: deleted criteria, hidden explanations."""
    for name in sheet.orphans:
        sheet = _without(sheet, name)
    given = {
        (number, key): each
        for (number, key), each in sheet.given.items()
        if key or not number.startswith("4.")  # stored before the first criterion existed
    }
    bare = replace(sheet, given=given)
    for hidden in bare.hidden_texts:
        answer = bare.answer(hidden.question, hidden.criterion)
        bare = bare.with_answer(hidden.question, answer, criterion=hidden.criterion)
    return bare


def _without(sheet: Sheet, name: str) -> Sheet:
    """Without anything stored for a criterion."""
    return replace(
        sheet,
        given={key: each for key, each in sheet.given.items() if key[1] != name},
        records=tuple(each for each in sheet.records if each.criterion != name),
    )


def _refuse_name(sheet: Sheet, name: str) -> None:
    problem = criterion_name_problem(name)
    if problem:
        better = safe_criterion_name(name, sheet.criteria)
        what = f"The criterion name '{name}' {problem}."
        raise DataError(Problem(what, f"Use another, for instance '{better}'."))
    if name in sheet.criteria:
        what = f"There is a criterion '{name}' already."
        raise DataError(Problem(what, "Choose another name."))
