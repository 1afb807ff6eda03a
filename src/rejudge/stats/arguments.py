"""Bad numbers and arrays given to a statistic: one clear message instead of an error from inside.

Every function that `rejudge.stats` offers is guarded when it is first used. Before a call, kinds
and ranges of single arguments and the lengths of columns are checked; that takes the same few
microseconds for arrays of any length. If a call fails all the same, or gives NaN, the arguments
are searched for what is known to cause it: missing values, empty arrays, negative codes. An error
that they do not explain is left as it is, because it is ours.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, TypeVar

import numpy as np

from rejudge.arguments.kinds import ArgumentKind, kinds_of
from rejudge.arguments.misfits import shown, wrong_kind, wrong_size
from rejudge.errors import DataError, Problem

F = TypeVar("F", bound=Callable[..., Any])  # any public function

_COLUMNS: Final = frozenset(  # one entry for each judgment, so all are equally long
    {"value", "item", "participant", "system", "unit", "group", "preference", "influence",
     "position", "side", "is_first", "is_second", "label", "attempt", "session", "clock_seconds",
     "page", "lab", "shown_first", "chose_first"}
)  # fmt: skip
_PAIRED: Final = frozenset({"x", "y", "original", "reproduction", "started", "ended"})
_FAILURES: Final = (  # that bad arguments cause inside
    TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeWarning,
    np.linalg.LinAlgError,
)  # fmt: skip
_TABLES: Final = frozenset({"scores", "counts"})


def guard(function: F) -> F:
    """The same function of numbers, which answers bad arguments with a `DataError`."""
    name = function.__name__
    parameters = tuple(inspect.signature(function).parameters)

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        kinds = kinds_of(function)
        given = {**dict(zip(parameters, args, strict=False)), **kwargs}
        fitted = _fit(name, given, kinds)
        if fitted:
            named = zip(parameters, args, strict=False)
            rest = args[len(parameters) :]
            args = (*(fitted.get(each, value) for each, value in named), *rest)
            kwargs = {each: fitted.get(each, value) for each, value in kwargs.items()}
        try:
            result = function(*args, **kwargs)
        except _FAILURES as error:
            _raise_explained(name, {**given, **fitted}, error)
            raise
        if _has_nan(result):
            _raise_explained(name, {**given, **fitted}, None)
        return result

    guarded.is_guarded = True  # type: ignore[attr-defined]  # so that it is done once
    return guarded  # type: ignore[return-value]  # of the same signature


# ── before a call ────────────────────────────────────────────────────────────────────────────────


def _fit(
    function: str, given: Mapping[str, Any], kinds: Mapping[str, ArgumentKind]
) -> dict[str, Any]:
    """Lists as arrays where an array is needed; raises for what cannot be right."""
    fitted: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for name, raw in given.items():
        kind, value = kinds.get(name), raw
        if kind is None:
            continue  # the call itself says that there is no such argument
        if kind.takes_array and not isinstance(raw, np.ndarray) and _is_list(raw):
            value = fitted[name] = _as_array(function, name, raw)
        if not kind.fits(value):
            raise DataError(wrong_kind(function, name, value, kind.type))
        if isinstance(value, np.ndarray):
            _refuse_table(function, name, value)
            if name in _COLUMNS or name in _PAIRED:
                sizes[name] = len(value)
        else:
            wrong = wrong_size(function, name, value)
            if wrong is not None:
                raise DataError(wrong)
    _refuse_different_lengths(function, sizes)
    return fitted


def _refuse_different_lengths(function: str, sizes: Mapping[str, int]) -> None:
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"'{name}' {size:,}" for name, size in sizes.items())
        what = f"{function}: columns have different lengths: {told}."
        raise DataError(Problem(what, "Give one entry for each judgment."))


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple) or hasattr(value, "__array__")


def _as_array(function: str, name: str, value: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        what = f"{function}: '{name}' is {shown(value)}, which is not an array of numbers."
        remedy = "Give one number for each judgment, such as numpy.array([1, 2])."
        raise DataError(Problem(what, remedy)) from error
    return array.astype(np.int64) if not array.size and array.ndim == 1 else array


def _refuse_table(function: str, name: str, value: np.ndarray[Any, Any]) -> None:
    if name in _COLUMNS and value.ndim != 1:
        what = f"{function}: '{name}' has {value.ndim} dimensions."
        raise DataError(Problem(what, "Give one entry for each judgment, in one dimension."))


# ── after a call that failed ─────────────────────────────────────────────────────────────────────


def _has_nan(result: object) -> bool:
    """Whether a result, or a number directly in it, is NaN; arrays are not looked at."""
    if isinstance(result, float):
        return math.isnan(result)
    if is_dataclass(result):
        found = (getattr(result, each.name, None) for each in fields(result))
        return any(isinstance(each, float) and math.isnan(each) for each in found)
    return False


def _raise_explained(function: str, given: Mapping[str, Any], error: BaseException | None) -> None:
    """Raise a `DataError` about the argument that explains a failure; nothing if all look right."""
    if isinstance(error, DataError):
        return
    for name, value in given.items():
        flaw = _flaw(value) or _flaw_of_shape(name, value)
        if flaw is not None:
            what, remedy = flaw
            raise DataError(Problem(f"{function}: '{name}' {what}.", remedy)) from error
    sizes = dict(_lengths(given))
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"'{name}' {size:,}" for name, size in sizes.items())
        what = f"{function}: arrays have different lengths: {told}."
        raise DataError(
            Problem(what, "Give arrays that belong together, entry by entry.")
        ) from error


def _lengths(given: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for name, value in given.items():
        inside = value if isinstance(value, Mapping) else {name: value}
        for key, each in inside.items():
            if isinstance(each, np.ndarray):
                yield str(key), len(each)


def _flaw_of_shape(name: str, value: object) -> tuple[str, str] | None:
    if name in _TABLES and isinstance(value, np.ndarray) and value.ndim != 2:  # noqa: PLR2004 - rows
        return f"has {value.ndim} dimensions", "Give a table, with rows and columns."
    return None


def _flaw(value: object, depth: int = 0) -> tuple[str, str] | None:
    """What is wrong with a value, and the remedy."""
    if isinstance(value, np.ndarray):
        return _flaw_of_array(value)
    if isinstance(value, bool | None):
        return None
    if isinstance(value, str):
        return (f"is {value!r}", "Give a number.") if depth else None
    if isinstance(value, numbers.Real):
        return _flaw_of_number(float(value), is_inside=depth > 0)
    parts = _parts_of(value)
    if parts is None or depth > 2:  # noqa: PLR2004 - results within results are ours
        return None
    if not parts:
        return "is empty", "Give at least one value."
    found = (_flaw(each, depth + 1) for each in parts)
    inner = next((each for each in found if each is not None), None)
    return None if inner is None else (f"has an entry that {inner[0]}", inner[1])


def _parts_of(value: object) -> list[object] | None:
    if isinstance(value, Mapping):
        return [*value.values()]
    if isinstance(value, Sequence):
        return list(value)
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name, None) for each in fields(value)]
    return None


def _flaw_of_number(value: float, *, is_inside: bool) -> tuple[str, str] | None:
    """Inside of tuples and results 0 and less are common, and explain nothing."""
    if not math.isfinite(value):
        return f"is {value}", "Give a finite number."
    return (f"is {value:g}", "Give a number above 0.") if value <= 0 and not is_inside else None


def _flaw_of_array(value: np.ndarray[Any, Any]) -> tuple[str, str] | None:
    if not value.size:
        return "is empty", "Give at least one judgment."
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        return (
            "has missing (NaN) or infinite values",
            "Remove them first, and report how many there were.",
        )
    if value.dtype.kind in "OUS":
        return "has entries that are not numbers", "Give numbers; for words, their codes."
    if value.dtype.kind == "i" and value.min() < 0:
        return "has negative codes", "Number them from 0 on, or remove the judgments."
    if value.ndim > 2:  # noqa: PLR2004 - a table at most
        return f"has {value.ndim} dimensions", "Give one or two dimensions."
    if value.size == 1 or (value == value.flat[0]).all():
        return "has only one value", "Give values that differ."
    return None
