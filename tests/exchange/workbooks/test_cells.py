"""One cell: the answer however it was typed, and whether it still shows its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.exchange.workbooks.cells import describe, is_blank, is_same_text, read_answer
from rejudge.exchange.workbooks.layout import (
    Choices,
)

UNDERSTOOD = {
    "text": ("3", "3"), "full-width": ("３", "3"), "Arabic": ("٣", "3"), "Persian": ("۳", "3"),
    "point": ("3.0", "3"), "blanks": (" 3\u00a0", "3"), "number": (3.0, "3"), "circled": ("③", "3"),
}  # fmt: skip


@pytest.mark.parametrize(("value", "raw"), UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_a_number_is_understood_however_it_was_typed(value, raw):
    points = Choices({str(n): float(n) for n in range(1, 6)})
    assert read_answer(points, value).raw == raw


def test_a_decimal_comma_is_a_number_where_the_scale_has_such_numbers():
    line, halves = Choices({}, (0.0, 100.0)), Choices({"1": 1.0, "1.5": 1.5, "2": 2.0})
    assert read_answer(line, "72,5").raw == "72.5"
    assert read_answer(line, "７２，５").raw == "72.5"
    assert read_answer(halves, "1,5").raw == "1.5"
    assert read_answer(halves, "1,0").fault == "several"
    assert read_answer(line, "172,5").fault == "several"


def test_a_percentage_is_not_taken_for_its_hundredth():
    line = Choices({}, (0.0, 100.0))
    assert read_answer(line, 0.5, is_percentage=True).fault == "text"


@given(st.floats(0, 100), st.sampled_from("0٠۰०０"))
def test_a_number_on_a_line_is_read_in_every_script(number, zero):
    """Decimal digits of a script follow one another in Unicode."""
    line = Choices({}, (0.0, 100.0))
    typed = "".join(chr(ord(zero) + int(c)) if c.isdigit() else c for c in f"{number:.4f}")
    assert read_answer(line, typed).raw == f"{float(f'{number:.4f}'):.12g}"


@given(st.text() | st.integers() | st.floats() | st.booleans())
def test_whatever_is_in_a_cell_is_an_answer_or_a_fault(value):
    for choices in (Choices({"1": 1.0, "2": 2.0}), Choices({"a": "A", "b": "B"})):
        read = read_answer(choices, value)
        assert (read.raw is None) != (read.fault is None)
        assert read.raw is None or read.raw in choices.shown


@pytest.mark.parametrize("value", [None, "", " \t\n", "\u200b", "\ufeff \u2060"])
def test_a_cell_with_nothing_to_see_is_blank(value):
    assert is_blank(value)
    assert not is_blank(0)


class Cell:
    """As much of a cell as is read."""

    def __init__(self, value: object, number_format: str = "General") -> None:
        self.value = value
        self.number_format = number_format
        self.data_type = "f" if str(value).startswith("=") else "s"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (Cell(None), ""),
        (Cell(0.25, "0%"), "25%"),
        (Cell(2.5), "2.5"),
        (Cell("x" * 80), "x" * 59 + "…"),
    ],
)
def test_a_message_says_what_the_cell_shows(cell, said):
    assert describe(cell) == said


@pytest.mark.parametrize(
    ("text", "value"),
    [("a  b", "a b"), ("12", 12), ("1.5", 1.5), ("a\x07b", "a_x0007_b"), ("", None)],
)
def test_the_same_text_is_recognised_however_the_program_kept_it(text, value):
    assert is_same_text(text, Cell(value))


def test_another_text_and_a_formula_are_not_the_same():
    assert not is_same_text("a", Cell("b"))
    assert not is_same_text("=1", Cell("=1"))
