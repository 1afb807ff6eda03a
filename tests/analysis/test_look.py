"""A planned look: computed when it is due, refused when it is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from looked_study import judged, looked_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.look import deciding_finding, look, look_state_of
from rejudge.collect.looks import LookLog
from rejudge.design.stages import stages_of
from rejudge.errors import DataError
from rejudge.judgments.exclusions import exclude
from small_site import START, study_of

STUDY, PLAN = looked_study()
NO = LookLog()


def made(stage, *, log=NO, study=STUDY, plan=PLAN, gap=0.0, ends_here=False):
    judgments = judged(study, plan, stage, gap=gap)
    return look(study, plan, judgments, log=log, who="ada", now=START, ends_here=ends_here)


def test_without_an_effect_the_study_goes_on_to_its_end():
    first = made(1)
    assert (first.decision, first.number, first.places, first.planned_places) == (
        "go on",
        1,
        12,
        24,
    )
    assert first.who == "ada"
    assert first.at == START
    last = made(2, log=NO.with_look(first))
    assert (last.decision, last.number, last.fraction) == ("end", 2, 1.0)


def test_a_large_effect_stops_the_study_at_the_first_look():
    found = made(1, gap=1.6)
    assert found.decision == "stop"
    assert found.is_crossed
    assert found.p is not None
    assert found.p < found.level == pytest.approx(0.0051, abs=1e-4)  # 2.797 for two looks
    assert found.unbiased == pytest.approx(found.value)  # at the first look nothing is biased
    assert found.low is not None
    assert found.low > 50


def test_a_look_is_the_planned_test_of_its_pair():
    judgments = judged(STUDY, PLAN, 1, gap=0.4)
    found = look(STUDY, PLAN, judgments, log=NO, who="ada", now=START)
    whole = analyse(exclude(STUDY, PLAN, judgments), study=STUDY, plan=PLAN, looks=NO)
    (pair,) = whole.select("meaning", "win-percent", "cluster-robust")
    assert (found.value, found.p, found.n, found.test) == (pair.value, pair.p, pair.n, pair.by)
    assert STUDY.spec.stop is not None
    assert deciding_finding(STUDY, STUDY.spec.stop, judgments).p == pair.p


def test_a_unanimous_study_goes_on():
    """Without any variation there is no test, and nothing can be decided."""
    found = made(1, gap=30.0)
    assert (found.value, found.p_looks, found.decision) == (100.0, None, "go on")
    assert "do not vary" in found.note


def test_no_look_is_made_before_it_is_due():
    judgments = judged(STUDY, PLAN, 1)
    rows = np.arange(len(judgments)) < len(judgments) - 1
    short = judgments.take(rows)
    with pytest.raises(DataError, match="Look 1 of 2 is due at 12 of 24 places; 11 are done"):
        look(STUDY, PLAN, short, log=NO, who="ada", now=START)
    assert not look_state_of(STUDY, PLAN, short, NO).is_due


def test_no_look_is_made_twice():
    first = made(1)
    with pytest.raises(DataError, match="Look 2 of 2 is due at 24"):
        made(1, log=NO.with_look(first))
    over = NO.with_look(replace(first, decision="stop"))
    with pytest.raises(DataError, match="ended at look 1"):
        made(2, log=over)
    with pytest.raises(DataError, match="ended at look 1"):
        made(2, log=over, ends_here=True)


def test_a_look_uses_only_its_stage():
    """Where answers come from elsewhere, all may be there at the first look."""
    first = made(1)
    early = made(None)
    assert (early.number, early.places) == (1, 12)
    assert (early.value, early.n, early.p) == (first.value, first.n, first.p)


def test_a_study_can_be_ended_before_its_last_look():
    first = made(1)
    judgments = judged(STUDY, PLAN, 2)
    some = judgments.take(np.arange(len(judgments)) < len(judgments) * 3 // 4)
    log = NO.with_look(first)
    found = look(STUDY, PLAN, some, log=log, who="ada", now=START, ends_here=True)
    assert (found.decision, found.number) == ("end", 2)
    assert 0.5 < found.fraction < 1
    assert found.level < 0.0482  # that of the last look, at its planned fraction
    with pytest.raises(DataError, match="nothing was collected since look 1"):
        made(1, log=log, ends_here=True)


def test_a_study_that_ends_with_a_look_due_is_judged_by_all_that_was_collected():
    """Where answers come from elsewhere, all may be there before the first look."""
    found = made(None, ends_here=True)
    assert (found.number, found.places, found.fraction, found.n) == (1, 24, 1.0, 72)
    assert found.level == pytest.approx(0.048, abs=1e-3)  # of the last of two looks
    assert found.unbiased is None


def test_a_batch_whose_questions_were_all_skipped_is_finished_all_the_same():
    judgments = judged(STUDY, PLAN, 1)
    rest = judgments.take(judgments.participant.codes != judgments.participant.codes[0])
    stages = stages_of(STUDY, PLAN)
    assert stages is not None
    with pytest.raises(DataError, match="11 are done"):
        look(STUDY, PLAN, rest, log=NO, who="ada", now=START)
    found = look(STUDY, PLAN, rest, log=NO, who="ada", now=START, done=stages.open_places[0])
    assert (found.number, found.places, found.participants) == (1, 12, 11)


def test_an_always_valid_look_counts_clusters():
    study, plan = looked_study(boundary="always-valid")
    found = made(1, study=study, plan=plan, gap=1.6)
    assert found.clusters == 12  # items and participants, and not 36 judgments
    assert found.n == 36
    assert found.unbiased is None
    assert found.p_looks is not None
    assert found.p is not None
    assert found.p < found.p_looks


def test_a_study_without_looks_is_not_looked_at():
    study, plan = study_of(4, 2)
    with pytest.raises(DataError, match="plans no looks"):
        made(None, study=study, plan=plan)


def test_the_moment_is_kept():
    later = START + timedelta(days=3)
    found = look(STUDY, PLAN, judged(STUDY, PLAN, 1), log=NO, who="b", now=later)
    assert found.at == later
