"""The questions of the Human Evaluation Datasheet, and which version of the form a file is from.

Ids, numbers and option values are those of the forms, because files are matched by them; labels
and hints are ours. One data file per form: `questions-3.0.json` (form of 2024-12-12) and
`questions-2.x.json` (form of 2022-11-18, which prints no version of its own).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final, Literal, TypeAlias

from rejudge.errors import DataError, FileError, Problem
from rejudge.fingerprint import Json

Version: TypeAlias = Literal["2.x", "3.0"]
AnswerKind: TypeAlias = Literal["text", "integer", "single", "multi"]
Fill: TypeAlias = Literal["auto", "draft", "once", "human"]

VERSIONS: Final[tuple[Version, ...]] = ("2.x", "3.0")
CRITERION_LIST: Final = "heds-criteria-criterion"
_PRINTED = re.compile(r"^\d+\.\s+")
_MARKUP = re.compile(r"</?u>")
_NEW_ID: Final = "-qc_name-"


@dataclass(frozen=True, slots=True)
class SheetOption:
    """One option of a choice question."""

    key: int  # its place in the list, from 1; not always the number that its value begins with
    value: str  # as the form prints and stores it
    needs_text: bool = False  # the form asks for an explanation
    may_have_text: bool = False  # an explanation is stored, but the form does not show it
    exclusive: bool = False  # "none of these": cannot be ticked together with others

    @property
    def name(self) -> str:
        """The value without its printed number and markup."""
        return _MARKUP.sub("", _PRINTED.sub("", self.value))

    @property
    def takes_text(self) -> bool:
        """Whether the explanation belongs to this option."""
        return self.needs_text or self.may_have_text

    @property
    def is_absent(self) -> bool:
        """Whether it says that the question does not apply."""
        return self.name.startswith("N/A")


@dataclass(frozen=True, slots=True)
class SheetQuestion:
    """One question of the sheet."""

    number: str
    id: str
    kind: AnswerKind
    label: str
    hint: str
    fill: Fill  # how it can be answered: computed, drafted, from a profile, or by a person only
    multiline: bool = False
    absent: str | None = None  # what the form asks people to write where there is nothing to say
    options: tuple[SheetOption, ...] = ()

    @property
    def is_choice(self) -> bool:
        """Whether it is answered by ticking options."""
        return bool(self.options)

    @property
    def per_criterion(self) -> bool:
        """Whether it is answered once for each quality criterion."""
        return self.id.startswith(f"{CRITERION_LIST}-")

    @property
    def text_id(self) -> str:
        """Where the text of the answer is stored; of a choice, the explanation."""
        return f"{self.id}-other_text" if self.options else self.id

    @property
    def storage_ids(self) -> tuple[str, ...]:
        """All keys of the file under which the answer is stored."""
        return (*(self.option_id(option.key) for option in self.options), self.text_id)

    def option_id(self, key: int) -> str:
        """Where it is stored whether an option is ticked."""
        return f"{self.id}-{key}"

    def option(self, key: int) -> SheetOption:
        """The option with a key."""
        return self.options[key - 1]


@dataclass(frozen=True, slots=True)
class SheetSection:
    """A heading of the sheet: `2` or `3.1.3`."""

    number: str
    title: str

    @property
    def level(self) -> int:
        """How deep it lies: 1 for the five main sections."""
        return self.number.count(".") + 1


@dataclass(frozen=True)
class SheetSchema:
    """All questions of one version of the form."""

    version: Version
    form_date: str
    writes_number: bool  # whether each entry of the file carries the number of its question
    sections: tuple[SheetSection, ...]
    questions: tuple[SheetQuestion, ...]

    def question(self, name: str) -> SheetQuestion:
        """The question with a number ("3.2.1") or an id."""
        try:
            return self._by_name[name]
        except KeyError:
            what = f"The datasheet {self.version} has no question '{name}'."
            numbers = ", ".join(question.number for question in self.questions)
            raise DataError(Problem(what, f"Its questions: {numbers}.")) from None

    def has(self, name: str) -> bool:
        """Whether there is a question with this number or id."""
        return name in self._by_name

    def owner(self, storage_id: str) -> SheetQuestion | None:
        """The question to whose answer a key of the file belongs."""
        return self._by_storage_id.get(storage_id)

    def section_of(self, question: SheetQuestion) -> SheetSection:
        """The innermost heading above a question."""
        place = f"{question.number}."
        above = [each for each in self.sections if place.startswith(f"{each.number}.")]
        return max(above, key=lambda each: each.level)

    @cached_property
    def storage_ids(self) -> tuple[str, ...]:
        """All keys of a complete file: 565 or 569."""
        return (CRITERION_LIST, *self._by_storage_id)

    @cached_property
    def _by_name(self) -> Mapping[str, SheetQuestion]:
        pairs = [(name, each) for each in self.questions for name in (each.number, each.id)]
        return dict(pairs)

    @cached_property
    def _by_storage_id(self) -> Mapping[str, SheetQuestion]:
        return {id_: each for each in self.questions for id_ in each.storage_ids}


@cache
def schema(version: Version) -> SheetSchema:
    """The questions of one version."""
    if version not in VERSIONS:
        what = f"There is no version '{version}' of the datasheet."
        raise DataError(Problem(what, f"Known versions: {', '.join(VERSIONS)}."))
    stored = _data(f"questions-{version}.json")
    return SheetSchema(
        version=version,
        form_date=stored["form"],
        writes_number=stored["writes_number"],
        sections=tuple(SheetSection(**each) for each in stored["sections"]),
        questions=tuple(_question(each, stored["languages"]) for each in stored["questions"]),
    )


def _question(stored: dict[str, Any], languages: dict[str, Any]) -> SheetQuestion:  # Any: JSON
    options = stored.get("options", [])
    if options == "languages":
        options = [*languages["before"], *_languages(), *languages["after"]]
    made = tuple(SheetOption(key, **each) for key, each in enumerate(options, 1))
    return SheetQuestion(**{**stored, "options": made})


def _languages() -> list[dict[str, str]]:
    return [{"value": f"{n}. {name}"} for n, name in enumerate(_data("languages.json").values(), 1)]


@cache
def _data(name: str) -> Any:  # JSON
    return json.loads(resources.files("rejudge.heds").joinpath(name).read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class DetectedVersion:
    """The version of a file."""

    version: Version
    is_mixed: bool = False  # holds entries that only the older form makes, beside newer ones


def detect_version(entries: Mapping[str, Json], *, file: str | None = None) -> DetectedVersion:
    """The version that a file shows; a file without any id of the form is refused."""
    ids = [key for key in entries if key.startswith("heds-")]
    if not ids and not _stated(entries) and entries:
        what = "this is not a datasheet: none of its keys belongs to the form."
        raise FileError(Problem(what, "Check that it is the right file.", file=file))
    is_new = any(_has_number(entries[key]) or _NEW_ID in key for key in ids)
    is_old = any(True for _ in legacy_ids(entries))
    if is_new:
        return DetectedVersion("3.0", is_mixed=is_old)
    if is_old:
        return DetectedVersion("2.x")
    return DetectedVersion(_stated(entries) or "2.x")  # an untouched 2.x form saves `{}`


def legacy_ids(entries: Mapping[str, Json]) -> Iterator[str]:
    """Ids that only the 2.x form makes: their presence beside newer ones proves where from."""
    newer = set(schema("3.0").storage_ids)
    for question in schema("2.x").questions:
        for id_ in question.storage_ids:
            if id_ not in newer and id_ in entries:
                yield id_


def _has_number(entry: Json) -> bool:
    return isinstance(entry, dict) and "number" in entry


def _stated(entries: Mapping[str, Json]) -> Version | None:
    extra = entries.get("x-rejudge")
    said = extra.get("heds_version") if isinstance(extra, dict) else None
    return next((version for version in VERSIONS if version == said), None)


# Tags that people use for one of these: three letters of ISO 639-3, or single varieties.
_ALSO: Final = {"cmn": "zh", "yue": "zh", "fil": "tl", "arb": "ar", "pes": "fa", "swh": "sw"}


def language_option(question: SheetQuestion, tag: str) -> SheetOption | None:
    """The option for a language tag such as `en` or `pt-BR`; None where the form lists none."""
    code = tag.partition("-")[0].casefold()
    name = _data("languages.json").get(_ALSO.get(code, code))
    return next((each for each in question.options if name and each.name == name), None)
