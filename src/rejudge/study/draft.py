"""The sound part of a file that may have faults, so that one fault does not hide others.

What is broken is taken out (an entry of a list, a key of a section, or the section) and the rest is
validated again; what is required gets a stand-in.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from rejudge.errors import Problem, StudyError
from rejudge.fingerprint import Json
from rejudge.study.model import Spec
from rejudge.study.schema import field_at, kinds_at
from rejudge.study.wording import WrongValue, in_words
from rejudge.study.yaml_file import MOST_LISTED, Path, YamlFile, count_more, field_name

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
    """The parts of a file that could be understood."""

    spec: Root
    broken: frozenset[str]  # sections of which something was taken out
    gone: frozenset[str]  # sections that a stand-in was put in for
    kept: Kept
    problems: tuple[Problem, ...]

    def written_path(self, *path: str | int) -> Path:
        """Where a value of the spec is in the file."""
        return written_path(path, self.kept)


def draft(written: YamlFile, *, file: str) -> Draft[Spec]:
    """The spec of a study, or its sound part, with all problems found on the way."""
    return sound_part(written, Spec, _STAND_INS, file=file)


def sound_part(
    written: YamlFile, root: type[Root], stand_ins: Mapping[str, Json], *, file: str
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

    def take_out(self, found: Iterable[FieldFault]) -> None:
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
        if declared is None or not declared.is_required():
            return
        if declared.examples:
            section[str(path[1])] = copy.deepcopy(declared.examples[0])
        else:  # without it the section can never be sound
            del self.values[str(path[0])]

    def _shorten(self, path: Path, places: set[int]) -> None:
        entries = _at(self.values, path)
        if not isinstance(entries, list):
            if entries is not None:  # one entry that was written without its list
                self._take_out_key(path)
            return  # else the section went for another fault
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


Kept: TypeAlias = dict[Path, list[int]]  # of shortened lists: which written entries are left


@dataclass(frozen=True, slots=True)
class FieldFault:
    """A problem and the path of the value to blame, so that the rest can still be looked at."""

    path: Path
    problem: Problem
    is_extra: bool  # an unknown key: without it the rest around it may be sound


def faults(
    error: ValidationError, written: YamlFile, kept: Kept, *, root: type[BaseModel], file: str
) -> Iterator[FieldFault]:
    """Each fault once; the echoes of pydantic's unions and of emptied lists are left out.

    Of very many, the last one only counts the rest, and blames the whole file.
    """
    found = [each for each in error.errors(include_url=False) if not _is_echo(each)]
    for details in found[:MOST_LISTED]:
        yield _fault(details, written, kept, root=root, file=file)
    if len(found) > MOST_LISTED:
        yield FieldFault((), count_more(len(found) - MOST_LISTED, file=file), is_extra=False)


def written_path(path: Path, kept: Kept) -> Path:
    """The path in the file of a value whose list may have been shortened."""
    for depth, part in enumerate(path):
        if isinstance(part, int):
            places = kept.get(path[:depth])
            return path if places is None else (*path[:depth], places[part], *path[depth + 1 :])
    return path


def _fault(
    details: ErrorDetails, written: YamlFile, kept: Kept, *, root: type[BaseModel], file: str
) -> FieldFault:
    location = details["loc"]
    path = _path(location, root)
    context = details.get("ctx", {})
    if "key" in context:
        path = (*path, context["key"])
    kind = details["type"]
    if kind == "missing" and isinstance(path[-1], int):  # half a pair: the pair is to blame
        path = path[:-1]
    if kind.startswith("union_tag"):
        path = (*path, "kind")
    in_file = written_path(path, kept)
    found = WrongValue(
        path=in_file,
        location=location,
        root=root,
        value=details["input"],
        context=context,
        word=written.words.get(in_file),
        message=details["msg"],
    )
    what, remedy = (" ".join(words.split()) for words in in_words(kind, found))
    line = written.line(in_file)
    problem = Problem(what, remedy, file=file, line=line, field=field_name(in_file))
    return FieldFault(path, problem, is_extra=kind == "extra_forbidden")


def _path(location: tuple[str | int, ...], root: type[BaseModel]) -> Path:
    """The path in the file: without the tags of unions, which come third, and key marks."""
    in_union = location[:2] == ("design", "pairs") or (
        len(location) > _PLACE_OF_TAG and location[_PLACE_OF_TAG] in kinds_at(location[:2], root)
    )
    return tuple(
        part
        for place, part in enumerate(location)
        if part != "[key]" and not (in_union and place == _PLACE_OF_TAG)
    )


_PLACE_OF_TAG = 2


def _is_echo(details: ErrorDetails) -> bool:
    location, value = details["loc"], details["input"]
    if location[:2] == ("design", "pairs"):
        is_list = isinstance(value, list | tuple)
        if location[2] == "literal['all']":
            return is_list
        return len(location) == _PLACE_OF_TAG + 1 and not is_list
    if details["type"] == "too_short":  # entries that were refused are not missing
        return len(value) >= int(details["ctx"]["min_length"])
    return False
