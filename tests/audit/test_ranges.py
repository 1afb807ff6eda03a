"""Ranges of what printed numbers may have been, and the arithmetic on them."""

from __future__ import annotations

import pytest

from rejudge.audit import ranges
from rejudge.audit.ranges import Range
from rejudge.paper.printed import PrintedNumber, PrintedProbability


def ends(found: Range) -> tuple[float, float]:
    return pytest.approx(found.low), pytest.approx(found.high)


def test_a_printed_decimal_is_known_within_half_a_unit_of_its_last_digit():
    assert ends(ranges.of(PrintedNumber("3.40"))) == (3.395, 3.405)
    assert ends(ranges.of(PrintedNumber("3.4"))) == (3.35, 3.45)


def test_a_whole_number_that_was_not_rounded_is_exact():
    assert ends(ranges.of(PrintedNumber("12"), rounded=False)) == (12, 12)
    assert ends(ranges.of(PrintedNumber("12"))) == (11.5, 12.5)


def test_sums_differences_and_products_keep_the_widest_range():
    first, second = Range(1, 2), Range(10, 20)
    assert ends(ranges.total([first, second])) == (11, 22)
    assert ends(ranges.difference(second, first)) == (8, 19)
    assert ends(ranges.product([Range(-1, 2), second])) == (-20, 40)
    assert ends(ranges.scale(first, -3)) == (-6, -3)


def test_the_absolute_value_of_a_range_around_zero_begins_at_zero():
    assert ends(ranges.absolute(Range(-3, 2))) == (0, 3)
    assert ends(ranges.absolute(Range(-3, -2))) == (2, 3)


def test_nothing_is_divided_by_a_range_that_contains_zero():
    assert ranges.quotient(Range(1, 2), Range(-1, 1)) is None
    assert ends(ranges.quotient(Range(1, 2), Range(4, 8))) == (0.125, 0.5)


def test_ranges_meet_when_one_number_may_be_both():
    assert Range(1, 2).meets(Range(2, 3))
    assert not Range(1, 2).meets(Range(2.5, 3))


def test_a_bound_on_p_reaches_down_to_zero():
    p = PrintedProbability("<", PrintedNumber("0.05"))
    assert ends(ranges.of_p(p)) == (0, 0.05)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.5, "0.5"), (24.3581, "24.36"), (0.039834, "0.03983"), (0.00001, "1.00e-05")],
)
def test_computed_numbers_are_shown_with_four_significant_digits(value, text):
    assert ranges.digits(value) == text


def test_a_range_is_one_number_when_both_ends_look_the_same():
    assert Range(0.25, 0.25).text == "0.25"
    assert Range(0.25, 0.5).text == "0.25 to 0.5"


def test_negative_numbers_are_in_brackets_within_a_formula():
    assert ranges.in_brackets(PrintedNumber("-0.5")) == "(-0.5)"
    assert ranges.in_brackets(PrintedNumber("0.5")) == "0.5"
