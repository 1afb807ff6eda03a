"""The answer in one cell, however it was typed; and whether a cell still shows its text."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from rejudge.exchange.workbooks.layout import Choices
from rejudge.study.items import page_text

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_SEVERAL = re.compile(r"\d+(?:\.\d+)?(?:[\s,;/|&+、和و-]+\d+(?:\.\d+)?)+")
_SEPARATORS = str.maketrans({"٫": ".", "،": ",", "−": "-", "–": "-", "。": "."})


@dataclass(frozen=True, slots=True)
class CellAnswer:
    """What a cell says: a raw answer, or why it is none."""

    raw: str | None = None
    fault: str | None = None
    is_repaired: bool = False
    count: int = 1  # of scores in the cell


def read_answer(
    choices: Choices, value: Any, *, is_formula: bool = False, is_percentage: bool = False
) -> CellAnswer:
    """The answer that a cell gives; full-width digits and numbers kept as text are understood."""
    if is_formula:
        return CellAnswer(fault="formula")
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        return CellAnswer(fault="date")
    if isinstance(value, bool):
        return CellAnswer(fault="text" if choices.is_number else "choice")
    if isinstance(value, int | float):
        if is_percentage:
            return CellAnswer(fault="text")
        return _number_answer(choices, float(value))
    return _text_answer(choices, str(value))


def _number_answer(choices: Choices, number: float) -> CellAnswer:
    if not choices.is_number:
        return CellAnswer(fault="choice")
    raw = f"{number:.12g}"
    if choices.bounds is not None:
        low, high = choices.bounds
        return CellAnswer(raw) if low <= number <= high else CellAnswer(fault="range_fault")
    return CellAnswer(raw) if raw in choices.shown else CellAnswer(fault="range_fault")


def _text_answer(choices: Choices, value: str) -> CellAnswer:
    plain = plain_text(value)
    for raw, shown in choices.shown.items():
        words = {raw.casefold(), plain_text(shown).casefold()} if isinstance(shown, str) else set()
        if plain.casefold() in words:
            return CellAnswer(raw)
    if not choices.is_number:
        return CellAnswer(fault="choice")
    if _NUMBER.fullmatch(plain):
        read = _number_answer(choices, float(plain))
        return CellAnswer(read.raw, read.fault, is_repaired=read.raw is not None)
    if _DECIMAL_COMMA.fullmatch(plain):
        number = float(plain.replace(",", "."))
        read = _number_answer(choices, number)
        if read.raw is not None and (choices.bounds is not None or not number.is_integer()):
            return CellAnswer(read.raw, is_repaired=True)
    if _SEVERAL.fullmatch(plain):
        return CellAnswer(fault="several", count=len(re.findall(r"\d+(?:\.\d+)?", plain)))
    return CellAnswer(fault="text")


def plain_text(text: str) -> str:
    """A text with ordinary digits and signs, whatever keyboard it was typed on."""
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_SEPARATORS)
    digits = (str(unicodedata.decimal(each)) if each.isdecimal() else each for each in folded)
    return " ".join("".join(digits).split())


def is_blank(value: Any) -> bool:  # of any type that a cell can have
    return value is None or (isinstance(value, str) and not _INVISIBLE.sub("", value).strip())


def describe(cell: Any) -> str:  # of openpyxl
    """What a cell holds, short enough for a message."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        value = value.date()
    if isinstance(value, float) and "%" in cell.number_format:
        return f"{100 * value:.12g}%"
    text = f"{value:.12g}" if isinstance(value, float) else str(getattr(value, "text", value))
    return text if len(text) <= 60 else f"{text[:59]}…"


def is_same_text(text: str, cell: Any) -> bool:  # of openpyxl
    """Whether a cell still shows a text; white space and number formats may have changed."""
    value = cell.value
    if cell.data_type == "f":
        return False
    if isinstance(value, int | float) and not isinstance(value, bool):
        return page_text(text) == f"{value:.12g}"
    found = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), str(value or ""))
    return page_text(found) == page_text(text)
