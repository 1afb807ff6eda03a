"""What results say about the looks of a study."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from looked_study import judged, looked_study
from rejudge.analysis import Results, altered_findings, analyse, look
from rejudge.analysis.stopping import stopping_of
from rejudge.collect import LookLog, Peek
from rejudge.files import from_bytes, to_bytes
from rejudge.judgments import exclude
from small_site import START, study_of

STUDY, PLAN = looked_study()
JUDGMENTS = judged(STUDY, PLAN, 1, gap=1.6)
FIRST = look(STUDY, PLAN, JUDGMENTS, log=LookLog(), who="ada", now=START)
STOPPED = LookLog((FIRST,))


@cache
def results(log):
    return analyse(exclude(STUDY, PLAN, JUDGMENTS), study=STUDY, plan=PLAN, looks=log)


def test_a_stopped_study_is_complete_with_what_it_needed():
    found = results(STOPPED)
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
    found = results(LookLog(peeks=(Peek(START, "ada", 12, 24),)))
    assert any(
        "analysed 1 time between planned looks (at 12 of 24 places)" in n for n in found.notes
    )
    assert any("The study is not over: 0 of 2 planned looks" in n for n in found.notes)
    study, plan = looked_study(boundary="always-valid")
    log = LookLog(peeks=(Peek(START, "ada", 12, 24),))
    free = stopping_of(study, plan, exclude(study, plan, JUDGMENTS), log)
    assert free is not None
    assert "allows for that" in free.notes[0]


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
    found = results(STOPPED)
    again = from_bytes(Results, to_bytes(found, made_from={}), file="results.json").content
    assert again.stopping == found.stopping
    assert altered_findings(again, STUDY, exclude(STUDY, PLAN, JUDGMENTS).kept) == ()
