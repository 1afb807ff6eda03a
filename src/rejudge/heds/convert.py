"""How an answer of 2.x becomes an answer of 3.0.

Most questions are the same. For the rest this module says which options were moved, which texts
became choices and which choices became texts, and whether somebody has to confirm the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rejudge.errors import DataError, Problem
from rejudge.fingerprint import Json
from rejudge.heds.schema import SheetQuestion, schema
from rejudge.heds.sheet import (
    EXTRA_KEY,
    Sheet,
    SheetAnswer,
    SheetCell,
    answer_hash,
    criterion_name_problem,
    describe_answer,
    is_bare_mark,
    is_edited,
    rename_criterion,
    safe_criterion_name,
    says_absent,
)

StoredAnswers: TypeAlias = Callable[[str], SheetAnswer]  # by the number of the question
_Rule: TypeAlias = "Callable[[StoredAnswers, SheetQuestion], MappedAnswer]"

OLDER_NUMBER: Final[Mapping[str, str]] = {"1.2": "1.2.1", "4.3.1.1": "4.3.1"}
_LANGUAGES: Final = (
    184  # with "other"; "not applicable" is the 185th in one form, the first in both
)
_PREREGISTRATION: Final = "for preregistration"
_DENIAL: Final = re.compile(r"(no|not|none|n/?a)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MappedAnswer:
    """An answer in 3.0."""

    answer: SheetAnswer
    note: str = ""  # what somebody should know about it
    needs_confirmation: bool = False


@dataclass(frozen=True, slots=True)
class _OptionMap:
    """Where the options of a question went; an option without a match becomes a text."""

    moved: Mapping[int, int]
    explained: Mapping[int, str]  # options without a match, in words
    note: str = ""
    needs_confirmation: bool = False


def map_answer(question: SheetQuestion, source: StoredAnswers) -> MappedAnswer:
    """The answer to a question of 3.0, from the answers of 2.x."""
    rule = _RULES.get(question.number)
    return _same(source, question) if rule is None else rule(source, question)


def source_numbers(question: SheetQuestion) -> tuple[str, ...]:
    """The numbers of the questions that the answer is made from; none for a new question."""
    if question.number in _NEW_QUESTIONS:
        return ()
    older = OLDER_NUMBER.get(question.number, question.number)
    return ("3.2.2.5", older) if question.number == "3.2.5" else (older,)


_NEW_QUESTIONS: Final = ("4.3.1.2",)
_CONFIRM: Final[Mapping[str, str]] = {
    "3.2.1": "3.0 counts only evaluators whose responses are in the results.",
    "3.2.2.3": "3.0 asks whether any of the evaluators was known to the authors.",
}


def _same(source: StoredAnswers, question: SheetQuestion) -> MappedAnswer:
    (number,) = source_numbers(question)
    old = schema("2.x").question(number)
    answer = source(number)
    said = question.absent
    if said and old.absent and said != old.absent and is_bare_mark(old, answer.text):
        return MappedAnswer(SheetAnswer(said, is_absent=True), "", needs_confirmation=False)
    confirm = _CONFIRM.get(question.number, "") if answer.state != "blank" else ""
    return MappedAnswer(answer, confirm, bool(confirm))


def _by_options(known: _OptionMap) -> _Rule:
    def rule(source: StoredAnswers, question: SheetQuestion) -> MappedAnswer:
        answer = source(question.number)
        if not answer.options:
            return MappedAnswer(answer)
        said = [known.explained[key] for key in answer.options if key in known.explained]
        moved = _moved_options(known, question, answer.options)
        text = "; ".join([*said, *([answer.text] if answer.text.strip() else [])])
        new = SheetAnswer(text if said else answer.text, moved)
        note = "An option without a match became a text." if said else known.note
        return MappedAnswer(_marked(question, new), note, bool(said) or known.needs_confirmation)

    return rule


def _moved_options(
    known: _OptionMap, question: SheetQuestion, options: tuple[int, ...]
) -> tuple[int, ...]:
    """Where options went. "None of these" is not ticked beside others: its text then says it."""
    moved = {known.moved.get(key, key) for key in options if key not in known.explained}
    for key in options:
        place = known.moved.get(key, key)
        if key in known.explained and not (moved and question.option(place).exclusive):
            moved.add(place)
    return tuple(sorted(moved))


def _marked(question: SheetQuestion, answer: SheetAnswer) -> SheetAnswer:
    absent = says_absent(question, answer.text, answer.options)
    return SheetAnswer(answer.text, answer.options, is_absent=absent)


def _reference(source: StoredAnswers, _question: SheetQuestion) -> MappedAnswer:
    text = source("1.1.1").text
    if not text.strip():
        return MappedAnswer(SheetAnswer())
    old = schema("2.x").question("1.1.1")
    start = text.strip().casefold()
    if start.startswith(_PREREGISTRATION):
        rest = text.strip()[len(_PREREGISTRATION) :].lstrip(" :.,-")
        return MappedAnswer(SheetAnswer(rest or text, (3,)), _CHOSEN, needs_confirmation=True)
    if is_bare_mark(old, text):
        return MappedAnswer(SheetAnswer(options=(4,)), _CHOSEN, needs_confirmation=True)
    return MappedAnswer(SheetAnswer(text, (1,)), _CHOSEN, needs_confirmation=True)


_CHOSEN: Final = "The text became a choice."


def _resources(source: StoredAnswers, _question: SheetQuestion) -> MappedAnswer:
    text = source("1.2.1").text
    if not text.strip():
        return MappedAnswer(SheetAnswer())
    none = is_bare_mark(schema("2.x").question("1.2.1"), text)
    answer = SheetAnswer(options=(2,)) if none else SheetAnswer(text, (1,))
    return MappedAnswer(answer, _CHOSEN, needs_confirmation=True)


def _data(source: StoredAnswers, question: SheetQuestion) -> MappedAnswer:
    text = source(question.number).text
    if not text.strip():
        return MappedAnswer(SheetAnswer())
    if not _DENIAL.match(text.strip()):
        return MappedAnswer(SheetAnswer(text, (2,)), _CHOSEN, needs_confirmation=True)
    bare = is_bare_mark(schema("2.x").question(question.number), text)
    note = _CHOSEN if bare else f"{_CHOSEN} Its words stay in the file, but the form hides them."
    return MappedAnswer(SheetAnswer("" if bare else text, (1,)), note, needs_confirmation=True)


def _characteristics(source: StoredAnswers, question: SheetQuestion) -> MappedAnswer:
    own, details = source("3.2.5"), source("3.2.2.5")
    older = schema("2.x").question("3.2.2.5")
    if not details.text.strip() or is_bare_mark(older, details.text):
        return MappedAnswer(own)
    is_empty = not own.text.strip() or is_bare_mark(question, own.text)
    text = details.text if is_empty else f"{own.text}\n\n{details.text}"
    note = "3.0 has no question 3.2.2.5: its answer was added here."
    return MappedAnswer(SheetAnswer(text), note, needs_confirmation=True)


def _scale_size(source: StoredAnswers, _question: SheetQuestion) -> MappedAnswer:
    answer = source("4.3.3")
    said = {2: "continuous", 3: "N/A"}
    if 1 in answer.options:
        return MappedAnswer(SheetAnswer(answer.text))
    return MappedAnswer(_text_answer(*(said[key] for key in answer.options)))


def _agreement(absent: str) -> _Rule:
    def rule(source: StoredAnswers, question: SheetQuestion) -> MappedAnswer:
        answer = source(question.number)
        if not answer.options:
            return MappedAnswer(SheetAnswer())
        reason = f": {answer.text.strip()}" if answer.text.strip() else ""
        worded = {1: answer.text, 2: absent, 3: f"N/A{reason}"}
        first = answer.options[0]
        return MappedAnswer(SheetAnswer(worded[first], is_absent=first != 1))

    return rule


def _new(_source: StoredAnswers, _question: SheetQuestion) -> MappedAnswer:
    note = "This question is new in 3.0."
    return MappedAnswer(SheetAnswer(), note, needs_confirmation=True)


def _text_answer(*texts: str) -> SheetAnswer:
    text = "; ".join(text for text in texts if text)
    return SheetAnswer(text, is_absent=text == "N/A")


_TO_ASK: Final = "evaluators are told that they can ask questions before the evaluation starts"
_FREEDOM_UP: Final = "3.0 has two new options: a fixed time or date, and a limit for the whole."
_QUESTIONS_UP: Final = "3.0 asks whether evaluators can ask during the evaluation."
_LANGUAGE: Final = {**{key: key + 1 for key in range(1, _LANGUAGES + 1)}, _LANGUAGES + 1: 1}
_RULES: Final[Mapping[str, _Rule]] = {
    "1.1.1": _reference,
    "1.2": _resources,
    "2.2": _by_options(_OptionMap({13: 14}, {13: "human-generated outputs"})),
    "2.4": _by_options(_OptionMap(_LANGUAGE, {})),
    "2.5": _by_options(_OptionMap(_LANGUAGE, {})),
    "3.1.2": _by_options(_OptionMap({3: 4, 4: 5, 5: 6}, {})),
    "3.2.5": _characteristics,
    "3.3.5": _by_options(_OptionMap({1: 2, 2: 4, 3: 5}, {}, _FREEDOM_UP, needs_confirmation=True)),
    "3.3.6": _by_options(_OptionMap({1: 4}, {1: _TO_ASK}, _QUESTIONS_UP, needs_confirmation=True)),
    "4.3.1.2": _new,
    "4.3.3": _scale_size,
    "4.3.11.1": _agreement("InterAA not assessed"),
    "4.3.12.1": _agreement("IntraAA not assessed"),
    "5.2": _data,
    "5.3": _data,
}


_KEPT: Final = "kept"  # member of the extra key: answers of 2.x
_ALIENS: Final = "kept_entries"  # 〃: entries whose ids mean something else in this version
_MISREAD: Final = ("2.2", "2.4", "2.5", "3.1.2", "3.3.5", "3.3.6")


@dataclass(frozen=True, slots=True)
class ConvertedAnswer:
    """An answer that is not the same as before."""

    before_number: str  # empty: the question is new
    number: str
    criterion: str | None
    before: str
    after: str
    note: str
    needs_confirmation: bool


@dataclass(frozen=True, slots=True)
class Conversion:
    """A sheet in 3.0, and what changed on the way."""

    sheet: Sheet
    changes: tuple[ConvertedAnswer, ...]
    messages: tuple[str, ...] = ()  # criteria that were renamed, what was kept aside


def convert(sheet: Sheet) -> Conversion:
    """The sheet in 3.0; a 2.x sheet that was misread by the form of 3.0 is refused."""
    if sheet.is_mixed:
        raise DataError(_misread_problem(sheet))
    safe, messages = _rename_unsafe(sheet)
    if sheet.version == "3.0":
        return Conversion(safe, (), messages)
    found = _convert(safe)
    return replace(found, messages=(*messages, *found.messages))


def as_newer(sheet: Sheet) -> Sheet:
    """The sheet as one of 3.0, to be read only: nothing is renamed if it is one."""
    is_newer = sheet.version == "3.0" and not sheet.is_mixed
    return sheet if is_newer else convert(sheet).sheet


def misread_answers(sheet: Sheet) -> tuple[tuple[SheetCell, SheetAnswer], ...]:
    """Answers that the form of 3.0 has probably misread, if the sheet was made in 2.x."""
    cells = (SheetCell(sheet.schema.question(number)) for number in _MISREAD)
    found = ((cell, sheet.answer(cell.question)) for cell in cells)
    return tuple((cell, answer) for cell, answer in found if answer.options)


def _misread_problem(sheet: Sheet) -> Problem:
    doubtful = ", ".join(
        f"{cell} ({describe_answer(cell.question, answer)})"
        for cell, answer in misread_answers(sheet)
    )
    what = (
        "This 2.x sheet was opened and saved in the form of 3.0, which misreads it. Doubtful "
        f"answers: {doubtful or 'none'}."
    )
    remedy = "Convert the file as it was before it was opened there."
    return Problem(what, remedy, file=sheet.file)


def _rename_unsafe(sheet: Sheet) -> tuple[Sheet, tuple[str, ...]]:
    messages = []
    for name in sheet.criteria:
        problem = criterion_name_problem(name)
        if problem:
            better = safe_criterion_name(name, (*sheet.criteria, *sheet.orphans))
            sheet = rename_criterion(sheet, name, better)
            messages.append(f"The criterion '{name}' is now called '{better}': its name {problem}.")
    return sheet, tuple(messages)


def _convert(sheet: Sheet) -> Conversion:
    made = Sheet("3.0", sheet.criteria)
    changes: list[ConvertedAnswer] = []
    for cell in _cells(made, sheet):
        mapped, change = _converted(cell, sheet)
        made = made.with_stored(cell, mapped.answer)
        if change is not None and cell.criterion in {None, *sheet.criteria}:
            changes.append(change)
    made, messages = _with_rest(made, sheet)
    return Conversion(_with_records(made, sheet), tuple(changes), messages)


def _cells(made: Sheet, sheet: Sheet) -> Iterator[SheetCell]:
    """All questions of a form; section 4 also for criteria that were deleted, and for
    answers that were given before there was a criterion."""
    names = dict.fromkeys((*sheet.criteria, *(key for n, key in sheet.given if n[:2] == "4.")))
    for question in made.schema.questions:
        if not question.per_criterion:
            yield SheetCell(question)
    for name in names:
        yield from (SheetCell(each, name) for each in made.schema.questions if each.per_criterion)


def _converted(cell: SheetCell, sheet: Sheet) -> tuple[MappedAnswer, ConvertedAnswer | None]:
    mapped = map_answer(cell.question, lambda number: sheet.stored(_cell_of(sheet, number, cell)))
    return mapped, _change(cell, mapped, sheet, source_numbers(cell.question))


def _cell_of(sheet: Sheet, number: str, cell: SheetCell) -> SheetCell:
    return SheetCell(sheet.schema.question(number), cell.criterion)


def _change(
    cell: SheetCell, mapped: MappedAnswer, sheet: Sheet, numbers: tuple[str, ...]
) -> ConvertedAnswer | None:
    before = [
        (sheet.schema.question(number), sheet.stored(_cell_of(sheet, number, cell)))
        for number in numbers
    ]
    texts = [describe_answer(question, one) for question, one in reversed(before)]
    words = "; ".join(text for text in texts if text)
    after = describe_answer(cell.question, mapped.answer)
    is_same = words.casefold() == after.casefold()
    is_moved = any(one.options and one.options != mapped.answer.options for _, one in before)
    if not mapped.needs_confirmation and (not words or (is_same and not is_moved)):
        return None
    note = mapped.note or ("Stored under another key." if is_same else "In the words of 3.0.")
    number = numbers[-1] if numbers else ""
    return ConvertedAnswer(
        number, cell.question.number, cell.criterion, words, after, note, mapped.needs_confirmation
    )


def _with_rest(made: Sheet, sheet: Sheet) -> tuple[Sheet, tuple[str, ...]]:
    """Keep what belongs to no question, and every answer that is not in the new sheet as it was.

    A key that would become an answer of 3.0 is kept aside.
    """
    known = set(made.schema.storage_ids)
    aliens = {key: value for key, value in sheet.rest.items() if key in known}
    rest = {key: value for key, value in sheet.rest.items() if key not in known}
    earlier = rest.get(EXTRA_KEY)
    extra: dict[str, Json] = {**earlier} if isinstance(earlier, dict) else {}
    kept = [*_kept(made, sheet)]
    extra |= {_KEPT: kept} if kept else {}
    extra |= {_ALIENS: aliens} if aliens else {}
    made = replace(made, rest={**rest, **({EXTRA_KEY: extra} if extra else {})})
    if not aliens:
        return made, ()
    listed = ", ".join(aliens)
    return made, (
        f"Not part of {sheet.version}, so kept aside instead of becoming answers: {listed}.",
    )


def _kept(made: Sheet, sheet: Sheet) -> Iterator[Json]:
    numbers = _new_numbers(made.schema.questions)
    for cell in _cells(sheet, sheet):
        answer = sheet.stored(cell)
        now = made.stored(_cell_of(made, numbers[cell.question.number], cell))
        if answer.state != "blank" and (answer.options, answer.text) != (now.options, now.text):
            yield {
                "question": cell.question.number,
                "criterion": cell.criterion or "",
                "options": list(answer.options),
                "text": answer.text,
            }


def _with_records(made: Sheet, sheet: Sheet) -> Sheet:
    """The records under their new numbers; hand edits stay recognisable."""
    records = []
    numbers = _new_numbers(made.schema.questions)
    for record in sheet.records:
        number = numbers.get(record.question)
        if number is None or record.criterion not in {None, *sheet.criteria}:
            continue
        answer = made.answer(number, record.criterion)
        value = record.value if is_edited(sheet, record) else answer_hash(answer)
        records.append(replace(record, question=number, value=value))
    return replace(made, records=tuple(records))


def _new_numbers(questions: Iterable[SheetQuestion]) -> dict[str, str]:
    return {old: each.number for each in questions for old in source_numbers(each)}
