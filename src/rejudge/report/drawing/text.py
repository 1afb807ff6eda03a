"""The text of figures: its width before anything is drawn, line breaks, and fonts for print.

Widths are those of DejaVu Sans Bold at 12 pixels, rounded up to half a pixel: the widest font that
a drawing is shown in, so what fits by this table also fits in regular weight and in other fonts.
Letters that are not in the table are estimated; in print, words with such letters are measured
again and shrink where they are wider than the layout assumed.

DejaVu Sans comes with matplotlib, so a printed figure has the same bytes on every machine, whatever
fonts are installed. It has no Chinese, Japanese, Korean or Indian letters: for these, a font file
can be named. A visible box replaces every letter that neither font has.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
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
    font = min(fonts, key=lambda each: len(_missing_letters(each, words)))  # the first of equals
    return PrintableText("".join(_replace_missing(letter, font) for letter in words), font)


def missing_characters(words: Iterable[str], extra: Path | None = None) -> str:
    """Letters for which a box is printed, in the order of the alphabet."""
    base = _base_font(is_bold=False)
    text = set("".join(words))
    return "".join(
        sorted(_missing_letters(base, text) & (_missing_letters(extra, text) if extra else text))
    )


def check_font(file: Path) -> None:
    """Refuse a file that is not a font."""
    _font(file)


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


def _replace_missing(letter: str, font: Path) -> str:
    if _font(font).get_char_index(ord(letter)):
        return letter
    return "" if unicodedata.category(letter) in _INVISIBLE else STAND_IN


def _missing_letters(font: Path, words: Iterable[str]) -> set[str]:
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

    try:
        return get_font(str(file))
    except (OSError, RuntimeError) as error:
        what = "this is not a font that can be read."
        remedy = "Give a TrueType or OpenType file (.ttf, .otf or .ttc)."
        raise DataError(Problem(what, remedy, file=str(file))) from error


_MEASURED = {
    4.5: " /IJ\\ijl|'ıł\u00a0\u202fΙוזין\u0627\u0623\u0625\u0622",
    5.0: ",-.:;·’‘ι",
    5.5: "!()[]fגנ",
    6.0: "_`rt–°§",
    6.5: '"*гد\u0630',
    7.0: "?zεтر\u0632",
    7.5: "csζξςסةهو",
    8.0: "Lkvxy“”«»Łτλχ",
    8.5: "$0123456789EFTaeoøðαγδΣ",
    9.0: "CPSYZbdghnpqu{}ßþđβμρκ",
    9.5: "ABKRVXħσΔ",
    10.0: "DGU",
    10.5: "#&+<=>HNOQ^~−×±≥≤≈→ØωΩ✓",
    11.5: "w□",
    12.0: "@M—…МФжфюљњ",
    12.5: "%mЫبتثطظ",
    13.5: "Wæœшщ",
    14.0: "ÆŒف",
    16.0: "ЖШЩЮ",
    17.0: "سشصض",
}
_WIDTH_OF = {letter: width for width, letters in _MEASURED.items() for letter in letters}
_WIDE = 12.0  # the square of a Chinese, Japanese or Korean letter
_OTHERWISE = {"Lu": 11.5, "Lt": 13.0, "Ll": 9.5, "Lo": 11.0, "Nd": 8.5, "Mn": 0.0, "Cf": 0.0}
_UNKNOWN = 11.0
_DOTS = "…"


def text_width(words: str) -> float:
    """About how wide words are, rather more than less."""
    return sum(map(_width, words))


def is_width_known(words: str) -> bool:
    """Whether the width of every letter is known, not estimated."""
    return all(letter in _WIDTH_OF for letter in words)


def truncate(words: str, most: float) -> str:
    """Words that fit, shortened where they must be; at least one letter is left."""
    if text_width(words) <= most:
        return words
    room = most - _width(_DOTS)
    kept = ""
    for letter in words:
        if kept and text_width(kept + letter) > room:
            break
        kept += letter
    return f"{kept.rstrip()}{_DOTS}"


def distinct_names(names: Sequence[str], most: float) -> list[str]:
    """Names that differ even when they are cut: what the long ones begin with alike is left out."""
    same = Counter(truncate(name, most) for name in dict.fromkeys(names))
    alike = [name for name in names if same[truncate(name, most)] > 1]
    start = _start(sorted(set(alike)))
    return [_DOTS + name[start:] if start and name in alike else name for name in names]


def _start(names: Sequence[str]) -> int:
    """Where names, in their order, begin to differ: at the start of a word, if they have any."""
    if not names:
        return 0
    first, last = names[0], names[-1]
    longest = min(len(first), len(last))
    same = next((at for at in range(longest) if first[at] != last[at]), longest)
    return max(first.rfind(" ", 0, same), first.rfind("-", 0, same)) + 1 or same


def wrap(words: str, most: float, lines: int = 2) -> list[str]:
    """Words in so many lines at most, broken between words, or inside one that is too long."""
    found: list[str] = []
    rest = " ".join(words.split())
    while rest:
        if text_width(rest) <= most or len(found) == lines - 1:
            return [*found, truncate(rest, most)]
        head = _head(rest, most)
        found.append(head)
        rest = rest[len(head) :].lstrip()
    return found


def _head(words: str, most: float) -> str:
    """As many whole words as fit, else as many letters, at least one."""
    fitting = 1
    while fitting < len(words) and text_width(words[: fitting + 1]) <= most:
        fitting += 1
    between = words.rfind(" ", 1, fitting + 1)
    return words[:between] if between > 0 else words[:fitting]


def with_minus_sign(text: str) -> str:
    """With a true minus."""
    return text.replace("-", "−")


def _width(letter: str) -> float:
    known = _WIDTH_OF.get(letter)
    if known is not None:
        return known
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    category = unicodedata.category(letter)
    plain = unicodedata.normalize("NFD", letter)[0]  # é is as wide as e
    if plain != letter and category.startswith("L"):
        return _width(plain)
    return _OTHERWISE.get(category, _UNKNOWN)
