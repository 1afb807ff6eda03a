"""Bad arguments of public functions: one clear message instead of an error from inside.

Each package wraps the functions that it offers, in one line of its `__init__.py`. A call from
outside rejudge is checked before it begins: every argument is compared with the type that the
function states, and the first one that does not fit is reported with what to give instead. Calls
inside rejudge are checked by mypy, so that they lose no time here; only when one fails are its
arguments compared. An error that they do not explain is left as it is, because it is ours.

`rejudge.stats` also examines the numbers that it is given (`rejudge.stats.arguments`).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FunctionType
from typing import Any

from rejudge.errors import RejudgeError


def explain_arguments(package: str) -> None:
    """Wrap the functions in a package's `__all__`, as far as they are loaded."""
    names = vars(sys.modules[package])
    for name in names["__all__"]:
        if name in names:
            names[name] = _explained(names[name], package)


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__`: loads the module of a name when the name is first used."""

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"{package} has no '{name}'.")
        value = _explained(getattr(import_module(f"{package}.{modules[name]}"), name), package)
        vars(sys.modules[package])[name] = value  # the next time it is there
        return value

    return get


def _explained(value: Any, package: str) -> Any:
    """A public function that answers bad arguments with a message; anything else as it is."""
    is_cached = hasattr(value, "cache_clear")
    if not (isinstance(value, FunctionType) or is_cached) or hasattr(value, "explains_arguments"):
        return value

    @functools.wraps(value)
    def explained(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001 - documented
        if not caller.startswith("rejudge."):
            _refuse_misfits(value, args, kwargs)
        try:
            return value(*args, **kwargs)
        except RejudgeError:
            raise
        except Exception as error:
            _refuse_misfits(value, args, kwargs, error)
            raise

    explained.__module__ = package  # where it is found when it is pickled
    explained.explains_arguments = True  # type: ignore[attr-defined]  # so that it is done once
    if is_cached:
        explained.cache_clear = value.cache_clear  # type: ignore[attr-defined]  # as it had it
    return explained


def _refuse_misfits(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    error: Exception | None = None,
) -> None:
    from rejudge.arguments.misfits import refuse_misfits  # loaded when it is needed

    refuse_misfits(function, args, kwargs, error)
