"""looks.json, and analyses that are noted in it."""

from __future__ import annotations

import pytest

from looked_study import judged, looked_study
from rejudge.cli.look_files import log_of_analysis, read_look_log, write_look_log
from rejudge.collect import LookLog
from rejudge.files import DATABASE
from rejudge.judgments import Judgments
from rejudge.store import open_store
from small_site import START, study_of

STUDY, PLAN = looked_study(4, 2)


@pytest.fixture(scope="module")
def judgments() -> Judgments:
    return judged(STUDY, PLAN, 1)


def test_a_study_without_looks_has_no_log(tmp_path, judgments):
    study, plan = study_of(4, 2)
    assert read_look_log(tmp_path, study, plan, database=None) is None
    assert log_of_analysis(tmp_path, study, plan, judgments, database=None) is None


def test_an_analysis_before_the_end_is_logged(tmp_path, judgments):
    log = log_of_analysis(tmp_path, STUDY, PLAN, judgments, database=None)
    assert log is not None
    assert [(each.places, each.planned_places) for each in log.peeks] == [(4, 8)]
    assert read_look_log(tmp_path, STUDY, PLAN, database=None) == log


def test_a_complete_study_without_a_log_stays_without(tmp_path):
    whole = judged(STUDY, PLAN)
    assert log_of_analysis(tmp_path, STUDY, PLAN, whole, database=None) is None


def test_in_a_database_the_audit_log_has_it_too(tmp_path, judgments):
    store = open_store(str(tmp_path / DATABASE), STUDY, PLAN, now=START)
    log = log_of_analysis(tmp_path, STUDY, PLAN, judgments, database=None)
    assert log is not None
    assert log == store.look_log()
    assert [entry.what for entry in store.log()] == ["results analysed between looks"]
    store.close()


def test_what_is_written_is_read_again(tmp_path):
    write_look_log(tmp_path, PLAN, LookLog())
    assert read_look_log(tmp_path, STUDY, PLAN, database=None) == LookLog()
