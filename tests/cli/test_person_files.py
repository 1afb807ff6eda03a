"""A participant's own data: complete, safe to open in a spreadsheet, and without platform ids."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime

import pytest

from rejudge.cli.person_files import as_zip, person_files
from rejudge.store import PersonRecord
from small_study import FILES, parse_files

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
STUDY = parse_files(FILES)
EMPTY = PersonRecord("p0001", (), 1, (), (), (), (), (), (), {})
FULL = PersonRecord(
    participant="p0042",
    recruiters=("prolific",),
    hashes=3,
    visits=({"arrived_at": NOW, "is_rehearsal": False, "language": "zh-Hant"},),
    assignments=({"batch": "b01", "state": "submitted"},),
    answers=(
        {"question": "meaning", "raw": "a", "batch": "b01", "saved_at": NOW},
        {"question": "@comment", "raw": '=HYPERLINK("http://evil")', "saved_at": NOW},
        {"question": "gone", "raw": "كلمة 字 🙂 \ud800", "saved_at": NOW},
    ),
    events=({"at": NOW, "what": "consented", "batch": None, "detail": ""},),
    submissions=({"status": "APPROVED"},),
    decisions=({"what": "approved"},),
    consent_texts={"v1": "I agree.", "v2": "I still agree."},
)


def files_of(record: PersonRecord, told: dict[str, str | None]) -> dict[str, str]:
    made = person_files(STUDY, record, told=told, now=NOW)
    return {name: content.decode("utf-8") for name, content in made.items()}


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return files_of(FULL, {"age": "34", "sex": None})


def test_the_document_has_all_parts_of_the_record(files):
    document = json.loads(files["person.json"])
    assert document["participant"] == "p0042"
    assert document["told_platform"] == {"age": "34", "sex": None}
    assert document["exported_at"] == NOW.isoformat()
    assert document["platform_id"]["is_stored"] is True
    lengths = {
        part: len(document[part])
        for part in ("visits", "batches", "answers", "events", "consent_texts")
    }
    assert lengths == {"visits": 1, "batches": 1, "answers": 3, "events": 1, "consent_texts": 2}
    assert document["reported_by_platform"] == [{"status": "APPROVED"}]
    assert document["decisions_of_researchers"] == [{"what": "approved"}]


def test_each_answer_stands_beside_its_question(files):
    asked = [row["asked"] for row in json.loads(files["person.json"])["answers"]]
    assert asked == ["Which sentence keeps the meaning?", "Remarks about the study", None]


def test_no_cell_is_a_formula_and_every_script_is_kept(files):
    rows = files["answers.csv"]
    assert "\n=" not in rows
    assert ",=" not in rows
    assert ',"=' not in rows
    assert "كلمة 字 🙂" in rows


def test_consent_texts_are_files_and_the_page_counts_what_there_is(files):
    assert (files["consent-1.md"], files["consent-2.md"]) == ("I agree.\n", "I still agree.\n")
    assert "3 answers as you gave them" in files["README.md"]
    assert "Your id (prolific) is stored as well" in files["README.md"]
    assert "You told the platform: age, sex" in files["README.md"]


def test_somebody_of_whom_nothing_is_stored_gets_empty_tables():
    files = files_of(EMPTY, {})
    assert files["visits.csv"] == ""
    assert files["answers.csv"].count("\n") == 1  # the head of the table
    assert "No id of a platform is stored any more." in files["README.md"]
    assert "was not fetched" in files["README.md"]


def test_the_same_data_make_the_same_archive():
    made = person_files(STUDY, FULL, told={}, now=NOW)
    archive = as_zip(made, "p0042")
    assert archive == as_zip(dict(reversed(made.items())), "p0042")
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert {name: opened.read(f"p0042/{name}") for name in made} == made
