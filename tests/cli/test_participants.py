"""Finding a participant: every way of naming one leads to the same person, or says why not."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.cli.participants import (
    FOLDER,
    MERGE,
    as_zip,
    find_invitations,
    find_pseudonym,
    person_files,
)
from rejudge.collect.receipts import read_receipt, receipt_code
from rejudge.errors import DataError
from rejudge.store.person import PersonRecord
from small_study import FILES, parse_files

SECRET = b"of this study alone, and long enough"
CODE = receipt_code(SECRET, "p0002")


@dataclass
class People:
    """What a store says about who took part."""

    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def pseudonyms_of(self, known: str) -> tuple[str, ...]:
        return self.ids.get(known, ())

    def participant_of_receipt(self, code: str) -> str | None:
        return {CODE: "p0002"}.get(read_receipt(code) or "")


def found(given: str, **ids: tuple[str, ...]) -> str:
    people: Any = People(ids)
    return find_pseudonym(people, given)


def refusal(given: str, **ids: tuple[str, ...]) -> str:
    with pytest.raises(DataError) as error:
        found(given, **ids)
    return str(error.value)


@pytest.mark.parametrize("typed", [CODE, CODE.lower(), f"  {CODE} ", CODE.replace("-", " ")])
def test_a_receipt_code_is_read_as_people_type_it(typed):
    assert found(typed) == "p0002"


@pytest.mark.parametrize("typed", ["p0001", " P0001\n", "p12345"])
def test_a_participant_number_is_taken_as_people_copy_it(typed):
    assert found(typed) == typed.strip().lower()


def test_a_platform_id_leads_to_its_participant():
    assert found("anna@example.org ", **{"anna@example.org": ("p0007",)}) == "p0007"


def test_a_platform_id_in_the_form_of_a_receipt_code_is_an_id():
    assert found(CODE, **{CODE: ("p0009",)}) == "p0009"


def test_a_mistyped_receipt_code_is_not_looked_up():
    letters = CODE.replace("-", "")
    wrong = letters[:-1] + ("C" if letters[-1] != "C" else "D")
    assert "mistyped" in refusal(wrong)
    assert "no participant of this study" in refusal(receipt_code(SECRET, "p0003"))


def test_a_number_that_is_also_the_id_of_somebody_else_is_refused():
    assert "the platform id of someone else (p0004)" in refusal("p0001", p0001=("p0004",))
    assert found("p0001", p0001=("p0001",)) == "p0001"


def test_an_id_of_two_people_names_both_and_chooses_neither():
    assert "as p0003 and p0004" in refusal("carl", carl=("p0004", "p0003"))


@given(st.text(min_size=12))
def test_an_unknown_id_is_never_repeated_in_a_message(typed):
    assert typed not in refusal(f"@{typed}")


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


TABLE = "name,email,participant,link\nZoë,zoe@x.org,007,l1\nAnn,ann@x.org,7,l2\n"


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / FOLDER
    home.mkdir()
    (home / MERGE).write_text(TABLE, encoding="utf-8-sig")
    for name in ("007", "7"):
        (home / f"{name}.txt").write_text("Dear …", encoding="utf-8")
    return tmp_path


def test_ids_that_look_like_numbers_are_told_apart(folder):
    found = find_invitations(folder, ["7"])
    assert [path.name for path in found.paths] == ["7.txt", MERGE]
    found.remove()
    assert (folder / FOLDER / MERGE).read_text("utf-8-sig") == TABLE.replace(
        "Ann,ann@x.org,7,l2\n", ""
    )
    assert (folder / FOLDER / "007.txt").exists()


@pytest.mark.parametrize("name", ["8", "", "../7", "7.txt", "７"])
def test_other_names_find_nothing(folder, name):
    assert find_invitations(folder, [name]).paths == []


def test_without_invitations_there_is_nothing_to_find(tmp_path):
    assert find_invitations(tmp_path, ["7"]).paths == []


@pytest.mark.parametrize("table", ["", "name,email\nAnn,a@x.org\n"])
def test_a_table_without_names_in_links_is_left_alone(folder, table):
    (folder / FOLDER / MERGE).write_text(table, encoding="utf-8")
    assert [path.name for path in find_invitations(folder, ["7"]).paths] == ["7.txt"]
