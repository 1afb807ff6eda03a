"""LaTeX that compiles whatever the names of systems are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby

from rejudge.layout.table import (
    RIGHT_TO_LEFT_WORDS,
    EmphasisedText,
    Table,
    caption_in_print,
)

_LONG = 40  # letters of a cell that is broken into lines
_SHARED = 0.7  # of the width of the text, for all columns that are
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


def to_latex(table: Table) -> str:
    """The table for a paper, with booktabs."""
    table = table.rendering("print")
    head = tuple(column.name for column in table.columns)
    return table_tex(table.name, caption_in_print(table), table.align, (head, *table.printed))


def table_tex(name: str, caption: str, align: str, rows: Sequence[Sequence[str]]) -> str:
    """A floating table in the manner of booktabs; the first row is the head."""
    head, *body = [_row(row) for row in rows]
    return "\n".join(
        (
            r"% needs \usepackage{booktabs} and \usepackage[T1]{fontenc}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\label{{tab:{name}}}",
            rf"\begin{{tabular}}{{{_columns(align, rows)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        )
    )


def _row(cells: Sequence[str]) -> str:
    text = " & ".join(map(_cell, cells)) + r" \\"
    return (
        f"{{}}{text}" if text.lstrip().startswith(("[", "*")) else text
    )  # or the line before takes it


def _cell(cell: str) -> str:
    if not isinstance(cell, EmphasisedText):
        return escape_latex(cell)
    return "".join(
        rf"\textbf{{{escape_latex(text)}}}" if is_bold else escape_latex(text)
        for text, is_bold in cell.pieces
    )


def _columns(align: str, rows: Sequence[Sequence[str]]) -> str:
    """Columns of long sentences are broken into lines and share most of the width."""
    longest = [max(len(row[place]) for row in rows) for place in range(len(align))]
    broken = [side == "l" and length > _LONG for side, length in zip(align, longest, strict=True)]
    share = rf"p{{{_SHARED / max(1, sum(broken)):.2f}\linewidth}}"
    return "".join(share if long else side for side, long in zip(align, broken, strict=True))
