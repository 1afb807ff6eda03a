"""Looks as a table and in sentences."""

from __future__ import annotations

from dataclasses import replace

from rejudge.analysis.planned_looks import LookCorrection, Stopping
from rejudge.collect.looks import Look, LookLog
from rejudge.layout.table import to_csv
from rejudge.study.sample_size import Stop
from rejudge.tables.looks import (
    leader_of,
    look_sentence,
    look_table,
    stop_sentence,
    stopping_sentences,
)
from small_site import START

MADE = Look(
    number=2, looks=3, at=START, who="ada", decision="stop", boundary="pocock",
    question="meaning", systems=("north", "south"), places=40, planned_places=60, fraction=2 / 3,
    level=0.022, alpha=0.05, judgments="f", test="cluster-robust", measure="win-percent",
    value=63.0, low=52.0, high=74.0, p=0.004, p_looks=0.0101, unbiased=60.5, n=120,
)  # fmt: skip
CORRECTION = LookCorrection(
    boundary="pocock", question="meaning", systems=("north", "south"), looks=3, alpha=0.05,
    fractions=(1 / 3, 2 / 3, 1.0), number=2, fraction=2 / 3, planned_clusters=60,
)  # fmt: skip
NAMES = {"north": "North <b>", "south": "South"}


def told(look: Look | None) -> str:
    log = LookLog() if look is None else LookLog((look,))
    return " ".join(stopping_sentences(Stopping(CORRECTION, 60, 40, 60, log=log), NAMES))


def test_the_plan_in_one_sentence():
    stop = Stop(looks=3, boundary="pocock", question="meaning", systems=("north", "south"))
    assert stop_sentence(stop, (20, 40, 60)) == (
        "3 looks with Pocock boundary, after 20, 40 and 60 finished batches: the study stops early "
        "if north and south differ on meaning."
    )


def test_a_look_in_a_sentence():
    assert look_sentence(MADE, NAMES).replace("\u202f", " ").replace("\u00a0", " ") == (
        "Look 2 of 3, at 40 of 60 places: North <b> was preferred to South in 63.0 %, interval "
        "52.0 to 74.0; p = 0.010 over all looks. The boundary was crossed; the study stopped."
    )
    rated = replace(MADE, measure="mean-difference", value=-0.4, low=None, decision="go on")
    assert "North <b> minus South is −0.40; p" in look_sentence(rated, NAMES)
    none = replace(MADE, value=None, p_looks=None, decision="end")
    assert "could not be computed. The boundary was not crossed" in look_sentence(none)


def test_a_study_that_was_ended_by_hand_is_not_called_complete():
    ended = replace(MADE, decision="end")
    assert look_sentence(ended).endswith("The boundary was crossed; the study was ended here.")
    assert look_sentence(replace(ended, places=60)).endswith("crossed; the study was complete.")


def test_the_leader_is_the_first_the_second_or_neither():
    assert [leader_of(replace(MADE, value=v)) for v in (63.0, 40.0, 50.0, None)] == [
        "north", "south", None, None,
    ]  # fmt: skip
    assert leader_of(replace(MADE, measure="mean-difference", value=-0.1)) == "south"


def test_how_a_study_came_to_its_end():
    stopped = told(MADE)
    assert "stopped early, at look 2 of 3: 40 of 60 planned places were used" in stopped
    assert "20 were not needed" in stopped
    assert "The median-unbiased estimate is 60.50" in stopped
    assert "overstates it on average" in told(replace(MADE, unbiased=None))
    assert "ended at 40 of 60 places" in told(replace(MADE, decision="end"))
    whole = replace(MADE, decision="end", number=3, places=60)
    assert "ran to its last look, 3 of 3" in told(whole)
    assert "allow for 3 looks" in told(None)


def test_the_table_has_a_row_for_each_look_and_all_digits_in_csv():
    table = look_table(LookLog((MADE,)), NAMES)
    assert to_csv(table).splitlines()[1].startswith("2,2026-03-02 09:00 UTC,40,60,63.0,52.0,74.0,")
    assert look_table(LookLog()).rows == ()
