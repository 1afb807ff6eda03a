"""What the cells of a returned workbook say.

Nothing in a file is trusted. Rows are found by their hidden keys wherever they are now, and every
text is compared with the study's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from rejudge.exchange.workbooks.cells import describe, is_blank, is_same_text, read_answer
from rejudge.exchange.workbooks.consent import ConsentReading, is_consent_sheet
from rejudge.exchange.workbooks.files import OpenedWorkbook
from rejudge.exchange.workbooks.layout import ParticipantWorkbook, SheetColumn, TaskRow, TaskSheet
from rejudge.exchange.workbooks.sheets import FIRST_ROW, HIDDEN_SHEET, MARK_ROW, CellPlace

_FAR_ROWS, _FAR_COLUMNS, _NEAR = 100_000, 200, 20
_SEEN_TO_BE_WRONG = {"range_fault", "choice", "text", "several"}  # a copy keeps the value, in red
Line: TypeAlias = tuple[int, tuple[Any, ...]]  # number of a row, and its cells of openpyxl


@dataclass(frozen=True, slots=True)
class CellFault:
    """Something to correct; `cells` are the answers that cannot be used until then."""

    kind: str  # key of the words
    sheet: str  # mark of the sheet
    cells: tuple[CellPlace, ...] = ()
    column: str | None = None  # its id
    row: int | None = None  # in the returned file
    value: str = ""
    given: Mapping[str, object] = field(default_factory=dict)  # for the words
    mark: CellPlace | None = None  # where a copy says so, if not in the cells


@dataclass(frozen=True, slots=True)
class FileReading:
    """What one file says, cell by cell."""

    file: str
    valid: dict[CellPlace, str] = field(default_factory=dict)  # raw answers
    shown: dict[CellPlace, str | float] = field(default_factory=dict)  # wrong ones, for a copy
    faults: list[CellFault] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)  # rows of the file by key
    letters: dict[tuple[str, str], str] = field(default_factory=dict)  # columns by sheet and id
    repaired: list[CellPlace] = field(default_factory=list)  # numbers that were typed as text
    moved: list[str] = field(default_factory=list)  # sheets whose rows are in another order
    unmapped: list[str] = field(default_factory=list)
    consent: ConsentReading = field(default_factory=lambda: ConsentReading(is_asked=False))


def read_workbook(
    opened: OpenedWorkbook, book: ParticipantWorkbook, consent: ConsentReading
) -> FileReading:
    """Every cell of a returned workbook that was asked for, and everything that is wrong."""
    reading = FileReading(opened.file, consent=consent)
    known = {HIDDEN_SHEET, book.words("sheet_start")}
    for sheet in book.sheets:
        found = _find_sheet(opened, sheet.mark)
        if found is None:
            every = tuple((row.key, column) for row in sheet.rows for column in row.cells)
            reading.faults.append(CellFault("sheet_gone", sheet.mark, every))
        else:
            known.add(found.tab.title)
            _SheetReader(sheet, found, reading).read()
    for tab in opened.book.worksheets:
        if tab.title not in known and not is_consent_sheet(tab) and _is_used(tab):
            reading.unmapped.append(f"the sheet '{tab.title}' of {opened.file}")
    return reading


@dataclass(frozen=True)
class _FoundSheet:
    """A sheet of a file: where its hidden cells are now, and all its lines below them."""

    tab: Any  # of openpyxl
    row: int
    column: int
    merged: tuple[str, ...]

    @property
    def width(self) -> int:
        return min(int(self.tab.max_column), _FAR_COLUMNS)

    def columns(self) -> dict[str, int]:
        """The places of our columns by their hidden ids, counted from 0; the first of each."""
        cells = next(self.tab.iter_rows(self.row, self.row, max_col=self.width))
        return {str(cell.value): cell.column - 1 for cell in reversed(cells) if cell.value}

    def lines(self) -> list[Line]:
        first, last = self.row + 1, min(self.tab.max_row, _FAR_ROWS)
        return list(enumerate(self.tab.iter_rows(first, last, max_col=self.width), start=first))


def _find_sheet(opened: OpenedWorkbook, mark: str) -> _FoundSheet | None:
    for tab in opened.book.worksheets:
        near = tab.iter_rows(1, min(_NEAR, tab.max_row), max_col=min(_NEAR, tab.max_column))
        for row in near:
            for cell in row:
                if cell.value == mark:
                    return _FoundSheet(tab, cell.row, cell.column, opened.merged[tab.title])
    return None


def _is_used(tab: Any) -> bool:  # of openpyxl
    rows = tab.iter_rows(1, min(tab.max_row, _FAR_ROWS), max_col=_FAR_COLUMNS, values_only=True)
    return any(value is not None for row in rows for value in row)


class _SheetReader:
    """Reads one sheet into what is known of its file."""

    def __init__(self, sheet: TaskSheet, found: _FoundSheet, reading: FileReading) -> None:
        self._sheet = sheet
        self._found = found
        self._reading = reading
        self._places = found.columns()
        self._lines = found.lines()
        self._by_key: dict[str, list[Line]] = {}

    def read(self) -> None:
        self._find_rows()
        self._look_at_columns()
        merged = self._merged_cells()
        for row in self._sheet.rows:
            if row.key in self._by_key:
                self._read_row(row, merged)
        self._note_missing_rows()

    def _note(self, kind: str, **given: Any) -> None:  # the fields of CellFault
        self._reading.faults.append(CellFault(kind, self._sheet.mark, **given))

    # ── rows and columns ─────────────────────────────────────────────────────────────────────────

    def _find_rows(self) -> None:
        expected = [row.key for row in self._sheet.rows]
        known = set(expected)
        answers = [self._places[c.id] for c in self._sheet.answer_columns if c.id in self._places]
        first = self._found.row + FIRST_ROW - MARK_ROW
        for number, cells in self._lines:
            key = str(cells[self._found.column - 1].value or "")
            if key in known:
                self._by_key.setdefault(key, []).append((number, cells))
            elif number >= first:
                given = [describe(cells[p]) for p in answers if not is_blank(cells[p].value)]
                if given or key:
                    self._note("stranger", row=number, value=", ".join(given))
        if list(self._by_key) != [key for key in expected if key in self._by_key]:
            self._reading.moved.append(self._found.tab.title)

    def _note_missing_rows(self) -> None:
        for block in self._sheet.blocks():
            gone = [row for row in block if row.key not in self._by_key]
            if gone:
                cells = tuple((row.key, column) for row in gone for column in row.cells)
                self._note("row_gone", cells=cells, given={"task": gone[0].position})

    def _look_at_columns(self) -> None:
        from openpyxl.utils import get_column_letter

        mark = self._sheet.mark
        for column in self._sheet.columns:
            if column.id in self._places:
                letter = get_column_letter(self._places[column.id] + 1)
                self._reading.letters[mark, column.id] = letter
            elif column.choices is not None:
                rows = (row for row in self._sheet.rows if column.id in row.cells)
                cells = tuple((row.key, column.id) for row in rows)
                self._note("column_gone", cells=cells, column=column.id)
        ours = {*self._places.values(), self._found.column - 1, self._found.column}
        for place in sorted(set(range(self._found.width)) - ours):
            if any(not is_blank(cells[place].value) for _, cells in self._lines):
                where = f"'{self._found.tab.title}' in {self._reading.file}"
                self._reading.unmapped.append(f"column {get_column_letter(place + 1)} of {where}")

    def _merged_cells(self) -> set[CellPlace]:
        """Answer cells that were merged with others; our own merged cells are texts."""
        from openpyxl.worksheet.cell_range import CellRange

        keys = {number: key for key, lines in self._by_key.items() for number, _ in lines}
        asked = {row.key: row.cells for row in self._sheet.rows}
        merged: set[CellPlace] = set()
        for area in map(CellRange, self._found.merged):
            columns = [c for c, p in self._places.items() if area.min_col <= p + 1 <= area.max_col]
            numbers = range(area.min_row, min(area.max_row, _FAR_ROWS) + 1)
            lines = [(number, keys[number]) for number in numbers if number in keys]
            cells = tuple((key, c) for _, key in lines for c in columns if c in asked[key])
            if cells:
                merged.update(cells)
                first = next(number for number, key in lines if key == cells[0][0])
                self._note("merged", cells=cells, column=cells[0][1], row=first, value=area.coord)
        return merged

    # ── cells ────────────────────────────────────────────────────────────────────────────────────

    def _read_row(self, row: TaskRow, merged: set[CellPlace]) -> None:
        (number, cells), *copies = self._by_key[row.key]
        self._reading.lines[row.key] = number
        for column in self._sheet.answer_columns:
            at = (row.key, column.id)
            cell = cells[self._places[column.id]] if column.id in self._places else None
            if cell is None or at in merged or is_blank(cell.value):
                continue
            if column.id in row.cells:
                self._read_cell(column, at, cell)
            else:
                said = describe(cell)
                self._note("idle", column=column.id, row=number, value=said, mark=at)
        self._compare_texts(row, cells)
        for copy in copies:
            self._compare_copy(row, (number, cells), copy)

    def _read_cell(self, column: SheetColumn, at: CellPlace, cell: Any) -> None:  # of openpyxl
        if column.choices is None:
            return
        read = read_answer(
            column.choices,
            cell.value,
            is_formula=cell.data_type == "f",
            is_percentage="%" in cell.number_format,
        )
        if read.raw is not None:
            self._reading.valid[at] = read.raw
            if read.is_repaired:
                self._reading.repaired.append(at)
            return
        said = describe(cell)
        if read.fault in _SEEN_TO_BE_WRONG:
            self._reading.shown[at] = cell.value if isinstance(cell.value, float | int) else said
        fault = CellFault(
            read.fault or "choice", self._sheet.mark, (at,), column.id, cell.row, said
        )
        self._reading.faults.append(replace(fault, given={"count": read.count}))

    def _compare_texts(self, row: TaskRow, cells: Sequence[Any]) -> None:
        """A changed text makes the answers to its whole task uncertain."""
        for column, text in row.texts.items():
            cell = cells[self._places[column]] if column in self._places else None
            if cell is None or is_same_text(text, cell):
                continue
            every = tuple(self._cells_of_task(row.position))
            said = describe(cell)
            mark = (row.key, column)
            self._note("edited", cells=every, column=column, row=cell.row, value=said, mark=mark)

    def _cells_of_task(self, position: int) -> Iterator[CellPlace]:
        for row in self._sheet.rows:
            if row.position == position:
                yield from ((row.key, column) for column in row.cells)

    def _compare_copy(self, row: TaskRow, first: Line, copy: Line) -> None:
        """A row that is there twice: where the two agree, the answer counts."""
        differing = tuple(
            (row.key, column)
            for column in row.cells
            if (place := self._places.get(column)) is not None
            and first[1][place].value != copy[1][place].value
        )
        self._note("copied", cells=differing, row=copy[0], given={"row": first[0]})
