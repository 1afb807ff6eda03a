"""What is said about arguments that do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from rejudge.arguments.misfits import refuse_misfits, shown, wrong_size
from rejudge.errors import DataError, FileError
from rejudge.stats import CohenF, EtaSquared


def compute(
    effect: CohenF | EtaSquared | None = None,
    *others: str,
    shape: Literal["a", "b"] = "a",
    codes: NDArray[np.integer] | None = None,  # type: ignore[type-arg]
    names: Sequence[str] = (),
    counts: Mapping[str, int] | None = None,
    file: Path | None = None,
    alpha: float = 0.05,
) -> None: ...


@pytest.mark.parametrize(
    ("args", "kwargs", "says"),
    [
        ((0.2,), {}, "does not say what it measures: give stats.CohenF(0.2) or stats.EtaSquared"),
        ((None, "x", 3), {}, "'others' is 3. Give a text."),
        ((), {"shape": "c"}, "'shape' is 'c'. Give 'a' or 'b'."),
        ((), {"codes": np.array([0.5])}, "an array of float64. Give an array of whole numbers"),
        ((), {"names": [1]}, "Give a list of texts."),
        ((), {"counts": {"x": 1.5}}, "Give a mapping of texts to whole numbers or None."),
        ((), {"alpha": 2.0}, "'alpha' is 2.0. Give a number between 0 and 1."),
    ],
)
def test_it_says_what_is_given_and_what_to_give(args, kwargs, says):
    with pytest.raises(DataError) as raised:
        refuse_misfits(compute, args, kwargs)

    assert says in str(raised.value)
    assert str(raised.value).startswith("compute: ")


def test_arguments_that_fit_and_those_that_do_not_exist_are_left_alone():
    refuse_misfits(compute, (CohenF(0.2), "x"), {"shape": "b", "unknown": object()})


def test_a_missing_file_is_named_only_after_a_call_that_missed_it(tmp_path):
    missing = tmp_path / "nothing.csv"
    refuse_misfits(compute, (), {"file": missing})
    with pytest.raises(FileError, match=r"nothing\.csv"):
        refuse_misfits(compute, (), {"file": missing}, FileNotFoundError(2, "", str(missing)))


def test_long_values_are_shortened():
    assert len(shown(list(range(1000)))) < 60
    assert shown(None) == "None"


@pytest.mark.parametrize(("name", "value"), [("share", 0), ("items", -1), ("duplicate_share", 1.1)])
def test_numbers_that_nothing_of_the_name_can_have_are_refused(name, value):
    assert wrong_size("f", name, value) is not None
    assert wrong_size("f", "anything", value) is None
