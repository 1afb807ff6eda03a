"""The report: what it says, how it says it, and that it needs nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from judged_study import (
    EVERY_KIND,
    PAIRWISE,
    RATING,
    checked_study,
    drawn,
    hand_plan,
    small_study,
)
from rejudge.analysis import PagesToExit, PageTimes, analyse
from rejudge.design import Change, Task
from rejudge.judgments import Cleaned, Judgment, Judgments, exclude, tabulate
from rejudge.report import Designed, Drawn, PageTable, Subject, build, to_html
from rejudge.report.blocks import all_blocks
from rejudge.simulate import SimulatedPeople, judge


def report_of(
    study, *, origin="simulated", people=None, quality=None, changes=None, folder="my-study"
):
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1), people=people, quality=quality)
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin=origin))
    results = analyse(cleaned, study=study, plan=plan)
    designed = Designed(study, plan, changes=changes)
    return build(Subject(results, study.spec.title, folder=folder, designed=designed))


def report_of_rows(study, rows):
    table = Judgments.from_rows(rows, systems=study.system_ids)
    nothing = table.take(np.zeros(len(table), dtype=bool))
    plan = hand_plan(study, Task("t1", "i0", ("ash", "beech")))
    results = analyse(Cleaned(table, table, nothing, (), ()), study=study, plan=plan)
    return build(Subject(results, study.spec.title, designed=Designed(study, plan)))


def choices(value, people=6, items=8):
    return [
        Judgment(f"p{p}", f"i{i}", "meaning", value(p, i), system_a="ash", system_b="beech")
        for p in range(people)
        for i in range(items)
    ]


def words_of(page):
    """The page as it is read: without markup and styles."""
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def tables_of(report):
    blocks = all_blocks(block for section in report.sections for block in section.blocks)
    return [block for block in blocks if isinstance(block, PageTable)]


# What it says


def test_the_answer_says_what_was_found_how_sure_and_how_much_it_is():
    """ash and beech are compared by 6 people on 8 items; ash wins unless p + i is divisible by 4.

    That is 12 losses of 48: 36/48 = 75 %. By Vargha & Delaney (2000) 71 % and more is large.
    """
    report = report_of_rows(small_study(PAIRWISE), choices(lambda p, i: "ab"[(p + i) % 4 == 0]))
    first, second, third = report.answer
    assert first.startswith("On meaning, Ash <tree> was preferred to Beech in 75.0\u202f% of 48 ")
    assert "95\u202f% interval" in first
    assert second.startswith("An advantage of Ash <tree> over Beech is supported")
    assert third.startswith("As estimated, the lead over Beech, the next best, is large: 75.0")


def test_what_is_not_supported_is_not_called_equal():
    report = report_of_rows(small_study(PAIRWISE), choices(lambda p, i: "ab"[(p * i) % 2]))
    assert "is not supported, which does not show that they are equally good" in report.answer[1]
    assert "no difference" not in words_of(to_html(report)).lower()


def test_what_could_not_be_tested_is_not_called_unsupported():
    """With everybody of two minds in the same way nothing varies that a test could weigh."""
    report = report_of_rows(small_study(PAIRWISE), choices(lambda p, i: "ab"[(p + i) % 2]))
    assert report.answer[1] == (
        "Whether Ash <tree> differs from Beech could not be tested, since the judgments do not "
        "vary from item to item or from participant to participant."
    )
    assert "whether systems differ could not be tested" in words_of(to_html(report))


def test_systems_that_stand_level_are_told_as_such():
    report = report_of_rows(small_study(PAIRWISE), choices(lambda p, i: "ab"[(p + i) % 2]))
    assert "Ash <tree> and Beech were preferred equally often: each won" in report.answer[0]


def test_where_some_chose_neither_a_share_of_wins_says_that_ties_are_half():
    """16 wins and 32 ties: 66.7 %, although ash was preferred in a third of the comparisons."""
    rows = choices(lambda p, i: "a" if (p + i) % 3 == 0 else "tie")
    report = report_of_rows(small_study(PAIRWISE), rows)
    assert "in 66.7\u202f% of 48 comparisons, counting a tie as half (" in report.answer[0]
    assert [number.label for number in report.numbers[:2]] == [
        "of comparisons won by Ash <tree>, counting a tie as half",
        "preferred Ash <tree> to Beech, the next best, counting a tie as half",
    ]


def test_the_best_of_all_that_loses_to_the_next_best_is_not_said_to_lead_it():
    """ash wins all against cedar and some 2 of 5 against beech, as beech does against cedar."""
    wins = {("ash", "cedar"): 5, ("ash", "beech"): 2, ("beech", "cedar"): 2}
    rows = [
        Judgment(f"p{p}", f"i{i}", "meaning", "ab"[(p + i) % 5 >= won], system_a=a, system_b=b)
        for p in range(6)
        for i in range(8)
        for (a, b), won in wins.items()
    ]
    report = report_of_rows(small_study(PAIRWISE), rows)
    assert "Ash <tree> was preferred most often" in report.answer[0]
    said = "As estimated, head to head the lead of Beech, the next best, over Ash <tree> is small: "
    assert report.answer[2].startswith(said)
    assert "lead of Ash <tree> to a" in report.answer[2]  # the interval holds an even share


def took(page, place=None):
    return PageTimes(page, 6, 1.0, 2.0, 3.0, 4.0, 5.0, 3.0, 1.0, place)


def test_every_practice_page_stands_in_the_table_of_the_way_and_single_tasks_do_not():
    study = small_study(PAIRWISE)
    plan = drawn(study)
    way = PagesToExit("By the clock.", (took("practice", 1), took("practice", 2), took("task"),
                                took("task", 1)))  # fmt: skip
    table = Judgments.from_rows(choices(lambda *_: "a"), systems=study.system_ids)
    results = replace(analyse(table, study=study, plan=plan), way=way)
    report = build(Subject(results, "A study", designed=Designed(study, plan)))
    (found,) = [each for each in tables_of(report) if each.id == "table-way"]
    assert [row[0] for row in found.rows] == ["Practice 1", "Practice 2", "Task"]


def test_scores_are_told_with_their_scale():
    report = report_of(checked_study(RATING), origin="people")
    assert re.search(r"scored highest: a mean of \d\.\d\d on a scale from 1 to 5", report.answer[0])


def test_one_judgment_is_told_in_the_singular():
    report = report_of_rows(small_study(PAIRWISE), choices(lambda *_: "a", people=1, items=1))
    text = words_of(to_html(report))
    assert "in the only comparison (no interval)" in text
    assert "1 participant took part" in text
    assert "1 judgment of systems" in text
    assert "excluded" not in text.split("Participants and exclusions", 2)[1][:200]


def test_without_judgments_the_report_says_so():
    report = report_of_rows(small_study(PAIRWISE), [])
    assert report.answer[0].startswith("There are no judgments that count")
    assert report.answer[1] == "Collection is not finished: 0 of 2 planned places are filled."
    assert report.figure is None
    assert to_html(report)


def test_simulated_judgments_are_announced_on_the_first_screen_and_in_every_caption():
    report = report_of(checked_study(PAIRWISE))
    page = to_html(report)
    assert "Simulated judgments." in words_of(page)
    assert "no person took part" in words_of(page)
    assert report.answer[0].startswith("In these simulated judgments")
    assert report.figure.caption.startswith("Simulated. ")


def test_judgments_by_people_are_not_called_simulated():
    assert "imulated" not in words_of(to_html(report_of(checked_study(PAIRWISE), origin="people")))


def test_three_numbers_with_their_intervals_stand_on_the_first_screen():
    numbers = report_of(checked_study(PAIRWISE)).numbers
    assert len(numbers) == 3
    assert all("95\u202f% interval [" in number.detail for number in numbers)


def test_every_exclusion_is_shown_and_adds_up():
    report = report_of(checked_study(PAIRWISE), people=SimulatedPeople(careless=0.5))
    table = next(table for table in tables_of(report) if table.id == "table-exclusions")
    collected, *rules, kept = [int(row[2].replace(",", "")) for row in table.rows]
    assert collected == sum(rules) + kept
    assert rules[0] > 0


def test_planned_tests_that_are_missing_are_named():
    tests = [{"question": "meaning", "test": t} for t in ("cluster-robust", "ordinal-mixed-model")]
    text = words_of(to_html(report_of(small_study(PAIRWISE, analysis={"tests": tests}))))
    assert "Planned, but without a result: ordinal mixed model." in text
    assert "needs a score for each output" in text


def test_a_test_that_was_not_planned_is_called_so():
    study = small_study(PAIRWISE)
    unplanned = replace(study, spec=study.spec.model_copy(update={"analysis": None}))
    text = words_of(to_html(report_of(unplanned)))
    assert "Exploratory: this test was not planned." in text
    assert "not planned beforehand" in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (None, "no: the study was not frozen"),
        ((), "yes: frozen, and nothing has changed since"),
        ((Change("title", "A", "B", "other"),), "frozen; 1 change since: title: A → B"),
    ],
)
def test_what_changed_since_the_study_was_frozen_is_told(changes, said):
    assert said in words_of(to_html(report_of(small_study(PAIRWISE), changes=changes)))


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
    figures = [b for s in report.sections for b in all_blocks(s.blocks) if isinstance(b, Drawn)]
    assert figures
    assert all(figure.narrow_svg for figure in figures)


def test_every_row_of_a_table_has_as_many_cells_as_its_head():
    for question in EVERY_KIND:
        for table in tables_of(report_of(checked_study(question))):
            widths = {len(table.head), len(table.align), *map(len, table.rows)}
            assert len(widths) == 1


def test_the_report_has_the_pages_as_participants_read_them():
    pages = {
        "information": "{title}: {tasks} tasks. <b>Read</b>.",
        "thanks": "",
        "consent": "I do.",
    }
    study = replace(small_study(PAIRWISE), pages=pages)
    page = to_html(report_of(study))
    assert "A small study: 9 tasks. &lt;b&gt;Read&lt;/b&gt;." in page
    assert "What participants read" in page
    assert "{tasks}" not in page


def test_a_study_without_pages_has_none_in_its_report():
    assert "What participants read" not in to_html(report_of(small_study(PAIRWISE)))


def test_the_report_names_those_who_cannot_have_read():
    study = small_study(PAIRWISE)
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    hurried = [replace(answer, seconds=0.2) for answer in answers]
    cleaned = exclude(study, plan, tabulate(study, plan, hurried))
    results = analyse(cleaned, study=study, plan=plan)
    designed = Designed(study, plan)
    page = words_of(to_html(build(Subject(results, study.spec.title, designed=designed))))
    people = len({answer.participant for answer in answers})
    assert f"{people} did a batch faster than its texts can be read" in page
    assert "1,000 words a minute" in page
