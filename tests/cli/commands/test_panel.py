"""rejudge panel: a list from one study keeps its people out of another, or lets only them in."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.collect.panels import PANEL_KEY
from rejudge.collect.qualification import gold_task_id
from rejudge.collect.visit import Arrival
from rejudge.files.step_files import open_plan
from rejudge.store.records import PageAnswers
from rejudge.store.store import open_store
from rejudge.web.site import Serving, now_utc, open_site

KEY = {PANEL_KEY: "a long random text of ours"}
ANN, BOB = "5f3c00112233445566778899", "5f3c00112233445566778800"


def run(*words: object, key=KEY):
    return CliRunner().invoke(main, [str(word) for word in words], env={PANEL_KEY: None, **key})


def make(folder, more: str = ""):
    assert run("new", folder).exit_code == 0
    study = folder / "study.yaml"
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("platform: link", f"platform: prolific\n{more}"), "utf-8")
    assert run("plan", folder).exit_code == 0
    return folder


def come(store, person: str):
    now = now_utc()
    visit = store.arrive(Arrival("prolific", person, f"{person[:-1]}0"), now=now)
    return store.agree(visit, version=store.consent_version, now=now)


@pytest.fixture
def pilot(tmp_path):
    """A study that Ann started; Bob only came."""
    folder = make(tmp_path / "pilot")
    store = open_store(str(folder / "study.db"), *open_plan(folder), now=now_utc())
    come(store, ANN)
    store.arrive(Arrival("prolific", BOB, BOB), now=now_utc())
    store.close()
    return folder


def served(folder, monkeypatch):
    monkeypatch.setenv(PANEL_KEY, KEY[PANEL_KEY])
    return open_site(Serving(str(folder), str(folder / "study.db")))


def test_the_list_has_those_who_started_and_no_ids(pilot, tmp_path):
    file = tmp_path / "list.csv"
    result = run("panel", pilot, file)
    assert result.exit_code == 0, result.output
    assert "1 participant (started)" in result.output
    assert ANN not in result.output + file.read_text(encoding="utf-8")
    assert json.loads(run("panel", pilot, file, "--json").output)["participants"] == 1
    done = run("panel", pilot, tmp_path / "done.csv", "--who", "finished", "--json")
    assert json.loads(done.output)["participants"] == 0


def test_people_on_the_list_are_turned_away_from_another_study(pilot, tmp_path, monkeypatch):
    other = make(tmp_path / "main", "  exclude_lists: [lists/pilot.csv]")
    run("panel", pilot, other / "lists" / "pilot.csv")
    site = served(other, monkeypatch)
    assert come(site.store, ANN).is_turned_away
    assert come(site.store, BOB).current is not None
    site.close()


def test_a_panel_admits_only_its_people(pilot, tmp_path, monkeypatch):
    other = make(tmp_path / "main", "  admit_lists: [panel.csv]")
    run("panel", pilot, other / "panel.csv")
    site = served(other, monkeypatch)
    assert come(site.store, ANN).current is not None
    assert come(site.store, BOB).is_turned_away
    site.close()
    again = served(other, monkeypatch)
    assert come(again.store, BOB).is_turned_away
    again.close()


def test_without_the_key_nothing_is_written_or_served(pilot, tmp_path):
    result = run("panel", pilot, tmp_path / "list.csv", key={})
    assert result.exit_code == 2
    assert PANEL_KEY in result.output
    assert not (tmp_path / "list.csv").exists()
    other = make(tmp_path / "main", "  exclude_lists: [list.csv]")
    assert PANEL_KEY in run("serve", other, key={}).output
    assert not (other / "study.db").exists()


def test_a_list_of_another_key_or_no_list_is_refused_before_anybody_comes(pilot, tmp_path):
    other = make(tmp_path / "main", "  exclude_lists: [list.csv]")
    assert "list.csv" in run("serve", other).output
    run("panel", pilot, other / "list.csv", key={PANEL_KEY: "quite another random text"})
    result = run("serve", other)
    assert result.exit_code == 2
    assert "a different key" in result.output


def test_a_different_list_is_not_overwritten_unasked(pilot, tmp_path):
    file = tmp_path / "list.csv"
    file.write_text("mine", encoding="utf-8")
    assert run("panel", pilot, file).exit_code == 2
    assert file.read_text(encoding="utf-8") == "mine"


QUALIFICATION = """
qualification:
  pass_mark: 1
  attempts: 1
  tasks:
    - {input: Gold, outputs: [one, two], answers: {meaning: a}}
"""


def test_only_those_who_passed_are_listed(tmp_path):
    folder = make(tmp_path / "gold")
    with (folder / "study.yaml").open("a", encoding="utf-8") as text:
        text.write(QUALIFICATION)
    store = open_store(str(folder / "study.db"), *open_plan(folder), now=now_utc())
    for person, letter in ((ANN, "a"), (BOB, "b")):
        visit = store.pass_step(come(store, person), "instructions", now=now_utc())
        answers = {"meaning": letter}
        page = PageAnswers(visit.id, None, gold_task_id(1, 0), 1, answers, person, now_utc())
        store.record(page, now=now_utc())
        store.finish_attempt(visit, 1, now=now_utc())
    store.close()
    said = json.loads(run("panel", folder, tmp_path / "p.csv", "--who", "passed", "--json").output)
    assert said["participants"] == 1


def test_without_a_qualification_nobody_can_have_passed(pilot, tmp_path):
    result = run("panel", pilot, tmp_path / "p.csv", "--who", "passed")
    assert result.exit_code == 2
    assert "no qualification" in result.output


def test_check_prints_the_error_rates_of_the_pass_mark(tmp_path):
    folder = make(tmp_path / "gold")
    with (folder / "study.yaml").open("a", encoding="utf-8") as text:
        text.write(QUALIFICATION)
    result = run("check", folder)
    assert "guessing passes" in result.output
    assert "failing by accuracy" in result.output
    found = json.loads(run("check", folder, "--json").output)["qualification"]
    assert (found["checks"], found["pass_mark"], found["attempts"]) == (1, 1, 1)
    assert found["guessing_passes"] == pytest.approx(1 / 3, abs=1e-6)
