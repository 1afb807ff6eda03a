"""The report: what it says, how it says it, and that it needs nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from judged_study import (
    EVERY_KIND,
    PAIRWISE,
    checked_study,
    small_study,
)
from rejudge.report.blocks import FigureBlock, all_blocks, to_html
from reported import choices, report_of, report_of_rows, tables_of, words_of

# What it says


def test_without_judgments_the_report_says_so():
    report = report_of_rows(small_study(PAIRWISE), [])
    assert report.answer[0].startswith("There are no judgments to analyse")
    assert report.answer[1] == "Collection is not finished: 0 of 2 planned places are filled."
    assert report.figure is None
    assert to_html(report)


def test_simulated_judgments_are_announced_on_the_first_screen_and_in_every_caption():
    report = report_of(checked_study(PAIRWISE))
    page = to_html(report)
    assert "Simulated judgments." in words_of(page)
    assert "no people took part" in words_of(page)
    assert report.answer[0].startswith("In these simulated judgments")
    assert report.figure.caption.startswith("Simulated. ")


def test_judgments_by_people_are_not_called_simulated():
    assert "imulated" not in words_of(to_html(report_of(checked_study(PAIRWISE), origin="people")))


def test_planned_tests_that_are_missing_are_named():
    tests = [{"question": "meaning", "test": t} for t in ("cluster-robust", "ordinal-mixed-model")]
    text = words_of(to_html(report_of(small_study(PAIRWISE, analysis={"tests": tests}))))
    assert "Planned, but without a result: ordinal mixed model." in text
    assert "needs a score for each output" in text


def test_few_participants_are_pointed_out_beside_the_numbers():
    rows = choices(lambda p, i: "ab"[(p * i) % 3 == 1], people=3)
    text = words_of(to_html(report_of_rows(small_study(PAIRWISE), rows)))
    assert "Only 3 participants in all" in text


def test_the_page_says_how_to_compute_it_again():
    report = report_of(small_study(PAIRWISE), folder="here")
    assert "rejudge analyse here --seed 1 --force" in to_html(report)
    assert report.signature in to_html(report)


# How it is made


class _Reader(HTMLParser):
    """Collects what a page points to, its ids, and whether every tag is closed."""

    void = frozenset({"meta", "rect", "path", "circle", "link", "br", "img", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in {"src", "href"}]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.open += [tag] if tag not in self.void else []

    def handle_endtag(self, tag) -> None:
        if tag not in self.void:
            assert self.open.pop() == tag


def read(page):
    reader = _Reader()
    reader.feed(page)
    return reader


@pytest.mark.parametrize("question", EVERY_KIND, ids=[q["kind"] for q in EVERY_KIND])
def test_every_kind_of_question_gives_a_whole_page_that_asks_for_nothing(question):
    page = to_html(report_of(checked_study(question)))
    reader = read(page)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert all(link.startswith("#") and link[1:] in reader.ids for link in reader.links)
    assert not reader.tags & {"script", "link", "img", "iframe"}
    assert not re.search(r"url\((?!#)|@import|https?://", page)


def test_names_are_text_and_never_markup():
    page = to_html(report_of(checked_study(PAIRWISE)))
    assert "Ash &lt;tree&gt;" in page
    assert "<tree>" not in page


def test_figures_say_in_words_what_they_show():
    report = report_of(checked_study(PAIRWISE))
    told = re.search(r"<desc>(.*?)</desc>", report.figure.svg)[1]
    assert all(name in told for name in ("Ash &lt;tree&gt;", "Beech", "Cedar"))
    assert told.count("95\u202f% interval") == 3
    assert 'role="img"' in report.figure.svg


def test_every_figure_has_a_form_for_phones():
    report = report_of(checked_study(PAIRWISE))
    figures = [
        b for s in report.sections for b in all_blocks(s.blocks) if isinstance(b, FigureBlock)
    ]
    assert figures
    assert all(figure.narrow_svg for figure in figures)


def test_every_row_of_a_table_has_as_many_cells_as_its_head():
    for question in EVERY_KIND:
        for table in tables_of(report_of(checked_study(question))):
            widths = {len(table.head), len(table.align), *map(len, table.rows)}
            assert len(widths) == 1


def test_the_page_opens_with_answer_comparison_agreement_exclusions_and_claims():
    claims = [{"id": "best", "says": "ash best on meaning"}]
    report = report_of(checked_study(PAIRWISE, claims=claims))
    assert report.answer
    assert report.figure
    shown = [each.id for each in report.sections if not each.is_reference]
    assert shown[:4] == ["results-meaning", "agreement", "participants", "claims"]
