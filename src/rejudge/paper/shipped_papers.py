"""The papers that come with rejudge: facts from published tables, each with its place."""

from __future__ import annotations

from importlib import resources

from rejudge.english import did_you_mean, join_quoted
from rejudge.errors import Problem, UsageError
from rejudge.paper.model import Paper
from rejudge.paper.parse import parse

_ENDING = ".yaml"


def shipped_ids() -> tuple[str, ...]:
    """Their ids, in order of names."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING)))


def open_shipped(name: str) -> Paper:
    """One of them."""
    return parse(shipped_text(name), file=f"{name}{_ENDING}")


def shipped_text(name: str) -> str:
    """The text of one of them, to read or to start from."""
    known = shipped_ids()
    if name not in known:
        raise UsageError(
            Problem(
                f"there is no paper '{name}'.",
                did_you_mean(name, known)
                or f"The papers that come with rejudge are {join_quoted(known)}.",
            )
        )
    return _folder().joinpath(f"{name}{_ENDING}").read_text("utf-8")


def _folder() -> resources.abc.Traversable:
    return resources.files("rejudge.paper").joinpath("shipped")
