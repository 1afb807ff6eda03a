"""Choices between two systems: ids or sides, decided once for a whole column."""

from __future__ import annotations

import pyarrow as pa
import pytest

from rejudge.errors import DataError
from rejudge.judgments import read_judgments, to_csv

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
