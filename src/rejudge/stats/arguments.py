"""Bad arguments of public functions: one clear message instead of an error from inside.

Every function that `rejudge.stats` offers is guarded when it is first used, and the arguments of
those that `rejudge` itself offers are checked. Before a call, kinds and ranges of single arguments
and the lengths of columns are checked; that takes the same few microseconds for any number of
judgments. If a call fails all the same, or gives NaN, the arguments
are searched for what is known to cause it: missing values, empty arrays, negative codes. An error
that they do not explain is left as it is, because it is ours.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from rejudge.errors import DataError, Problem

F = TypeVar("F", bound=Callable[..., Any])  # any public function

_SHARES: Final = frozenset({"level", "alpha", "power", "share"})  # between 0 and 1
_SHARES_OR_ALL: Final = frozenset({"duplicate_share"})  # from 0 to 1
_COUNTS_AND_SIZES: Final = frozenset(  # never below 0
    {"replicates", "draws", "restarts", "max_iterations", "groups", "per_group", "total", "pairs",
     "items", "participants", "units", "systems", "studies", "judgments", "n", "k", "minimum",
     "effects", "categories", "clusters", "most", "rivals", "half_unit", "mean_half_unit",
     "sd_half_unit", "x_half_unit", "y_half_unit", "sd", "error", "standard_error", "smoothing",
     "deviations", "prior", "most_seconds", "idle_after_seconds", "between", "shared",
     "df", "df_limit", "information_share", "seed", "seat"}
)  # fmt: skip
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
_MOST_SHOWN = 40  # letters of a value in a message


def check_arguments(function: F) -> F:
    """The same function, which answers arguments of a wrong kind or size with a `DataError`."""
    parameters = inspect.signature(function).parameters
    repeated = [each.name for each in parameters.values() if each.kind is each.VAR_POSITIONAL]
    kinds: dict[str, _ArgumentKind] = {}  # evaluated at the first call

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if not kinds:
            kinds.update(_kinds(function))
        _fit(function.__name__, {**dict(zip(kinds, args, strict=False)), **kwargs}, kinds)
        for name in repeated:  # such as `others` of `*others`
            for value in args[list(kinds).index(name) :]:
                _fit(function.__name__, {name: value}, kinds)
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]  # of the same signature


def guard(function: F) -> F:
    """The same function of numbers, which answers bad arguments with a `DataError`."""
    name = function.__name__
    parameters = tuple(inspect.signature(function).parameters)
    kinds: dict[str, _ArgumentKind] = {}  # evaluated at the first call

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if not kinds:
            kinds.update(_kinds(function))
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


@dataclass(frozen=True, slots=True)
class _ArgumentKind:
    """What a parameter takes."""

    type: Any  # a type expression
    fits: Callable[[object], bool]
    takes_array: bool


def _kinds(function: Callable[..., Any]) -> Iterator[tuple[str, _ArgumentKind]]:
    """What each parameter takes, as far as its type can be found when the program runs."""
    for name, parameter in inspect.signature(function).parameters.items():
        kind = parameter.annotation
        if isinstance(kind, str):
            try:
                kind = eval(kind, inspect.unwrap(function).__globals__)  # noqa: S307 - our own
            except (NameError, AttributeError, TypeError):  # known to type checkers only
                kind = Any
        if kind == ArrayLike:
            kind = float | np.ndarray[Any, np.dtype[np.float64]]
        kind = Any if kind is parameter.empty else kind
        yield name, _ArgumentKind(kind, _test_of(kind), any(map(_is_array_type, _options(kind))))


# ── before a call ────────────────────────────────────────────────────────────────────────────────


def _fit(
    function: str, given: Mapping[str, Any], kinds: Mapping[str, _ArgumentKind]
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
            raise DataError(_wrong_kind(function, name, value, kind.type))
        if isinstance(value, np.ndarray):
            _refuse_table(function, name, value)
            if name in _COLUMNS or name in _PAIRED:
                sizes[name] = len(value)
        else:
            _refuse_size(function, name, value)
    if len(set(sizes.values())) > 1 and not sizes.keys() <= {"first", "second"}:
        told = ", ".join(f"'{name}' {size:,}" for name, size in sizes.items())
        what = f"{function}: columns have different lengths: {told}."
        raise DataError(Problem(what, "Give one entry for each judgment."))
    return fitted


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple) or hasattr(value, "__array__")


def _as_array(function: str, name: str, value: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        what = f"{function}: '{name}' is {_shown(value)}, which is not an array of numbers."
        remedy = "Give one number for each judgment, such as numpy.array([1, 2])."
        raise DataError(Problem(what, remedy)) from error
    return array.astype(np.int64) if not array.size and array.ndim == 1 else array


def _options(kind: Any) -> tuple[Any, ...]:
    """The types that a union allows; a type itself if it is none."""
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _is_array_type(kind: Any) -> bool:
    return (get_origin(kind) or kind) is np.ndarray


def _test_of(kind: Any) -> Callable[[object], bool]:
    """Whether a value is of a type, as far as that takes no look at every entry."""
    options = _options(kind)
    if len(options) > 1:
        tests = tuple(map(_test_of, options))
        return lambda value: any(test(value) for test in tests)
    if kind is Any:
        return lambda _: True
    if _is_array_type(kind):
        return functools.partial(_is_array_of, _dtypes(kind))
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    return _test_of_generic(kind, get_origin(kind))


def _test_of_generic(kind: Any, origin: Any) -> Callable[[object], bool]:
    if origin is Literal:
        words = frozenset(get_args(kind))
        return lambda value: isinstance(value, str | int) and value in words
    if origin is tuple:
        return functools.partial(_is_tuple_of, tuple(map(_test_of, get_args(kind))))
    if origin is Sequence:
        (inner,) = get_args(kind)
        if _is_array_type(inner):
            return _is_list_of_arrays
        entries = _options(inner)
        is_plain = any(e in (float, int, bool) or not isinstance(e, type) for e in entries)
        return _is_sequence if is_plain else functools.partial(_is_list_of, entries)
    wanted = origin or kind
    return functools.partial(_is_instance, wanted) if isinstance(wanted, type) else lambda _: True


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)


def _is_list_of_arrays(value: object) -> bool:
    return _is_sequence(value) and all(_is_list(each) and np.ndim(each) for each in value)  # type: ignore[attr-defined]  # a sequence


def _is_list_of(wanted: tuple[type, ...], value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, wanted) for each in value)


def _is_instance(wanted: type, value: object) -> bool:
    return isinstance(value, wanted)


def _is_array_of(dtypes: frozenset[str] | None, value: object) -> bool:
    if not isinstance(value, np.ndarray):
        return False
    return dtypes is None or value.dtype.kind in dtypes or not value.size


def _is_float(value: object) -> bool:
    if type(value) is float:  # the usual case; asking an abstract class takes ten times as long
        return not math.isnan(value)
    is_real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    return is_real and value == value  # noqa: PLR0124 - NaN is not a number


def _is_int(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)


def _is_tuple_of(tests: tuple[Callable[[object], bool], ...], value: object) -> bool:
    if not isinstance(value, tuple | list) or len(value) != len(tests):
        return False
    return all(test(each) for test, each in zip(tests, value, strict=True))


_SIMPLE: Final[dict[Any, Callable[[object], bool]]] = {
    type(None): lambda value: value is None,
    None: lambda value: value is None,
    float: _is_float,
    int: _is_int,
    bool: lambda value: isinstance(value, bool | np.bool_),
}
_KINDS_OF: Final = {
    np.integer: frozenset("iu"),
    np.float64: frozenset("iufb"),
    np.bool_: frozenset("b"),
    np.datetime64: frozenset("M"),
}


def _scalar(kind: Any) -> Any:  # of an array type; None if it says nothing
    parts = get_args(kind)
    scalars = get_args(parts[1]) if len(parts) > 1 else ()
    return scalars[0] if scalars else None


def _dtypes(kind: Any) -> frozenset[str] | None:
    return _KINDS_OF.get(_scalar(kind))


def _wrong_kind(function: str, name: str, value: object, kind: Any) -> Problem:
    """What is given, and what to give instead."""
    what = f"{function}: '{name}' is {_shown(value)}."
    options = _options(kind)
    made = [each for each in options if is_dataclass(each) and isinstance(each, type)]
    if made and _is_float(value) and all(len(fields(each)) == 1 for each in made):
        calls = [f"stats.{each.__name__}({value})" for each in made]
        return Problem(
            what, f"A plain number does not say what it measures: give {_either(calls)}."
        )
    return Problem(what, f"Give {_either([_in_words(each) for each in options])}.")


_SCALARS: Final = {
    np.integer: "whole numbers (codes)",
    np.bool_: "true and false",
    np.datetime64: "times",
}


def _in_words(kind: Any) -> str:
    if kind is type(None):
        return "None"
    if get_origin(kind) is Literal:
        return _either([repr(each) for each in get_args(kind)])
    if _is_array_type(kind):
        return f"an array of {_SCALARS.get(_scalar(kind), 'numbers')}"
    if kind in (float, int):
        return "a number" if kind is float else "a whole number"
    origin = get_origin(kind)
    if origin is tuple:
        return f"a tuple of {len(get_args(kind))} entries"
    named = kind if isinstance(kind, type) else origin
    known = {str: "a text", bool: "True or False", Sequence: "a list", Mapping: "a mapping"}
    if named in known:
        return known[named]
    place = "stats." if getattr(named, "__module__", "").startswith("rejudge.stats") else ""
    return f"a {place}{getattr(named, '__name__', kind)}"


def _either(words: Sequence[str]) -> str:
    words = list(dict.fromkeys(words))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _refuse_table(function: str, name: str, value: np.ndarray[Any, Any]) -> None:
    if name in _COLUMNS and value.ndim != 1:
        what = f"{function}: '{name}' has {value.ndim} dimensions."
        raise DataError(Problem(what, "Give one entry for each judgment, in one dimension."))


def _refuse_size(function: str, name: str, value: Any) -> None:
    """Raise for a number that nothing of this name can have."""
    if name not in _SHARES and name not in _SHARES_OR_ALL and name not in _COUNTS_AND_SIZES:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return
    remedy, number = "", float(value)
    if name in _SHARES and not 0 < number < 1:
        remedy = "Give a number between 0 and 1."
    elif name in _SHARES_OR_ALL and not 0 <= number <= 1:
        remedy = "Give a number from 0 to 1."
    elif name in _COUNTS_AND_SIZES and number < 0:
        remedy = "Give a number that is not negative."
    if remedy:
        raise DataError(Problem(f"{function}: '{name}' is {value}.", remedy))


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


def _shown(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    text = repr(value)
    words = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
    is_plain = isinstance(value, str | int | float)
    return words if is_plain else f"a {type(value).__name__}, {words}"
