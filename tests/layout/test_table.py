"""Results as tables for other programs and for papers."""

from __future__ import annotations

import csv
import io

from rejudge.layout.latex import escape_latex, to_latex
from rejudge.layout.table import (
    Column,
    Table,
    escape_markdown,
    file_name,
    isolate_right_to_left,
    p_column,
    to_csv,
)


def test_csv_keeps_all_digits_and_leaves_the_undefined_empty():
    sheet = Table("x", "", (Column("value", 2), Column("note")), ((1 / 3, None), (None, "a, b")))
    rows = list(csv.reader(io.StringIO(to_csv(sheet))))
    assert rows == [["value", "note"], [repr(1 / 3), ""], ["", "a, b"]]


def test_latex_escapes_names_and_writes_a_true_minus():
    sheet = Table("x", "50 % of R&D", (Column("system"), Column("value", 1)), (("a_b", -1.25),))
    text = to_latex(sheet)
    assert r"\caption{50 \% of R\&D}" in text
    assert r"a\_b & $-$1.3 \\" in text
    assert r"\begin{tabular}{lr}" in text


def test_no_character_of_latex_passes_as_it_is():
    """Each becomes a command, or stands escaped."""
    assert escape_latex("\\{}$&#^_%~") == (
        r"\textbackslash{}\{\}\$\&\#\textasciicircum{}\_\%\textasciitilde{}"
    )


def test_a_small_p_is_never_printed_as_0():
    sheet = Table("x", "", (p_column(),), ((1e-9,),))
    assert r"\textless{}\,0.001" in to_latex(sheet)


def test_no_two_questions_share_their_files():
    names = ("a-b", "a/b", "a b", "a b?", "流畅", "意义", "جودة", "..", "???", "fluency", "flüency")
    assert len({file_name(name) for name in names}) == len(names)
    assert all(file_name(name).isascii() and "/" not in file_name(name) for name in names)
    assert (file_name("fluency"), file_name("a-b")) == ("fluency", "a-b")


ARABIC = "\u0627\u0644\u0645\u0639\u0646\u0649", "\u0646\u0638\u0627\u0645 \u062c"


def test_arabic_names_in_a_sentence_are_isolated_from_each_other():
    """Between two first-strong isolates a comma keeps its place (Unicode annex 9)."""
    one, two = ARABIC
    said = isolate_right_to_left(f"On {one}, {two} won.")
    assert said == f"On \u2068{one}\u2069, \u2068{two}\u2069 won."
    assert escape_markdown(f"On {one}, {two} won.") == said
    assert isolate_right_to_left("On meaning, ours won.") == "On meaning, ours won."
