"""Zeros of functions of one variable. Second source: scipy.optimize.brentq."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from rejudge.stats.roots import find_root

FUNCTIONS = {
    "line": (lambda x: 3 * x - 1, -5.0, 9.0),
    "cube, flat at its zero": (lambda x: (x - 0.3) ** 3, -1.0, 4.0),
    "steep": (lambda x: math.tanh(1e6 * (x - 0.123)), 0.0, 1.0),
    "exponential": (lambda x: math.exp(x) - 1e5, -700.0, 700.0),
    "far from zero": (lambda x: x - 1e12, 0.0, 3e12),
    "a step": (lambda x: -1.0 if x < 1 / 3 else 1.0, 0.0, 1.0),
    "zero at an end": (lambda x: x, 0.0, 1.0),
    "ends exchanged": (lambda x: x * x - 2, 3.0, 0.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_zeros_agree_with_scipy(name: str) -> None:
    function, low, high = FUNCTIONS[name]
    ours, theirs = find_root(function, low, high), brentq(function, low, high, maxiter=1000)
    assert ours == pytest.approx(theirs, rel=1e-11, abs=5e-5 if "flat" in name else 1e-11)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.sampled_from([1, 3, 5]))
def test_any_rising_function_is_solved(zero: float, below: float, above: float, power: int) -> None:
    root = find_root(
        lambda x: math.copysign(abs(x - zero) ** power, x - zero), zero - below, zero + above
    )
    assert abs(root - zero) <= 1e-11 + 1e-14 * abs(zero) if power == 1 else abs(root - zero) < 1e-2


def test_few_evaluations_are_needed() -> None:
    asked: list[float] = []

    def function(x: float) -> float:
        asked.append(x)
        return math.exp(x) - 2

    assert find_root(function, -10, 10) == pytest.approx(math.log(2), abs=1e-12)
    assert len(asked) < 20  # bisection alone needs 44


@pytest.mark.parametrize(
    ("function", "message"),
    [(lambda x: x * x + 1, "same sign"), (lambda _: math.nan, "no value")],
)
def test_without_a_zero_the_caller_is_told(function: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_root(function, -1, 1)  # type: ignore[arg-type]
