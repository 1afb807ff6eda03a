"""rejudge privacy: what a participant gets who asks, and that nobody else's data are in it."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime

import pytest

from rejudge.collect.visit import Arrival
from rejudge.files.step_files import open_plan
from rejudge.spreadsheet import csv_rows
from rejudge.store.store import open_existing
from served import run, said


def opened(folder):
    return open_existing(str(folder / "study.db"), *open_plan(folder))


def receipt(folder, participant: str) -> str:
    store = opened(folder)
    try:
        return store.receipt(participant)
    finally:
        store.close()


def test_a_receipt_code_brings_everything_about_its_person_and_nothing_of_others(folder, tmp_path):
    (folder / "demographics.csv").write_text("participant,age\np0001,34\np0002,77\n", "utf-8")
    store = opened(folder)
    ids = {each.person for each in store.identities()}
    others = [each.participant for each in store.people(now=datetime.now(UTC))][1:]
    store.close()
    code = receipt(folder, "p0001").lower().replace("-", " ")
    found = said("privacy", "export", folder, code, "--out", tmp_path / "anna.zip")
    assert (found["participant"], found["answers"]) == ("p0001", 4)
    with zipfile.ZipFile(tmp_path / "anna.zip") as archive:
        files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    assert {"README.md", "person.json", "answers.csv", "events.csv", "visits.csv"} <= set(files)
    document = json.loads(files["person.json"])
    assert document["told_platform"] == {"age": "34"}
    assert [each["asked"] for each in document["answers"]] == ["Which keeps the meaning?"] * 4
    assert document["visits"][0]["consented_at"]
    assert len(csv_rows(files["answers.csv"].decode())) == 5
    whole = b"\n".join(files.values()).decode()
    assert not [each for each in (*ids, *others) if each in whole]
    assert "as of" in files["README.md"].decode()


def test_a_number_and_a_platform_id_mean_the_same_person_and_no_id_is_printed(folder, tmp_path):
    store = opened(folder)
    own = next(each.person for each in store.identities() if each.participant == "p0002")
    store.close()
    one = said("privacy", "export", folder, " P0002", "--out", tmp_path / "one")
    result = run("privacy", "export", folder, own, "--out", tmp_path / "two")
    assert result.exit_code == 0
    assert own not in result.output
    assert one["files"] == sorted(path.name for path in (tmp_path / "two").iterdir())
    kept = [(tmp_path / each / "answers.csv").read_text("utf-8") for each in ("one", "two")]
    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("ACDE-FGHJ-KMNR", "mistyped"),
        ("AAAA-AAAA-AAAA", "no participant of this study has this receipt code"),
        ("p9999", "nothing is stored about 'p9999'"),
        ("Someone-Else", "nobody with this id has taken part"),
        ("", "nobody with this id has taken part"),
    ],
)
def test_a_wrong_code_is_refused_and_nothing_is_written(folder, tmp_path, given, told):
    result = run("privacy", "export", folder, given, "--out", tmp_path / "out.zip")
    assert result.exit_code == 2
    said_plainly = " ".join(result.output.split())
    assert told in said_plainly
    assert "p0001" not in said_plainly
    assert not given or given.startswith("p") or given not in said_plainly
    assert not (tmp_path / "out.zip").exists()


def test_somebody_who_never_answered_gets_what_there_is(folder, tmp_path):
    store = opened(folder)
    visit = store.arrive(Arrival("link", "nobody", "n"), now=datetime.now(UTC))
    name = visit.participant
    store.consent(visit, agreed=False, version=store.consent_version, now=datetime.now(UTC))
    store.close()
    found = said("privacy", "export", folder, receipt(folder, name), "--out", tmp_path / "out")
    assert found["answers"] == 0
    assert "declined" in (tmp_path / "out" / "events.csv").read_text("utf-8")
    assert "0 answers" in (tmp_path / "out" / "README.md").read_text("utf-8")


def test_existing_files_are_kept_without_force(folder, tmp_path):
    (tmp_path / "out.zip").write_bytes(b"mine")
    words = ("privacy", "export", folder, "p0001", "--out", tmp_path / "out.zip")
    assert run(*words).exit_code == 2
    assert (tmp_path / "out.zip").read_bytes() == b"mine"
    assert run(*words, "--force").exit_code == 0


def test_withdrawing_takes_a_receipt_code_and_export_then_says_so(folder, tmp_path):
    code = receipt(folder, "p0001")
    assert said("privacy", "withdraw", folder, code, "--yes")["participant"] == "p0001"
    result = run("privacy", "export", folder, code, "--out", tmp_path / "out.zip")
    assert result.exit_code == 2
    assert "p0001 has withdrawn" in " ".join(result.output.split())
    assert said("withdraw", folder, code, "--yes")["participant"] == "p0001"  # known: said again
