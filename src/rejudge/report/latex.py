"""LaTeX that compiles whatever the names of systems are."""

from __future__ import annotations

from collections.abc import Sequence

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
    "\u202f": r"\,",
    "\u00a0": "~",
}


def escaped(text: str) -> str:
    """Words as they are, not as commands; on one line."""
    return "".join(_ESCAPED.get(sign, sign) for sign in text.replace("\n", " "))


def table_tex(name: str, caption: str, align: str, rows: Sequence[Sequence[str]]) -> str:
    """A floating table in the manner of booktabs; the first row is the head."""
    head, *body = [" & ".join(escaped(cell) for cell in row) + r" \\" for row in rows]
    return "\n".join(
        (
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escaped(caption)}}}",
            rf"\label{{tab:{name}}}",
            rf"\begin{{tabular}}{{{align}}}",
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
