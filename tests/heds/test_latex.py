"""LaTeX that compiles, whatever the answers are."""

from __future__ import annotations

import re

import pytest

import latex
from heds_files import filled_sheet
from rejudge.heds.print import to_latex_sheet
from rejudge.heds.sheet import Sheet, SheetAnswer, add_criterion, blank_sheet

_NASTY = (
    '100% of $x_1$ & #2 {a} \\b ~ ^ <c> | "q" — “q” …\nsecond line\n\nthird [1] *\n'
    "https://example.org/a_b%20c?d=e&f#g and (https://ex.org/ü/{x}). 漢字 עברית 😀 \u202e"
)


def _nasty_sheet() -> Sheet:
    sheet = filled_sheet("3.0", "R&D 100%".replace("&", "and"), "流暢さ_#")
    sheet = sheet.with_answer("1.1.2", _NASTY).with_answer("3.2.4", "[not an option]")
    sheet = sheet.with_answer("3.3.7", SheetAnswer(options=(2,)))
    sheet = sheet.with_answer("2.4", SheetAnswer("Klingon & more", (2, 185)))
    return sheet.with_answer("4.3.7", _NASTY, criterion="流暢さ_#")


@pytest.mark.parametrize("style", ["full", "compact"])
def test_every_sign_is_escaped(style):
    text = to_latex_sheet(_nasty_sheet(), is_compact=style == "compact")
    body = text.partition(r"\hedssection{1")[2]
    assert r"100\% of \$x\_1\$ \& \#2 \{a\} \textbackslash{}b" in body
    assert r"\url{https://example.org/a_b%20c?d=e&f#g}" in body
    assert "\u202e" not in body


def test_only_ticked_options_are_printed():
    sheet = blank_sheet("3.0").with_answer("3.3.7", SheetAnswer(options=(2,)))
    text = to_latex_sheet(sheet)
    assert r"conditions \underline{are} controlled" in text
    assert text.count(r"\item[\hedson]") == 1


def test_answers_that_all_criteria_share_are_printed_once_in_the_compact_style():
    sheet = filled_sheet("3.0", "Fluency", "Adequacy")
    sheet = sheet.with_answer("4.3.7", "Is it fluent?", criterion="Fluency")
    text = to_latex_sheet(sheet, is_compact=True)
    assert text.count("Absolute or relative") == 1
    assert text.count("Absolute\n") == 1
    assert r"\emph{Fluency:} Is it fluent?" in text


@pytest.mark.parametrize("style", ["full", "compact"])
def test_a_blank_sheet_without_criteria_is_printed(style):
    assert "No answer." in to_latex_sheet(blank_sheet("2.x"), is_compact=style == "compact")


@pytest.mark.slow
@pytest.mark.parametrize("style", ["full", "compact"])
@pytest.mark.parametrize("packages", ["", r"\usepackage{amssymb}"])
def test_pdflatex_compiles_it(tmp_path, monkeypatch, style, packages):
    document = latex._DOCUMENT.replace(
        r"\begin{document}", rf"\usepackage{{hyperref}}{packages}" "\n" r"\begin{document}"
    )
    monkeypatch.setattr(latex, "_DOCUMENT", document)
    assert (
        latex.compiled(
            {"sheet": to_latex_sheet(_nasty_sheet(), is_compact=style == "compact")}, tmp_path
        )
        == []
    )


@pytest.mark.slow
def test_pdflatex_compiles_it_where_questions_are_in_boxes(tmp_path, monkeypatch):
    """With an environment of that name, since tcolorbox is not part of every installation."""
    boxes = (
        r"\usepackage{hyperref}\newcommand{\newtcolorbox}{}"
        r"\newenvironment{tcolorbox}[1][]{\begin{quote}}{\end{quote}}"
    )
    document = latex._DOCUMENT.replace(r"\begin{document}", boxes + "\n" + r"\begin{document}")
    monkeypatch.setattr(latex, "_DOCUMENT", document)
    sheet = add_criterion(_nasty_sheet(), "Style")
    assert latex.compiled({"sheet": to_latex_sheet(sheet)}, tmp_path) == []


def test_a_paper_can_define_the_headings_before():
    text = to_latex_sheet(blank_sheet("3.0"))
    defined = set(re.findall(r"\\providecommand\{\\(\w+)\}", text))
    assert {"hedssection", "hedssubsection", "hedscriterion", "hedson"} == defined
