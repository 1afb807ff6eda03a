"""Columns that mean the same in any table: names, times, kinds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rejudge.errors import DataError
from rejudge.judgments.judgments_csv import to_csv
from rejudge.judgments.read import read_judgments


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
    assert (
        "the column 'duration' looked like seconds but holds '3 min', so it is not read."
        in found.notes
    )


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


SIDES = "Choices are read as sides: a, left or 1 is system_a; b, right or 2 is system_b."
IDS = "Choices are read as the ids of systems."


def table(*rows: str) -> pa.Table:
    """Rows such as `A B a`: the two systems and the choice."""
    cells = [row.split() for row in rows]
    return pa.table(
        {
            "rater": [f"p{n}" for n in range(len(rows))],
            "item": ["i"] * len(rows),
            "system_a": [a for a, _, _ in cells],
            "system_b": [b for _, b, _ in cells],
            "choice": [choice for _, _, choice in cells],
        }
    )


@pytest.mark.parametrize(
    "rows",
    [
        ("B C b",),
        ("b a b",),
        ("A B a", "B A b"),
        ("2 1 1", "1 2 2"),
        ("A B A", "B C B", "C A A", "B C tie"),
        ("x y x", "x y left", "b a a"),  # neither reading fits all rows, and they differ in one
        ("tie x tie",),
    ],
)
def test_a_column_that_ids_and_sides_both_fit_with_different_outcomes_is_refused(rows):
    with pytest.raises(DataError, match=r"--choices system .* --choices side"):
        read_judgments(table(*rows))


def test_the_refusal_shows_a_row_and_counts_the_others():
    said = "choice 'b' between 'B' and 'C' .* side; 2 rows can be read in both ways"
    with pytest.raises(DataError, match=said):
        read_judgments(table("A B a", "B C b", "B A a"))


@pytest.mark.parametrize(
    ("rows", "values", "note"),
    [
        (("B C b", "B C a"), [0, 1], SIDES),  # a is neither B nor C
        (("B C b", "B C c"), [1, 0], IDS),
        (("2 1 1", "3 1 2"), [1, 0], SIDES),  # 2 is neither 3 nor 1
        (("A B a", "A B b", "A B tie"), [1, 0, 0.5], IDS),  # both ways the same
        (("x y a", "y x b", "x y TIE"), [1, 0, 0.5], SIDES),
        (("x y Y", "y x Y"), [0, 1], IDS),
    ],
)
def test_the_one_reading_that_fits_every_row_is_taken_and_stated(rows, values, note):
    found = read_judgments(table(*rows))
    assert found.value.tolist() == values
    assert note in found.notes


def test_ids_and_sides_can_stand_in_one_column_where_no_row_is_unclear():
    found = read_judgments(table("x y x", "x y right"))
    assert found.value.tolist() == [1, 0]
    assert any("in some rows, as sides in others" in note for note in found.notes)


def test_the_reading_can_be_given():
    rows = table("B C b", "C B b")
    assert read_judgments(rows, choices="side").value.tolist() == [0, 0]
    assert read_judgments(rows, choices="system").value.tolist() == [1, 0]
    with pytest.raises(DataError, match="'c' is not an outcome"):
        read_judgments(table("B C c"), choices="side")


def test_a_missing_choice_decides_nothing():
    found = read_judgments(table("B C b", "B C a", "B C NA"))
    assert found.value.tolist() == [0, 1]


def test_our_own_file_writes_sides_whatever_the_systems_are_called(tmp_path):
    found = read_judgments(table("b a b", "b a a"), choices="system")
    (tmp_path / "judgments.csv").write_text(to_csv(found), "utf-8")
    assert read_judgments(tmp_path / "judgments.csv").rows() == found.rows()


def test_ratings_beside_comparisons_do_not_decide_how_choices_are_read():
    mixed = pa.table(
        {"rater": ["p"] * 3, "item": ["i", "j", "k"], "system": [None, None, "B"],
         "system_a": ["B", "B", None], "system_b": ["C", "C", None], "value": ["b", "a", "4"]}
    )  # fmt: skip
    assert read_judgments(mixed).value.tolist() == [0, 1, 4]


def test_an_expected_choice_is_read_as_the_choices_are():
    checks = table("B C b", "B C a").append_column("expected", [["b", "b"]])
    checks = checks.append_column("control", [["1", "1"]])
    assert read_judgments(checks).passed.tolist() == [1, 0]  # `a` shows that b is a side
