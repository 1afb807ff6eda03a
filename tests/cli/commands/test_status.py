"""rejudge status: the progress of a study that people are judging."""

from __future__ import annotations

from datetime import UTC, datetime

from rejudge.collect.visit import Arrival
from rejudge.files.step_files import open_plan
from rejudge.store.store import open_store
from served import make_folder, run, said


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
    assert not [name for name in ("anna", "ben", "carl") if name in result.output]


def test_status_never_says_who_leads(folder):
    assert not [word for word in ("north", "south") if word in run("status", folder).output]


def test_status_never_compares_systems(folder, no_comparisons):
    assert said("status", folder)["agreement"]
    assert no_comparisons == []


def test_a_study_that_was_never_served_has_no_status(tmp_path):
    result = run("status", make_folder(tmp_path / "fresh"))
    assert result.exit_code == 2
    assert "rejudge serve" in result.output


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
    assert (
        "tasks after calibration are not open yet; 0 people are waiting"
        in run("status", folder).output
    )
    store.set_gate(is_open=True, who="owner 1", now=at, reason="They agree.")
    store.close()
    words = "tasks after calibration were opened by owner 1 on 2026-03-02 09:00 UTC (They agree.)"
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
