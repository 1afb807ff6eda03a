"""rejudge withdraw: all data of one participant are deleted, everywhere in the folder."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from rejudge.bundle.archive import pack, unpack
from rejudge.cli import main
from rejudge.collect.visit import Arrival
from rejudge.files.step_files import open_plan
from rejudge.spreadsheet import csv_rows
from rejudge.store.store import open_existing
from served import run, said


def test_withdrawing_removes_somebody_from_the_database_and_the_tables(folder):
    said("analyse", folder)
    said("report", folder)
    assert "p0001" in (folder / "judgments.csv").read_text(encoding="utf-8")
    assert "p0001" in (folder / "report" / "index.html").read_text(encoding="utf-8")
    found = said("withdraw", folder, "p0001", "--yes")
    assert (found["finished"], found["answers"]) == (1, 4)
    files = [path for path in folder.rglob("*") if path.is_file() and "study.db" not in path.name]
    assert not [path.name for path in files if b"p0001" in path.read_bytes()]
    assert not (folder / "results.json").exists()
    assert said("status", folder)["progress"]["withdrawn"] == 1
    assert b"anna" not in (folder / "study.db").read_bytes()


def test_withdrawing_needs_a_yes_where_nobody_can_be_asked(folder):
    """As in a script: nothing is changed, and what would be removed is said."""
    said("analyse", folder)
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.suffix != ".db"}
    result = run("withdraw", folder, "p0001")
    assert result.exit_code == 2
    told = " ".join(result.output.split())
    assert "This permanently removes p0001: 4 answers in 1 batch" in told
    assert "judgments.csv" in told
    assert "--yes" in told
    assert said("status", folder)["progress"]["withdrawn"] == 0
    assert all(path.read_bytes() == content for path, content in before.items())


@pytest.mark.parametrize(("typed", "withdrawn"), [("y\n", 1), ("n\n", 0), ("\n", 0), ("", 0)])
def test_withdrawing_asks_first(folder, monkeypatch, typed, withdrawn):
    monkeypatch.setattr("rejudge.cli.commands.withdraw.is_interactive", lambda: True)
    result = CliRunner().invoke(main, ["withdraw", str(folder), "p0001"], input=typed)
    assert "4 answers in 1 batch" in result.output
    assert result.exit_code == (0 if withdrawn else 2 if typed else 1)
    assert said("status", folder)["progress"]["withdrawn"] == withdrawn


def test_the_number_can_be_typed_as_people_copy_it(folder):
    assert said("withdraw", folder, " P0003 ", "--yes")["participant"] == "p0003"


def test_somebody_can_be_withdrawn_by_the_platform_id(folder):
    result = run("withdraw", folder, "carl", "--yes", "--json")
    assert json.loads(result.stdout)["participant"] == "p0003"
    assert "carl" not in result.stdout


def test_whoever_was_withdrawn_on_the_dashboard_is_taken_out_of_the_files(folder):
    said("analyse", folder)
    store = open_existing(str(folder / "study.db"), *open_plan(folder))
    store.withdraw("p0001", who="owner 1", now=datetime.now(UTC))
    store.close()
    found = said("withdraw", folder, "p0001", "--yes")
    assert (found["answers"], len(found["cleaned"])) == (4, 1)
    assert b"p0001" not in (folder / "judgments.csv").read_bytes()
    assert not (folder / "results.json").exists()
    assert said("withdraw", folder, "p0001", "--yes")["removed"] == []
    assert said("status", folder)["progress"]["withdrawn"] == 1


@pytest.mark.parametrize(("known", "told"), [("p0001", "(p0004)"), ("carl", "as p0003 and p0004")])
def test_an_id_that_could_mean_two_people_withdraws_nobody(folder, known, told):
    """A pseudonym that is also somebody's id; an id by which two recruiters sent somebody."""
    study, plan = open_plan(folder)
    store = open_existing(str(folder / "study.db"), study, plan)
    first = "link" if store.identities()[0].recruiter == "prolific" else "mturk"
    store.arrive(Arrival(first, known, known), now=datetime.now(UTC))
    store.close()
    result = run("withdraw", folder, known, "--yes")
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())
    assert said("status", folder)["progress"]["withdrawn"] == 0


def test_an_unknown_participant_is_explained(folder):
    for unknown in ("p9999", "nobody"):
        assert run("withdraw", folder, unknown, "--yes").exit_code == 2


LICENCE = ("--licence", "CC-BY-4.0")


def test_whoever_has_withdrawn_is_in_no_file_of_the_bundle(served, tmp_path):
    assert run("analyse", served).exit_code == 0
    gone = said("withdraw", served, "kursteilnehmer-2", "--yes")["participant"]
    refused = run("bundle", served, *LICENCE, "--out", tmp_path / "x.zip")
    assert refused.exit_code == 2
    assert "rejudge analyse" in refused.output
    assert run("analyse", served).exit_code == 0
    said("bundle", served, *LICENCE, "--out", tmp_path / "x.zip")
    files = unpack((tmp_path / "x.zip").read_bytes(), file="x")
    assert not [name for name, text in files.items() if gone.encode() in text]
    assert b"p0001" in files["judgments.csv"]


def test_whoever_withdraws_goes_from_bundles_and_leftovers_in_the_folder_too(served, tmp_path):
    """From a bundle below it, a download from the dashboard, and what was half-written."""
    assert run("analyse", served).exit_code == 0
    (served / "sent").mkdir()
    bundle, download = served / "sent" / "x.zip", served / "everything.zip"
    said("bundle", served, *LICENCE, "--out", bundle)
    files = unpack(bundle.read_bytes(), file="x")
    table = files["judgments.csv"]
    download.write_bytes(pack({"served/judgments.csv": table}))
    left = served / ".judgments.csv.0123abcd.part"
    left.write_bytes(table)
    kept = {
        served / "of-another-study.zip": pack({"other/judgments.csv": table}),
        served / "original.zip": bundle.read_bytes(),  # numbers are given in each study anew
        served / "pictures.zip": pack({"served/notes.csv": b"participant,note\np0099,p0002\n"}),
    }
    for path, content in kept.items():
        path.write_bytes(content)
    (served / "broken.zip").write_bytes(bundle.read_bytes()[:-30])
    asked = run("withdraw", served, "kursteilnehmer-2")
    assert asked.exit_code == 2
    assert "x.zip, " in asked.output
    assert bundle.exists()
    found = said("withdraw", served, "kursteilnehmer-2", "--yes")
    assert {str(path) for path in (bundle, download, left)} <= set(found["removed"])
    assert found["unread"] == [str(served / "broken.zip")]
    assert not [path for path in (bundle, download, left) if path.exists()]
    assert all(path.exists() for path in kept)


def test_a_bundle_without_the_person_stays(served, tmp_path):
    assert run("analyse", served).exit_code == 0
    said("withdraw", served, "kursteilnehmer-2", "--yes")
    assert run("analyse", served).exit_code == 0
    said("bundle", served, *LICENCE, "--out", served / "x.zip")
    said("withdraw", served, "p0002", "--yes")
    assert (served / "x.zip").exists()


# ── people who were invited ──────────────────────────────────────────────────────────────────────


@pytest.fixture
def invited(tmp_path):
    """A study with two people invited, the first of whom came."""
    folder, people = tmp_path / "study", tmp_path / "people.csv"
    people.write_text("name,email\nZoë Ángel,zoe@lab.edu\nAnn Lee,ann@lab.edu\n", encoding="utf-8")
    for words in (("new", folder), ("plan", folder), ("invite", folder, people)):
        assert run(*words).exit_code == 0
    rows = csv_rows((folder / "invitations" / "invitations.csv").read_text("utf-8-sig"))
    names = [row[2] for row in rows[1:]]
    store = open_existing(str(folder / "study.db"), *open_plan(folder))
    visit = store.arrive(Arrival("link", names[0], names[0]), now=datetime.now(UTC))
    store.close()
    return folder, names, visit.participant


def left_in(folder, name: str, email: str) -> list[str]:
    """The files that still name somebody."""
    files = [path for path in folder.rglob("*") if path.is_file() and "study.db" not in path.name]
    return [
        path.name
        for path in files
        if name in path.name or {name.encode(), email.encode()} & set(split(path.read_bytes()))
    ]


def split(content: bytes) -> list[bytes]:
    return re.split(rb"[^A-Za-z0-9@._-]+", content)


@pytest.mark.parametrize("by", ["pseudonym", "name"])
def test_withdrawing_removes_the_invitation(invited, by):
    folder, names, pseudonym = invited
    found = said("withdraw", folder, pseudonym if by == "pseudonym" else names[0], "--yes")
    assert [path.rpartition("/")[2] for path in found["invitations"]] == [
        f"{names[0]}.txt",
        "invitations.csv",
    ]
    assert left_in(folder, names[0], "zoe@lab.edu") == []
    table = (folder / "invitations" / "invitations.csv").read_bytes()
    assert table.startswith(b"\xef\xbb\xbf")
    assert b"ann@lab.edu" in table


def test_somebody_who_never_came_can_be_removed_from_the_invitations(invited):
    folder, names, _ = invited
    refused = run("withdraw", folder, names[1])
    assert refused.exit_code == 2
    assert "did not take part" in " ".join(refused.output.split())
    found = said("withdraw", folder, f" {names[1]} ", "--yes")
    assert (found["participant"], found["answers"]) == (None, 0)
    assert left_in(folder, names[1], "ann@lab.edu") == []
    assert said("status", folder)["progress"]["withdrawn"] == 0


def test_after_a_withdrawal_on_the_dashboard_the_way_to_the_invitation_is_said(invited):
    folder, names, pseudonym = invited
    store = open_existing(str(folder / "study.db"), *open_plan(folder))
    store.withdraw(pseudonym, who="owner 1", now=datetime.now(UTC))
    store.close()
    result = run("withdraw", folder, pseudonym, "--yes")
    assert "in the column participant" in " ".join(result.output.split())
    said("withdraw", folder, names[0], "--yes")
    assert left_in(folder, names[0], "zoe@lab.edu") == []


@pytest.mark.parametrize("name", ["../study", "..", "/etc/passwd", "invitations", ""])
def test_what_is_not_a_name_in_a_link_removes_nothing(invited, name):
    folder, _, _ = invited
    before = {path for path in folder.rglob("*") if path.is_file()}
    assert run("withdraw", folder, name, "--yes").exit_code == 2
    assert before <= {path for path in folder.rglob("*") if path.is_file()}


def test_names_and_addresses_never_get_into_the_output(invited):
    folder, _, pseudonym = invited
    result = run("withdraw", folder, pseudonym, "--yes")
    assert "zoe@lab.edu" not in result.output
    assert "Ángel" not in result.output
