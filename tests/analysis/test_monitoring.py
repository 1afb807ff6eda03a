"""Monitoring gives the numbers of the analysis, and none that compares systems."""

from __future__ import annotations

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, checked_study, drawn
from rejudge.analysis.analyse import analyse
from rejudge.analysis.monitoring import monitor, monitored_findings
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.simulate.people import judge

STUDY = checked_study(PAIRWISE, RATING)
PLAN = drawn(STUDY)
MONITORED = {"agreement", "first-shown-percent"}


@pytest.fixture(scope="module")
def judgments():
    return tabulate(STUDY, PLAN, judge(STUDY, PLAN, rng=np.random.default_rng(1)))


def test_monitoring_gives_the_numbers_of_the_whole_analysis(judgments):
    whole = analyse(exclude(STUDY, PLAN, judgments), study=STUDY, plan=PLAN)
    wanted = [f for f in whole.findings if f.measure in MONITORED and not f.systems]
    found = monitor(STUDY, PLAN, judgments)
    assert {f.id: (f.value, f.interval, f.n) for f in found.findings} == {
        f.id: (f.value, f.interval, f.n) for f in wanted
    }
    assert "meaning.krippendorff-alpha" in {f.id for f in found.findings}
    assert found.level == whole.signature.level


def test_participants_are_flagged_as_in_the_whole_analysis(judgments):
    whole = analyse(exclude(STUDY, PLAN, judgments), study=STUDY, plan=PLAN)
    expected = {
        frame.question: {row["participant"]: row["flags"] for row in frame.rows}
        for frame in whole.frames
        if frame.name == "people"
    }
    assert monitor(STUDY, PLAN, judgments).flags == expected


def test_monitoring_never_compares_systems(judgments, no_comparisons):
    assert monitor(STUDY, PLAN, judgments).findings
    assert monitored_findings(STUDY, exclude(STUDY, PLAN, judgments).kept)
    assert no_comparisons == []


def test_the_whole_analysis_would_be_caught(judgments, no_comparisons):
    """The guard is not blind: the same judgments through `analyse` set it off."""
    with pytest.raises(AssertionError, match="compared while the study was running"):
        analyse(exclude(STUDY, PLAN, judgments), study=STUDY, plan=PLAN)
    assert no_comparisons
