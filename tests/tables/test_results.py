"""All tables of an analysis."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.outline import Grouping
from rejudge.errors import UsageError
from rejudge.judgments.table import Judgment, Judgments
from rejudge.layout.latex import to_latex
from rejudge.layout.table import to_csv, to_markdown
from rejudge.report.blocks import to_html
from rejudge.report.build import build
from rejudge.report.subject import Subject
from rejudge.tables.results import result_tables, table_files

_PROGRAM = """
import sys
import rejudge as rj
from rejudge.cli.results import render_results
from rejudge.judgments.table import Judgment, Judgments
from rejudge.tables.results import result_tables, table_files

judged = Judgments.from_rows(
    Judgment(f"p{p}", f"i{i}", "q", float((p + i + s) % 4), system="ab"[s])
    for p in range(3) for i in range(4) for s in range(2)
)
results = rj.analyse(judged)
assert render_results(results, {}) and table_files(result_tables(results))
print([name for name in sys.modules if name.startswith("rejudge.report")])
"""


def test_an_analysis_is_printed_and_written_without_loading_the_report():
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


LIFT = {"bert_both": 1.6, "bert_multi": 0.8, "pgn_both": 0.0, "pgn_multi": 0.0}


def rows(lift=LIFT, people: int = 6, items: int = 12):
    """Scores that vary by person and item, so that only large differences are supported."""
    return [
        Judgment(
            f"p{p}",
            f"i{i}",
            q,
            2.0 + value + 0.2 * ((p + i) % 3) + 0.1 * ((7 * p + 5 * i + 3 * k) % 11),
            system=s,
        )
        for q in ("fluency", "non-redundancy")
        for p in range(people)
        for i in range(items)
        for k, (s, value) in enumerate(lift.items())
    ]


def tables(judged, pairs=(), groupings=()):
    further = Further(pairs=tuple(pairs))
    results = analyse(Judgments.from_rows(judged), further=further, groupings=groupings)
    return {sheet.name: sheet for sheet in result_tables(results)}


def marked(sheet, mark: str = "supported", **where: str):
    """The systems with a star, or in bold, on a question."""
    wanted = {"question": "fluency"} | where
    read = csv.DictReader(io.StringIO(to_csv(sheet)))
    return {
        row["system"]
        for row in read
        if row[mark] == "True" and all(row[name] == value for name, value in wanted.items())
    }


ROLES = Grouping("role", "items", {f"i{i}": ("agent", "user")[i % 2] for i in range(12)})
BERT, PGN = ("bert_both", "bert_multi"), ("pgn_both", "pgn_multi")


@pytest.mark.parametrize(
    ("pairs", "lift", "best", "supported"),
    [
        ((BERT, PGN), LIFT, {"bert_both", "pgn_both", "pgn_multi"}, {"bert_both"}),
        ((BERT[::-1],), LIFT, {"bert_both"}, {"bert_both"}),
        (
            [(name, "pgn_multi") for name in LIFT if name != "pgn_multi"],
            LIFT,
            {"bert_both", "bert_multi", "pgn_both"},
            {"bert_both", "bert_multi"},
        ),
        ((), LIFT, {"bert_both"}, {"bert_both"}),
        ((), {**LIFT, "bert_multi": 1.6}, {"bert_both", "bert_multi"}, set()),
    ],
    ids=["two pairs", "a pair in the other order", "a baseline", "all pairs", "two leaders"],
)
def test_the_better_of_a_tested_pair_is_bold_and_has_a_star_if_it_is_supported(
    pairs, lift, best, supported
):
    """Equal numbers of a pair are both bold; only one that is supported against all has a star."""
    sheet = tables(level_rows(lift), pairs)["summary"]
    assert marked(sheet, "best") == best
    assert marked(sheet) == supported


def level_rows(lift):
    """Scores whose means differ by the lifts alone, and otherwise by person and item."""
    return [
        replace(row, value=row.value - 0.1 * ((7 * p + 5 * i + 3 * k) % 11) + 0.1 * ((p * i) % 7))
        for row, (p, i, k) in zip(
            rows(lift),
            [(p, i, k) for _ in range(2) for p in range(6) for i in range(12) for k in range(4)],
            strict=True,
        )
    ]


def test_bold_and_stars_are_printed():
    sheet = tables(rows(), [BERT])["summary"]
    assert to_latex(sheet).count(r"\textbf") == 2
    assert re.search(r"\\textbf\{\d\.\d\d\*\}", to_latex(sheet))
    assert re.search(r"\*\*\d\.\d\d\\\*\*\*", to_markdown(sheet))
    assert r"bert\_both" in to_latex(sheet)


def test_the_legend_says_test_correction_level_pairs_and_n():
    caption = tables(rows(), [BERT])["summary"].caption
    for words in (
        "linear mixed model",
        "Holm correction",
        "level 0.05",
        "Tested: bert_both – bert_multi.",
        "n = 72 judgments of each system",
        "for new items and new participants",
    ):
        assert words in caption


def test_scores_of_sentences_are_not_counted_as_outputs():
    """Twelve outputs of each system, two sentences each, by six people: 72 scores of outputs."""
    sentences = [replace(row, segment=each) for row in rows() for each in (1, 2)]
    subject = Subject(analyse(Judgments.from_rows(sentences)), "Sentences")
    page = " ".join(re.sub(r"<[^>]+>", " ", to_html(build(subject))).split())
    assert "n = 72 scores of each system." in tables(sentences)["summary"].caption
    assert "72 scores per system" in page
    assert "72 outputs" not in page


def test_groups_stand_side_by_side_in_one_cell():
    sheet = tables(rows(), [BERT], [ROLES])["summary-by-role"]
    assert "Means, agent / user." in sheet.caption
    assert to_latex(sheet).count(" / ") == 1 + 2 * len(LIFT)
    assert marked(sheet, group="agent") == {"bert_both"}


def test_of_many_groups_each_is_a_block():
    months = Grouping("month", "items", {f"i{i}": f"2024-{i % 6 + 1:02}" for i in range(12)})
    sheet = tables(rows(), (), [months])["summary-by-month"].in_print
    assert [column.name for column in sheet.columns] == ["System", "fluency", "non-redundancy"]
    assert len(sheet.rows) == 6 * len(LIFT)
    assert set(sheet.blocks) == {f"2024-0{month}" for month in range(1, 7)}


def test_a_criterion_that_a_group_lacks_has_a_dash_there():
    asked = [
        row
        for row in rows()
        if row.question == "fluency" or int(row.item.removeprefix("i")) % 2 == 0
    ]
    sheet = tables(asked, [BERT], [ROLES])["summary-by-role"].in_print
    assert all(row[2].endswith(" / –") for row in sheet.rows)


def test_the_report_shows_the_table_and_that_of_each_column_of_groups():
    """On the page the better of a pair is bold, as in print."""
    judgments = Judgments.from_rows(rows())
    results = analyse(judgments, further=Further(pairs=(BERT,)), groupings=[ROLES])
    page = to_html(build(Subject(results, "Scores")))
    assert 'id="table-summary"' in page
    assert re.search(r"<b>\d\.\d\d\*</b> / <b>\d\.\d\d\*</b>", page)


def test_names_cannot_break_the_table():
    odd = {r"a & b_%": 1.6, "x|y*": 0.0}
    sheet = tables(rows(odd))["summary"]
    assert r"a \& b\_\%" in to_latex(sheet)
    assert r"x\|y\*" in to_markdown(sheet)


@pytest.mark.parametrize("people", [1, 3])
def test_few_participants_have_a_table_too(people):
    assert tables(rows(people=people))["summary"].rows


def test_one_system_has_no_table():
    assert "summary" not in tables(rows({"only": 1.0}))


def test_tables_are_written_in_known_formats_alone():
    with pytest.raises(UsageError, match="cannot be written as 'docx'"):
        table_files([], ("docx",))
