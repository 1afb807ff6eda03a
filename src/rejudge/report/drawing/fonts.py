"""Which font draws the words of a figure for print.

DejaVu Sans comes with matplotlib, so a figure has the same bytes on every machine, whatever fonts
are installed there. It has no Chinese, Japanese, Korean or Indian letters: for these, a font file
can be named. A visible box stands in for every letter that neither font has.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from rejudge.errors import DataError, Problem

STAND_IN = "□"
_COMMON = frozenset(
    chr(code)
    for first, last in ((0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x2010, 0x2030))
    for code in range(first, last + 1)
) | frozenset("←↑→↓−≈≤≥□✓€")
_NOT_COMMON = {"FFTM", "GPOS", "GDEF", "MATH"}  # tables that common characters do not need
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


def font_file(text: str, font: Path) -> Path:
    """The file to draw a text with: a small part of a font where it has all that is needed.

    To embed DejaVu Sans in a PDF, fontTools reads all its rules of layout, which takes three
    quarters of the time of a figure. The part with common characters has few of them. Every file
    is a copy in one temporary folder, so that the order of fonts in a PDF does not depend on where
    they are installed.
    """
    is_ours = font in (_base_font(is_bold=False), _base_font(is_bold=True))
    if is_ours and _COMMON.issuperset(text):
        return _common_part(font)
    return _copy(font, f"2-{font.name}" if is_ours else f"3-{crc32(font.read_bytes()):08x}.ttf")


@cache
def _common_part(font: Path) -> Path:
    """DejaVu Sans with the characters of European languages and of our figures.

    Marks are composed with their letters there, so that nothing needs to be placed by rules
    (GPOS); ligatures (GSUB) are kept, and letters are as far apart as in the whole font.
    """
    from fontTools import subset

    options = subset.Options(
        layout_features=["*"], name_IDs=["*"], glyph_names=True, legacy_kern=True,
        recommended_glyphs=True, recalc_timestamp=False,
    )  # fmt: skip
    part = Path(_copies().name) / f"1-{font.name}"
    with subset.load_font(str(font), options, lazy=True) as whole:
        for table in _NOT_COMMON & set(whole.keys()):
            del whole[table]
        subsetter = subset.Subsetter(options)
        subsetter.populate(text="".join(_COMMON))
        subsetter.subset(whole)
        whole.save(part, reorderTables=False)
    return part


@cache
def _copy(font: Path, name: str) -> Path:
    return Path(copyfile(font, Path(_copies().name) / name))


@cache
def _copies() -> TemporaryDirectory[str]:
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
