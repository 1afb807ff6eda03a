"""LaTeX of every table: it compiles, whatever systems, criteria and runs are called."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn_runs import comparison_of
from judged_study import PAIRWISE, RATING, analysed, drawn, small_study
from latex import compiled, faults
from rejudge.compare.compare import compare
from rejudge.compare.run import run_of_paper
from rejudge.layout.latex import _SET, escape_latex, to_latex
from rejudge.layout.table import Column, Table
from rejudge.paper.paper_file import open_shipped
from rejudge.report.files import compose, compose_comparison
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.tables.comparison import comparison_tables
from rejudge.tables.results import result_tables

FAMILIES = (
    ("hosking-2021", "steen-2025", "arvan-2025"),
    ("hosking-2022", "arvan-2024"),
    ("lin-2022", "ito-2023"),
    ("august-2022", "miltenburg-2024", "miltenburg-2024-second"),
)
ODD = (
    r"\begin{x} \input|ls ^^41 #1 %& ~_{}$$ <>|",
    "系统 نظام תרגום ไทย हिन्दी 🙂 ﬁ Ⅳ",
    "Łódź Đorđe Ångström ß æ ø ñ ç ř ű « » „x“ ‹y› … – — ‑ ’ € £ ½ µ ° ² ∞ ≈ ≠ ≥ ± → ✓ ✗",
    "αβγδεζηθικλμνξπρσςτυφχψω ΓΔΘΛΞΠΣΥΦΨΩ ΑΒ Жук",
    "[a] first",
    "*b",
    "a\nb\tc\u200b\u2068d\u2069 e\u0301 \u00a0 \u202f x",
)


def tables(found):
    return {sheet.name: to_latex(sheet) for sheet in found}


def table_tex(caption, rows):
    """A table of a column of words and one of numbers; the first row is the head."""
    (first, second), *body = rows
    columns = (Column(first), Column(second, 0))
    return to_latex(Table("t", caption, columns, tuple(body)))


def of_papers(names):
    runs = [run_of_paper(open_shipped(name)) for name in names]
    return comparison_tables(compare(*runs))


def of_odd_names():
    comparison = comparison_of(
        {name: [1.0, 2.0] for name in ODD},
        runs=["{}", "%"],
        percents={("s0", "s1"): 40.0, ("s4", "s5"): 60.0},
    )
    return comparison_tables(comparison)


@pytest.mark.parametrize("names", FAMILIES, ids="+".join)
def test_tables_of_a_comparison_have_no_sign_that_stops_latex(names):
    for name, text in tables(of_papers(names)).items():
        assert (name, faults(text)) == (name, [])


def test_tables_of_a_study_have_no_sign_that_stops_latex():
    for study in (small_study(RATING), small_study(PAIRWISE)):
        for name, text in tables(result_tables(analysed(study))).items():
            assert (name, faults(text)) == (name, [])


@pytest.mark.parametrize("text", ["[1]", " [1]", "\n[", "\t*"])
def test_a_row_never_begins_with_what_ends_the_row_before(text):
    assert faults(table_tex(text, [("head", text), (text, "1")])) == []


@given(text=st.text(max_size=40))
def test_no_text_stops_latex(text):
    assert faults(table_tex(text, [("head", text), (text, "1")])) == []


def test_words_from_right_to_left_are_a_group_of_their_own_that_runs_to_the_left():
    """Both words of a name are in one group; the comma between two names is in neither."""
    one, two = "\u0646\u0638\u0627\u0645 \u062c", "\u05d0"
    first, second = escape_latex(f"{one}, {two}").split(", ")
    assert rf"\textdir TRT\fi {one}\else[U+0646 U+0638 U+0627 U+0645 U+062C]" in first
    assert rf"\textdir TRT\fi {two}\else[U+05D0]" in second


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a_b", "_ stands bare"),
        ("{", "a brace does not end"),
        ("}", "a brace ends that never began"),
        ("$x", "mathematics does not end"),
        (r"\evil", r"\evil is unknown"),
        ("系", "more than pdfLaTeX has"),
        (r"\begin{tabular}{lr}" + "\na \\\\\n" + r"\end{tabular}", "1 cells, the table 2 columns"),
    ],
)
def test_the_quick_look_finds_what_would_stop_latex(text, fault):
    assert any(fault in told for told in faults(text))


def test_long_sentences_are_broken_into_lines_and_numbers_never():
    text = table_tex("c", [("a", "b"), ("word " * 40, "1")])
    assert re.search(r"\\begin\{tabular\}\{>\{[^}]*\}p\{\d+pt\}r\}", text)


def test_a_table_of_many_columns_is_continued_below_with_its_first_column():
    wide = Table(
        "t", "c", tuple(Column(f"c{at}") for at in range(12)), (tuple(map(str, range(12))),)
    )
    text = to_latex(wide)
    assert text.count(r"\begin{tabular}") == 2
    assert text.count("c0 &") == 2
    assert faults(text) == []


def test_the_head_of_a_block_stands_above_its_rows():
    rows = (("a", 1), ("b", 2))
    columns = (Column("system"), Column("n", 0))
    text = to_latex(Table("t", "c", columns, rows, blocks=("first case", "second case")))
    assert text.index("first case") < text.index("a & 1") < text.index("second case")
    assert faults(text) == []


def test_letters_that_pdflatex_lacks_are_kept_for_programs_that_have_them():
    assert escape_latex("A 系统") == r"A {\ifdefined\Umathchar 系统\else[U+7CFB U+7EDF]\fi}"


def all_of(composed):
    return {
        name: text.decode("utf-8") for name, text in composed.texts.items() if name.endswith(".tex")
    }


def report_of(question):
    study = small_study(question)
    subject = Subject(analysed(study), "A & B_1", designed=PlannedStudy(study, drawn(study)))
    return all_of(compose(subject))


def report_of_papers(names):
    runs = [run_of_paper(open_shipped(name)) for name in names]
    return all_of(compose_comparison(compare(*runs)))


def test_paragraphs_for_a_paper_have_no_sign_that_stops_latex():
    written = report_of(RATING) | report_of_papers(FAMILIES[0])
    assert {"methods.tex", "limitations.tex"} < set(written)
    for name, text in written.items():
        assert (name, faults(text)) == (name, [])


@pytest.mark.slow
def test_every_table_and_paragraph_compiles(tmp_path):
    """Those of the papers that come with rejudge, of two studies, and of names to be afraid of."""
    odd = tables(of_odd_names()) | {
        f"caption-{place}": table_tex(name, [(name, "n"), (name, "1")])
        for place, name in enumerate(ODD)
    }
    groups = {
        "letters": {
            "all": table_tex(
                "All letters", [("letter", "n"), *((each, "1") for each in sorted(_SET))]
            )
        },
        "rating": report_of(RATING),
        "pairs": report_of(PAIRWISE),
        **{names[0]: report_of_papers(names) for names in FAMILIES},
    }
    everything = {
        f"{group}/{name}": text for group, found in groups.items() for name, text in found.items()
    }
    assert len(everything) > 100
    assert compiled(everything, tmp_path) == []
    assert (
        compiled(odd, tmp_path, most_points=1000) == []
    )  # codes of letters that it lacks are wide
