"""LaTeX that compiles whatever the names of systems are."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rejudge.layout.table import (
    RIGHT_TO_LEFT_WORDS,
    EmphasisedText,
    Table,
    caption_in_print,
)

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    "–": "--",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "²": r"\textsuperscript{2}",
    "“": "``",
    "”": "''",
    "’": "'",
    "‘": "`",
    "…": r"\dots{}",
    "→": r"$\rightarrow$",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "√": r"$\surd$",
    "α": r"$\alpha$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "η": r"$\eta$",
    "ω": r"$\omega$",
    "‑": "-",
    "|": r"\textbar{}",
    "—": "---",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "∞": r"$\infty$",
    "✓": r"$\surd$",
    "←": r"$\leftarrow$",
    "⁻": r"\textsuperscript{-}",
    "⁴": r"\textsuperscript{4}",
    "\u202f": r"\,",
    "\u00a0": "~",
}


# Letters beyond ASCII that pdfLaTeX sets with the fonts of T1, tried one by one in TeX Live 2022.
_SET = frozenset(
    "¡¢£¤¥¦§©ª«¬®°±²³µ¶·¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    "ĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭĮįİıĲĳĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞş"
    "ŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžƒǍǎǏǐǑǒǓǔǦǧǨǩǪǫǴǵȘșȚțȲȳḂḃḍḞḟḠḡḥḰḱḷṃṅṇṛṣṭẎẏẐẑẞỲỳ‚„†‡•‰‹›€™"
)
_GREEK = dict(
    zip(
        "βγδεζθικλμνξπςσυφχψΓΔΘΛΞΠΣΥΦΨΩ",
        (  # noqa: SIM905 - names in a row are read more easily
            "beta gamma delta epsilon zeta theta iota kappa lambda mu nu xi pi varsigma sigma "
            "upsilon phi chi psi Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
        ).split(),
        strict=True,
    )
)


def escape_latex(text: str) -> str:
    """Text with LaTeX's special characters escaped, on one line.

    Letters that pdfLaTeX cannot set are kept for XeLaTeX and LuaLaTeX; pdfLaTeX shows their codes.
    """
    composed = unicodedata.normalize("NFC", re.sub(r"[\t\n\r]+", " ", text))
    pieces = RIGHT_TO_LEFT_WORDS.split(composed)  # every second one is from right to left
    return "".join(
        _only_elsewhere(piece, _TO_THE_LEFT) if place % 2 else _left_to_right(piece)
        for place, piece in enumerate(pieces)
    )


def _left_to_right(text: str) -> str:
    return "".join(
        "".join(map(_sign, run)) if can_be_set else _only_elsewhere("".join(run))
        for can_be_set, run in groupby(text, key=_can_be_set)
    )


def _can_be_set(sign: str) -> bool:
    return sign in _ESCAPED or sign in _SET or sign in _GREEK or " " <= sign <= "~"


def _sign(sign: str) -> str:
    if sign in _GREEK:
        return rf"$\{_GREEK[sign]}$"
    return _ESCAPED.get(sign, sign)


# LuaLaTeX sets everything from left to right unless told; XeLaTeX turns each word by itself.
_TO_THE_LEFT = r"\ifdefined\textdir\textdir TRT\fi "


def _only_elsewhere(letters: str, before: str = "") -> str:
    """In a group of its own; marks without a shape, such as those of direction, are left out."""
    seen = [letter for letter in letters if unicodedata.category(letter)[0] != "C"]
    if not seen:
        return ""
    codes = " ".join(f"U+{ord(letter):04X}" for letter in seen if letter != " ")
    return rf"{{\ifdefined\Umathchar {before}{''.join(seen)}\else[{codes}]\fi}}"


MOST_COLUMNS = 8  # of a table for a paper
_COLUMN = 219.0  # points of a column of a paper with two
_PAGE = 345.0  # points of the narrowest usual page
_GAP = 8.0  # between columns
_FEWEST = 3  # columns of a part
_LONG_HEAD = 12  # letters of a line of a heading above numbers


def to_latex(table: Table) -> str:
    """The table for a paper, with booktabs: as wide as a column, or as a page where it must be.

    A table of more columns than a page has room for is continued below, with its first column.
    """
    table = table.rendering("print")
    for most in range(MOST_COLUMNS, _FEWEST - 1, -1):
        parts = list(_parts(table, most))
        if all(_fit(part).fits for part in parts):
            break
    return "\n".join(
        _floating(
            f"{table.name}-{place}" if place > 1 else table.name,
            caption_in_print(table) if place == 1 else f"{table.name}, continued.",
            part,
        )
        for place, part in enumerate(parts, start=1)
    )


@dataclass(frozen=True, slots=True)
class _Columns:
    """Some columns of a table: how they are aligned, the lines of their heads, and their rows."""

    align: str
    heads: tuple[tuple[str, ...], ...]
    blocks: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]  # each with its head

    @property
    def columns(self) -> list[list[str]]:
        """The lines and cells of each column."""
        rows = [row for _, below in self.blocks for row in below]
        return [[*head, *(row[at] for row in rows)] for at, head in enumerate(self.heads)]


def _parts(table: Table, most: int) -> Iterator[_Columns]:
    """The table in parts of so many columns, each with the first column."""
    names = [column.name for column in table.columns]
    each = len(names) if len(names) <= most else most - 1
    starts = [0] if len(names) <= most else range(1, len(names), each)
    for start in starts:
        chosen = [*([0] if start else []), *range(start, min(start + each, len(names)))]
        align = "".join(table.align[at] for at in chosen)
        yield _Columns(
            align,
            tuple(_head(names[at], side) for at, side in zip(chosen, align, strict=True)),
            tuple(
                (above, tuple(tuple(row[at] for at in chosen) for row in rows))
                for above, rows in table.printed_blocks
            ),
        )


def _floating(name: str, caption: str, part: _Columns) -> str:
    fit = _fit(part)
    kind = "table" if fit.is_narrow else "table*"
    body: list[str] = []
    for place, (above, rows) in enumerate(part.blocks):
        body += [r"\midrule"] if place else []
        if above:
            across = rf"\multicolumn{{{len(part.align)}}}{{l}}"
            body.append(rf"{across}{{\emph{{{escape_latex(above)}}}}} \\")
        body += (_line(map(_cell, row)) for row in rows)
    return "\n".join(
        (
            r"% needs \usepackage{booktabs,array} and \usepackage[T1]{fontenc}",
            rf"\begin{{{kind}}}",
            rf"\centering\{fit.size}",
            r"\setlength{\tabcolsep}{4pt}",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\label{{tab:{name}}}",
            rf"\begin{{tabular}}{{{fit.columns}}}",
            r"\toprule",
            _line(map(_stacked, part.heads)),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\end{{{kind}}}",
            "",
        )
    )


def _head(title: str, side: str) -> tuple[str, ...]:
    """The lines of a heading; above numbers a long one has several."""
    return tuple(textwrap.wrap(title, _LONG_HEAD)) if side == "r" and title else (title,)


def _stacked(lines: Sequence[str]) -> str:
    if len(lines) == 1:
        return escape_latex(lines[0])
    broken = r" \\ ".join(map(escape_latex, lines))
    return rf"\shortstack[r]{{{broken}}}"


def _line(cells: Iterable[str]) -> str:
    """A line of the table; what begins with a bracket would be taken by the line before it."""
    text = " & ".join(cells) + r" \\"
    return f"{{}}{text}" if text.lstrip().startswith(("[", "*")) else text


def _cell(cell: str) -> str:
    if not isinstance(cell, EmphasisedText):
        return escape_latex(cell)
    return "".join(
        rf"\textbf{{{escape_latex(text)}}}" if is_bold else escape_latex(text)
        for text, is_bold in cell.pieces
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """How a table is set so that it fits."""

    columns: str
    size: str  # of letters
    is_narrow: bool  # it fits a column of two
    fits: bool  # a page


def _fit(part: _Columns) -> _Fit:
    """Letters as large as possible; columns of words are broken where they must, the widest first.

    These share what the other columns leave, each at least as wide as its longest word.
    """
    align, columns = part.align, part.columns
    widths = [max(map(_width, cells)) for cells in columns]
    least = [max(_width(word) for cell in cells for word in cell.split(" ")) for cells in columns]
    gaps = _GAP * len(align)
    for size, share in _SIZES.items():  # noqa: B007 - the last that was tried is used
        broken, left = _broken(align, widths, least, (_PAGE - gaps) / share)
        if left >= 0:
            break
    if not broken:
        return _Fit(align, size, sum(widths) * share + gaps <= _COLUMN, left >= 0)
    free = max(0.0, left) / len(broken)
    set_as = (
        rf">{{\raggedright\arraybackslash}}p{{{int(share * (least[at] + free))}pt}}"
        if at in broken
        else side
        for at, side in enumerate(align)
    )
    return _Fit("".join(set_as), size, is_narrow=False, fits=left >= 0)


def _broken(
    align: str, widths: Sequence[float], least: Sequence[float], room: float
) -> tuple[list[int], float]:
    """The columns of words that must be broken, and how much room is then left."""
    broken: list[int] = []
    words = sorted((at for at, side in enumerate(align) if side == "l"), key=lambda at: -widths[at])
    while (left := _left(widths, least, broken, room)) < 0 and len(broken) < len(words):
        broken.append(words[len(broken)])
    return broken, left


def _left(
    widths: Sequence[float], least: Sequence[float], broken: Sequence[int], room: float
) -> float:
    """How much room is left if these columns are as narrow as their longest words."""
    return room - sum(least[at] if at in broken else width for at, width in enumerate(widths))


def _width(cell: str) -> float:
    """About how many points a cell takes in a small font."""
    known = sum(
        2.8 if each in ".,:;" else _WIDTHS.get(unicodedata.category(each), 5.0) for each in cell
    )
    return known * (_BOLD if isinstance(cell, EmphasisedText) else 1)


_BOLD = 1.1  # as wide as plain letters
_SIZES = {"small": 1.0, "footnotesize": 0.9, "scriptsize": 0.8}  # and how wide letters are
_WIDTHS = {"Lu": 7.0, "Ll": 4.8, "Nd": 5.3, "Zs": 3.1, "Sm": 7.2, "Lo": 9.2}
