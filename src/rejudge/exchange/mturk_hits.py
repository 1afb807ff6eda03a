"""What HITs showed and asked: items with their outputs on their sides, controls, and questions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Final, Literal, TypeAlias

from rejudge.english import count
from rejudge.errors import FileError, Problem
from rejudge.exchange.mturk_files import Shape, melt
from rejudge.exchange.mturk_mapping import HitMapping, QuestionMapping, Roles
from rejudge.study.kinds.question import LETTERS
from rejudge.study.page_elements import LayoutControl
from rejudge.study.page_layout import split_name

QuestionKind: TypeAlias = Literal["pairwise", "rating", "slider"]

# Names that requesters gave to the texts of attention checks, and the criterion on which they lose.
_LOSERS: Final[Mapping[str, str]] = {
    "distractor": r"mean|adequa|faithful|relevan",
    "distractors": r"mean|adequa|faithful|relevan",
    "inputs": r"dissim|divers|differ|novel",
    "input": r"dissim|divers|differ|novel",
    "copy": r"dissim|divers|differ|novel",
}
_TIES: Final = frozenset(
    {
        "tie", "same", "equal", "both", "neither", "draw", "nopreference", "nodifference",
        "equallygood", "aboutthesame", "thesame",
    }
)  # fmt: skip
_ABOUT_PEOPLE: Final = frozenset(
    {
        "age", "consent", "country", "degree", "education", "english", "ethnicity", "experience",
        "fluent", "gender", "language", "nationality", "native", "occupation", "sex", "speaker",
        "student",
    }
)  # fmt: skip
_WORST: Final = re.compile(r"(?<![a-z])(?:worst|worse|least)", re.IGNORECASE)
_MOST_POINTS: Final = 11
_PAIR: Final = 2
_PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class HitOutput:
    """One text on its side: which system wrote it."""

    system: str
    text: str


@dataclass(frozen=True, slots=True)
class HitItem:
    """One item of a HIT as it was shown."""

    item: str
    index: int | None  # at the end of its columns' names
    input: str
    reference: str
    dataset: str
    options: tuple[HitOutput, ...]
    loser: str | None  # the system whose text must lose; then it is an attention check


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of the input: what everybody who took it saw."""

    key: tuple[str, ...]  # its cells as they are in the file
    items: tuple[HitItem, ...]


@dataclass(frozen=True, slots=True)
class HitQuestion:
    """An answer field that is a question about every item of a HIT."""

    stem: str  # the field's name without the number of the item
    id: str
    kind: QuestionKind
    prompt: str
    values: Mapping[str, str]  # raw answer by what was sent; empty: the number itself
    bounds: tuple[float, float] | None = None
    labels: Mapping[float, str] = field(default_factory=dict)  # of a rating's points

    def __str__(self) -> str:
        ends = ", ".join(f"{point:g} = {words}" for point, words in sorted(self.labels.items()))
        how = ", the answer names the better output" if self.kind == "pairwise" else ""
        return f"{self.id} ({self.kind}{how}): “{self.prompt}”{f' ({ends})' if ends else ''}"


def read_hits(
    rows: Sequence[Mapping[str, str]],
    columns: Sequence[str],
    shape: Shape,
    *,
    roles: Roles,
    mapping: HitMapping,
) -> tuple[Hit, ...]:
    """Every different row as a HIT; a row that occurs again was posted again."""
    by_key: dict[tuple[str, ...], Hit] = {}
    names = _ItemNames(roles)
    for row in rows:
        key = tuple(row.get(column, "") for column in columns)
        if key in by_key:
            continue
        indices: Sequence[int | None] = shape.indices or (None,)
        records = zip(indices, melt(row, shape), strict=True)
        items = tuple(_item(index, plain_cells(r, mapping), names, mapping) for index, r in records)
        by_key[key] = Hit(key, items)
    return tuple(by_key.values())


def plain_cells(record: Mapping[str, str], mapping: HitMapping) -> Mapping[str, str]:
    """What people read: the page treated `&#44;` as a comma, so it was one."""
    if not mapping.unescape:
        return record
    return {
        name: cell if split_name(name)[0] in mapping.html or name in mapping.html
        else unescape(cell)
        for name, cell in record.items()
    }  # fmt: skip


def _item(
    index: int | None, record: Mapping[str, str], names: _ItemNames, mapping: HitMapping
) -> HitItem:
    roles = names.roles
    systems = [record[field].strip() for field in roles.systems]
    texts = [record[field] for field in roles.outputs]
    options = tuple(HitOutput(name, text) for name, text in zip(systems, texts, strict=True))
    return HitItem(
        item=names.name(record),
        index=index,
        input=record.get(roles.input or "", ""),
        reference=record.get(roles.reference or "", ""),
        dataset=record.get(roles.dataset or "", "").strip(),
        options=options,
        loser=_loser(systems, mapping),
    )


def _loser(systems: Sequence[str], mapping: HitMapping) -> str | None:
    known = {check.system for check in mapping.checks}
    if known:
        return next((name for name in systems if name in known), None)
    return next((name for name in systems if name.casefold() in _LOSERS), None)


def check_question(loser: str, mapping: HitMapping, questions: Collection[str]) -> str | None:
    """The question on which a check's text must lose; None if it was not asked."""
    for check in mapping.checks:
        if check.system == loser:
            return check.question if check.question in questions else None
    pattern = _LOSERS.get(loser.casefold(), "$.")
    return next((name for name in questions if re.search(pattern, name, re.IGNORECASE)), None)


class _ItemNames:
    """Ids of items: their own column, with the dataset before it, or a number for each input."""

    def __init__(self, roles: Roles) -> None:
        self.roles = roles
        self._numbers: dict[str, str] = {}

    def name(self, record: Mapping[str, str]) -> str:
        dataset = record.get(self.roles.dataset or "", "").strip()
        own = [record[field].strip() for field in self.roles.item]
        if self.roles.item and all(own):
            parts = own if dataset in own or not dataset else [dataset, *own]
            return "-".join(parts)
        text = record.get(self.roles.input or "", "") or repr(sorted(record.items()))
        return self._numbers.setdefault(text, f"i{len(self._numbers) + 1:04}")


def refuse_contradictions(hits: Iterable[Hit], *, file: str) -> None:
    """The same item and system must have the same text wherever they occur."""
    inputs: dict[str, str] = {}
    outputs: dict[tuple[str, str], str] = {}
    problems: list[Problem] = []
    for hit in hits:
        for item in (each for each in hit.items if each.loser is None):
            if inputs.setdefault(item.item, item.input) != item.input:
                problems.append(_two_texts(f"the input of item '{item.item}'", file))
            for shown in item.options:
                key = (item.item, shown.system)
                if outputs.setdefault(key, shown.text) != shown.text:
                    what = f"the output of '{shown.system}' for item '{item.item}'"
                    problems.append(_two_texts(what, file))
    if problems:
        more = [Problem(f"and {count(len(problems) - 10, 'more problem')}.")]
        raise FileError(*problems[:10], *(more if len(problems) > 10 else ()))


def _two_texts(what: str, file: str) -> Problem:
    remedy = "Name the fields that identify an item in a mapping file: `item: [dataset, ix]`."
    return Problem(f"{what} differs between HITs.", remedy, file=file)


# ── questions ────────────────────────────────────────────────────────────────────────────────────


def find_questions(
    controls: Sequence[LayoutControl],
    answers: Mapping[str, Collection[str]],
    *,
    shape: Shape,
    mapping: HitMapping,
    options: int,
) -> tuple[tuple[HitQuestion, ...], tuple[str, ...]]:
    """The questions asked about every item, and why the other fields are not questions.

    `answers` are the values that occur in results, by name of the field.
    """
    offered = {control.name: control for control in controls}
    fields: dict[str, list[str]] = {}
    others: list[str] = []
    for name in dict.fromkeys((*offered, *answers)):
        stem, index = split_name(name) if shape.indices else (name, None)
        if shape.indices and index is None:
            others.append(f"{name}: asked once for a HIT, not about an item")
        else:
            fields.setdefault(stem, []).append(name)
    unknown = [stem for stem in mapping.questions if stem not in fields]
    if unknown:
        what = f"there is no answer field '{unknown[0]}', which the mapping file names."
        remedy = f"The fields are {', '.join(fields) or 'unknown'}, without the number of the item."
        raise FileError(Problem(what, remedy, field="questions"))
    asked: list[HitQuestion] = []
    for stem, names in fields.items():
        indices = {split_name(name)[1] for name in names} if shape.indices else set()
        if stem in shape.fields:
            others.append(f"{stem}: repeats a column of the input")
            continue
        if shape.indices and indices != set(shape.indices):
            others.append(f"{stem}: not asked about every item, so probably practice")
            continue
        seen = _FieldEvidence(stem, names, offered, answers)
        found = _why_not_asked(stem, mapping) or seen.question(
            mapping.questions.get(stem, QuestionMapping()), options
        )
        if isinstance(found, str):
            others.append(f"{stem}: {found}")
        else:
            asked.append(found)
    return tuple(asked), tuple(others)


def _why_not_asked(stem: str, mapping: HitMapping) -> str | None:
    """Why a field is no question, whatever its answers are; None if it may be one."""
    if stem in mapping.questions:
        return None
    if mapping.questions:
        return "the mapping file does not name it under `questions`"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", stem).casefold()
    if _ABOUT_PEOPLE & set(re.split(r"[^a-z]+", words)):
        return "probably about the participant; if not, name it under `questions` in a mapping file"
    return None


@dataclass(frozen=True, slots=True)
class _FieldEvidence:
    """All that is known about the fields of one stem."""

    stem: str
    names: Sequence[str]
    offered: Mapping[str, LayoutControl]
    answers: Mapping[str, Collection[str]]

    def question(self, mapped: QuestionMapping, options: int) -> HitQuestion | str:
        """The question, or why it is not one that rejudge can ask."""
        values = self._values()
        if any("|" in value for value in values):
            return "several choices can be made at once"
        control = next((self.offered[n] for n in self.names if n in self.offered), None)
        name = mapped.id or _slug(self.stem)
        prompt = mapped.prompt or (control.prompt if control else "") or name
        meanings = {key: _spell(value) for key, value in mapped.values.items()}
        if mapped.kind == "pairwise" or (mapped.kind is None and options == _PAIR):
            known = meanings or dict(_sides(values))
            if not values or set(values) - set(known):
                return "its answers are not the sides of a comparison"
            if mapped.kind is None and not {*LETTERS[:2]} <= set(known.values()):
                return "its answers name one side of a comparison only"
            if not meanings and (_WORST.search(self.stem) or _WORST.search(prompt)):
                return _worst_remedy(known)
            return HitQuestion(self.stem, name, "pairwise", prompt, known)
        if options > 1:
            return f"it is asked about {options} texts at once"
        return self._rating(mapped, name, prompt, meanings)

    def _rating(
        self, mapped: QuestionMapping, name: str, prompt: str, meanings: Mapping[str, str]
    ) -> HitQuestion | str:
        numbers = [_number(meanings.get(value, value)) for value in self._values()]
        known = [number for number in numbers if number is not None]
        controls = [self.offered[n] for n in self.names if n in self.offered]
        if mapped.kind is None and any(control.kind == "text" for control in controls):
            return "it is a text to write"
        bounds = next((control.bounds for control in controls if control.bounds), None)
        if bounds is None and (not known or len(known) < len(numbers)):
            odd = [v for v, n in zip(self._values(), numbers, strict=True) if n is None]
            return "its answers are not numbers" + (f", such as “{odd[0][:40]}”" if odd else "")
        low, high = bounds or (min(known), max(known))
        kind = mapped.kind or _scale_kind(low, high, known, is_stated=bounds is not None)
        if kind is None:
            return f"its answers from {low:g} to {high:g} are not the points of a scale"
        limits = (0.0, 100.0) if kind == "slider" else (low, high)
        labels = _labels(controls[:1], meanings, (low, high)) if kind == "rating" else {}
        return HitQuestion(self.stem, name, kind, prompt, meanings, limits, labels)

    def _values(self) -> tuple[str, ...]:
        offered = [
            value
            for name in self.names
            if name in self.offered
            for value in self.offered[name].values
        ]
        given = [value for name in self.names for value in self.answers.get(name, ())]
        return tuple(dict.fromkeys((*offered, *given)))


def _worst_remedy(known: Mapping[str, str]) -> str:
    """The same answers, read as what they say about the better side."""
    other = {LETTERS[0]: LETTERS[1], LETTERS[1]: LETTERS[0]}
    values = ", ".join(f"{value}: {other.get(side, side)}" for value, side in known.items())
    return (
        "it asks for the worst. To read it as the better of the two, turn it round in a mapping "
        f"file: `values: {{{values}}}`"
    )


def _labels(
    controls: Sequence[LayoutControl], meanings: Mapping[str, str], ends: tuple[float, float]
) -> dict[float, str]:
    """Words by point; a study has them for both ends or not at all."""
    found = {
        number: words
        for control in controls
        for value, words in control.labels.items()
        if (number := _number(meanings.get(value, value))) is not None
    }
    return found if set(ends) <= set(found) else {}


def _scale_kind(
    low: float, high: float, known: Iterable[float], *, is_stated: bool
) -> QuestionKind | None:
    """Few whole points are a rating; a longer line is a slider only where the layout has one.

    Otherwise it may be an age, or the seconds that somebody took.
    """
    are_points = all(float(number - low).is_integer() for number in (*known, high))
    if are_points and 0 < high - low < _MOST_POINTS:
        return "rating"
    return "slider" if is_stated and 0 <= low < high <= _PERCENT else None


def _sides(values: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Which side a value names: A or B, 1 or 2, or `system a`."""
    for value in values:
        plain = re.sub(r"[^a-z0-9]", "", value.casefold())
        last = plain.removeprefix("system").removeprefix("output").removeprefix("option")
        if plain in _TIES:
            yield value, "tie"
        elif last in {"a", "1", "left", "first"}:
            yield value, LETTERS[0]
        elif last in {"b", "2", "right", "second"}:
            yield value, LETTERS[1]


def _spell(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _slug(stem: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", stem).strip("-_.") or "question"


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
