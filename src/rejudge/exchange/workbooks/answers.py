"""From the cells of one participant's files to answers, and to what they have to correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rejudge.design.plan import answer_parts
from rejudge.english import count, join_words
from rejudge.errors import DataError
from rejudge.exchange.formats import Rejected
from rejudge.exchange.workbooks.consent import CONSENT, ConsentFault, ConsentReading, join
from rejudge.exchange.workbooks.layout import (
    ParticipantWorkbook,
    SheetColumn,
    TaskRow,
    TaskSheet,
    WorkbookWords,
)
from rejudge.exchange.workbooks.pages import CONSENT_MARK
from rejudge.exchange.workbooks.reading import CellFault, FileReading
from rejudge.exchange.workbooks.sheets import CellPlace
from rejudge.judgments.answers import Answer
from rejudge.study.kinds.question import Question


@dataclass(frozen=True, slots=True)
class Returned:
    """All files that came back from one participant."""

    book: ParticipantWorkbook
    files: tuple[FileReading, ...]


@dataclass(frozen=True)
class CheckedWorkbook:
    """The answers of one participant, and everything that is still wrong."""

    book: ParticipantWorkbook
    file: str  # the first of the files
    answers: tuple[Answer, ...]
    faults: tuple[tuple[FileReading, CellFault], ...]
    shown: Mapping[CellPlace, str | float]  # what a copy has in its cells
    notes: tuple[str, ...]
    consent: ConsentReading

    @property
    def is_to_correct(self) -> bool:
        """Whether a copy goes back; people who do not consent are left alone."""
        return bool(self.faults) and self.consent.choice != "no"

    @cached_property
    def form_faults(self) -> tuple[ConsentFault, ...]:
        """What is wrong on the sheet with the consent."""
        return tuple(
            ConsentFault(fault.kind, fault.column or CONSENT, fault.row, fault.value)
            for _, fault in self.faults
            if fault.sheet == CONSENT_MARK
        )

    @cached_property
    def rejected(self) -> tuple[Rejected, ...]:
        """The faults for the researcher, in English."""
        english = WorkbookWords("en")
        return tuple(
            Rejected(
                reason=self._reason(fault, english),
                remedy=self._remedy(fault, english),
                file=reading.file,
                row=fault.row,
                column=self._column(reading, fault),
                value=fault.value or None,
                participant=self.book.recipient.code,
            )
            for reading, fault in self.faults
        )

    @cached_property
    def marks(self) -> dict[CellPlace, str]:
        """What the notes in a copy say, in the language of the workbook."""
        notes: dict[CellPlace, str] = {}
        for _, fault in self.faults:
            if fault.kind == "not_started":  # the whole sheet is open; every cell is yellow anyway
                continue
            if fault.sheet == CONSENT_MARK:  # its cells are written with their own notes
                continue
            said = _sentence(self._said(fault))
            for cell in (fault.mark,) if fault.mark is not None else fault.cells:
                notes[cell] = f"{notes[cell]}\n{said}" if cell in notes else said
        return notes

    def list_for(self, copy: str) -> str:
        """The list for the participant, in the language of the workbook."""
        words = self.book.words
        lines = [
            words("list_head", file=self.file, count=len(self.faults)),
            words("list_how", copy=copy),
            "",
        ]
        for number, (reading, fault) in enumerate(self.faults, start=1):
            place = self._place(reading, fault)
            entry = words("list_entry", place=place, said=self._said(fault))
            lines.append(f"{number}. {entry}")
        return "\n".join([*lines, ""])

    def _said(self, fault: CellFault) -> str:
        words = self.book.words
        reason, remedy = self._reason(fault, words), self._remedy(fault, words)
        return words("both", reason=reason, remedy=remedy)

    def _reason(self, fault: CellFault, words: WorkbookWords) -> str:
        return words(fault.kind, value=fault.value, **fault.given)

    def _remedy(self, fault: CellFault, words: WorkbookWords) -> str:
        column = self._asked(fault)
        choices = column.choices.in_words if column and column.choices else ""
        return words(f"{fault.kind}_remedy", choices=choices)

    def _asked(self, fault: CellFault) -> SheetColumn | None:
        sheets = (sheet for sheet in self.book.sheets if sheet.mark == fault.sheet)
        columns = (column for sheet in sheets for column in sheet.columns)
        return next((each for each in columns if each.id == fault.column), None)

    def _title(self, fault: CellFault) -> str:
        titles = {sheet.mark: sheet.title for sheet in self.book.sheets}
        return titles.get(fault.sheet) or self.book.words("sheet_consent")

    def _column(self, reading: FileReading, fault: CellFault) -> str | None:
        """Such as `H (fluency)`, with the sheet where there are several."""
        letter = reading.letters.get((fault.sheet, fault.column or ""), "")
        named = f"{letter} ({fault.column})".strip() if fault.column else ""
        is_needed = len(self.book.sheets) > 1 or fault.sheet == CONSENT_MARK
        sheet = self._title(fault) if is_needed else ""
        return ", ".join(part for part in (sheet, named) if part) or None

    def _place(self, reading: FileReading, fault: CellFault) -> str:
        sheet = self._title(fault)
        if fault.row is None:
            return sheet
        letter = reading.letters.get((fault.sheet, fault.column or ""), "–")
        return self.book.words("list_place", sheet=sheet, row=fault.row, column=letter)


def collect(returned: Returned) -> CheckedWorkbook:
    """Put the files of one participant together and read whole answers from their cells."""
    return _Collector(returned).result()


class _Collector:
    """Several files of one person count as one: a cell that one of them leaves open or wrong is
    taken from another, and a cell that they answer differently is taken from none."""

    def __init__(self, returned: Returned) -> None:
        self._book = returned.book
        self._files = returned.files
        self._consent = join([reading.consent for reading in returned.files])
        self._valid = self._agreed()
        self._faults = self._open_faults()
        self._blocked = {cell for _, fault in self._faults for cell in fault.cells}
        self._waiting = 0  # good cells whose answer lacks another cell

    def result(self) -> CheckedWorkbook:
        answers = tuple(answer for sheet in self._book.sheets for answer in self._answers(sheet))
        faults = [*self._consent_faults(), *sorted(self._faults, key=self._order)]
        notes = self._notes()
        if self._consent.is_asked and self._consent.choice != "yes":
            if answers:
                notes = (*notes, self._left_out(len(answers)))
            answers = ()
        if self._consent.choice == "no":
            faults = faults[:1]  # nothing is asked of somebody who does not take part
        return CheckedWorkbook(
            self._book, self._files[0].file, answers, tuple(faults), self._shown(), notes,
            self._consent,
        )  # fmt: skip

    def _consent_faults(self) -> Iterator[tuple[FileReading, CellFault]]:
        said, first = self._consent, self._files[0]
        if said.is_asked and said.choice != "yes":
            kind = "consent_refused" if said.choice == "no" else "consent_missing"
            yield first, CellFault(kind, CONSENT_MARK)
        for each in said.faults:
            yield (
                first,
                CellFault(each.kind, CONSENT_MARK, column=each.key, row=each.row, value=each.value),
            )

    def _left_out(self, answers: int) -> str:
        what = count(answers, "answer")
        return f"{self._files[0].file}: {what} were left out, because there is no consent."

    def _agreed(self) -> dict[CellPlace, str]:
        """The cells on which all files that answer them agree."""
        said: dict[CellPlace, set[str]] = {}
        for reading in self._files:
            unsure = {cell for fault in reading.faults for cell in fault.cells}
            for cell, raw in reading.valid.items():
                if cell not in unsure:
                    said.setdefault(cell, set()).add(raw)
        self._differing = {cell: raws for cell, raws in said.items() if len(raws) > 1}
        return {cell: next(iter(raws)) for cell, raws in said.items() if len(raws) == 1}

    def _open_faults(self) -> list[tuple[FileReading, CellFault]]:
        """Faults that no other file of the same person has put right."""
        found = [
            (reading, fault)
            for reading in self._files
            for fault in reading.faults
            if not fault.cells or not all(cell in self._valid for cell in fault.cells)
        ]
        sheets = {row.key: sheet.mark for sheet in self._book.sheets for row in sheet.rows}
        first = self._files[0]
        for (key, column), raws in self._differing.items():
            value = " / ".join(raw.upper() for raw in sorted(raws))
            found.append((first, CellFault("differs", sheets[key], ((key, column),), column,
                                           first.lines.get(key), value)))  # fmt: skip
        return found

    # ── answers ──────────────────────────────────────────────────────────────────────────────────

    def _answers(self, sheet: TaskSheet) -> Iterator[Answer]:
        missing: list[CellFault] = []
        for block in sheet.blocks():
            for question, cells in _cells_by_question(block):
                missing += self._missing(sheet, question, cells)
                answer = self._answer(sheet, question, cells)
                if answer is not None:
                    yield answer
        given = any((row.key, column) in self._valid for row in sheet.rows for column in row.cells)
        has_faults = any(fault.sheet == sheet.mark for _, fault in self._faults)
        if missing and not given and not has_faults:
            cells_open = tuple(cell for fault in missing for cell in fault.cells)
            missing = [CellFault("not_started", sheet.mark, cells_open)]
        self._faults += [(self._files[0], fault) for fault in missing]

    def _missing(
        self, sheet: TaskSheet, question: Question, cells: Sequence[tuple[TaskRow, str]]
    ) -> Iterator[CellFault]:
        """The cells that are still empty; of an optional question only where others are filled."""
        places = [(row.key, column) for row, column in cells]
        is_begun = any(place in self._valid or place in self._blocked for place in places)
        for place in places if question.required or is_begun else ():
            if place not in self._valid and place not in self._blocked:
                line = self._files[0].lines.get(place[0])
                yield CellFault("missing", sheet.mark, (place,), place[1], line)

    def _answer(
        self, sheet: TaskSheet, question: Question, cells: Sequence[tuple[TaskRow, str]]
    ) -> Answer | None:
        """The answer that its cells give together, if all are there and fit together."""
        places = [(row.key, column) for row, column in cells]
        given = [place for place in places if place in self._valid]
        if len(given) < len(places):
            self._waiting += len(given)
            return None
        task, position = cells[0][0].task, cells[0][0].position
        form = {row.cells[c].control: self._valid[row.key, c] for row, c in cells}
        parts = answer_parts(self._book.plan, task, question)
        raw = question.raw_answer(form, question.id, parts) or ""
        try:
            question.parse(raw, parts)
        except DataError:
            self._note_combination(sheet, question, places)
            return None
        code = self._book.recipient.code
        return Answer(code, sheet.batch, task.id, question.id, raw, position)

    def _note_combination(
        self, sheet: TaskSheet, question: Question, places: Sequence[CellPlace]
    ) -> None:
        kind = (
            question.fault
            if f"{question.fault}_remedy" in self._book.words
            else "fault_combination"
        )
        line = self._files[0].lines.get(places[0][0])
        value = ", ".join(self._valid.pop(place).upper() for place in places)
        fault = CellFault(kind, sheet.mark, tuple(places), places[0][1], line, value)
        self._faults.append((self._files[0], fault))

    # ── what a copy shows, and what is said ──────────────────────────────────────────────────────

    def _shown(self) -> dict[CellPlace, str | float]:
        """The good answers, and wrong ones that can be seen to be wrong; the rest is empty."""
        choices = {column.id: column.choices for s in self._book.sheets for column in s.columns}
        unclear = {
            cell
            for _, fault in self._faults
            if fault.kind not in {"edited", "row_gone", "sheet_gone", "column_gone"}
            for cell in fault.cells
        }
        shown: dict[CellPlace, str | float] = {}
        for reading in reversed(self._files):
            shown |= reading.shown
        for reading in reversed(self._files):
            for cell, raw in reading.valid.items():
                if cell not in unclear:
                    known = choices[cell[1]]
                    word = known.shown.get(raw) if known else None
                    shown[cell] = float(raw) if word is None else word
        return shown

    def _order(self, pair: tuple[FileReading, CellFault]) -> tuple[object, ...]:
        reading, fault = pair
        sheets = [sheet.mark for sheet in self._book.sheets]
        row = fault.row if fault.row is not None else 0
        return reading.file, sheets.index(fault.sheet), row, fault.column or "", fault.kind

    def _notes(self) -> tuple[str, ...]:
        return tuple(self._notes_found())

    def _notes_found(self) -> Iterator[str]:
        if self._book.asks_consent and not self._consent.is_asked:
            yield (
                f"{self._files[0].file}: the workbook was exported before there was a consent "
                "sheet; make sure that you have it in writing."
            )
        if not self._consent.has_same_text:
            yield f"{self._files[0].file}: the consent is to an earlier text of the page."
        if len(self._files) > 1:
            names = join_words([reading.file for reading in self._files])
            yield f"{names} are of {self._book.recipient.code} and were read as one."
        for reading in self._files:
            if reading.moved:
                yield f"{reading.file}: rows were moved; they were found by their hidden keys."
            if reading.repaired:
                yield (
                    f"{reading.file}: numbers typed as text were read as numbers in "
                    f"{count(len(reading.repaired), 'cell')}."
                )
        if self._waiting:
            yield (
                f"{self._files[0].file}: the judgments lack {count(self._waiting, 'good cell')}, "
                "because another cell of the same answer has to be corrected."
            )


def _cells_by_question(
    block: Sequence[TaskRow],
) -> Iterator[tuple[Question, list[tuple[TaskRow, str]]]]:
    found: dict[str, tuple[Question, list[tuple[TaskRow, str]]]] = {}
    for row in block:
        for column, cell in row.cells.items():
            found.setdefault(cell.question.id, (cell.question, []))[1].append((row, column))
    yield from found.values()


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
