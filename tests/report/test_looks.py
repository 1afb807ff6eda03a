"""Planned looks in a report."""

from __future__ import annotations

from datetime import date
from functools import cache

from looked_study import judged, looked_study
from rejudge.analysis import analyse, look
from rejudge.collect import LookLog, Peek
from rejudge.design import quote
from rejudge.judgments import exclude
from rejudge.report.blocks import PageTable, Paragraph
from rejudge.report.limitations import limitations
from rejudge.report.looks import look_methods, look_sections
from rejudge.report.subject import PlannedStudy, Subject
from small_site import START

STUDY, PLAN = looked_study()


@cache
def subject(kind: str) -> Subject:
    judgments = judged(STUDY, PLAN, 1, gap=1.6)
    made = LookLog((look(STUDY, PLAN, judgments, log=LookLog(), who="ada", now=START),))
    log = {"stopped": made, "peeked": LookLog(peeks=(Peek(START, "a", 12, 24),)), "lost": None}
    results = analyse(exclude(STUDY, PLAN, judgments), study=STUDY, plan=PLAN, looks=log[kind])
    price = quote(STUDY, PLAN, on=date(2026, 3, 2))
    return Subject(results, "Looks", designed=PlannedStudy(STUDY, PLAN, quote=price))


def told(kind: str) -> str:
    (section,) = look_sections(subject(kind))
    return " ".join(block.text for block in section.blocks if isinstance(block, Paragraph))


def test_a_study_that_stopped_says_where_and_what_that_saved():
    text = told("stopped")
    assert "stopped early, at look 1 of 2: 12 of 24 planned places were used" in text
    assert "That saved about GBP" in text
    (section,) = look_sections(subject("stopped"))
    assert any(isinstance(block, PageTable) for block in section.blocks)


def test_a_study_that_was_analysed_in_between_says_so_first():
    (section,) = look_sections(subject("peeked"))
    first = section.blocks[0]
    assert isinstance(first, Paragraph)
    assert first.tone == "warn"
    assert "analysed 1 time between planned looks" in first.text
    assert any("between planned looks" in each for each in limitations(subject("peeked"), ()))


def test_a_study_whose_log_is_lost_says_so():
    assert "log (looks.json) is missing" in told("lost")
    assert "no log of the looks was kept" in next(look_methods(subject("lost")))


def test_the_methods_paragraph_has_a_sentence():
    assert next(look_methods(subject("stopped"))) == (
        "The study planned 2 looks at the comparison of north and south on meaning with "
        "O’Brien–Fleming boundaries at an overall level of 0.05; it stopped early at look 1, with "
        "12 of 24 places done, and p values and intervals of comparisons are adjusted for all looks"
    )
    assert "0 have been made" in next(look_methods(subject("peeked")))
