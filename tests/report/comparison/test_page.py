"""What people get of a comparison: tables for papers, figures, and one page."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree as ET

import pytest

from printed_papers import run
from rejudge.compare.compare import compare
from rejudge.compare.comparison import Comparison, RunCard
from rejudge.compare.run import RunCriterion, run_of_paper
from rejudge.findings.model import Finding, Key
from rejudge.paper.paper_file import open_shipped
from rejudge.report.blocks import FigureBlock, all_blocks, to_html
from rejudge.report.comparison.files import comparison_files
from rejudge.report.comparison.page import comparison_page
from rejudge.report.figures.comparison import comparison_pictures
from rejudge.tables.comparison import comparison_tables
from valid_html import faults

FAMILIES = (
    ("hosking-2021", "steen-2025"),
    ("hosking-2021", "steen-2025", "arvan-2025"),
    ("hosking-2022", "arvan-2024"),
    ("lin-2022", "ito-2023"),
    ("august-2022", "miltenburg-2024", "miltenburg-2024-second"),
)


HOSKING = FAMILIES[1]
LONG = FAMILIES[3]  # twenty figures


def compared(*names: str) -> Comparison:
    return compare(*(run_of_paper(open_shipped(name)) for name in names))


@cache
def files_of(*names: str) -> dict[str, bytes]:
    return comparison_files(compared(*names))


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(each, id="+".join(each), marks=pytest.mark.slow if each == LONG else ())
        for each in FAMILIES
    ],
)
def family(request):
    return request.param


@pytest.fixture(scope="module")
def comparison(family):
    return compared(*family)


@pytest.fixture(scope="module")
def files(family):
    return files_of(*family)


@pytest.fixture(scope="module")
def hosking():
    return compared(*HOSKING)


@pytest.fixture(scope="module")
def files_of_hosking():
    return files_of(*HOSKING)


def parsed(svg):
    return ET.fromstring(svg)  # noqa: S314 - our own text


def rows_of(files, name):
    return list(csv.DictReader(io.StringIO(files[f"tables/{name}.csv"].decode())))


def test_every_table_is_written_for_programs_papers_and_pages(comparison, files):
    names = {sheet.name for sheet in comparison_tables(comparison)}
    assert {"conditions", "deviations", "similarity", "type-1-variation"} <= names
    for name in names:
        assert {f"tables/{name}.{ending}" for ending in ("csv", "tex", "md")} <= set(files)


def test_every_figure_is_well_formed_says_what_it_shows_and_calls_nobody(comparison):
    for picture in comparison_pictures(comparison):
        root = parsed(picture.svg)
        space = "{http://www.w3.org/2000/svg}"
        assert root.find(f"{space}title").text
        assert root.find(f"{space}desc").text
        assert not re.search(r"""href="(?!#)""", picture.svg)  # only parts of itself
        assert picture.caption.endswith(".")


@pytest.mark.slow
def test_the_same_runs_give_the_same_bytes(files_of_hosking):
    assert comparison_files(compared(*HOSKING)) == files_of_hosking


def test_no_mark_leaves_its_figure(comparison):
    for picture in comparison_pictures(comparison):
        root = parsed(picture.svg)
        _, _, width, height = map(float, root.get("viewBox").split())
        for mark in root.iter():
            for name, end in (("x", width), ("x1", width), ("x2", width), ("cx", width)):
                assert -0.01 <= float(mark.get(name, 0)) <= end + 0.01
            for name in ("y", "y1", "y2", "cy"):
                assert -0.01 <= float(mark.get(name, 0)) <= height + 0.01


def test_the_table_of_scores_has_the_numbers_of_steen_and_markert(files_of_hosking):
    """Their Table 2: 0.58 and 0.57, −0.39 and −0.46; CV* of three runs as published with them."""
    by_system = {row["system"]: row for row in rows_of(files_of_hosking, "scores-meaning")}
    assert by_system["VAE"]["Hosking and Lapata 2021"] == "0.58"
    assert by_system["DiPS"]["Steen and Markert 2025"] == "-0.46"
    # scores of three runs: 100 + (58, 57, 57) give 0.4486, 100 + (−39, −46, −45) give 8.167
    assert float(by_system["VAE"]["CV*"]) == pytest.approx(0.4486, abs=5e-4)
    assert float(by_system["DiPS"]["CV*"]) == pytest.approx(8.167, abs=5e-3)


def sheet(comparison: Comparison, name: str):
    return next(each for each in comparison_tables(comparison) if each.name == name)


def test_the_table_of_scores_has_the_spread_of_all_runs_that_asked_the_criterion():
    """Three of four runs asked q: CV* of 58, 57 and 57 on −100 to 100 is .4486 (published)."""
    scores = [{"q": {"vae": 58}, "r": {"vae": 1}}, {"r": {"vae": 2}}, *2 * [{"q": {"vae": 57}}]]
    comparison = compare(*(run(name, each) for name, each in zip("adbc", scores, strict=True)))
    found = sheet(comparison, "scores-q")
    (row,) = found.rows
    assert row[1:4] == (58, 57, 57)
    assert row[4:6] == (-1, -1)  # Δ from the original
    assert row[6] == pytest.approx(0.4486, abs=5e-5)
    assert row[-1] == 3
    assert "in 3 runs" in found.caption
    (other,) = sheet(comparison, "scores-r").rows
    assert (other[1:3], other[-1]) == ((1, 2), 2)


@pytest.mark.slow
def test_several_analyses_of_one_reproduction_each_have_their_own_spread():
    """Not that of the first case alone beside five columns of scores."""
    found = sheet(compared(*LONG), "scores-info-user")
    cases = [f"CV* lin-2022 – ito-2023:case-{n}" for n in (1, 2, 3, 4)]
    assert [column.name for column in found.columns][-4:] == cases
    row = found.rows[0]
    one, others = row[1], row[2:6]
    assert row[-4:] == pytest.approx(
        [199.401058 * abs(one - two) / (one + two) for two in others], abs=1e-4
    )  # of two scores on a scale that begins at 0


def test_the_figure_of_spreads_is_drawn_where_no_two_criteria_have_the_same_runs():
    scores = [
        {"q": {"s": 5}, "r": {"s": 5}},
        {"q": {"s": 7}},
        {"q": {"s": 6}, "r": {"s": 6}},
        {"r": {"s": 9}},
    ]
    comparison = compare(*(run(name, each) for name, each in zip("abcd", scores, strict=True)))
    (drawn,) = [each for each in comparison_pictures(comparison) if each.name.startswith("cv-star")]
    assert "For systems that not all runs scored, CV* uses the runs that did." in drawn.caption


def test_what_is_not_known_is_a_dash_and_not_equal(files_of_hosking):
    markdown = files_of_hosking["tables/conditions.md"].decode()
    line = next(line for line in markdown.splitlines() if line.startswith("| Participants |"))
    assert line.split("|")[2].strip() == "–"


def test_the_page_leads_with_one_row_per_reproduction(hosking):
    """Hosking and Lapata's VAE and separator claims; Steen and Markert find 4 of 5 again."""
    table = comparison_page(hosking).summary
    rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    assert [row["Reproduction"] for row in rows] == [
        "Steen and Markert 2025",
        "Arvan and Parde 2025",
    ]
    first = rows[0]
    assert first["Compared"] == "4 systems, 1 of 3 criteria"
    assert first["Scores: CV* (type I)"] == "4.8"
    assert first["Order: ρ (type II)"] == "1.00"
    assert first["Findings confirmed (type IV)"] == (
        "6 of 6 pairwise orders; 4 of 5 significant differences"
    )
    assert first["Claims supported"] == "1 of 2"
    assert first["Conditions"] == "15 of 30 equal; 16 deviations"
    assert "Labels (type III)" not in first  # their labels are not of the same items


def test_the_page_says_in_three_sentences_what_agrees_and_gives_no_verdict(hosking):
    page = comparison_page(hosking, "rejudge compare hosking-2021 steen-2025 arvan-2025")
    told = " ".join(page.answer)
    assert len(page.answer) == 3
    assert "both runs confirmed 6 of 6 pairwise orders and 1 of 2 claims." in told
    assert "Of 5 significant differences, 4 are supported again; 1 is not supported in" in told
    assert not re.search(r"\b(success|fail|reproducible|confirmed overall)\b", told)
    html = to_html(page)
    assert "rejudge compare hosking-2021 steen-2025 arvan-2025" in html
    assert not re.search(r"(?:src|href)=[\"'](?!#)", html)


def test_the_page_shows_verdicts_figure_and_limitations_and_the_rest_on_demand(hosking):
    page = comparison_page(hosking)
    assert page.summary
    assert page.figure.id == "figure-scores-meaning"
    assert [each.id for each in page.sections if not each.is_reference] == ["limitations"]
    assert {"findings", "scores", "conditions"} <= {each.id for each in page.sections}


PERCENT = {"kind": "percent", "low": 0, "high": 100}


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"s": 4, "t": 5, "u": 6}, "1.00 on all 2 criteria"),
        ({"s": 6, "t": 5, "u": 4}, "−1.00 (r) to 1.00"),
    ],
)
def test_orders_on_several_criteria_are_in_one_cell(other, told):
    up = {"s": 1, "t": 2, "u": 3}
    comparison = compare(
        run("a", {"q": up, "r": {"s": 4, "t": 5, "u": 6}}, PERCENT),
        run("b", {"q": up, "r": other}, PERCENT),
    )
    assert told in comparison_page(comparison).summary.rows[0]
    [sheet] = [each for each in comparison_tables(comparison) if each.name == "type-2-correlation"]
    whole = [row[0] for row in sheet.rows if row[0] not in {"q", "r"}]
    assert set(whole) == {"mean of criteria", "all scores together"}


def test_every_figure_of_the_page_leads_to_a_table_that_is_there(comparison):
    html = to_html(comparison_page(comparison))
    for target in re.findall(r'href="#([^"]+)"', html):
        assert f'id="{target}"' in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_the_page_is_valid_html(comparison):
    assert faults(to_html(comparison_page(comparison))) == []


def test_every_figure_has_its_files_for_papers(comparison, files):
    drawn = {name.partition(".")[0] for name in files if name.startswith("figures/")}
    assert drawn == {f"figures/{each.name}" for each in comparison_pictures(comparison)}
    for name in drawn:
        parsed(files[f"{name}.svg"].decode())


def test_every_figure_for_a_wide_page_has_one_for_a_phone(comparison):
    page = comparison_page(comparison)
    blocks = [block for section in page.sections for block in all_blocks(section.blocks)]
    drawn = [block for block in (page.figure, *blocks) if isinstance(block, FigureBlock)]
    assert drawn
    for figure in drawn:
        wide, narrow = (parsed(svg).get("width") for svg in (figure.svg, figure.narrow_svg))
        assert (wide, narrow) == ("680", "358")


def test_a_score_is_shown_with_the_decimals_it_was_printed_with():
    """Hosking et al. (2022) print whole percents, Arvan and Parde (2024) two decimals."""
    says = next(iter(comparison_pictures(compared("hosking-2022", "arvan-2024")))).description
    assert "VAE: Hosking, Tang and Lapata 2022 36, Arvan and Parde 2024 37.04" in says


def test_names_are_text_wherever_they_stand(hosking):
    evil = '<b>&"|_%'
    odd = replace(
        hosking,
        systems=dict.fromkeys(hosking.systems, evil),
        runs=tuple(replace(run, name=evil) for run in hosking.runs),
    )
    files = comparison_files(odd)
    assert evil not in files["report/index.html"].decode()
    for name, text in files.items():
        if name.endswith(".svg"):
            parsed(text.decode())
    assert r"\_\%" in files["tables/scores-meaning.tex"].decode()


def test_a_comparison_without_common_scores_has_no_figure(hosking):
    bare = Comparison(
        original="a",
        runs=(RunCard("a", "A", "paper", None, ""), RunCard("b", "B", "paper", "a", "")),
        systems={"x": "X"},
        criteria=(RunCriterion("q", "Q", "rating", 1.0, 5.0),),
        conditions=hosking.conditions,
        similarities=(),
        deviations=(),
        findings=(),
        claims=(),
    )
    assert comparison_pictures(bare) == ()
    assert "nothing could be compared" in " ".join(comparison_page(bare).answer)
    assert "report/index.html" in comparison_files(bare)


def test_wins_are_drawn_both_ways_and_the_best_stands_on_top(hosking):
    rates = tuple(
        Finding(Key("meaning", "win-percent", "wins", (first, "vae"), runs=("steen-2025",)),
                "wins", percent, 100, "comparisons", ())
        for first, percent in (("dips", 20.0), ("lbow", 30.0))
    )  # fmt: skip
    (drawn,) = (
        each
        for each in comparison_pictures(replace(hosking, findings=rates))
        if each.name.startswith("wins-meaning-")
    )
    texts = re.findall(r">([^<]+)</text>", drawn.svg)
    assert [text for text in texts if text.isdigit()] == ["70", "80", "30", "20"]
    assert "VAE against DiPS 80 %" in drawn.svg
