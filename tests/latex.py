"""What is wrong with LaTeX that we write: a quick look at its signs, and a run of pdfLaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rejudge.layout.latex import _SET, MOST_COLUMNS
from skipped import skip_or_fail

_ELSEWHERE = re.compile(r"\{\\ifdefined\\Umathchar [^{}]*?\\else(\[[^{}]*?\])\\fi\}")
_INVISIBLE = 3.0  # points by which a line may be too wide
_COMMANDS = {
    *("small", "footnotesize", "scriptsize", "setlength", "tabcolsep", "raggedright"),
    "arraybackslash",
    *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"),
    *("begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule"),
    *("textsuperscript", "dots", "textbf", "paragraph", "emph", "multicolumn", "shortstack"),
    *("cdot", "times", "rightarrow", "leftarrow", "pm", "geq", "leq", "surd", "approx", "neq"),
    *("infty", "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"),
    *("kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "varsigma", "tau", "upsilon"),
    *("phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma"),
    *("Upsilon", "Phi", "Psi", "Omega"),
}
_DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs,array}
\begin{document}
%s
\end{document}
"""


def faults(text: str) -> list[str]:
    """What would stop pdfLaTeX, as far as signs show it."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("% "))
    plain = _ELSEWHERE.sub(r"{\1}", body)
    told = [f"{sign!r} is more than pdfLaTeX has" for sign in set(plain) - _SET if sign > "~"]
    bare = re.sub(r"\\(?:[a-zA-Z]+|.)", lambda found: _bare(found[0]), plain, flags=re.DOTALL)
    told += [f"{sign} stands bare" for sign in "#%^~_" if sign in _outside_names(bare, sign)]
    if bare.count("$") % 2:
        told.append("mathematics does not end")
    told += [
        f"\\{name} is unknown"
        for name in re.findall(r"\\([a-zA-Z]+)", plain)
        if name not in _COMMANDS
    ]
    return told + _braces(bare) + _cells(plain)


def _bare(command: str) -> str:
    return "" if len(command) == 2 else command  # an escaped sign is no sign of LaTeX


def _outside_names(text: str, sign: str) -> str:
    """Without names of labels, which may have any sign, and without spaces that do not break."""
    kept = re.sub(r"\\label\{[^}]*\}", "", text)
    return kept.replace("~", "") if sign == "~" else kept


def _braces(text: str) -> list[str]:
    depth = 0
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return ["a brace ends that never began"]
    return ["a brace does not end"] if depth else []


_COLUMN = r"[lr]|>\{[^}]*\}p\{[^}]*\}"
_TABULAR = re.compile(
    rf"\\begin\{{tabular\}}\{{((?:{_COLUMN})+)\}}(.*?)\\end\{{tabular\}}", re.DOTALL
)


def _cells(text: str) -> list[str]:
    """Every row has as many cells as the table has columns, and no table has more than eight."""
    told = []
    for columns, inside in _TABULAR.findall(text):
        many = len(re.findall(_COLUMN, columns))
        if many > MOST_COLUMNS:
            told.append(f"{many} columns do not fit a page")
        rows = re.sub(r"\\(?:top|mid|bottom)rule", "", inside).split("\\\\\n")
        for row in (row for row in rows[:-1] if r"\multicolumn" not in row):
            cells = len(re.findall(r"(?<!\\)&", row)) + 1
            if cells != many:
                told.append(f"a row has {cells} cells, the table {many} columns")
            if row.strip().startswith(("[", "*")):
                told.append("a row begins with what the row before takes for itself")
    return told


def compiled(
    texts: Mapping[str, str], folder: Path, *, most_points: float = _INVISIBLE
) -> list[str]:
    """What pdfLaTeX says of all these texts in one document: every error, and lines too wide."""
    program = shutil.which("pdflatex")
    if program is None:
        skip_or_fail("pdflatex is not installed: apt-get install texlive-latex-recommended")
    pieces = [f"% {name}\n{text}\n\\clearpage" for name, text in texts.items()]
    document = folder / "all.tex"
    document.write_text(_DOCUMENT % "\n".join(pieces), "utf-8")
    run = subprocess.run(
        [program, "-interaction=nonstopmode", "-no-shell-escape", document.name],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    log = run.stdout.decode("utf-8", "replace")
    errors = re.findall(r"^(!.*(?:\n.*?){0,4}?\nl\.\d+.*)$", log, re.MULTILINE)
    if not errors and (run.returncode or not document.with_suffix(".pdf").exists()):
        errors = [log[-2000:]]
    missing = re.findall(r"Missing character: .*", log)
    wide = re.findall(r"(Overfull \\hbox \((\d+\.?\d*)pt too wide.*)", log)
    return errors + missing + [line for line, points in wide if float(points) > most_points]
