"""What planned looks do to the p values and intervals of an analysis."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest

from looked_study import ANALYSIS, PAID, judged, looked_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.look import look
from rejudge.analysis.partial_analysis import altered_findings
from rejudge.analysis.planned_looks import LookCorrection, stopping_of
from rejudge.analysis.results import Results
from rejudge.collect.looks import LookLog, Peek
from rejudge.files.step_files import from_bytes, to_bytes
from rejudge.judgments.exclusions import exclude
from rejudge.stats import Interval
from small_site import START, study_of

STUDY, PLAN = looked_study()
PLAIN = study_of(8, 3, more=PAID + ANALYSIS)[0]


@cache
def results(stage, log):
    """Without a log, of the same study without looks."""
    study = PLAIN if log is None else STUDY
    judgments = judged(STUDY, PLAN, stage, gap=0.6)
    return analyse(exclude(study, PLAN, judgments), study=study, plan=PLAN, looks=log)


@cache
def logged(stage):
    log = LookLog()
    for each in range(1, stage + 1):
        judgments = judged(STUDY, PLAN, each, gap=0.6)
        log = log.with_look(look(STUDY, PLAN, judgments, log=log, who="ada", now=START))
    return log


def pair_of(found):
    return found.select("meaning", "win-percent", "cluster-robust")[0]


def test_p_and_interval_at_the_end_allow_for_the_looks():
    """Two looks after O'Brien & Fleming: the last level is .0480 instead of .05."""
    log = logged(2)
    adjusted, plain = pair_of(results(2, log)), pair_of(results(2, None))
    assert adjusted.p == plain.p
    assert adjusted.p_adjusted is not None
    assert plain.p_adjusted is not None
    assert adjusted.p_adjusted > plain.p_adjusted
    assert log.last is not None
    assert adjusted.p_adjusted == pytest.approx(log.last.p_looks)
    wide, narrow = (f.interval.high - f.interval.low for f in (adjusted, plain))
    assert 1 < wide / narrow < 1.02
    assert (adjusted.interval.low, adjusted.interval.high) == (log.last.low, log.last.high)


def test_scores_of_single_systems_and_agreement_stay_as_they_are():
    adjusted, plain = results(2, logged(2)), results(2, None)
    assert others_of(adjusted) == others_of(plain)


def others_of(found):
    return {f.id: (f.value, f.interval) for f in found.findings if len(f.systems) < 2}


def test_the_other_planned_comparisons_follow_the_one_that_decides():
    correction = LookCorrection(
        boundary="pocock", question="meaning", systems=("north", "south"), looks=2, alpha=0.05,
        fractions=(0.5, 1.0), number=2, fraction=1.0, planned_clusters=24,
    )  # fmt: skip
    from rejudge.analysis.analysis_plan import AnalysisPlan
    from rejudge.analysis.decide import correct_again
    from rejudge.analysis.outline import outline_of_study

    analysis = AnalysisPlan(outline_of_study(STUDY), STUDY.spec.analysis, 1, looks=correction)
    first = replace(pair_of(results(2, logged(2))), p=0.04, role="headline", interval=None)
    other = replace(first, key=replace(first.key, systems=("north", "east")), p=0.001)
    decided, followed = correct_again(analysis, [first, other])
    assert decided.p_adjusted == pytest.approx(correction.p_of(first))
    assert not decided.is_supported
    assert followed.p_adjusted == decided.p_adjusted
    assert not followed.is_supported


def test_one_sided_p_values_stay_one_sided():
    log = logged(2)
    found = results(2, log)
    assert found.stopping is not None
    one = replace(pair_of(found), p=0.01, alternative="greater")
    two = replace(one, p=0.02, alternative="two-sided")
    correction = found.stopping.correction
    assert correction.p_of(one) == pytest.approx(correction.p_of(two) / 2)
    assert correction.p_of(replace(one, p=None)) is None


def test_an_interval_is_stretched_by_students_t():
    from scipy.special import stdtrit

    found = results(2, logged(2))
    assert found.stopping is not None
    pair = pair_of(found)
    finding = replace(
        pair,
        key=replace(pair.key, measure="mean-difference"),
        value=1.0,
        df=7.0,
        interval=Interval(0.0, 2.0, 0.95),
    )
    correction = found.stopping.correction
    level = correction.level_of(finding)
    factor = stdtrit(7, 1 - level / 2) / stdtrit(7, 0.975)
    wide = correction.widen(finding).interval
    assert wide is not None
    assert (wide.low, wide.high) == pytest.approx((1 - factor, 1 + factor))
    assert math.isclose(wide.level, 0.95)
    assert correction.widen(replace(finding, interval=None)).interval is None


JUDGMENTS = judged(STUDY, PLAN, 1, gap=1.6)
FIRST = look(STUDY, PLAN, JUDGMENTS, log=LookLog(), who="ada", now=START)
STOPPED = LookLog((FIRST,))


@cache
def look_results(log):
    return analyse(exclude(STUDY, PLAN, JUDGMENTS), study=STUDY, plan=PLAN, looks=log)


def test_a_stopped_study_is_complete_with_what_it_needed():
    found = look_results(STOPPED)
    assert found.stopping is not None
    assert found.stopping.last == FIRST
    assert (found.stopping.places, found.stopping.planned_places) == (12, 24)
    assert found.stopping.notes == ()
    assert not found.flow.is_unfinished
    assert found.stopping.correction.fraction == 0.5


def test_a_missing_log_is_said():
    found = stopping_of(STUDY, PLAN, exclude(STUDY, PLAN, judged(STUDY, PLAN)), None)
    assert found is not None
    assert found.correction.fraction == 1
    assert "log (looks.json) is missing" in found.notes[0]


def test_an_analysis_in_between_is_said():
    found = look_results(LookLog(peeks=(Peek(START, "ada", 12, 24),)))
    assert any(
        "analysed 1 time between planned looks (at 12 of 24 places)" in n for n in found.notes
    )
    assert any("The study is not over: 0 of 2 planned looks" in n for n in found.notes)
    study, plan = looked_study(boundary="always-valid")
    log = LookLog(peeks=(Peek(START, "ada", 12, 24),))
    free = stopping_of(study, plan, exclude(study, plan, JUDGMENTS), log)
    assert free is not None
    assert "accounts for that" in free.notes[0]


def test_judgments_that_changed_since_the_look_are_said():
    log = LookLog((replace(FIRST, judgments="other"),))
    found = stopping_of(STUDY, PLAN, exclude(STUDY, PLAN, JUDGMENTS), log)
    assert found is not None
    assert "changed since look 1" in found.notes[0]


def test_a_study_without_looks_has_nothing_to_stop():
    study, plan = study_of(8, 3)
    assert stopping_of(study, plan, exclude(study, plan, JUDGMENTS), None) is None
    assert stopping_of(None, None, exclude(study, plan, JUDGMENTS), None) is None


def test_results_keep_the_log_and_are_recognised_again():
    found = look_results(STOPPED)
    again = from_bytes(Results, to_bytes(found, made_from={}), file="look_results.json").content
    assert again.stopping == found.stopping
    assert altered_findings(again, STUDY, exclude(STUDY, PLAN, JUDGMENTS).kept) == ()
