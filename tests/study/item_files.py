"""Item files as tests write them, and what is read from them."""

from __future__ import annotations

from rejudge.errors import Problem, StudyError
from rejudge.study.items import read_items
from rejudge.study.model import Item, Spec
from small_study import minimal


def wide(texts: list[tuple[str, ...]]) -> list[list[str]]:
    return [
        ["id", "input", "reference", "a", "b"],
        *([f"i{n}", *row] for n, row in enumerate(texts)),
    ]


def problems(content: str | bytes, spec: Spec | None = None, file: str = "i.csv") -> list[Problem]:
    raw = content.encode() if isinstance(content, str) else content
    try:
        read_items(raw, spec or minimal(), file=file)
    except StudyError as error:
        return list(error.problems)
    return []


def items(content: str, spec: Spec | None = None, file: str = "i.csv") -> tuple[Item, ...]:
    return read_items(content.encode(), spec or minimal(), file=file).items
