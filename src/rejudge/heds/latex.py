r"""A sheet for the appendix of a paper: a fragment to `\input`, which compiles with pdfLaTeX.

Headings, questions and options are commands (`\hedssection`, `\hedsquestion`, …) that a paper can
define in its own way before it reads the fragment. With tcolorbox, questions are in boxes; without
it, in bold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

from rejudge.heds.answers import join_parts
from rejudge.heds.printing import (
    NO_ANSWER,
    PrintedAnswer,
    PrintedSection,
    printed_sections,
    split_links,
)
from rejudge.heds.schema import SheetOption
from rejudge.heds.sheet import Sheet
from rejudge.layout.latex import escape_latex

LatexStyle: TypeAlias = Literal["full", "all-options", "compact"]

_MANY: Final = 30  # options; of languages only the ticked ones are printed
_UNDERLINED: Final = re.compile(r"<u>(.*?)</u>")
_NUMBER: Final = re.compile(r"^\d+\.\s+")
_IN_LINK: Final = "/:?#@!$&'()*+,;=%~-._[]"
_HEAD: Final = r"""% Human Evaluation Datasheet, version {version}.
% \input this file. It needs \usepackage[T1]{{fontenc}} and \usepackage{{hyperref}};
% amssymb gives ticked boxes, tcolorbox puts questions into boxes.
\providecommand{{\hedssection}}[1]{{\section*{{#1}}}}
\providecommand{{\hedssubsection}}[1]{{\subsection*{{#1}}}}
\providecommand{{\hedscriterion}}[1]{{\subsection*{{#1}}}}
\providecommand{{\hedson}}{{\ifcsname boxtimes\endcsname$\boxtimes$\else[x]\fi}}
\providecommand{{\hedsoff}}{{\ifcsname square\endcsname$\square$\else[ ]\fi}}
"""
_QUESTION: Final = r"""\ifcsname hedsquestion\endcsname\else
\ifcsname newtcolorbox\endcsname
\newcommand{\hedsquestion}[1]{\begin{tcolorbox}[left=4pt,right=4pt,top=2pt,bottom=2pt,
boxrule=0.4pt,colback=white,before skip=8pt,after skip=4pt]#1\end{tcolorbox}\nopagebreak\noindent
\ignorespaces}
\else
\newcommand{\hedsquestion}[1]{\par\medskip\noindent\textbf{#1}\par\nopagebreak\noindent
\ignorespaces}
\fi\fi
"""
_COMPACT: Final = r"""\providecommand{\hedsrun}[1]{\par\noindent\textbf{#1}\enspace}
\begingroup\footnotesize\raggedright
"""


def to_latex_sheet(sheet: Sheet, style: LatexStyle = "full") -> str:
    """The fragment: chosen options only, all options with ticked boxes, or as short as possible."""
    head = _HEAD.format(version=sheet.version)
    if style == "compact":
        body = "\n".join(_compact(sheet))
        return f"{head}{_COMPACT}{body}\n\\par\\endgroup\n"
    body = "\n".join(
        line for each in printed_sections(sheet) for line in _section(each, style == "all-options")
    )
    return f"{head}{_QUESTION}{body}\n"


def _section(printed: PrintedSection, is_complete: bool) -> Iterator[str]:  # noqa: FBT001 - one switch
    yield from _heading(printed)
    for each in printed.answers:
        yield rf"\hedsquestion{{{_title(each)}}}"
        yield from _options(each, is_complete)
        text = _text(each.answer.text)
        if text:
            yield text
        elif each.state == "blank":
            yield rf"\emph{{{NO_ANSWER}}}"
        yield r"\par"


def _heading(printed: PrintedSection) -> Iterator[str]:
    section = printed.section
    if printed.criterion is not None and section.number == "4.1":
        yield rf"\hedscriterion{{{escape_latex(printed.criterion)}}}"
    title = escape_latex(printed.title)
    if section.level == 1:
        yield rf"\hedssection{{{title}}}"
    elif printed.answers and section.number.startswith("4"):
        yield rf"\paragraph{{{title}}}"
    elif printed.answers:
        yield rf"\hedssubsection{{{title}}}"


def _title(each: PrintedAnswer) -> str:
    return escape_latex(f"{each.question.number} {each.question.label}")


def _options(each: PrintedAnswer, is_complete: bool) -> Iterator[str]:  # noqa: FBT001 - one switch
    shown = each.chosen
    if is_complete and 0 < len(each.question.options) <= _MANY:
        shown = each.question.options
    if not shown:
        return
    yield r"\begin{itemize}"
    for option in shown:
        mark = r"\hedson" if option.key in each.answer.options else r"\hedsoff"
        yield rf"\item[{mark}] {_option(option)}"
    yield r"\end{itemize}"


def _option(option: SheetOption) -> str:
    words = _NUMBER.sub("", option.value)
    pieces = _UNDERLINED.split(words)
    return "".join(
        rf"\underline{{{escape_latex(piece)}}}" if place % 2 else escape_latex(piece)
        for place, piece in enumerate(pieces)
    )


def _text(text: str) -> str:
    """Lines as lines, empty lines as paragraphs, links as links."""
    paragraphs = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return "\n\n".join(
        "\\newline{}\n".join(_line(line) for line in paragraph.split("\n") if line.strip())
        for paragraph in paragraphs
    )


def _line(line: str) -> str:
    return "".join(
        rf"\url{{{quote(words, safe=_IN_LINK)}}}" if kind == "link" else _words(words)
        for kind, words in split_links(line)
    ).strip()


def _words(words: str) -> str:
    tail = " " if words[-1:].isspace() else ""
    head = " " if words[:1].isspace() else ""
    return head + escape_latex(words.strip()) + tail if words.strip() else " "


def _compact(sheet: Sheet) -> Iterator[str]:
    """One line for each question; answers that all criteria share are printed once."""
    for printed in printed_sections(sheet):
        if printed.section.level == 1:
            yield rf"\hedssection{{{escape_latex(printed.title)}}}"
        if printed.criterion is None:
            for each in printed.answers:
                yield rf"\hedsrun{{{_title(each)}}}{_inline(each)}"
        if printed.section.number == "4":
            yield from _compact_criteria(sheet)


def _compact_criteria(sheet: Sheet) -> Iterator[str]:
    for question in sheet.schema.questions:
        if not question.per_criterion:
            continue
        answers = [
            PrintedAnswer(question, name, sheet.answer(question, name)) for name in sheet.criteria
        ]
        if answers:
            yield rf"\hedsrun{{{_title(answers[0])}}}{_by_criterion(answers)}"


def _by_criterion(answers: list[PrintedAnswer]) -> str:
    words = [_inline(each) for each in answers]
    if len(set(words)) == 1:
        return words[0]
    named = zip(answers, words, strict=True)
    return " ".join(
        rf"\emph{{{escape_latex(each.criterion or '')}:}} {said}" for each, said in named
    )


def _inline(each: PrintedAnswer) -> str:
    names = "; ".join(_option(option) for option in each.chosen)
    said = [part for part in (names, _run_in(each.answer.text)) if part]
    return join_parts(said) or rf"\emph{{{NO_ANSWER}}}"


def _run_in(text: str) -> str:
    return _line(" ".join(_joined(text.split("\n"))))


def _joined(lines: Iterable[str]) -> Iterator[str]:
    return (" ".join(line.split()) for line in lines if line.strip())
