"""A participant's workbook as an .xlsx file: cells, lists to choose from, protection, colours."""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from rejudge.exchange.workbooks.layout import (
    Choices,
    ParticipantWorkbook,
    SheetColumn,
    TaskRow,
    TaskSheet,
    WorkbookWords,
)
from rejudge.exchange.workbooks.pages import (
    INK,
    FormCell,
    FrontLine,
    add_note,
    fill_consent,
    fill_front,
    set_page,
    spreadsheet_text,
)
from rejudge.exchange.workbooks.sizes import (
    LINE_POINTS,
    TALLEST,
    column_widths,
    is_shared,
    lines_of,
    row_heights,
)
from rejudge.incoming import read_bytes

HIDDEN_SHEET = "rejudge"
KEY_COLUMN, NUMBER_COLUMN, FIRST_COLUMN = 1, 2, 3
MARK_ROW, PROGRESS_ROW, HEAD_ROW, LABEL_ROW, FIRST_ROW = 1, 2, 3, 4, 5
CellPlace: TypeAlias = tuple[str, str]  # key of a row and id of a column
_LISTS_FROM = 3  # column of the hidden sheet; before them are the marker and its signature
_MODIFIED = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
_WRITTEN = b"2000-01-01T00:00:00Z"
_STAMPED = re.compile(rb"<dcterms:(?:created|modified)[^>]*>" + _WRITTEN)
_LARGEST = 64 << 20
_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest in a zip archive: equal workbooks have equal bytes
_LONGEST_MESSAGE = 255  # of a validation
_MUTED, _LINE = "616E7C", "CBD2D9"
_HEAD_FILL, _ANSWER_FILL, _IDLE_FILL, _FAULT_FILL = "E4E7EB", "FFF3C4", "EEF0F2", "FFBDBD"


@dataclass(frozen=True, slots=True)
class WorkbookContent:
    """What is in a workbook beside its layout: the marker, and for a copy answers and notes."""

    front: Sequence[FrontLine]
    marker: Sequence[str]
    answers: Mapping[CellPlace, str | float] = field(default_factory=dict)
    notes: Mapping[CellPlace, str] = field(default_factory=dict)
    consent: Sequence[FrontLine] = ()  # what people agree to; none where they are not asked
    form: Sequence[FormCell] = ()  # what they answer below it


def to_xlsx(book: ParticipantWorkbook, content: WorkbookContent) -> bytes:
    """The bytes of a workbook, the same for the same content."""
    import openpyxl
    from openpyxl.workbook.protection import WorkbookProtection

    made = openpyxl.Workbook()
    made.properties.creator = "rejudge"
    made.security = WorkbookProtection(lockStructure=True)
    _add_styles(made, is_right_to_left=book.words.is_right_to_left)
    fill_front(made.active, book, content.front)
    lists = _Lists(made.create_sheet(HIDDEN_SHEET), content.marker)
    if content.form:
        tab = made.create_sheet(book.words("sheet_consent"), index=1)
        fill_consent(tab, content.consent, content.form, list_of=lists.range_of)
        set_page(tab, is_wide=False, is_right_to_left=book.words.is_right_to_left)
    for sheet in book.sheets:
        tab = made.create_sheet(sheet.title, index=len(made.worksheets) - 1)
        _SheetWriter(tab, sheet, book.words, content, lists).write()
    made.active = 0
    out = io.BytesIO()
    made.save(out)
    return _repacked(out.getvalue())


def is_as_written(path: Path) -> bool:
    """Whether a workbook is as we wrote it: every program that saves it enters the time."""
    content = io.BytesIO(read_bytes(path, remedy="", limit=_LARGEST))
    with zipfile.ZipFile(content) as archive:
        if "docProps/core.xml" not in archive.namelist():
            return False
        said = archive.read("docProps/core.xml")
    times, stamped = _MODIFIED.findall(said), _STAMPED.findall(said)
    return bool(times) and len(times) == len(stamped)


def _repacked(content: bytes) -> bytes:
    """The same archive without the times at which it was made."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.infolist():
            part = old.read(entry)
            if entry.filename == "docProps/core.xml":
                part = _MODIFIED.sub(rb"\g<1>" + _WRITTEN, part)
            stamped = zipfile.ZipInfo(entry.filename, _TIME)
            stamped.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(stamped, part)
    return out.getvalue()


def _add_styles(book: Any, *, is_right_to_left: bool) -> None:  # of openpyxl
    """The looks of cells by purpose; named styles are much faster than styling each cell."""
    from openpyxl.styles import Alignment, Border, Font, NamedStyle, PatternFill, Protection, Side

    line = Side(style="thin", color=_LINE)
    frame = Border(left=line, right=line, top=line, bottom=line)
    order = 2 if is_right_to_left else 0  # 0: by the first letter of the text itself

    def add(name: str, **given: Any) -> None:
        fill = given.pop("fill", None)
        across = given.pop("across", "general")
        style = NamedStyle(
            name=f"rejudge {name}",
            font=Font(name="Calibri", size=given.pop("size", 11), color=given.pop("ink", INK),
                      bold=given.pop("bold", False)),
            alignment=Alignment(wrap_text=given.pop("wrap", True), horizontal=across,
                                vertical=given.pop("down", "top"),
                                readingOrder=given.pop("order", 0), indent=given.pop("indent", 0)),
            border=given.pop("border", frame),
            protection=Protection(locked=given.pop("locked", True)),
        )  # fmt: skip
        if fill:
            style.fill = PatternFill("solid", start_color=fill, end_color=fill)
        book.add_named_style(style)

    bare, start = Border(), "right" if is_right_to_left else "left"
    for direction, (reads, side) in {"": (1, "left"), " rtl": (2, "right")}.items():
        add(f"text{direction}", order=reads, across=side)
        add(f"text{direction} fault", order=reads, across=side, fill=_FAULT_FILL)
    add("number", ink=_MUTED, across="center")
    add("answer", fill=_ANSWER_FILL, locked=False, across="center", down="center", size=12)
    add("answer fault", fill=_FAULT_FILL, locked=False, across="center", down="center", size=12)
    add("idle", fill=_IDLE_FILL, across="center", down="center")
    add("idle fault", fill=_FAULT_FILL, across="center", down="center")
    add("head", fill=_HEAD_FILL, bold=True, order=order)
    add("label", fill=_HEAD_FILL, ink=_MUTED, size=10, order=order)
    add("progress", bold=True, wrap=False, border=bare, down="center", order=order, across=start)
    add("front title", bold=True, size=18, border=bare, order=order, across=start)
    add("front heading", bold=True, size=13, border=bare, order=order, down="bottom", across=start)
    add("front text", border=bare, order=order, across=start)
    add("front item", border=bare, order=order, indent=2, across=start)
    add("front quiet", border=bare, order=order, ink=_MUTED, across=start)
    add("front note", border=bare, order=order, fill=_FAULT_FILL, bold=True, across=start)


class _Lists:
    """The hidden sheet: the marker, and the answers that cells offer to choose from."""

    def __init__(self, tab: Any, marker: Sequence[str]) -> None:  # of openpyxl
        self._tab = tab
        self._ranges: dict[tuple[str | float, ...], str] = {}
        tab.sheet_state = "veryHidden"
        tab.protection.enable()
        for row, line in enumerate(marker, start=1):
            tab.cell(row, 1).value = line

    def range_of(self, choices: Choices) -> str:
        """Where the answers are listed."""
        from openpyxl.utils import get_column_letter

        values = tuple(choices.shown.values())
        if values not in self._ranges:
            column = _LISTS_FROM + len(self._ranges)
            for row, value in enumerate(values, start=1):
                self._tab.cell(row, column).value = value
            letter = get_column_letter(column)
            self._ranges[values] = f"{HIDDEN_SHEET}!${letter}$1:${letter}${len(values)}"
        return self._ranges[values]


@dataclass(frozen=True, slots=True)
class _SheetWriter:
    """Writes one sheet of tasks."""

    tab: Any  # of openpyxl
    sheet: TaskSheet
    words: WorkbookWords
    content: WorkbookContent
    lists: _Lists
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)  # corners of ranges

    def write(self) -> None:
        widths = column_widths(self.sheet)
        last = FIRST_ROW
        for block in self.sheet.blocks():
            last = self._write_block(block, last, widths)
        self._write_head(widths, last - 1)
        self._merge()
        self._check_answers(last - 1)
        self._set_up(widths, last - 1)

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────

    def _write_block(
        self, block: Sequence[TaskRow], first: int, widths: Mapping[str, float]
    ) -> int:
        """The rows of one task; texts of the whole task are as tall as all its rows."""
        heights = row_heights(block, widths)
        last = first + len(heights) - 1
        for offset, height in enumerate(heights):
            self.tab.row_dimensions[first + offset].height = height
        for line in range(first, last + 1):
            row = block[line - first] if line - first < len(block) else None
            self._write_row(line, row)
        self._put(first, NUMBER_COLUMN, block[0].position, "number")
        if last > first:
            shared = (place for place, column in self._places() if is_shared(column))
            self.merged.extend((place, first, place, last) for place in (NUMBER_COLUMN, *shared))
        return last + 1

    def _write_row(self, line: int, row: TaskRow | None) -> None:
        if row is not None:
            self.tab.cell(line, KEY_COLUMN).value = row.key
        self._put(line, NUMBER_COLUMN, None, "number")
        for place, column in self._places():
            at = (row.key if row else "", column.id)
            note = self.content.notes.get(at)
            is_asked = row is not None and column.id in row.cells
            value: Any = row.texts.get(column.id) if row else None
            if is_asked:
                value = self.content.answers.get(at)
            style = "answer" if is_asked else "idle"
            if column.choices is None:
                style = "text rtl" if _is_right_to_left(value or column.title) else "text"
            cell = self._put(line, place, value, f"{style} fault" if note else style)
            if note:
                add_note(cell, note)

    def _put(self, line: int, column: int, value: Any, style: str) -> Any:  # of openpyxl
        cell = self.tab.cell(line, column)
        cell.style = f"rejudge {style}"
        if value is None or value == "":
            return cell
        cell.value = spreadsheet_text(value) if isinstance(value, str) else value
        if isinstance(value, str):
            cell.data_type = "s"  # openpyxl takes what begins with = for a formula
            cell.quotePrefix = value.startswith(("=", "+", "-", "@"))  # and it stays text if edited
        return cell

    def _places(self) -> Iterator[tuple[int, SheetColumn]]:
        return enumerate(self.sheet.columns, start=FIRST_COLUMN)

    # ── head ─────────────────────────────────────────────────────────────────────────────────────

    def _write_head(self, widths: Mapping[str, float], last: int) -> None:
        self.tab.cell(MARK_ROW, KEY_COLUMN).value = self.sheet.mark
        self._put(HEAD_ROW, NUMBER_COLUMN, self.words("number"), "head")
        self._put(LABEL_ROW, NUMBER_COLUMN, None, "label")
        for place, column in self._places():
            self.tab.cell(MARK_ROW, place).value = column.id
            title = self._put(HEAD_ROW, place, self._title(column), "head")
            if column.question is not None and column.question.definition:
                add_note(title, column.question.definition)
            self._put(LABEL_ROW, place, column.label, "label")
        self._join_questions()
        for line, height in self._head_heights(widths):
            self.tab.row_dimensions[line].height = height
        done = self.tab.cell(PROGRESS_ROW, NUMBER_COLUMN)
        done.value = self._progress(last)
        done.style = "rejudge progress"

    def _title(self, column: SheetColumn) -> str:
        question = column.question
        if question is None or question.required:
            return column.title
        return f"{column.title} ({self.words('optional')})"

    def _join_questions(self) -> None:
        """A question with several cells stands once above them."""
        texts = [place for place, each in self._places() if each.question is None]
        for place in (NUMBER_COLUMN, *texts):
            self.merged.append((place, HEAD_ROW, place, LABEL_ROW))
        placed = [(place, each) for place, each in self._places() if each.question is not None]
        for _, group in groupby(placed, key=lambda pair: _question_id(pair[1])):
            places = [place for place, _ in group]
            if len(places) > 1:
                self.merged.append((places[0], HEAD_ROW, places[-1], HEAD_ROW))

    def _merge(self) -> None:
        """Join cells, in a fixed order; openpyxl's own way takes a minute for a thousand tasks."""
        from openpyxl.worksheet.cell_range import CellRange, MultiCellRange

        class SortedRanges(MultiCellRange):  # type: ignore[misc]  # openpyxl has no types
            def __iter__(self) -> Iterator[CellRange]:
                return iter(self.sorted())

        ranges = [
            CellRange(min_col=left, min_row=top, max_col=right, max_row=bottom)
            for left, top, right, bottom in self.merged
        ]
        self.tab.merged_cells = SortedRanges(ranges)

    def _head_heights(self, widths: Mapping[str, float]) -> Iterator[tuple[int, float]]:
        parts = Counter(_question_id(column) for column in self.sheet.columns)
        titles = [
            lines_of(self._title(each), 0.92 * widths[each.id] * parts[_question_id(each)])
            for each in self.sheet.columns
        ]
        labels = [lines_of(c.label, widths[c.id] * 1.05) for c in self.sheet.columns if c.label]
        yield PROGRESS_ROW, 24.0
        yield HEAD_ROW, min(TALLEST, 6 + LINE_POINTS * max(titles, default=1))
        yield LABEL_ROW, min(TALLEST, 6 + 14.0 * max(labels, default=0))

    def _progress(self, last: int) -> str:
        """A formula that counts the answered cells, in the words of the language."""
        cells = self._answer_range(last)
        wanted = sum(len(row.cells) for row in self.sheet.rows)
        before, after = self.words("progress").split("{done}")
        quoted = (part.replace("{all}", str(wanted)).replace('"', '""') for part in (before, after))
        return "=" + f"&COUNTA({cells})&".join(f'"{part}"' for part in quoted)

    def _answer_range(self, last: int) -> str:
        from openpyxl.utils import get_column_letter

        places = [place for place, column in self._places() if column.choices is not None]
        begin, end = get_column_letter(min(places)), get_column_letter(max(places))
        return f"${begin}${FIRST_ROW}:${end}${last}"

    # ── what can be typed ────────────────────────────────────────────────────────────────────────

    def _check_answers(self, last: int) -> None:
        from openpyxl.formatting.rule import FormulaRule
        from openpyxl.styles import PatternFill
        from openpyxl.utils import get_column_letter

        white = PatternFill("solid", start_color="FFFFFF", end_color="FFFFFF")
        red = PatternFill("solid", start_color=_FAULT_FILL, end_color=_FAULT_FILL)
        for place, column in self._places():
            if column.choices is None:
                continue
            letter = get_column_letter(place)
            cells, first = f"{letter}{FIRST_ROW}:{letter}{last}", f"{letter}{FIRST_ROW}"
            self.tab.add_data_validation(self._validation(column.choices, cells))
            wrong = self._is_wrong(column.choices, first)
            rules = self.tab.conditional_formatting
            rules.add(cells, FormulaRule(formula=[wrong], fill=red, stopIfTrue=True))
            rules.add(cells, FormulaRule(formula=[f"LEN({first})>0"], fill=white))

    def _validation(self, choices: Choices, cells: str) -> Any:  # of openpyxl
        from openpyxl.worksheet.datavalidation import DataValidation

        said: dict[str, Any] = {  # keywords of openpyxl
            "sqref": cells,
            "allow_blank": True,
            "showErrorMessage": True,
            "errorTitle": self.words("refused_title"),
            "error": self.words("refused", choices=choices.in_words)[:_LONGEST_MESSAGE],
        }
        if choices.bounds is not None:
            low, high = (f"{end:g}" for end in choices.bounds)
            said |= {"operator": "between", "formula1": low, "formula2": high}
            return DataValidation("decimal", **said)
        return DataValidation("list", formula1=self.lists.range_of(choices), **said)

    def _is_wrong(self, choices: Choices, cell: str) -> str:
        if choices.bounds is not None:
            low, high = choices.bounds
            return f"AND(LEN({cell})>0,OR(NOT(ISNUMBER({cell})),{cell}<{low:g},{cell}>{high:g}))"
        return f"AND(LEN({cell})>0,ISNA(MATCH({cell},{self.lists.range_of(choices)},0)))"

    def _set_up(self, widths: Mapping[str, float], last: int) -> None:
        from openpyxl.utils import get_column_letter

        tab = self.tab
        tab.column_dimensions[get_column_letter(KEY_COLUMN)].hidden = True
        tab.column_dimensions[get_column_letter(NUMBER_COLUMN)].width = 6
        for place, column in self._places():
            tab.column_dimensions[get_column_letter(place)].width = widths[column.id]
        tab.row_dimensions[MARK_ROW].hidden = True
        tab.freeze_panes = tab.cell(FIRST_ROW, FIRST_COLUMN)
        tab.print_title_rows = f"{HEAD_ROW}:{LABEL_ROW}"
        set_page(tab, is_wide=True, is_right_to_left=self.words.is_right_to_left)
        tab.print_area = f"B{PROGRESS_ROW}:{get_column_letter(tab.max_column)}{last}"


def _question_id(column: SheetColumn) -> str:
    """The question that a column belongs to; a column of texts stands alone."""
    return column.id if column.question is None else column.question.id


def _is_right_to_left(text: str) -> bool:
    """Whether the first letter of a text is of a script that is written from the right."""
    directions = (unicodedata.bidirectional(letter) for letter in text)
    return next((each for each in directions if each in {"L", "R", "AL"}), "L") != "L"
