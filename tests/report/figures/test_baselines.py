"""The figure of baselines: participants above, each rule in a row below."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from judged_study import BEST_WORST, RATING, drawn, small_study
from pictured import outside, signs, words
from rejudge.findings.model import Finding, Key
from rejudge.report.figures.baselines import baseline_pictures
from rejudge.report.figures.style import PHONE, WIDTH
from rejudge.simulate.baselines import run_baselines
from rejudge.stats import Interval
from rejudge.study.baselines import Baseline

RULES = (Baseline(id="longer", rules=("longer-wins",)), Baseline(id="same", rules=("middle",)))


def drawn_figure(question=RATING, *, measured=True, rules=RULES):
    study = small_study(question, inputs=3)
    found = run_baselines(study, drawn(study), baselines=rules)
    scores = tuple(
        Finding(Key(question["id"], "mean", "mean", (system,)), "mean", 3.0 + place / 2, 30,
                "judgments", "", Interval(2.0, 4.5, 0.95))
        for place, system in enumerate(study.system_ids)
    )  # fmt: skip
    if measured:
        found = replace(found, findings=scores, judged="j", judgments=90, participants=6)
    return baseline_pictures(found, study)


@pytest.mark.parametrize("width", [WIDTH, PHONE])
def test_each_row_has_a_mark_for_each_system(width):
    (picture,) = drawn_figure()
    assert len(signs(picture, width)) == 3 + 2 * 3  # participants, two baselines
    assert {"participants", "longer", "same"} <= set(words(picture))


@pytest.mark.parametrize("width", [WIDTH, PHONE])
def test_marks_never_hide_each_other_and_stay_inside(width):
    (picture,) = drawn_figure()
    places = [s.axes.transData.transform(s.get_xydata()[0]) for s in signs(picture, width)]
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) > 6 for a, b in combinations(places, 2))
    assert all(0 <= x <= width and y >= 0 for x, y in places)
    assert outside(picture, width) == []


def test_captions_say_level_and_n_or_that_there_is_nothing_yet():
    assert "95\u202f% intervals, about 30 judgments per system" in drawn_figure()[0].caption
    assert "No judgments have been collected yet" in drawn_figure(measured=False)[0].caption


def test_the_description_tells_the_order_of_every_row():
    says = drawn_figure()[0].description
    assert says.startswith("participants: Cedar 4.0, Beech 3.5, Ash <tree> 3.0; longer: ")


def test_a_question_that_no_rule_decides_has_no_figure():
    assert drawn_figure(BEST_WORST, rules=(RULES[1],)) == ()


def test_preferences_stand_around_zero():
    (picture,) = drawn_figure(BEST_WORST, measured=False, rules=(RULES[0],))
    assert {"−100", "0", "100"} <= set(words(picture))
