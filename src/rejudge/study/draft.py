"""The sound part of a file that may have faults, so that one fault does not hide others.

What is broken is taken out (an entry of a list, a key of a section, or the section) and the rest is
validated again; what is required gets a stand-in.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from rejudge.errors import Problem, StudyError
from rejudge.fingerprint import Json
from rejudge.study.anatomy import field_at
from rejudge.study.faults import Fault, Kept, faults, written_path
from rejudge.study.model import Spec
from rejudge.study.written import Path, Written

Root = TypeVar("Root", bound=BaseModel)

_STAND_INS: dict[str, Json] = {
    "id": "study",
    "title": "study",
    "systems": ["system"],
    "questions": [{"kind": "rating", "id": "question", "prompt": "?", "beside": []}],
    "design": {"seed": 0, "batch": {"inputs": 1}},
}


@dataclass(frozen=True, slots=True)
class Draft(Generic[Root]):
    """What of a file could be understood."""

    spec: Root
    broken: frozenset[str]  # sections of which something was taken out
    gone: frozenset[str]  # sections that a stand-in was put in for
    kept: Kept
    problems: tuple[Problem, ...]

    def written_path(self, *path: str | int) -> Path:
        """Where a value of the spec stands in the file."""
        return written_path(path, self.kept)


def draft(written: Written, *, file: str) -> Draft[Spec]:
    """The spec of a study, or its sound part, with all problems found on the way."""
    return sound_part(written, Spec, _STAND_INS, file=file)


def sound_part(
    written: Written, root: type[Root], stand_ins: Mapping[str, Json], *, file: str
) -> Draft[Root]:
    """What a file says, or its sound part, with all problems found on the way."""
    rest = _Rest(copy.deepcopy(written.values), root, stand_ins)
    problems: dict[Problem, None] = {}
    while True:
        try:
            spec = root.model_validate_json(json.dumps(rest.values), strict=True)
        except ValidationError as error:
            found = list(faults(error, written, rest.kept, root=root, file=file))
            problems.update((fault.problem, None) for fault in found)
            if any(not fault.path for fault in found):
                raise StudyError(*problems) from None
            rest.take_out(found)
        else:
            return Draft(
                spec, frozenset(rest.broken), frozenset(rest.gone), rest.kept, tuple(problems)
            )


@dataclass(slots=True)
class _Rest:
    """The values that are still believed to be sound."""

    values: dict[str, Json]
    root: type[BaseModel]
    stand_ins: Mapping[str, Json]
    kept: Kept = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    def take_out(self, found: Iterable[Fault]) -> None:
        entries: dict[Path, set[int]] = {}
        for fault in found:
            section = str(fault.path[0])
            entry = _outermost_entry(fault.path)
            if fault.is_extra:
                _delete(self.values, fault.path)
                continue
            self.broken.add(section)
            if entry is None:
                self._take_out_key(fault.path)
            else:
                entries.setdefault(entry[:-1], set()).add(int(entry[-1]))
        for path, places in entries.items():
            self._shorten(path, places)
        for name in self.stand_ins.keys() - self.values.keys():
            self.values[name] = copy.deepcopy(self.stand_ins[name])
            self.gone.add(name)

    def _take_out_key(self, path: Path) -> None:
        """Take a key out of its section, or the section itself, if that is to blame."""
        section = self.values.get(str(path[0]))
        if len(path) == 1 or not isinstance(section, dict):
            self.values.pop(str(path[0]), None)
            return
        declared = field_at(path[:2], self.root)
        section.pop(str(path[1]), None)
        if declared is not None and declared.is_required() and declared.examples:
            section[str(path[1])] = copy.deepcopy(declared.examples[0])

    def _shorten(self, path: Path, places: set[int]) -> None:
        entries = _at(self.values, path)
        if not isinstance(entries, list):  # the section went for another fault
            return
        left = [place for place in range(len(entries)) if place not in places]
        if not left:
            self.values.pop(str(path[0]))
            return
        before = self.kept.get(path, list(range(len(entries))))
        self.kept[path] = [before[place] for place in left]
        entries[:] = [entries[place] for place in left]


def _outermost_entry(path: Path) -> Path | None:
    """The path of the first list entry on the way, such as questions[2] of questions[2].points."""
    for depth, part in enumerate(path):
        if isinstance(part, int):
            return path[: depth + 1]
    return None


def _delete(values: Json, path: Path) -> None:
    around = _at(values, path[:-1])
    if isinstance(around, dict):
        around.pop(str(path[-1]), None)


def _at(values: Json, path: Path) -> Json:
    for part in path:
        if isinstance(values, list) and isinstance(part, int):
            values = values[part]
        elif isinstance(values, dict):
            values = values.get(str(part))
    return values
