"""Columns that mean the same in any table: names, times, kinds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rejudge.errors import DataError
from rejudge.judgments import read_judgments


def test_long_times_are_seconds_if_that_is_said():
    table = pa.table({"rater": ["p"], "item": ["i"], "score": [3], "rt": [1400.0]})
    assert read_judgments(table, columns={"seconds": "rt"}).seconds.tolist() == [1400.0]
    named = table.rename_columns(["rater", "item", "score", "duration_seconds"])
    assert read_judgments(named).seconds.tolist() == [1400.0]


def spelt(*raters: str) -> pa.Table:
    size = len(raters)
    return pa.table(
        {"rater": raters, "item": [f"i{n}" for n in range(size)], "system": ["x"] * size,
         "score": [1] * size}
    )  # fmt: skip


def test_spaces_around_a_name_are_dropped_where_that_merges_nobody():
    found = read_judgments(spelt("r1 ", "r2"))
    assert found.participant.words() == ["r1", "r2"]
    assert "Spaces around 1 name in 'rater' are dropped: 'r1 ' is 'r1'." in found.notes


def test_names_that_would_become_the_same_are_suggested_and_never_merged():
    found = read_judgments(spelt("r1 ", "r1", "R1", "r2"))
    assert found.participant.words() == ["r1 ", "r1", "R1", "r2"]
    (note,) = [note for note in found.notes if note.startswith("Spelt alike")]
    assert "'R1' and 'r1' and 'r1 '" in note
    assert "participants" in note


def test_checks_and_practice_that_are_set_aside_are_counted():
    table = spelt("a", "b", "c", "d").append_column(
        "kind", [["real", "check", "check", "practice"]]
    )
    said = "Of 4 rows, 2 of checks and 1 of practice are set aside and do not count for systems."
    assert said in read_judgments(table).notes


RATINGS = {
    "rater": ["001", "001", "002", "002"],
    "item_id": ["07", "8", "07", "8"],
    "model": ["m1", "m2", "m1", "m2"],
    "criterion": ["fluency"] * 4,
    "score": [3, 1, 4, 2],
}


def test_a_column_that_only_looks_like_ours_is_left_out_with_a_note():
    frame = pd.DataFrame({**RATINGS, "duration": ["3 min"] * 4})
    found = read_judgments(frame)
    assert np.isnan(found.seconds).all()
    assert "the column 'duration' looked like seconds but holds '3 min': not read." in found.notes


def test_a_column_that_was_asked_for_must_fit():
    frame = pd.DataFrame({**RATINGS, "duration": [1, 2, -3, 4]})
    with pytest.raises(DataError, match=r"line 3: seconds is '-3'. Write a number of seconds"):
        read_judgments(frame, columns={"seconds": "duration"})


def test_controls_attempts_and_kinds_are_kept_apart():
    frame = pd.DataFrame(
        {
            "rater": ["p"] * 5,
            "item": ["i", "i", "j", "k", "l"],
            "score": [1, 2, 3, 4, 5],
            "attempt": [1, 2, 1, 1, 1],
            "control": [False, False, True, False, False],
            "kind": ["main", "", "main", "training", "gold"],
        }
    )
    kinds = ["real", "repeat", "check", "practice", "check"]
    assert read_judgments(frame).kind.words() == kinds


def test_positions_from_zero_are_counted_from_one_and_it_is_said():
    frame = pd.DataFrame({**RATINGS, "order": [0, 1, 0, 1]})
    found = read_judgments(frame)
    assert found.position.tolist() == [1, 2, 1, 2]
    assert any("counted from 0" in note for note in found.notes)


def test_a_time_without_a_zone_is_in_utc_and_it_is_said():
    frame = pd.DataFrame({**RATINGS, "timestamp": ["2026-03-01 09:30:00"] * 4})
    found = read_judgments(frame)
    assert found.submitted_at[0] == np.datetime64("2026-03-01T09:30:00")
    assert any("zone" in note for note in found.notes)
    zoned = read_judgments(frame.assign(timestamp="2026-03-01T09:30:00+02:00"))
    assert zoned.submitted_at[0] == np.datetime64("2026-03-01T07:30:00")
