"""Whether a value is of the type that a parameter states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from rejudge.arguments.kinds import kinds_of, options_of, scalar_of

NAN = float("nan")
CASES = [
    (int, [1, np.int64(2)], [1.5, True, "1", None]),
    (float, [1, 1.5, np.float64(2), float("inf")], [NAN, True, "1", 1j]),
    (bool, [True, np.bool_(0)], [0, 1, "yes"]),
    (str, ["", "x"], [b"x", 1, None]),
    (str | None, ["x", None], [1]),
    (Literal["a", "b"], ["a"], ["c", 1, None, ["a"]]),
    (Path | str, ["x", Path("x")], [1, b"x"]),
    (Sequence[str], [[], ["x"], ("x", "y")], ["xy", [1], {"x"}, None]),
    (Sequence[float], [[1, 2.5], np.arange(3), [NAN]], ["12", ["1"], 3]),
    (tuple[int, str], [(1, "x"), [1, "x"]], [(1,), ("x", 1), "1x"]),
    (tuple[str, ...], [(), ("x",)], ["x", (1,)]),
    (Mapping[str, int], [{}, {"x": 1}], [[("x", 1)], {1: 1}, {"x": "1"}]),
    (NDArray[np.integer[Any]], [np.arange(2)], [np.array([0.5]), [1, 2], 3]),
    (NDArray[np.bool_], [np.array([True])], [np.arange(2)]),
    (Annotated[int, "a count"], [1], ["1"]),
    (Any, [1, None, object()], []),
]


@pytest.mark.parametrize(("kind", "good", "bad"), CASES, ids=[str(case[0]) for case in CASES])
def test_a_value_fits_its_type_or_not(kind, good, bad):
    def function(argument) -> None: ...

    function.__annotations__["argument"] = kind
    fits = kinds_of(function)["argument"].fits

    assert [value for value in good if not fits(value)] == []
    assert [value for value in bad if fits(value)] == []


def test_all_options_of_a_union_are_listed():
    assert options_of(int | None | Annotated[str, "a name"]) == (int, type(None), str)


def test_the_entries_of_an_array_have_a_name():
    assert scalar_of(NDArray[np.float64]) == "float64"
    assert scalar_of(np.ndarray) == ""


def test_a_parameter_without_a_type_takes_anything():
    def function(argument, *others: int) -> None: ...

    kinds = kinds_of(function)
    assert kinds["argument"].fits(object())
    assert kinds["others"].is_repeated
