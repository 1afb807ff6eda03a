"""What a parameter takes: the type it states, and whether a value is of it."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import numbers
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

Test = Callable[[object], bool]  # whether a value is of a type


@dataclass(frozen=True, slots=True)
class ArgumentKind:
    """What a parameter takes."""

    type: Any  # a type expression
    fits: Test
    takes_array: bool
    is_repeated: bool  # as `others` in `*others`


@functools.cache
def kinds_of(function: Callable[..., Any]) -> Mapping[str, ArgumentKind]:
    """What each parameter takes, in order; anything where its type cannot be found."""
    return {
        name: _kind(parameter, _evaluated(parameter.annotation, inspect.unwrap(function)))
        for name, parameter in inspect.signature(function).parameters.items()
    }


def _kind(parameter: inspect.Parameter, stated: Any) -> ArgumentKind:
    takes_array = any(map(is_array_type, options_of(stated)))
    is_repeated = parameter.kind is parameter.VAR_POSITIONAL
    return ArgumentKind(stated, _test_of(stated), takes_array, is_repeated)


def options_of(kind: Any) -> tuple[Any, ...]:
    """The types that a union allows; a type itself if it is none."""
    if get_origin(kind) is Annotated:
        return options_of(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(each for option in get_args(kind) for each in options_of(option))
    return (kind,)


def is_array_type(kind: Any) -> bool:
    """Whether a type is that of numpy's arrays."""
    named = get_origin(kind) or kind
    return getattr(named, "__module__", "") == "numpy" and named.__name__ == "ndarray"


def scalar_of(kind: Any) -> str:
    """The name of the type of an array's entries; empty if it says nothing."""
    parts = get_args(kind)
    scalars = get_args(parts[1]) if len(parts) > 1 else ()
    return getattr(scalars[0], "__name__", "") if scalars else ""


# ── types as they are stated ─────────────────────────────────────────────────────────────────────


def _evaluated(annotation: Any, function: Callable[..., Any]) -> Any:
    """A type from its text; `Any` if it is not found."""
    if annotation is inspect.Parameter.empty:
        return Any
    if isinstance(annotation, str):
        annotation = _evaluated_text(annotation, function)
    arrays = sys.modules.get("numpy.typing")
    if arrays is not None and annotation == arrays.ArrayLike:
        return float | arrays.NDArray[sys.modules["numpy"].float64]
    return annotation


def _evaluated_text(text: str, function: Callable[..., Any]) -> Any:
    try:
        return eval(text, function.__globals__)  # noqa: S307 - our own
    except (NameError, AttributeError, TypeError):  # it names something for type checkers
        names = _CheckedNames(function.__module__)
    try:
        return eval(text, function.__globals__, names)  # noqa: S307 - our own
    except (NameError, AttributeError, TypeError, ImportError):
        return Any


class _CheckedNames(Mapping[str, Any]):
    """Names that a module imports for type checkers alone, loaded when they are looked up."""

    def __init__(self, module: str) -> None:
        self.places = _imported_for_checkers(module)

    def __getitem__(self, name: str) -> Any:
        module, attribute = self.places[name]
        loaded = import_module(module)
        return getattr(loaded, attribute) if attribute else loaded

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@functools.cache
def _imported_for_checkers(module: str) -> Mapping[str, tuple[str, str]]:
    """The module and the attribute of each name under `if TYPE_CHECKING:`."""
    try:
        parsed = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, KeyError):
        return {}
    blocks = [each for each in parsed.body if isinstance(each, ast.If)]
    lines = [
        line for each in blocks if "TYPE_CHECKING" in ast.unparse(each.test) for line in each.body
    ]
    return dict(place for line in lines for place in _places(line))


def _places(line: ast.stmt) -> Iterator[tuple[str, tuple[str, str]]]:
    if isinstance(line, ast.ImportFrom) and line.module is not None:
        for alias in line.names:
            yield alias.asname or alias.name, (line.module, alias.name)
    if isinstance(line, ast.Import):
        for alias in line.names:
            yield alias.asname or alias.name.partition(".")[0], (alias.name, "")


# ── whether a value is of a type ─────────────────────────────────────────────────────────────────


def _test_of(kind: Any) -> Test:
    """Whether a value is of a type. The entries of arrays are not examined."""
    options = options_of(kind)
    if len(options) > 1:
        tests = tuple(map(_test_of, options))
        return lambda value: any(test(value) for test in tests)
    (only,) = options
    if is_array_type(only):
        return functools.partial(_is_array_of, _DTYPES.get(scalar_of(only)))
    if only in _SIMPLE:
        return _SIMPLE[only]
    origin = get_origin(only)
    if origin in _GENERIC:
        return _GENERIC[origin](get_args(only))
    return _test_of_class(origin or only)


def _test_of_class(wanted: Any) -> Test:
    if getattr(wanted, "_is_protocol", False):
        members = tuple(name for name in dir(wanted) if not name.startswith("_"))
        members = (*members, *getattr(wanted, "__annotations__", ()))
        return lambda value: all(hasattr(value, name) for name in members)
    return functools.partial(_is_instance, wanted) if isinstance(wanted, type) else _accept


def _accept(_: object) -> bool:
    return True


def _is_instance(wanted: type, value: object) -> bool:
    return isinstance(value, wanted)


def is_number(value: object) -> bool:
    """Whether a value is a number, and not NaN."""
    if type(value) is float:  # the usual case; asking an abstract class takes ten times as long
        return not math.isnan(value)
    is_real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return is_real and value == value  # noqa: PLR0124 - NaN is not a number


def _is_int(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool) or type(value).__name__ == "bool"  # numpy's too


_SIMPLE: Final[dict[Any, Test]] = {
    Any: _accept,
    object: _accept,
    type(None): lambda value: value is None,
    None: lambda value: value is None,
    float: is_number,
    int: _is_int,
    bool: _is_bool,
}
_DTYPES: Final = {  # of an array's entries, by the kinds of numpy's types
    "integer": frozenset("iu"),
    "float64": frozenset("iufb"),
    "bool": frozenset("b"),
    "datetime64": frozenset("M"),
}


def _is_array(value: object) -> bool:
    return is_array_type(type(value))


def _is_array_of(dtypes: frozenset[str] | None, value: Any) -> bool:
    return _is_array(value) and (dtypes is None or value.dtype.kind in dtypes or not value.size)


def _is_list(value: object) -> bool:
    is_plain = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return is_plain or _is_array(value)


def _literal(words: tuple[Any, ...]) -> Test:
    return lambda value: isinstance(value, str | int) and value in words


def _tuple(entries: tuple[Any, ...]) -> Test:
    if len(entries) == 2 and entries[1] is Ellipsis:  # noqa: PLR2004 - tuple[str, ...]
        return _sequence(entries[:1])
    tests = tuple(map(_test_of, entries))
    return lambda value: (
        isinstance(value, tuple | list)
        and len(value) == len(tests)
        and all(test(each) for test, each in zip(tests, value, strict=True))
    )


def _sequence(entries: tuple[Any, ...]) -> Test:
    test = _test_of_entry(entries[0])
    takes_numbers = not {float, int, bool}.isdisjoint(options_of(entries[0]))

    def fits(value: Any) -> bool:
        if takes_numbers and _is_array(value) and value.dtype.kind in "iufb":
            return True  # without a look at each
        return _is_list(value) and all(map(test, value))

    return fits


def _test_of_entry(kind: Any) -> Test:
    """Whether a value can be one of many: arrays also as lists, numbers also as NaN or a bool."""
    options = options_of(kind)
    if len(options) > 1:
        tests = tuple(map(_test_of_entry, options))
        return lambda value: any(test(value) for test in tests)
    if is_array_type(options[0]):
        return lambda value: isinstance(value, list | tuple) or getattr(value, "ndim", 0) > 0
    return _is_real if options[0] is float else _test_of(kind)


def _is_real(value: object) -> bool:
    return type(value) is float or isinstance(value, numbers.Real) or _is_bool(value)


def _iterable(entries: tuple[Any, ...], *, wanted: type = Iterable) -> Test:
    """Entries of what can be gone through again are looked at; an iterator would be used up."""
    test = _test_of_entry(entries[0])

    def fits(value: object) -> bool:
        if isinstance(value, str | bytes) or not isinstance(value, wanted):
            return False
        return not isinstance(value, Collection) or all(map(test, value))

    return fits


def _mapping(entries: tuple[Any, ...], *, wanted: type = Mapping) -> Test:
    key, entry = map(_test_of_entry, entries)
    return lambda value: (
        isinstance(value, wanted)
        and all(map(key, value))  # type: ignore[call-overload]  # a mapping
        and all(map(entry, value.values()))  # type: ignore[attr-defined]  # a mapping
    )


def _class(entries: tuple[Any, ...]) -> Test:
    (wanted,) = entries
    if not isinstance(wanted, type):
        return functools.partial(_is_instance, type)
    return lambda value: isinstance(value, type) and issubclass(value, wanted)


_GENERIC: Final[dict[Any, Callable[[tuple[Any, ...]], Test]]] = {
    Literal: _literal,
    tuple: _tuple,
    Sequence: _sequence,
    list: functools.partial(_iterable, wanted=list),
    Iterable: _iterable,
    Collection: functools.partial(_iterable, wanted=Collection),
    set: functools.partial(_iterable, wanted=set),
    frozenset: functools.partial(_iterable, wanted=frozenset),
    Mapping: _mapping,
    dict: functools.partial(_mapping, wanted=dict),
    type: _class,
}
