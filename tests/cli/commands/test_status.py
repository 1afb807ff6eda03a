"""rejudge status: the progress of a study that people are judging."""

from __future__ import annotations

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
