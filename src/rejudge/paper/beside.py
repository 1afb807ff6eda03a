"""What is given beside results that have no study: their conditions, in the keys of paper.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rejudge.errors import Problem, StudyError
from rejudge.fingerprint import Json
from rejudge.paper.consistency import inconsistencies
from rejudge.paper.model import Paper
from rejudge.paper.parse import as_printed
from rejudge.study.draft import sound_part
from rejudge.study.yaml_file import YamlFile, in_order, read_yaml

UNTOLD = "untold"  # stands for what a file of conditions may leave out, as the results know it

_STAND_INS: dict[str, Json] = {
    "id": UNTOLD,
    "reference": {"authors": UNTOLD, "year": 2000, "title": UNTOLD},
    "systems": [{"id": UNTOLD}],
    "criteria": [{"id": UNTOLD, "scale": {"kind": "unbounded"}}],
}
_REMEDY = (
    "Write what is known of how the judgments were made, such as `conditions: {platform: Prolific, "
    "participants-per-item: 3}`; docs/reference/paper-yaml.md lists the keys."
)


def parse_beside(text: str, *, file: str = "conditions.yaml") -> Paper:
    """The keys of paper.yaml, of which only `conditions` is needed; numbers come from elsewhere.

    Raises one `StudyError` with every problem of the text, in the order of lines.
    """
    return _parsed(read_yaml(text.removeprefix("\ufeff"), file=file, beginning=_REMEDY), file=file)


def parse_runs_beside(text: str, *, file: str = "conditions.yaml") -> Mapping[str, Paper] | Paper:
    """The same for one run, or for several: then every key is the id of a run, with its section.

    Raises one `StudyError` with every problem of the text.
    """
    written = read_yaml(text.removeprefix("\ufeff"), file=file, beginning=_REMEDY)
    values = written.values
    is_one = any(name in Paper.model_fields for name in values)
    if is_one or not all(isinstance(section, dict) for section in values.values()):
        return _parsed(written, file=file)
    if written.problems:
        raise StudyError(*in_order(written.problems, first=file))
    found: dict[str, Paper] = {}
    problems: list[Problem] = []
    for name in values:
        try:
            found[name] = _parsed(
                _section(written, name), file=file, of=f" in the section '{name}'"
            )
        except StudyError as error:
            problems.extend(error.problems)
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return found


def nothing_beside() -> Paper:
    """What stands for a file of conditions where none is given."""
    return Paper.model_validate(_STAND_INS)


def _section(written: YamlFile, name: str) -> YamlFile:
    """What stands under one key, with its lines."""
    inside = written.values[name]
    return YamlFile(
        inside if isinstance(inside, dict) else {},
        {path[1:]: line for path, line in written.lines.items() if path[:1] == (name,)},
        {path[1:]: word for path, word in written.words.items() if path[:1] == (name,)},
    )


def _parsed(written: YamlFile, *, file: str, of: str = "") -> Paper:
    told = written.values
    if not told.get("conditions"):
        line = written.line(()) if of else None
        raise StudyError(
            Problem(f"this says nothing of conditions{of}.", _REMEDY, file=file, line=line)
        )
    written = as_printed(replace(written, values={**_STAND_INS, **told}))
    understood = sound_part(written, Paper, _STAND_INS, file=file)
    problems = [
        *written.problems,
        *understood.problems,
        *inconsistencies(understood, written, file=file),
    ]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return understood.spec
