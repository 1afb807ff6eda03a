"""What was planned, what changed since, and what the study could detect."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache

import pytest

from judged_study import PAIRWISE, small_study
from looked_study import judged, looked_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.details import Detectable, Sensitivity
from rejudge.analysis.look import look
from rejudge.collect.looks import LookLog, Peek
from rejudge.design.freeze import Change
from rejudge.design.pay import quote_price
from rejudge.judgments.exclusions import exclude
from rejudge.report.blocks import PageTable, Paragraph, to_html
from rejudge.report.limitations import limitations
from rejudge.report.power import look_methods, look_sections, power_sentences
from rejudge.report.subject import PlannedStudy, Subject
from reported import report_of, words_of
from small_site import START


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


def detecting(*sizes: float | None, correction="holm"):
    return [
        Sensitivity(
            finding=f"f{place}",
            question="fluency",
            by="cluster-robust",
            systems=("ash", "beech"),
            unit="points of the scale",
            n=10,
            standard_error=1.0,
            df=5,
            tests=len(sizes),
            correction=correction,
            detects=(Detectable(0.8, 0.05, is_corrected=True, difference=size),),
        )
        for place, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            detecting(1.5),
            "80\u202f% power to detect a true difference of 1.50 points of the scale.",
        ),
        (detecting(1.5, correction="tukey"), "1.50 points of the scale at the corrected level."),
        (
            detecting(1.5, 2.0, correction="none"),
            "of 1.50 to 2.00 points of the scale (by pair).",
        ),
        (detecting(1.5, 2.0), "(by pair) at the corrected level."),
        (detecting(1.5, None, None), "; for 2 of 3 pairs, none within the scale."),
        (
            detecting(None, None),
            "does not have 80\u202f% power to detect any difference that the scale allows",
        ),
    ],
)
def test_what_could_be_detected_is_told_of_every_pair_and_at_its_level(found, said):
    (sentence,) = power_sentences(found)
    assert said in sentence


def test_several_questions_can_share_one_sentence():
    found = [*detecting(1.5), *(replace(each, question="meaning") for each in detecting(2.0))]
    (sentence,) = power_sentences(found)
    assert sentence.startswith("On 2 questions, the ")
    assert "of 1.50 to 2.00 points of the scale (by question and pair)" in sentence


STUDY, PLAN = looked_study()


@cache
def subject(kind: str) -> Subject:
    judgments = judged(STUDY, PLAN, 1, gap=1.6)
    made = LookLog((look(STUDY, PLAN, judgments, log=LookLog(), who="ada", now=START),))
    log = {"stopped": made, "peeked": LookLog(peeks=(Peek(START, "a", 12, 24),)), "lost": None}
    results = analyse(exclude(STUDY, PLAN, judgments), study=STUDY, plan=PLAN, looks=log[kind])
    price = quote_price(STUDY, PLAN, on=date(2026, 3, 2))
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
