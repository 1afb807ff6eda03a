"""What pydantic finds wrong in a file, as problems with a line, plain words and a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from rejudge.errors import Problem
from rejudge.study.anatomy import kinds_at
from rejudge.study.wording import Found, in_words
from rejudge.study.written import Path, Written, field_name

Kept: TypeAlias = dict[Path, list[int]]  # of shortened lists: which written entries are left


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem and the path of the value to blame, so that the rest can still be looked at."""

    path: Path
    problem: Problem
    is_extra: bool  # an unknown key: without it the rest around it may be sound


def faults(
    error: ValidationError, written: Written, kept: Kept, *, root: type[BaseModel], file: str
) -> Iterator[Fault]:
    """Each fault once; the echoes of pydantic's unions and of emptied lists are left out."""
    for details in error.errors(include_url=False):
        if not _is_echo(details):
            yield _fault(details, written, kept, root=root, file=file)


def written_path(path: Path, kept: Kept) -> Path:
    """The path in the file of a value whose list may have been shortened."""
    for depth, part in enumerate(path):
        if isinstance(part, int):
            places = kept.get(path[:depth])
            return path if places is None else (*path[:depth], places[part], *path[depth + 1 :])
    return path


def _fault(
    details: ErrorDetails, written: Written, kept: Kept, *, root: type[BaseModel], file: str
) -> Fault:
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
    found = Found(
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
    return Fault(path, problem, is_extra=kind == "extra_forbidden")


def _path(location: tuple[str | int, ...], root: type[BaseModel]) -> Path:
    """The path in the file: without the tags of unions, which stand third, and key marks."""
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
