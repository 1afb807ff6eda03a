"""What commands read from the folder of a study: judgments come from the site's database."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from judged_rows import rows_in
from looked_study import judged, looked_study
from rejudge.cli.folders import log_of_analysis, read_look_log, write_look_log
from rejudge.collect.looks import LookLog
from rejudge.files.step_files import DATABASE, open_plan
from rejudge.judgments.table import Judgments
from rejudge.store.store import open_store
from served import run, said
from small_site import START, Site, study_of


def test_analyse_writes_the_judgments_of_the_store_and_says_what_does_not_count(folder):
    found = said("analyse", folder)
    rules = {each["rule"] for each in found["flow"]["exclusions"]}
    assert (found["flow"]["rows"], found["flow"]["rows_kept"]) == (10, 8)
    assert rules == {"incomplete"}
    table = (folder / "judgments.csv").read_text(encoding="utf-8")
    assert table.count(",submitted\n") == 8
    assert table.count(",held\n") == 2


def test_analyse_follows_the_store_when_it_goes_on(folder):
    said("analyse", folder)
    with ExitStack() as stack:
        site = Site(folder / "study.db", *open_plan(folder), stack)
        site.person("dora").finish("abba")
    assert said("analyse", folder, "--force")["flow"]["rows"] == 14


def test_judgments_from_elsewhere_are_not_replaced_unasked(folder):
    own = "participant,item,question,value,system_a,system_b\np,i0,meaning,a,north,south\n"
    (folder / "judgments.csv").write_text(own, encoding="utf-8")
    assert run("analyse", folder).exit_code == 2
    assert (folder / "judgments.csv").read_text(encoding="utf-8") == own


def test_the_analysis_has_the_pages_of_the_way_and_the_devices_of_those_who_came(folder):
    """Two finished, one is in the middle; times are of the two who count."""
    found = said("analyse", folder)
    pages = {(row["page"], row["place"]): row["n"] for row in rows_in(found, "times-pages")}
    assert pages["consent", None] == pages["instructions", None] == 2
    devices = [row for row in rows_in(found, "profile") if row["about"] == "device"]
    assert sum(row["participants"] for row in devices) == 3
    assert sum(row["participants_kept"] for row in devices) == 2


def test_no_platform_id_is_in_the_results(folder):
    said("analyse", folder)
    written = (folder / "results.json").read_text("utf-8")
    assert not [name for name in ("anna", "ben", "carl") if name in written]


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
