"""The files that can be downloaded."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest

from dashboard_site import platform_ids
from rejudge.collect.visit import EXIT
from rejudge.judgments.exclusions import exclude
from rejudge.judgments.judgments_csv import fingerprint_of, read_csv
from rejudge.store.analysis_input import judgments_of
from rejudge.store.records import PageAnswers
from rejudge.web.dashboard.handlers import FILES


@pytest.fixture
def filled(site):
    site.crowd.finish_many(3)
    site.crowd.answer(site.crowd.begin(), tasks=2)
    site.log_in("viewer")
    return site


@pytest.mark.parametrize("name", FILES)
def test_no_file_holds_a_platform_id(filled, name):
    answer = filled.client.get(f"/dashboard/downloads/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/csv")
    assert not platform_ids(answer.text)


def test_everything_is_all_files_in_one_archive_without_ids(filled):
    answer = filled.client.get("/dashboard/downloads/everything.zip")
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert sorted(archive.namelist()) == sorted(f"small/{name}" for name in FILES)
    assert not any(platform_ids(archive.read(name).decode()) for name in archive.namelist())


def test_the_judgments_are_those_of_the_store(filled):
    text = filled.client.get("/dashboard/downloads/judgments.csv").text
    read = read_csv(text, systems=filled.study.system_ids)
    assert fingerprint_of(read) == fingerprint_of(judgments_of(filled.store))
    assert len(read) > 0


def test_kept_and_excluded_add_up(filled):
    text = filled.client.get("/dashboard/downloads/excluded.csv").text
    collected = judgments_of(filled.store)
    cleaned = exclude(filled.study, filled.site.plan, collected)
    left_out = list(csv.DictReader(io.StringIO(text)))
    assert len(left_out) + len(cleaned.kept) == len(collected)
    assert {row["rule"] for row in left_out} <= {"incomplete", "failed-checks", *cleaned.rules}


def test_no_spreadsheet_runs_what_a_participant_wrote(site):
    visit = site.crowd.begin()
    texts = ["=1+1", "+cmd|x", "-5", "-a", "@sum", "fine = 1"]
    for number, text in enumerate(texts, start=1):
        page = PageAnswers(
            visit=visit.id, assignment=None, task=EXIT, position=1, answers={f"why{number}": text},
            key=f"k{number}", shown_at=site.clock(),
        )  # fmt: skip
        site.store.record(page, now=site.clock())
    text = site.log_in().get("/dashboard/downloads/answers.csv").text
    written = [row["raw"] for row in csv.DictReader(io.StringIO(text))]
    assert written == ["'=1+1", "'+cmd|x", "-5", "'-a", "'@sum", "fine = 1"]


def test_events_tell_the_way_of_everybody(filled):
    rows = list(
        csv.DictReader(io.StringIO(filled.client.get("/dashboard/downloads/events.csv").text))
    )
    assert {"arrived", "consented", "claimed", "submitted"} <= {row["what"] for row in rows}


def test_every_download_is_in_the_log(filled):
    filled.client.get("/dashboard/downloads/events.csv")
    assert filled.last_line().what == "downloaded events.csv"


def test_a_file_that_is_none_is_not_found(filled):
    assert filled.client.get("/dashboard/downloads/study.db").status_code == 404


def test_an_owner_gets_ids_only_on_request_with_a_reason_on_the_record(filled):
    filled.log_in("owner")
    assert filled.act("/identities", reason="").status_code == 422
    answer = filled.act("/identities", reason="To pay bonuses.")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert rows[0]["participant"] == "p0001"
    assert rows[0]["person"] == "platform-0001"
    line = filled.last_line()
    assert (line.what, line.reason) == ("downloaded platform ids", "To pay bonuses.")


def test_ids_cannot_be_had_by_an_address(filled):
    filled.log_in("owner")
    assert filled.client.get("/dashboard/identities").status_code == 405
