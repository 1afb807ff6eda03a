"""What the fields of a HIT mean, according to a mapping file or to their names.

A mapping file is YAML. Every key is optional; what is left out is found by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rejudge.errors import FileError, Problem, StudyError
from rejudge.incoming import TEXT_BYTES, decode, read_bytes
from rejudge.study.yaml_file import read_yaml

_FIRST_LETTERS = ("a", "A", "1", "0")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class QuestionMapping(_Part):
    """One answer field as a question."""

    id: str | None = Field(None, description="Name of the criterion; the field when left out.")
    kind: Literal["pairwise", "rating", "slider"] | None = None
    prompt: str = ""
    values: dict[str, str | float] = Field(
        default_factory=dict, description="What an answer stands for: a, b, tie or a number."
    )


class CheckMapping(_Part):
    """A system whose text must lose: not a system, but an attention check."""

    system: str
    question: str


class Criteria(_Part):
    """Who could take part in the original."""

    approval_percent: Annotated[float, Field(ge=0, le=100)] | None = None
    previous_submissions: Annotated[int, Field(ge=0)] | None = None
    regions: tuple[str, ...] = ()
    repeat_workers: str = ""  # whether somebody could do several HITs
    failed_checks: str = ""  # what was done about them; other platforms may forbid it


class HitMapping(_Part):
    """The content of a mapping file."""

    id: str = "mturk-study"
    title: str = ""
    item: str | tuple[str, ...] = ()
    input: str | None = None
    reference: str | None = None
    dataset: str | None = None
    outputs: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    questions: dict[str, QuestionMapping] = Field(default_factory=dict)
    checks: tuple[CheckMapping, ...] = ()
    criteria: Criteria = Criteria()
    assignments: Annotated[int, Field(ge=1)] | None = None
    unescape: bool = True
    html: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Roles:
    """Which field of a record is what."""

    outputs: tuple[str, ...]
    systems: tuple[str, ...]
    input: str | None = None
    reference: str | None = None
    dataset: str | None = None
    item: tuple[str, ...] = ()

    @property
    def used(self) -> frozenset[str]:
        """All fields that have a role."""
        single = (self.input, self.reference, self.dataset)
        return frozenset((*self.outputs, *self.systems, *self.item, *filter(None, single)))


def read_hit_mapping(path: Path) -> HitMapping:
    """A mapping file, or every fault in it."""
    text = decode(read_bytes(path, remedy="Give a YAML file.", limit=TEXT_BYTES), file=str(path))
    try:
        values = read_yaml(text, file=str(path)).values
        return HitMapping.model_validate(values)
    except ValidationError as error:
        raise FileError(
            *(
                Problem(f"{each['msg']}.", "", str(path), field=".".join(map(str, each["loc"])))
                for each in error.errors()
            )
        ) from None
    except StudyError as error:
        raise FileError(*error.problems) from None


_NAMES: Mapping[str, tuple[str, ...]] = {
    "item": ("ix", "id", "idx", "index", "item", "itemid", "exampleid", "example", "uid"),
    "input": ("input", "source", "src", "original", "question", "prompt", "context", "document",
              "article", "dialogue", "term"),
    "reference": ("reference", "ref", "gold", "target"),
    "dataset": ("dataset", "corpus", "domain"),
    "systems": ("system", "model", "method", "systemname", "modelname", "sys"),
    "outputs": ("output", "hypothesis", "hyp", "summary", "translation", "paraphrase", "response",
                "candidate", "generated", "prediction", "text", "sentence", "definition", "story"),
}  # fmt: skip


def find_roles(fields: Sequence[str], mapping: HitMapping, *, file: str) -> Roles:
    """The roles of the fields, or an error that lists the fields."""
    finder = _Finder(fields)
    outputs = mapping.outputs or finder.several("outputs")
    systems = mapping.systems or finder.several("systems")
    item = (mapping.item,) if isinstance(mapping.item, str) else mapping.item
    roles = Roles(
        outputs,
        systems,
        mapping.input or finder.one("input"),
        mapping.reference or finder.one("reference"),
        mapping.dataset or finder.one("dataset"),
        item or tuple(filter(None, [finder.one("item")])),
    )
    problems = list(_role_problems(roles, fields, file))
    if problems:
        raise FileError(*problems)
    return roles


def _role_problems(roles: Roles, fields: Sequence[str], file: str) -> Iterable[Problem]:
    there = f"The fields are {', '.join(fields)}."
    for name in sorted(roles.used - set(fields)):
        yield Problem(f"there is no field '{name}'.", there, file=file)
    if not roles.outputs:
        what = "no field was recognised as the output of a system."
        yield Problem(what, f"Name it in a mapping file: `outputs: [field]`. {there}", file=file)
    elif len(roles.systems) != len(roles.outputs):
        what = "it is not known which system wrote which output."
        remedy = f"Name the fields in a mapping file: `systems: [field, …]`. {there}"
        yield Problem(what, remedy, file=file)


@dataclass(frozen=True, slots=True)
class _Finder:
    fields: Sequence[str]

    def one(self, role: str) -> str | None:
        """The field of this role; names are tried in the order of the table."""
        plain = {_plain(field): field for field in reversed(self.fields)}
        return next((plain[name] for name in _NAMES[role] if name in plain), None)

    def several(self, role: str) -> tuple[str, ...]:
        """Fields such as outputa and outputb, or the only one."""
        groups = [group for base, group in _lettered(self.fields).items() if base in _NAMES[role]]
        if groups:
            return max(groups, key=len)
        found = self.one(role)
        return () if found is None else (found,)


def _plain(field: str) -> str:
    return re.sub(r"[_\s.-]", "", field).casefold()


def _lettered(fields: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Fields that differ in their last letter or digit alone, counted from a or 1."""
    groups: dict[str, dict[str, str]] = {}
    for field in fields:
        base, mark = field[:-1], field[-1:]
        if base and (mark.isdigit() or mark.casefold() in "abcdefgh"):
            groups.setdefault(_plain(base), {})[mark] = field
    found = {}
    for base, marks in groups.items():
        ordered = sorted(marks)
        is_run = [ord(mark) - ord(ordered[0]) for mark in ordered] == list(range(len(ordered)))
        if len(ordered) > 1 and is_run and ordered[0] in _FIRST_LETTERS:
            found[base] = tuple(marks[mark] for mark in ordered)
    return found
