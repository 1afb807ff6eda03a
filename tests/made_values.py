"""A value for each type that public functions take: found in others, or built from its fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
from pydantic import BaseModel, ValidationError
from rejudge.arguments.kinds import is_array_type, kinds_of, options_of

from rejudge.errors import RejudgeError


class NoValue(Exception):  # noqa: N818 - says what is the case
    """There is no value of a type."""


NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
PLAIN: dict[Any, Callable[[], Any]] = {
    str: lambda: "x",
    int: lambda: 1,
    float: lambda: 0.5,
    bool: lambda: False,
    bytes: lambda: b"x",
    object: lambda: "x",
    Any: lambda: "x",
    date: lambda: date(2026, 3, 2),
    datetime: lambda: NOW,
    np.random.Generator: lambda: np.random.default_rng(1),
    Callable: lambda: lambda *_: None,
}
MOST_ENTRIES = 5  # of a list that are looked at


class MadeValues:
    """Values by their class: those that were added, and whatever they contain."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[type, Any] = {}
        self.seen: dict[int, object] = {}  # kept, so that no other value gets the same id
        self.building: set[type] = set()

    def add(self, value: object) -> None:
        """Remember a value and its parts."""
        if id(value) in self.seen or isinstance(value, str | bytes | np.ndarray | type):
            return
        self.seen[id(value)] = value
        if isinstance(value, Mapping):
            parts = list(value.values())[:MOST_ENTRIES]
        elif isinstance(value, Sequence | AbstractSet):
            parts = list(value)[:MOST_ENTRIES]
        else:
            parts = [getattr(value, name, None) for name in _fields(type(value))]
            for each in type(value).__mro__[:-1]:
                self.known.setdefault(each, value)
        for part in parts:
            self.add(part)

    def of(self, kind: Any) -> Any:
        """A value of the first type in a union for which there is one; None if that is allowed."""
        options = options_of(kind)
        for each in options:
            try:
                return self._of_one(each)
            except NoValue:
                continue
        if type(None) in options:
            return None
        raise NoValue(kind)

    def _of_one(self, kind: Any) -> Any:
        named = get_origin(kind) or kind
        if get_args(kind) and named in CONTAINERS:
            return CONTAINERS[named](self, get_args(kind))
        if is_array_type(kind):
            return np.arange(4)
        if named is Path:
            return self.folder
        if named in PLAIN:
            return PLAIN[named]()
        if named not in self.known:
            self._build(named)
        return self.known[named]

    def _build(self, kind: Any) -> None:
        """Make a value of a class from values of its fields."""
        if not isinstance(kind, type) or kind in self.building or not _fields(kind):
            raise NoValue(kind)
        self.building.add(kind)
        try:
            self.add(kind(**{name: self.of(each) for name, each in _required(kind)}))
        except (RejudgeError, ValidationError) as error:
            raise NoValue(kind) from error
        finally:
            self.building.discard(kind)


def _tuple(made: MadeValues, entries: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(made.of(each) for each in entries if each is not Ellipsis)


CONTAINERS: dict[Any, Callable[[MadeValues, tuple[Any, ...]], Any]] = {
    Literal: lambda _, words: words[0],
    Mapping: lambda made, entries: dict([_tuple(made, entries)]),
    dict: lambda made, entries: dict([_tuple(made, entries)]),
    tuple: _tuple,
    set: lambda made, entries: {*_tuple(made, entries)},
    frozenset: lambda made, entries: frozenset(_tuple(made, entries)),
    **dict.fromkeys((list, Sequence, Collection, Iterable), lambda made, x: [*_tuple(made, x)]),
}


def _fields(kind: type) -> Collection[str]:
    if issubclass(kind, BaseModel):
        return kind.model_fields
    return (
        [each.name for each in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else ()
    )


def _required(kind: type) -> list[tuple[str, Any]]:
    if issubclass(kind, BaseModel):
        return [(n, each.annotation) for n, each in kind.model_fields.items() if each.is_required()]
    types = kinds_of(kind.__init__)  # type: ignore[misc]  # of a dataclass
    none = dataclasses.MISSING
    return [
        (each.name, types[each.name].type)
        for each in dataclasses.fields(kind)  # type: ignore[arg-type]  # a dataclass
        if each.init and each.default is none and each.default_factory is none
    ]
