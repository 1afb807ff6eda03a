"""From paper.yaml to a paper, or to all that is wrong with it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, get_args

from rejudge.errors import StudyError
from rejudge.fingerprint import Json
from rejudge.paper.consistency import inconsistencies
from rejudge.paper.model import FORMAT, Paper
from rejudge.paper.printed import PrintedNumber, PrintedProbability
from rejudge.study.draft import sound_part
from rejudge.study.schema import field_at
from rejudge.study.yaml_file import Path, YamlFile, in_order, read_yaml, refuse_later

_STAND_INS: dict[str, Json] = {
    "id": "paper",
    "reference": {"authors": "?", "year": 2000, "title": "?"},
    "systems": [{"id": "system"}],
    "criteria": [{"id": "criterion", "scale": {"kind": "unbounded"}}],
}


def parse(text: str, *, file: str = "paper.yaml") -> Paper:
    """The paper that a text describes.

    Raises one `StudyError` with every problem of the text, in the order of lines.
    """
    written = read_yaml(
        text.removeprefix("\ufeff"),
        file=file,
        beginning="`rejudge paper new FILE` writes one to begin with.",
    )
    refuse_later(written, FORMAT, file=file)
    written = as_printed(written)
    understood = sound_part(written, Paper, _STAND_INS, file=file)
    problems = [
        *written.problems,
        *understood.problems,
        *inconsistencies(understood, written, file=file),
    ]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return understood.spec


def as_printed(written: YamlFile) -> YamlFile:
    """The same, with printed numbers as they stand in the file: 0.50 keeps its two decimals."""
    values = copy.deepcopy(written.values)
    for path, word in written.words.items():
        if _is_printed(tuple(part for part in path if isinstance(part, str))):
            _put(values, path, word)
    return replace(written, values=values)


@cache
def _is_printed(names: tuple[str, ...]) -> bool:
    declared = field_at(names, Paper)
    return declared is not None and any(
        part in {PrintedNumber, PrintedProbability} for part in _types_in(declared.annotation)
    )


def _types_in(annotation: Any) -> Iterator[Any]:  # a type expression
    yield annotation
    for inner in get_args(annotation):
        yield from _types_in(inner)


def _put(values: Json, path: Path, word: str) -> None:
    """Put a word in the place of the number that was read from it; other values stay."""
    around = values
    for part in path[:-1]:
        around = _inside(around, part)
    last = path[-1]
    if not _is_number(_inside(around, last)):
        return
    if isinstance(around, dict):
        around[str(last)] = word
    elif isinstance(around, list):
        around[int(last)] = word


def _inside(around: Json, part: str | int) -> Json:
    if isinstance(around, dict):
        return around.get(str(part))
    if isinstance(around, list) and isinstance(part, int) and part < len(around):
        return around[part]
    return None  # of a key that stands twice, the first counts, and it may be shorter


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
