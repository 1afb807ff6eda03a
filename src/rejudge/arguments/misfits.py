"""Arguments that do not fit their parameters, in words: what is given, and what to give instead."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

from rejudge.arguments.kinds import (
    ArgumentKind,
    is_array_type,
    is_number,
    kinds_of,
    options_of,
    scalar_of,
)
from rejudge.errors import DataError, FileError, Problem

_SHARES: Final = frozenset({"level", "alpha", "power", "share"})  # between 0 and 1
_SHARES_OR_ALL: Final = frozenset({"duplicate_share"})  # from 0 to 1
_COUNTS_AND_SIZES: Final = frozenset(  # never below 0
    {"replicates", "draws", "restarts", "max_iterations", "groups", "per_group", "total", "pairs",
     "items", "participants", "units", "systems", "studies", "judgments", "n", "k", "minimum",
     "effects", "categories", "clusters", "most", "rivals", "half_unit", "mean_half_unit",
     "sd_half_unit", "x_half_unit", "y_half_unit", "sd", "error", "standard_error", "smoothing",
     "deviations", "prior", "idle_after_seconds", "between", "shared",
     "df", "df_limit", "information_share", "seed", "seat"}
)  # fmt: skip
_MOST_SHOWN = 40  # letters of a value in a message


def refuse_misfits(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    error: Exception | None = None,
) -> None:
    """Raise an error about the first argument that does not fit; `error`: how the call failed."""
    kinds = kinds_of(function)
    for name, value in _named(kinds, args, kwargs):
        kind = kinds.get(name)
        if kind is None:
            continue  # the call itself says that there is no such argument
        if not kind.fits(value):
            raise DataError(wrong_kind(function.__name__, name, value, kind.type)) from error
        too_small_or_large = wrong_size(function.__name__, name, value)
        if too_small_or_large is not None:
            raise DataError(too_small_or_large) from error
        if isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError):
            _refuse_path(value, error)


def _named(
    kinds: Mapping[str, ArgumentKind], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Arguments with the names of their parameters: `others` for each of `*others`."""
    names: list[str] = []
    for name, kind in kinds.items():
        names += [name] * (len(args) - len(names) if kind.is_repeated else 1)
    yield from zip(names, args, strict=False)
    yield from kwargs.items()


def _refuse_path(value: object, error: OSError) -> None:
    """Raise a FileError if a call failed because of a path that it was given."""
    if not isinstance(value, str | Path) or not isinstance(error.filename, str | Path):
        return
    path = Path(error.filename)
    if Path(value) in (path, *path.parents):
        is_folder = isinstance(error, IsADirectoryError)
        what = "this is a folder, not a file." if is_folder else "there is no such file or folder."
        raise FileError(Problem(what, "Correct the path.", file=str(path))) from error


def wrong_kind(function: str, name: str, value: object, kind: Any) -> Problem:
    """What is given, and what to give instead."""
    what = f"{function}: '{name}' is {shown(value)}."
    options = options_of(kind)
    measures = [each for each in options if is_dataclass(each) and _is_statistic(each)]
    if measures and is_number(value) and all(len(fields(each)) == 1 for each in measures):
        calls = [f"{_type_name(each)}({value})" for each in measures]
        return Problem(
            what, f"A plain number does not say what it measures: give {_either(calls)}."
        )
    return Problem(what, f"Give {_either([_in_words(each) for each in options])}.")


def wrong_size(function: str, name: str, value: Any) -> Problem | None:
    """Why a number is not what a parameter of this name can be; None if it can."""
    if name not in _SHARES and name not in _SHARES_OR_ALL and name not in _COUNTS_AND_SIZES:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    remedy, number = "", float(value)
    if name in _SHARES and not 0 < number < 1:
        remedy = "Give a number between 0 and 1."
    elif name in _SHARES_OR_ALL and not 0 <= number <= 1:
        remedy = "Give a number from 0 to 1."
    elif name in _COUNTS_AND_SIZES and number < 0:
        remedy = "Give a number that is not negative."
    return Problem(f"{function}: '{name}' is {value}.", remedy) if remedy else None


def shown(value: object) -> str:
    """A value in a message, shortened."""
    if value is None:
        return "None"
    if is_array_type(type(value)):
        return f"an array of {value.dtype}"  # type: ignore[attr-defined]  # an array
    text = repr(value)
    words = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
    is_plain = isinstance(value, str | int | float)
    return words if is_plain else f"a {type(value).__name__}, {words}"


_SCALARS: Final = {
    "integer": "whole numbers (codes)",
    "bool": "true and false",
    "datetime64": "times",
}
_ONE_AND_MANY: Final[dict[Any, tuple[str, str]]] = {
    str: ("a text", "texts"),
    bytes: ("bytes", "bytes"),
    bool: ("True or False", "True and False"),
    float: ("a number", "numbers"),
    int: ("a whole number", "whole numbers"),
    type(None): ("None", ""),
    Callable: ("a function", "functions"),
    type: ("a class", "classes"),
    Any: ("a value", "values"),
}
_CONTAINERS: Final[dict[Any, str]] = {
    Sequence: "a list",
    Collection: "a list",
    Iterable: "a list",
    list: "a list",
    tuple: "a tuple",
    set: "a set",
    frozenset: "a frozenset",
    Mapping: "a mapping",
    dict: "a dict",
}


def _in_words(kind: Any) -> str:
    origin, entries = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _either([repr(each) for each in entries])
    if is_array_type(kind):
        return f"an array of {_SCALARS.get(scalar_of(kind), 'numbers')}"
    if origin is tuple and Ellipsis not in entries:
        return f"a tuple of {len(entries)} entries"
    if origin in _CONTAINERS:
        named = " to ".join(_many(each) for each in entries if each is not Ellipsis)
        return f"{_CONTAINERS[origin]} of {named}" if named else _CONTAINERS[origin]
    if (origin or kind) in _ONE_AND_MANY:
        return _ONE_AND_MANY[origin or kind][0]
    name = _type_name(origin or kind)
    return f"{'an' if name[0] in 'AEIO' else 'a'} {name}"


def _many(kind: Any) -> str:
    """Several values of a type."""
    options = options_of(kind)
    if len(options) > 1:
        return _either([_many(each) for each in options])
    (only,) = options
    if get_args(only):
        return "entries that are " + _in_words(only)
    return _ONE_AND_MANY[only][1] if only in _ONE_AND_MANY else f"{_type_name(only)} objects"


def _type_name(kind: Any) -> str:
    place = "stats." if _is_statistic(kind) else ""
    return f"{place}{getattr(kind, '__name__', kind)}"


def _is_statistic(kind: Any) -> bool:
    return getattr(kind, "__module__", "").startswith("rejudge.stats.")


def _either(words: Sequence[str]) -> str:
    words = list(dict.fromkeys(words))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
