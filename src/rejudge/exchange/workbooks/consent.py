"""The sheet with the consent: what is asked on it, and what came back.

Times are what people wrote down: they have no time zone and no breaks, so that they are kept beside
the judgments and never become seconds of a task.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rejudge.exchange.workbooks.cells import describe, is_blank, plain_text, read_answer
from rejudge.exchange.workbooks.layout import Choices, WorkbookWords
from rejudge.exchange.workbooks.pages import CONSENT_MARK, FORM_ANSWERS, FormCell
from rejudge.spreadsheet import csv_text

CONSENT_FILE = "consent.csv"
CONSENT, STARTED, FINISHED = "consent", "started", "finished"
_TIMES = (STARTED, FINISHED)
_NEAR = 20  # first rows and columns, among which the hidden marks are
_FAR = 2000  # rows of a consent text
ConsentChoice: TypeAlias = Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class ConsentFault:
    """A cell of the sheet that has to be corrected."""

    kind: str  # key of the words
    key: str
    row: int | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class ConsentReading:
    """What one file says about consent and times."""

    is_asked: bool = True  # False: the study had no consent page when the workbook was made
    has_same_text: bool = True
    choice: ConsentChoice | None = None
    times: Mapping[str, dt.datetime] = field(default_factory=dict)
    faults: tuple[ConsentFault, ...] = ()


def form_cells(
    words: WorkbookWords, reading: ConsentReading | None = None, faults: Iterable[ConsentFault] = ()
) -> tuple[FormCell, ...]:
    """The yellow cells of the sheet; for a copy with what was answered and what is wrong."""
    said = reading or ConsentReading()
    choices = choices_in(words)
    notes = {each.key: _note(words, each) for each in faults}
    chosen = choices.shown[said.choice] if said.choice else None
    return (
        FormCell(CONSENT, words("consent_question"), choices, chosen, notes.get(CONSENT, "")),
        *(
            FormCell(key, words(f"consent_{key}"), None, said.times.get(key), notes.get(key, ""))
            for key in _TIMES
        ),
    )


def choices_in(words: WorkbookWords) -> Choices:
    """Yes and no, in the language of the workbook."""
    return Choices({"yes": words("yes"), "no": words("no")})


def _note(words: WorkbookWords, fault: ConsentFault) -> str:
    reason = words(fault.kind, value=fault.value)
    said = words("both", reason=reason, remedy=words(f"{fault.kind}_remedy"))
    return said[:1].upper() + said[1:]


# ── what came back ───────────────────────────────────────────────────────────────────────────────


def is_consent_sheet(tab: Any) -> bool:  # of openpyxl
    """Whether a sheet is the one with the consent, whatever it is called by now."""
    return _marked_row(tab) is not None


def read_consent(sheets: Sequence[Any], words: WorkbookWords) -> ConsentReading:
    """What the sheet says; no consent where the sheet is gone."""
    for tab in sheets:
        row = _marked_row(tab)
        if row is not None:
            return _read_form(dict(_form(tab, row)), words)
    return ConsentReading()


def _marked_row(tab: Any) -> int | None:
    near = tab.iter_rows(1, min(_NEAR, tab.max_row), max_col=min(_NEAR, tab.max_column))
    return next((c.row for row in near for c in row if c.value == CONSENT_MARK), None)


def _form(tab: Any, first: int) -> Iterable[tuple[str, Any]]:
    """The answer cells by their hidden keys."""
    marks = {c.value: c.column for c in tab[first] if c.value in {CONSENT_MARK, FORM_ANSWERS}}
    keys, answers = marks.get(CONSENT_MARK), marks.get(FORM_ANSWERS)
    if keys is None or answers is None:
        return
    for row in range(first + 1, min(tab.max_row, _FAR) + 1):
        key = tab.cell(row, keys).value
        if key in {CONSENT, *_TIMES}:
            yield key, tab.cell(row, answers)


def _read_form(cells: Mapping[str, Any], words: WorkbookWords) -> ConsentReading:
    faults: list[ConsentFault] = []
    times: dict[str, dt.datetime] = {}
    for key in _TIMES:
        cell = cells.get(key)
        if cell is None or is_blank(cell.value):
            continue
        time = _time(cell.value)
        if time is None:
            faults.append(ConsentFault("time", key, cell.row, describe(cell)))
        else:
            times[key] = time
    if len(times) == len(_TIMES) and times[FINISHED] < times[STARTED]:
        cell = cells[FINISHED]
        faults.append(ConsentFault("time_order", FINISHED, cell.row, describe(cell)))
    choice = _choice(cells.get(CONSENT), words)
    return ConsentReading(choice=choice, times=times, faults=tuple(faults))


def _choice(cell: Any, words: WorkbookWords) -> ConsentChoice | None:
    if cell is None or is_blank(cell.value) or cell.data_type == "f":
        return None
    for language in (words, WorkbookWords("en")):
        raw = read_answer(choices_in(language), cell.value).raw
        if raw is not None:
            return "yes" if raw == "yes" else "no"
    return None


def _time(value: Any) -> dt.datetime | None:
    """A date and time as it was typed; None for anything else."""
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, str):
        try:
            return dt.datetime.fromisoformat(plain_text(value)).replace(tzinfo=None)
        except ValueError:
            return None
    return None


def join(readings: Sequence[ConsentReading]) -> ConsentReading:
    """What the files of one person say together: a refusal in any of them counts."""
    choices = {each.choice for each in readings}
    choice: ConsentChoice | None = "no" if "no" in choices else "yes" if "yes" in choices else None
    times: dict[str, dt.datetime] = {}
    for each in reversed(readings):
        times |= each.times
    return ConsentReading(
        is_asked=all(each.is_asked for each in readings),
        has_same_text=all(each.has_same_text for each in readings),
        choice=choice,
        times=times,
        faults=tuple(
            fault for each in readings for fault in each.faults if fault.key not in times
            or fault.kind == "time_order"
        ),
    )  # fmt: skip


def consent_csv(rows: Iterable[tuple[str, ConsentReading]]) -> bytes:
    """Who consented, and when they say that they worked."""
    lines = [
        (
            code,
            said.choice or ("" if said.is_asked else "not asked"),
            *(f"{said.times[key]:%Y-%m-%d %H:%M}" if key in said.times else "" for key in _TIMES),
        )
        for code, said in rows
    ]
    return csv_text([("participant", "consent", STARTED, FINISHED), *lines]).encode()
