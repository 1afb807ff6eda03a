"""Numbers keep the decimals they were printed with."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from rejudge.paper.printed import Printed, PrintedP

NUMBER = TypeAdapter(Printed)
P = TypeAdapter(PrintedP)


@pytest.mark.parametrize(
    ("given", "value", "decimals", "half_unit"),
    [
        ("0.50", 0.5, 2, 0.005),
        ("36", 36.0, 0, 0.5),
        (36, 36.0, 0, 0.5),
        (".5", 0.5, 1, 0.05),
        ("−0.06", -0.06, 2, 0.005),
        (" +1.00 ", 1.0, 2, 0.005),
        ("3.97e-47", 3.97e-47, 49, 5e-50),
        ("12E2", 1200.0, -2, 50.0),
        (1e-7, 1e-7, 7, 5e-8),
        ("81.3 %", 81.3, 1, 0.05),
        ("3.12*", 3.12, 2, 0.005),
        ("**3.12**", 3.12, 2, 0.005),
        ("0.48†", 0.48, 2, 0.005),
        ("12,345", 12345.0, 0, 0.5),
        ("3,72*", 3.72, 2, 0.005),
        ("−0,125", -0.125, 3, 0.0005),
        ("1,234,567.8", 1234567.8, 1, 0.05),
        ("12\u202f345", 12345.0, 0, 0.5),
        ("–0.06", -0.06, 2, 0.005),
    ],
)
def test_a_number_knows_how_far_it_was_rounded(given, value, decimals, half_unit):
    number = NUMBER.validate_python(given)
    assert number.value == value
    assert number.decimals == decimals
    assert number.half_unit == pytest.approx(half_unit)


@pytest.mark.parametrize(
    "given",
    [
        "", "about 3", "1,2345", "12,34,567", "1,234 567", "nan", "inf", "1e999", "3.1 3.2",
        "%", "*", "–", "n/a", True, None, [1],
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_with_a_remedy(given):
    with pytest.raises(ValidationError, match="as printed"):
        NUMBER.validate_python(given)


def test_either_way_of_rounding_a_half_is_believed():
    assert NUMBER.validate_python("0.62").could_be(0.625)
    assert NUMBER.validate_python("0.63").could_be(0.625)
    assert not NUMBER.validate_python("0.62").could_be(0.6251)


@pytest.mark.parametrize(
    ("given", "relation", "value", "text"),
    [
        ("0.208", "=", 0.208, "0.208"),
        ("p = 0.208", "=", 0.208, "0.208"),
        ("< 0.001", "<", 0.001, "< 0.001"),
        ("p<.05", "<", 0.05, "< .05"),
        ("≤ 0.05", "<", 0.05, "< 0.05"),
        (">= 0.05", ">", 0.05, "> 0.05"),
        ("3.97e-47", "=", 3.97e-47, "3.97e-47"),
        (0.01, "=", 0.01, "0.01"),
        ("<.001", "<", 0.001, "< .001"),
        ("p < 0,001", "<", 0.001, "< 0.001"),
        ("P < .001***", "<", 0.001, "< .001"),
        ("p-value = 0.05*", "=", 0.05, "0.05"),
        ("≪ 0.01", "<", 0.01, "< 0.01"),
        ("5 %", "=", 0.05, "0.05"),
        ("n.s.", ">", 0.05, "n.s."),
        ("ns", ">", 0.05, "n.s."),
    ],
)
def test_a_p_value_is_exact_or_a_bound(given, relation, value, text):
    p = P.validate_python(given)
    assert (p.relation, p.number.value, p.text) == (relation, value, text)


@pytest.mark.parametrize("given", ["significant", "", None, "***", "0.05 to 0.1"])
def test_what_is_no_p_value_is_refused_with_a_remedy(given):
    with pytest.raises(ValidationError, match="Write it as printed"):
        P.validate_python(given)
