"""What a workbook for one participant holds: its sheets, columns, rows and answer cells.

Writing and reading both start from here. Whatever a returned file says is compared with what the
study and the plan put into it, so nothing hidden in a file has to be trusted.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby

from rejudge.design.order import order_for
from rejudge.design.plan import Plan, Task, answer_parts, option_text, segment_key, segmented_text
from rejudge.errors import DesignError, Problem
from rejudge.study.kinds.question import LETTERS, Question
from rejudge.study.model import Study

LONGEST_TEXT = 32_767  # characters of a cell, in every spreadsheet program
_KEY_LENGTH = 12
_RIGHT_TO_LEFT = {"ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"}
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold
_TEXT = "text:"  # ids of columns with texts begin so; those with answers are ids of questions
INPUT_COLUMN, REFERENCE_COLUMN = f"{_TEXT}input", f"{_TEXT}reference"
UNIT_COLUMN, SEGMENT_COLUMN = f"{_TEXT}unit", f"{_TEXT}segment"


class WorkbookWords:
    """The texts of a workbook and of messages to participants, in one language."""

    def __init__(self, language: str) -> None:
        known, base = _catalogue(), language.partition("-")[0]
        self.language = language if base in known else "en"
        self.is_right_to_left = self.language.partition("-")[0] in _RIGHT_TO_LEFT
        self._texts = known.get(base, known["en"])

    def __call__(self, key: str, **given: object) -> str:
        text = self._texts[key]
        return text.format(**given) if given else text

    def __contains__(self, key: str) -> bool:
        return key in self._texts


@cache
def _catalogue() -> Mapping[str, Mapping[str, str]]:
    file = resources.files("rejudge.exchange.workbooks") / "words.json"
    texts: dict[str, dict[str, str]] = json.loads(file.read_text("utf-8"))
    return texts


@dataclass(frozen=True, slots=True)
class Recipient:
    """Who gets a workbook: a number, and the places of the plan that belong to it."""

    number: int  # from 1
    seats: tuple[tuple[str, int], ...]  # batch and seat, in the order of the sheets
    name: str = ""  # on the first sheet only; empty where nobody is named

    @property
    def code(self) -> str:
        """The pseudonym in the table of judgments."""
        return code_of(self.number)


def code_of(number: int) -> str:
    """The pseudonym of a participant, in the form that the site gives."""
    return f"p{number:04}"


@dataclass(frozen=True, slots=True)
class Choices:
    """What a cell takes: one of some answers, or any number between two bounds."""

    shown: Mapping[str, str | float]  # by raw answer, in the order of the list
    bounds: tuple[float, float] | None = None

    @property
    def is_number(self) -> bool:
        """Whether only numbers are answers."""
        return self.bounds is not None or not any(isinstance(x, str) for x in self.shown.values())

    @property
    def in_words(self) -> str:
        """All answers, for a message: `1, 2, 3` or `0–100`."""
        if self.bounds is not None:
            return "–".join(f"{end:g}" for end in self.bounds)
        return ", ".join(x if isinstance(x, str) else f"{x:.12g}" for x in self.shown.values())


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """One column of a sheet; `question` and `choices` where people answer in it."""

    id: str
    title: str
    question: Question | None = None
    choices: Choices | None = None
    label: str = ""  # below the question: the part of the answer, or the scale


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """One cell to be answered: which control of which question it stands for."""

    question: Question
    control: str


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One row: a task, or one sentence of its texts."""

    key: str  # hidden in the sheet; says nothing about what is shown
    position: int  # of the task, from 1
    task: Task
    texts: Mapping[str, str]  # by column
    cells: Mapping[str, AnswerCell]  # by column


@dataclass(frozen=True, slots=True)
class TaskSheet:
    """One batch on a sheet of its own."""

    mark: str  # in its first cell, hidden
    title: str
    batch: str
    columns: tuple[SheetColumn, ...]
    rows: tuple[TaskRow, ...]

    @property
    def text_columns(self) -> tuple[SheetColumn, ...]:
        """The columns that people read."""
        return tuple(column for column in self.columns if column.choices is None)

    @property
    def answer_columns(self) -> tuple[SheetColumn, ...]:
        """The columns that people fill in."""
        return tuple(column for column in self.columns if column.choices is not None)

    def blocks(self) -> Iterator[tuple[TaskRow, ...]]:
        """The rows of each task."""
        for _, rows in groupby(self.rows, key=lambda row: row.position):
            yield tuple(rows)


@dataclass(frozen=True, slots=True)
class ParticipantWorkbook:
    """All sheets with tasks of one participant."""

    study: Study
    plan: Plan
    recipient: Recipient
    words: WorkbookWords
    sheets: tuple[TaskSheet, ...]

    @property
    def asks_consent(self) -> bool:
        """Whether the study has a text that people agree to."""
        return bool(self.study.pages.get("consent", "").strip())


def lay_out(study: Study, plan: Plan, recipient: Recipient) -> ParticipantWorkbook:
    """The workbook of one recipient: their batches in order, the tasks as their seat sees them."""
    words = WorkbookWords(study.spec.site.language or study.spec.language)
    sheets = tuple(
        _SheetMaker(study, plan, recipient, words).sheet(number)
        for number in range(1, len(recipient.seats) + 1)
    )
    return ParticipantWorkbook(study, plan, recipient, words, sheets)


def sheet_mark(number: int) -> str:
    """What the hidden first cell of a sheet with tasks says."""
    return f"rejudge sheet {number}"


def cell_text(text: str) -> str:
    """A text as a cell can hold it: line breaks in one spelling, no control characters."""
    return _UNREADABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


@dataclass(frozen=True, slots=True)
class _SheetMaker:
    study: Study
    plan: Plan
    recipient: Recipient
    words: WorkbookWords

    def sheet(self, number: int) -> TaskSheet:
        batch_id, seat = self.recipient.seats[number - 1]
        tasks = order_for(self.plan, self.plan.batch[batch_id], seat)
        rows = tuple(
            row
            for position, task in enumerate(tasks, start=1)
            for row in self._rows(batch_id, position, task)
        )
        several = len(self.recipient.seats) > 1
        title = self.words("sheet_part", number=number) if several else self.words("sheet_tasks")
        columns = (*self._text_columns(rows), *self._answer_columns(rows, tasks))
        return TaskSheet(sheet_mark(number), title, batch_id, columns, rows)

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────

    def _rows(self, batch: str, position: int, task: Task) -> Iterator[TaskRow]:
        asked = self.study.questions_beside(len(task.options))
        whole = {
            control: AnswerCell(question, control)
            for question in asked
            if question.segmentation is None
            for control in self._controls(task, question)
        }
        lines: list[tuple[Mapping[str, str], Mapping[str, AnswerCell]]] = []
        if whole or all(question.segmentation is None for question in asked):
            lines.append(({}, whole))
        units = dict.fromkeys(q.segmentation.unit for q in asked if q.segmentation is not None)
        for unit in units:
            lines += self._segment_lines(task, unit, asked)
        for place, (texts, cells) in enumerate(lines):
            shared = {} if place else dict(self._task_texts(task, asked))
            key = self._key(f"{batch}/{task.id}/{place}")
            yield TaskRow(key, position, task, {**shared, **texts}, cells)

    def _segment_lines(
        self, task: Task, unit: str, asked: Sequence[Question]
    ) -> Iterator[tuple[Mapping[str, str], Mapping[str, AnswerCell]]]:
        """One line for each segment of a text, with the questions that score it."""
        scoring = [q for q in asked if q.segmentation is not None and q.segmentation.unit == unit]
        controls = {question.id: self._controls(task, question) for question in scoring}
        noun = self.words("reference" if unit == "reference" else "output")
        for place, sentence in enumerate(self._sentences(task, scoring[0])):
            cells = {q.id: AnswerCell(q, controls[q.id][place]) for q in scoring}
            yield {UNIT_COLUMN: f"{noun} {place + 1}", SEGMENT_COLUMN: cell_text(sentence)}, cells

    def _sentences(self, task: Task, question: Question) -> tuple[str, ...]:
        cut, option = question.segmentation, segmented_text(task, question)
        if cut is None or option is None:
            return ()
        text = option_text(self.study, self.plan, task, option)
        return cut.visible_segments(text, self.plan.segments[segment_key(task.item, option)])

    def _controls(self, task: Task, question: Question) -> tuple[str, ...]:
        """The controls of an answer, named as on the site, so that the kind puts them together."""
        parts = answer_parts(self.plan, task, question)
        return tuple(question.controls(question.id, question.first_answer(parts)))

    def _task_texts(self, task: Task, asked: Sequence[Question]) -> Iterator[tuple[str, str]]:
        """The texts that the site shows: input or instruction, reference, outputs by letter."""
        item = self.study.item[task.item]
        beside = {each for question in asked for each in question.beside}
        shown = {}
        if task.instruction is not None:
            shown[INPUT_COLUMN] = task.instruction
        elif "input" in beside:
            shown[INPUT_COLUMN] = item.input
        if "reference" in beside:
            shown[REFERENCE_COLUMN] = item.reference or ""
        for letter, option in zip(LETTERS, task.options, strict=False):
            shown[_TEXT + letter] = option_text(self.study, self.plan, task, option)
        for column, text in shown.items():
            if len(text) > LONGEST_TEXT:
                what = f"item '{task.item}' has a text of {len(text):,} characters."
                remedy = (
                    f"A cell of a workbook holds {LONGEST_TEXT:,}. Shorten it, or use the site."
                )
                raise DesignError(Problem(what, remedy))
            if text:
                yield column, cell_text(text)

    def _key(self, place: str) -> str:
        """Hashed with the plan, so that a key cannot be made up or moved to another workbook."""
        named = f"{self.recipient.code}/{place}".encode()
        digest = hmac.digest(self.plan.fingerprint.encode(), named, "sha256")
        return digest.hex()[:_KEY_LENGTH]

    # ── columns ──────────────────────────────────────────────────────────────────────────────────

    def _text_columns(self, rows: Sequence[TaskRow]) -> Iterator[SheetColumn]:
        used = {column for row in rows for column in row.texts}
        widths = {len(row.task.options) for row in rows}
        titles = {
            INPUT_COLUMN: self.words("input"),
            REFERENCE_COLUMN: self.words("reference"),
            **{_TEXT + x: self.words("version", letter=x.upper()) for x in LETTERS[: max(widths)]},
            UNIT_COLUMN: self.words("unit"),
            SEGMENT_COLUMN: self.words("segment"),
        }
        if 1 in widths:  # a text alone has no letter
            alone = self.words("output")
            first = _TEXT + LETTERS[0]
            titles[first] = alone if widths == {1} else f"{alone} / {titles[first]}"
        return (SheetColumn(id_, title) for id_, title in titles.items() if id_ in used)

    def _answer_columns(
        self, rows: Sequence[TaskRow], tasks: Sequence[Task]
    ) -> Iterator[SheetColumn]:
        outputs = {q.id: len(t.options) for t in tasks for q in self._asked(t)}
        used = {column: cell for row in rows for column, cell in row.cells.items()}
        for question in self.study.spec.questions:
            for column, cell in used.items():
                if cell.question is not question:
                    continue
                choices = choices_of(question, outputs[question.id], self.words)
                part = "" if question.is_segmented else cell.control.removeprefix(question.id)
                label = _label(question, part.removeprefix(":"), self.words) or choices.in_words
                yield SheetColumn(column, question.prompt, question, choices, label)

    def _asked(self, task: Task) -> tuple[Question, ...]:
        return self.study.questions_beside(len(task.options))


def choices_of(question: Question, outputs: int, words: WorkbookWords) -> Choices:
    """What a cell of a question takes, from what the kind says about its answers."""
    if question.has_points:
        return Choices(dict(_points(question)))
    if question.bounds is not None:
        return Choices({}, question.bounds)
    if question.is_order:
        return Choices({str(place): float(place) for place in range(1, outputs + 1)})
    letters: dict[str, str | float] = {letter: letter.upper() for letter in LETTERS[:outputs]}
    return Choices(letters | {"tie": words("about_same")} if question.allows_tie else letters)


def _points(question: Question) -> Iterator[tuple[str, str | float]]:
    for value in question.values:
        raw = question.spell(value)
        try:
            float(raw)
        except ValueError:  # a kind with words for its points
            yield raw, raw
        else:
            yield f"{value:.12g}", value


def _label(question: Question, part: str, words: WorkbookWords) -> str:
    """What stands below a question: the part of the answer, or the scale with its words."""
    if part:
        if question.is_order:
            return words("place_of", letter=part.upper())
        return words(part) if part in words else part
    if question.has_points:
        named = question.labels_by_value
        lines = [f"{v:.12g} = {named[v]}" for v in question.values if v in named]
        span = words("range", low=f"{question.values[0]:g}", high=f"{question.values[-1]:g}")
        return "\n".join(lines) if lines else span
    if question.bounds is not None:
        low, high = (f"{end:g}" for end in question.bounds)
        ends = (getattr(question, "low", ""), getattr(question, "high", ""))  # a slider has words
        named_ends = [
            f"{end} = {name}" for end, name in zip((low, high), ends, strict=True) if name
        ]
        return "\n".join([words("range", low=low, high=high), *named_ends])
    return ""
