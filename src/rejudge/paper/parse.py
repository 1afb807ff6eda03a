"""From paper.yaml to a paper, or to everything that is wrong with it.

A file of conditions has the same keys, and describes results that have no study.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, get_args

from rejudge.errors import Problem, StudyError
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
UNSTATED = (
    "unstated"  # placeholder for what a file of conditions may omit, because the results have it
)
_UNSTATED_PARTS: dict[str, Json] = {
    "id": UNSTATED,
    "reference": {"authors": UNSTATED, "year": 2000, "title": UNSTATED},
    "systems": [{"id": UNSTATED}],
    "criteria": [{"id": UNSTATED, "scale": {"kind": "unbounded"}}],
}
_CONDITIONS_REMEDY = (
    "Write what is known about how the judgments were collected, such as `conditions: {platform: "
    "Prolific, participants-per-item: 3}`; docs/reference/paper-yaml.md lists the keys."
)


def parse(text: str, *, file: str = "paper.yaml") -> Paper:
    """The paper that a text describes.

    Raises one `StudyError` with every problem of the text, in the order of lines.
    """
    written = read_yaml(
        text.removeprefix("\ufeff"),
        file=file,
        beginning="`rejudge paper new FILE` writes one to start from.",
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
    """The same, with printed numbers as written in the file: 0.50 keeps its two decimals."""
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
    """Replace a number by the text it was read from; other values stay."""
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
    return None  # of a duplicate key the first counts, and it may be shorter


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def parse_conditions(text: str, *, file: str = "conditions.yaml") -> Paper:
    """A file with the keys of paper.yaml, of which only `conditions` is required.

    Raises one `StudyError` with every problem of the text, in the order of lines.
    """
    return _described_paper(
        read_yaml(text.removeprefix("\ufeff"), file=file, beginning=_CONDITIONS_REMEDY), file=file
    )


def parse_run_conditions(
    text: str, *, file: str = "conditions.yaml"
) -> Mapping[str, Paper] | Paper:
    """The same for one run, or for several: then every key is the id of a run, with its section.

    Raises one `StudyError` with every problem of the text.
    """
    written = read_yaml(text.removeprefix("\ufeff"), file=file, beginning=_CONDITIONS_REMEDY)
    values = written.values
    is_one = any(name in Paper.model_fields for name in values)
    if is_one or not all(isinstance(section, dict) for section in values.values()):
        return _described_paper(written, file=file)
    if written.problems:
        raise StudyError(*in_order(written.problems, first=file))
    found: dict[str, Paper] = {}
    problems: list[Problem] = []
    for name in values:
        try:
            found[name] = _described_paper(
                _section(written, name), file=file, of=f" in the section '{name}'"
            )
        except StudyError as error:
            problems.extend(error.problems)
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return found


def unstated_conditions() -> Paper:
    """The description of a run for which no conditions are given."""
    return Paper.model_validate(_UNSTATED_PARTS)


def _section(written: YamlFile, name: str) -> YamlFile:
    """The content of one key, with its lines."""
    inside = written.values[name]
    return YamlFile(
        inside if isinstance(inside, dict) else {},
        {path[1:]: line for path, line in written.lines.items() if path[:1] == (name,)},
        {path[1:]: word for path, word in written.words.items() if path[:1] == (name,)},
    )


def _described_paper(written: YamlFile, *, file: str, of: str = "") -> Paper:
    told = written.values
    if not told.get("conditions"):
        line = written.line(()) if of else None
        raise StudyError(
            Problem(f"there are no conditions{of}.", _CONDITIONS_REMEDY, file=file, line=line)
        )
    written = as_printed(replace(written, values={**_UNSTATED_PARTS, **told}))
    understood = sound_part(written, Paper, _UNSTATED_PARTS, file=file)
    problems = [
        *written.problems,
        *understood.problems,
        *inconsistencies(understood, written, file=file),
    ]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return understood.spec
