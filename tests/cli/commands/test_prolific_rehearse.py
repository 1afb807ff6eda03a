"""rejudge prolific rehearse: what simulated people from a fake Prolific do, and what is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.cli.commands.prolific_rehearse import draw_behaviours
from rejudge.prolific.fake import BEHAVIOURS
from served import run, said

STUDY = """
id: rehearsed
title: Rehearsed
systems: [north, south]
questions: [{id: meaning, kind: pairwise, prompt: 'Which keeps the meaning?'}]
design: {seed: 1, batch: {inputs: 1}, participants_per_batch: 2}
site: {comment: false}
payment: {currency: GBP, hourly: 12, minutes: 10}
recruitment: {platform: %s}
"""


def make_folder(folder: Path, platform: str = "prolific") -> Path:
    """Two batches of one task, each for two people."""
    (folder / "study.yaml").write_text(STUDY % platform, encoding="utf-8")
    (folder / "items.csv").write_text("id,input,north,south\na,in,n,s\nb,in 2,n 2,s 2\n")
    assert run("plan", folder).exit_code == 0
    return folder


@given(st.integers(1, 200), st.integers(0, 2**32))
def test_the_same_seed_draws_the_same_people(people, seed):
    drawn = draw_behaviours(people, seed)
    assert len(drawn) == people
    assert drawn == draw_behaviours(people, seed)


def test_every_behaviour_occurs_and_most_people_are_normal():
    drawn = draw_behaviours(200, 1)
    assert set(drawn) == set(BEHAVIOURS)
    assert drawn.count("normal") > 100


def test_a_rehearsal_fills_every_batch_and_its_payments_add_up(tmp_path):
    folder = make_folder(tmp_path)
    told = said("prolific", "rehearse", folder, "--participants", 3, "--seed", 3)
    assert (told["is_complete"], told["adds_up"], told["broken"]) == (True, True, [])
    assert told["batches"] == {"b01": [2, 2], "b02": [2, 2]}
    assert told["rewards_paid"] == 200 * told["approved"]
    assert told["judgments"] >= 4
    assert "simulated" in (folder / "judgments.csv").read_text(encoding="utf-8")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert run("prolific", "rehearse", folder, "--participants", 2).exit_code == 2
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert folder / "rehearsal.db" in before
    shown = run("prolific", "rehearse", folder, "--participants", 2, "--notifications", "--force")
    assert shown.exit_code == 0, shown.output
    assert "every batch has its planned number of people" in shown.output
    assert "Nothing was sent to Prolific." in shown.output


def make_list_folder(folder: Path, site: str) -> Path:
    """Three pages of 60 tasks for eight people each; a page takes more than 15 minutes."""
    study = (STUDY % "prolific").replace("inputs: 1", "inputs: 60")
    study = study.replace("comment: false", f"comment: false, show: list, {site}")
    study = study.replace("participants_per_batch: 2", "participants_per_batch: 8")
    (folder / "study.yaml").write_text(study.replace("minutes: 10", "minutes: 60"), "utf-8")
    words = "word " * 40
    rows = [f"i{n},in {n},north {n} {words},south {n} {words}" for n in range(180)]
    (folder / "items.csv").write_text("\n".join(["id,input,north,south", *rows, ""]), "utf-8")
    assert run("plan", folder).exit_code == 0
    return folder


def test_nobody_loses_the_place_while_they_work_on_a_list(tmp_path):
    folder = make_list_folder(tmp_path, "places_per_address: 99")
    told = said("prolific", "rehearse", folder, "--participants", 24, "--seed", 3)
    assert (told["is_complete"], told["approved"], told["surplus"]) == (True, 24, 0)


def test_a_rehearsal_says_when_surplus_work_is_paid(tmp_path):
    folder = make_list_folder(tmp_path, "places_per_address: 99, minutes_to_begin: 15")
    shown = run("prolific", "rehearse", folder, "--participants", 24, "--seed", 3)
    assert "batches finished as surplus" in shown.output
    assert "has to be paid" in " ".join(shown.output.split())


@pytest.mark.parametrize("platform", ["link", "mturk"])
def test_a_study_for_another_platform_is_refused(tmp_path, platform):
    result = run("prolific", "rehearse", make_folder(tmp_path, platform))
    assert result.exit_code == 2
    assert f"recruits through '{platform}'" in result.output
    assert not (tmp_path / "rehearsal.db").exists()
