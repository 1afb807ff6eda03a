"""What was planned, what changed since, and what the study could detect."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judged_study import (
    PAIRWISE,
    small_study,
)
from rejudge.analysis import Detectable, Sensitivity
from rejudge.design import Change
from rejudge.report import to_html
from rejudge.report.power import power_sentences
from reported import report_of, words_of


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
