"""Which font draws the words of a figure for print.

DejaVu Sans comes with matplotlib, so a figure has the same bytes on every machine, whatever fonts
are installed there. It has no Chinese, Japanese, Korean or Indian letters: for these, a font file
can be named. A visible box stands in for every letter that neither font has.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rejudge.errors import DataError, Problem

STAND_IN = "□"
_LAYOUT_RULES = {"GSUB", "GPOS", "GDEF", "MATH"}
_INVISIBLE = {"Cc", "Cf", "Mn", "Zs", "Zl", "Zp"}  # categories of characters without a shape


@dataclass(frozen=True, slots=True)
class PrintableText:
    """Words as they can be printed: the font file, and stand-ins for letters that it lacks."""

    words: str
    font: Path


def printable_text(words: str, *, is_bold: bool, extra: Path | None = None) -> PrintableText:
    """The words in DejaVu Sans if it has all their letters; otherwise in the font that has most."""
    base = _base_font(is_bold=is_bold)
    fonts = [base, extra] if extra else [base]
    font = min(fonts, key=lambda each: len(_lacking(each, words)))  # the first of equals
    return PrintableText("".join(_drawable(letter, font) for letter in words), font)


def missing_characters(words: Iterable[str], extra: Path | None = None) -> str:
    """Letters for which a box is printed, in the order of the alphabet."""
    base = _base_font(is_bold=False)
    text = set("".join(words))
    return "".join(sorted(_lacking(base, text) & (_lacking(extra, text) if extra else text)))


def check_font(file: Path) -> None:
    """Refuse a file that is not a font."""
    try:
        _font(file)
    except (OSError, RuntimeError) as error:
        raise DataError(
            Problem(
                "this is not a font that can be read.",
                "Give a TrueType or OpenType file (.ttf, .otf or .ttc).",
                file=str(file),
            )
        ) from error


@cache
def without_layout_rules(file: Path) -> Path:
    """A copy of a font without the rules for ligatures and the like, which matplotlib ignores.

    Reading them takes most of the time of writing a PDF. All copies of a process are in one
    temporary folder, so that the order of fonts in a PDF does not depend on where fonts are
    installed.
    """
    from fontTools.ttLib import TTFont

    is_ours = file in (_base_font(is_bold=False), _base_font(is_bold=True))
    name = file.name if is_ours else f"other-{zlib.crc32(file.read_bytes()):08x}.ttf"
    copy = Path(_folder_of_copies().name) / name
    unchanged = {"recalcTimestamp": False, "recalcBBoxes": False}  # the same bytes at any time
    with TTFont(file, fontNumber=0, lazy=True, **unchanged) as font:
        for table in _LAYOUT_RULES & set(font.keys()):
            del font[table]
        font.save(copy, reorderTables=False)
    return copy


@cache
def _folder_of_copies() -> TemporaryDirectory[str]:
    """Removed when the process ends."""
    return TemporaryDirectory(prefix="rejudge-fonts-", ignore_cleanup_errors=True)


def _drawable(letter: str, font: Path) -> str:
    if _font(font).get_char_index(ord(letter)):
        return letter
    return "" if unicodedata.category(letter) in _INVISIBLE else STAND_IN


def _lacking(font: Path, words: Iterable[str]) -> set[str]:
    face = _font(font)
    return {
        letter
        for letter in words
        if unicodedata.category(letter) not in _INVISIBLE and not face.get_char_index(ord(letter))
    }


def _base_font(*, is_bold: bool) -> Path:
    """The file that matplotlib ships, never another version that happens to be installed."""
    import matplotlib as mpl

    name = "DejaVuSans-Bold.ttf" if is_bold else "DejaVuSans.ttf"
    return Path(mpl.get_data_path()) / "fonts" / "ttf" / name


@cache
def _font(file: Path) -> Any:
    from matplotlib.font_manager import get_font

    return get_font(str(file))
