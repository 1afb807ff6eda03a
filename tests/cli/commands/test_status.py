"""status, backup, restore, withdraw and analyse of a study that people have judged."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.collect import Arrival
from rejudge.files import open_plan
from rejudge.store import open_existing, open_store
from served import make_folder, run, said
from small_site import Site

ANSWERS = {"anna": "abab", "ben": "aaaa", "carl": "bb"}  # carl is in the middle of it


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A study that two people have finished and one has begun."""
    folder = make_folder(tmp_path_factory.mktemp("collected") / "study")
    with ExitStack() as stack:
        site = Site(folder / "study.db", *open_plan(folder), stack)
        for name, letters in ANSWERS.items():
            site.person(name).finish(letters)
    return folder


@pytest.fixture
def folder(judged, tmp_path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(judged, tmp_path / "study"))


def test_status_says_who_is_where(folder):
    found = said("status", folder)
    assert (found["progress"]["done"], found["progress"]["held"]) == (2, 1)
    where = {each["participant"]: (each["step"], each["answered"]) for each in found["people"]}
    assert where == {"p0001": ("thanks", 4), "p0002": ("thanks", 4), "p0003": ("task", 2)}


def test_status_is_readable_and_names_no_platform_id(folder):
    result = run("status", folder, "--all")
    assert result.exit_code == 0, result.output
    assert "2 of 18 places done, 1 in progress" in result.output
    assert "p0003" in result.output
    assert not [name for name in ANSWERS if name in result.output]


def test_status_never_says_who_leads(folder):
    assert not [word for word in ("north", "south") if word in run("status", folder).output]


def test_status_never_compares_systems(folder, no_comparisons):
    assert said("status", folder)["agreement"]
    assert no_comparisons == []


def test_a_study_that_was_never_served_has_no_status(tmp_path):
    result = run("status", make_folder(tmp_path / "fresh"))
    assert result.exit_code == 2
    assert "rejudge serve" in result.output


def test_a_backup_restores_everything_into_a_new_database(folder, tmp_path):
    file = tmp_path / "backup.db"
    assert said("backup", folder, file)["done"] == 2
    restored = tmp_path / "again.db"
    assert said("restore", file, "--database", restored)["study"] == "served"
    before, after = (said("status", folder, *more) for more in ((), ("--database", restored)))
    assert after["people"] == before["people"]


def test_a_backup_restores_into_both_kinds_of_database(folder, tmp_path, database):
    file = tmp_path / "backup.db"
    said("backup", folder, file)
    said("restore", file, "--database", database)
    assert said("status", folder, "--database", database)["progress"]["done"] == 2


def test_a_backup_does_not_replace_a_file(folder, tmp_path):
    file = tmp_path / "thesis.txt"
    file.write_text("years of work", encoding="utf-8")
    assert run("backup", folder, file).exit_code == 2
    assert file.read_text(encoding="utf-8") == "years of work"


def test_nothing_is_restored_over_answers_that_are_there(folder, tmp_path):
    file = tmp_path / "backup.db"
    said("backup", folder, file)
    assert run("restore", file, "--database", folder / "study.db").exit_code == 2


def test_what_is_no_backup_is_refused_in_words(tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text("Dear all", encoding="utf-8")
    result = run("restore", file, "--database", tmp_path / "new.db")
    assert result.exit_code == 2
    assert "Traceback" not in result.output


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


def test_a_rehearsal_says_once_what_it_wrote(tmp_path):
    result = run("rehearse", make_folder(tmp_path / "fresh"), "--people", "3")
    assert result.exit_code == 0, result.output
    assert "of 3 participants" in result.output
    assert "Nothing written" not in result.output
    assert result.output.count("Written:") == 2  # the database and the table


def test_nothing_simulated_takes_the_place_of_people(folder):
    for command in ("simulate", "rehearse"):
        result = run(command, folder, "--force")
        assert result.exit_code == 2
        assert "has been run with participants" in result.output


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
    monkeypatch.setattr("rejudge.cli.commands.withdraw.is_asked", lambda: True)
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


def test_an_unknown_participant_is_told_in_words(folder):
    for unknown in ("p9999", "nobody"):
        assert run("withdraw", folder, unknown, "--yes").exit_code == 2


def test_the_analysis_has_the_pages_of_the_way_and_the_devices_of_those_who_came(folder):
    """Two finished, one is in the middle; times are of the two who count."""
    found = said("analyse", folder)
    pages = {(page["page"], page["place"]): page["n"] for page in found["way"]["pages"]}
    assert pages["consent", None] == pages["instructions", None] == 2
    assert (found["profile"]["participants"], found["profile"]["participants_kept"]) == (3, 2)
    (device,) = [part for part in found["profile"]["parts"] if part["id"] == "device"]
    assert sum(each["participants"] for each in device["counts"]) + device["silent"] == 3


def test_no_platform_id_is_in_the_results(folder):
    said("analyse", folder)
    written = (folder / "results.json").read_text("utf-8")
    assert not [name for name in ANSWERS if name in written]


def test_status_says_whether_the_rest_is_open_after_calibration(tmp_path):
    folder = tmp_path / "gated"
    assert run("new", folder).exit_code == 0
    study = folder / "study.yaml"
    text = study.read_text(encoding="utf-8").replace("design:\n", "design:\n  calibration: 2\n", 1)
    study.write_text(f"{text}\nsite: {{hold_after_calibration: true}}\n", encoding="utf-8")
    assert run("plan", folder).exit_code == 0
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    store = open_store(str(folder / "study.db"), *open_plan(folder), now=at)
    store.arrive(Arrival("link", "ann", "ann"), now=at)
    assert "the rest is not open yet; 0 people are waiting" in run("status", folder).output
    store.set_gate(is_open=True, who="owner 1", now=at, reason="They agree.")
    store.close()
    words = "the rest was opened by owner 1 on 2026-03-02 09:00 UTC (They agree.)"
    assert words in " ".join(run("status", folder).output.split())
    assert said("status", folder)["calibration"] == {
        "is_open": True,
        "at": "2026-03-02T09:00:00+00:00",
        "who": "owner 1",
        "reason": "They agree.",
        "waiting": 0,
    }


def test_status_of_other_studies_says_nothing_about_calibration(folder):
    assert said("status", folder)["calibration"] is None
