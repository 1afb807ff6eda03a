"""What every kind of question has in common, and what the rest of rejudge may ask a question.

A kind is a subclass of `ComparisonQuestion` or `ScoreQuestion` in a module of its own. It states
its keys in study.yaml, how a raw answer is read, and what an answer says about the outputs. The
plan, the site, simulated participants, the analysis and the report ask the question; none of them
knows the kinds by name.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeAlias, get_args

from pydantic import Field
from pydantic_core import PydanticCustomError

from rejudge.errors import DataError, Problem, StudyError
from rejudge.study.parts import Part, Slug, Text

# A cut is kept as end offsets, so no character is ever lost: the slices put together are the text.
Split: TypeAlias = Literal["sentences", "lines", "marker"]

Unit: TypeAlias = Literal["output", "reference"]

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Which text a question cuts into segments, and how."""

    unit: Unit
    split: Split
    marker: str

    def cut(self, text: str, language: str) -> tuple[int, ...]:
        """Where the segments of a text end."""
        return segment_ends(text, split=self.split, marker=self.marker, language=language)

    def visible_segments(self, text: str, ends: Sequence[int]) -> tuple[str, ...]:
        """The segments as participants read them."""
        return visible_segments(text, ends, marker=self.marker if self.split == "marker" else "")


def segment_ends(
    text: str, *, split: Split, marker: str = "‖", language: str = "en"
) -> tuple[int, ...]:
    """Where the segments of a text end; the last end is the length of the text.

    Blank segments are joined to the one before (at the beginning: after) them.
    """
    if split == "sentences":
        ends = _sentence_ends(text, language)
    elif split == "lines":
        ends = [found.end() for found in _LINE_END.finditer(text)]
    else:
        ends = [found.end() for found in re.finditer(re.escape(marker), text)]
    return _without_blanks(text, [*ends, len(text)], marker if split == "marker" else "")


def split_segments(text: str, ends: Sequence[int]) -> tuple[str, ...]:
    """The segments with every character, such that joining them gives the text."""
    return tuple(text[start:end] for start, end in zip((0, *ends), ends, strict=False))


def visible_segments(text: str, ends: Sequence[int], *, marker: str = "") -> tuple[str, ...]:
    """The segments as participants read them: without marker, without blanks at the ends."""
    parts = split_segments(text, ends)
    return tuple((part.replace(marker, "") if marker else part).strip() for part in parts)


def _sentence_ends(text: str, language: str) -> list[int]:
    import sentencex  # type: ignore[import-untyped]  # a compiled module without stubs

    sentences = sentencex.segment(language, text)
    if "".join(sentences) != text:  # it promises to keep all; a cut elsewhere would move a score
        raise StudyError(
            Problem(
                f"the text that begins '{text[:40]}' cannot be split into sentences without loss.",
                "Give the boundaries yourself: `split: marker` or `split: lines`.",
            )
        )
    return list(accumulate(len(sentence) for sentence in sentences))


def _without_blanks(text: str, ends: Iterable[int], marker: str) -> tuple[int, ...]:
    kept: list[int] = []
    start = 0
    for end in ends:
        part = text[start:end]
        is_blank = not (part.replace(marker, "") if marker else part).strip()
        if end == start:
            continue
        if is_blank and kept:
            kept[-1] = end
        elif not is_blank or end == len(text):
            kept.append(end)
        else:
            continue  # blank at the beginning: the next segment takes it along
        start = end
    return tuple(kept)


Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
Value: TypeAlias = "str | float | tuple[str, ...] | tuple[float, ...]"
Bounds: TypeAlias = tuple[float, float]

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # the outputs of a task, in the order shown


@dataclass(frozen=True, slots=True)
class DecidedPair:
    """Two outputs that an answer compares, by their places on the page."""

    winner: int
    loser: int
    is_tie: bool = False  # then neither of them won


class Opinion(Protocol):
    """What a simulated participant thinks of the outputs of one task."""

    @property
    def tie_width(self) -> float:
        """Differences below this seem about the same."""

    def compare(self) -> Sequence[float]:
        """How good each output seems."""

    def score(self, points: Sequence[float]) -> float:
        """Which point an output deserves."""


class Question(Part):
    """One question to participants, of any kind."""

    id: Slug = Field(
        description="Short name of the criterion, used in every table.", examples=["fluency"]
    )
    prompt: Text = Field(
        description="The question as participants read it.", examples=["How fluent is this text?"]
    )
    definition: str = Field("", description="What the criterion means; one tap away on the page.")
    beside: tuple[Literal["input", "reference"], ...] = Field(
        ("input",), description="What is shown beside the outputs: the input, the reference, both."
    )
    required: bool = Field(True, description="Whether an answer is needed to go on.")
    measured: Level | None = Field(
        None,
        description="Level of measurement, if it is not the usual one of this kind.",
        examples=["interval"],
    )
    if TYPE_CHECKING:
        kind: str  # each kind declares its own literal

    # ── what kind of answer it takes ─────────────────────────────────────────────────────────────

    usual_level: ClassVar[Level]
    is_comparison: ClassVar[bool]  # outputs are compared with each other rather than scored
    has_points: ClassVar[bool] = False  # scores are points of a scale
    is_segmented: ClassVar[bool] = False  # each segment of a text is scored
    is_order: ClassVar[bool] = False  # an answer puts all outputs shown in order
    is_implied: ClassVar[bool] = False  # one answer decides several comparisons
    least_outputs: ClassVar[int] = 1  # that have to be shown for the question to make sense
    scoring: ClassVar[str]  # how the answers become the score of a system
    slack: ClassVar[float] = 0.0  # how far an instructed answer may be from the number asked for
    # Seconds to decide and to click, once everything is read: for each answer, output or segment.
    seconds: ClassVar[float]
    seconds_per: ClassVar[Literal["answer", "output", "segment"]] = "answer"
    fault: ClassVar[str] = "fault_choose"  # the site's message about an answer that is not valid
    fault_if_blank: ClassVar[str | None] = None  # where a missing answer has its own message
    templates: ClassVar[Path | None] = None  # folder of its template, if it is not in rejudge.web

    @classmethod
    def kind_name(cls) -> str:
        """The name of the kind in study.yaml."""
        return str(get_args(cls.model_fields["kind"].annotation)[0])

    @property
    def level(self) -> Level:
        """The level of measurement that agreement and tests take into account."""
        return self.measured or self.usual_level

    @property
    def has_unordered_labels(self) -> bool:
        """Whether scores are labels without order, which have shares but no mean."""
        return self.level == "nominal" and not self.is_comparison

    @property
    def bounds(self) -> Bounds | None:
        """The ends of the scale; None for comparisons."""
        return None

    @property
    def values(self) -> tuple[float, ...]:
        """The points of the scale, from the lowest to the highest; none for other answers."""
        return ()

    @property
    def labels_by_value(self) -> Mapping[float, str]:
        """The words beside the points of the scale, where there are any."""
        return {}

    @property
    def segmentation(self) -> Segmentation | None:
        """Which text is cut into segments, and how; None where texts are judged as a whole."""
        return None

    @property
    def stated_outputs(self) -> int | None:
        """How many outputs its keys ask for; None where the kind or the study decides."""
        return None

    @property
    def allows_tie(self) -> bool:
        """Whether two outputs can be called about the same."""
        return False

    @property
    def has_neutral_answer(self) -> bool:
        """Whether an answer in the middle avoids a judgment."""
        return self.allows_tie or (self.has_points and len(self.values) % 2 == 1)

    @property
    def needs_reference(self) -> bool:
        """Whether the reference is shown or scored."""
        cut = self.segmentation
        return "reference" in self.beside or (cut is not None and cut.unit == "reference")

    @property
    def instructed_scores(self) -> tuple[float, ...]:
        """The scores that a check may instruct participants to give; none for comparisons."""
        return ()

    @property
    def lower_half(self) -> float | None:
        """The highest answer in the lower half of the scale; None for comparisons."""
        return None

    # ── in words ─────────────────────────────────────────────────────────────────────────────────

    @property
    @abstractmethod
    def task_in_words(self) -> str:
        """What a participant did, for the report."""

    @property
    @abstractmethod
    def elicitation(self) -> str:
        """How the judgment was elicited, as a condition that two studies share or not."""

    @property
    def scale_in_words(self) -> str:
        """The possible answers, as a condition that two studies share or not."""
        return ""

    # ── tasks and answers ────────────────────────────────────────────────────────────────────────

    @abstractmethod
    def shows(self, systems: int) -> int:
        """How many outputs are shown side by side, in a study of so many systems."""

    @abstractmethod
    def parse(self, raw: str, parts: int) -> Value:
        """A raw answer as a value; `parts` is the number of outputs (or segments) shown."""

    def scores(self, raw: str, parts: int) -> tuple[float, ...]:  # noqa: ARG002 - none by default
        """The scores that an answer gives: one, or one per segment."""
        return ()

    def decided_pairs(self, raw: str, parts: int) -> tuple[DecidedPair, ...]:  # noqa: ARG002 - 〃
        """The comparisons that an answer decides."""
        return ()

    def is_right(self, right: str, given: str, *, parts: int) -> bool:
        """Whether a practice answer says the same as the right one."""
        return self.parse(right, parts) == self.parse(given, parts)

    def expected_seconds(self, outputs: int, segments: int) -> float:
        """How long an answer usually takes, reading not included."""
        return (
            self.seconds * {"answer": 1, "output": outputs, "segment": segments}[self.seconds_per]
        )

    @abstractmethod
    def simulated_answer(self, opinion: Opinion, parts: int) -> str:
        """The raw answer of somebody with this opinion."""

    @abstractmethod
    def first_answer(self, parts: int) -> str:
        """The raw answer of somebody who always takes the first output, or the highest point."""

    def other_answer(self, raw: str) -> str:
        """A different raw answer, as of somebody who changes their mind."""
        return ",".join(reversed(raw.split(","))) if "," in raw else self.first_answer(1)

    def spell(self, score: float) -> str:
        """The raw answer that gives a score; the inverse of `parse`."""
        return f"{score:g}"

    # ── the form on the site ─────────────────────────────────────────────────────────────────────

    def raw_answer(self, form: Mapping[str, str], name: str, parts: int) -> str | None:  # noqa: ARG002 - of several controls
        """The raw answer that the controls of a form give together; None if none was used."""
        return form.get(name, "").strip() or None

    def controls(self, name: str, raw: str) -> dict[str, str]:
        """The controls of a form with a raw answer filled in; the inverse of `raw_answer`."""
        return {name: raw}

    def answer_in_words(self, raw: str, words: Callable[[str], str]) -> str:  # noqa: ARG002 - not here
        """A raw answer as participants read it; `words` gives the site's word for a key."""
        return ", ".join(raw.upper().split(","))

    def _refuse(self, raw: str, remedy: str) -> DataError:
        return DataError(f"'{raw}' is not an answer to '{self.id}'. {remedy}")


class ComparisonQuestion(Question):
    """A question whose answers name outputs by their letters."""

    is_comparison: ClassVar[bool] = True
    least_outputs: ClassVar[int] = 2
    scoring: ClassVar[str] = "mean of +1 for chosen and -1 for not chosen"


class ScoreQuestion(Question):
    """A question whose answers are scores of one output."""

    is_comparison: ClassVar[bool] = False
    scoring: ClassVar[str] = "mean of all ratings"
    tolerance: ClassVar[float] = 0.0  # how far a practice answer may be from the right one

    @property
    @abstractmethod
    def bounds(self) -> Bounds:
        """The ends of the scale."""

    @property
    def scale_in_words(self) -> str:
        return " to ".join(self._point_in_words(end) for end in self.bounds)

    @property
    def elicitation(self) -> str:
        return "rating of one output"

    @property
    def lower_half(self) -> float:
        """The highest answer in the lower half of the scale, the middle not included."""
        return self.values[len(self.values) // 2 - 1]

    @property
    def instructed_scores(self) -> tuple[float, ...]:
        """The scores that a check may instruct participants to give."""
        return self.values

    @property
    def simulated_scores(self) -> tuple[float, ...]:
        """The scores that simulated participants choose from."""
        return self.values

    def shows(self, systems: int) -> int:  # noqa: ARG002 - one output at a time
        return 1

    @abstractmethod
    def parse(self, raw: str, parts: int) -> float | tuple[float, ...]: ...

    def scores(self, raw: str, parts: int) -> tuple[float, ...]:
        value = self.parse(raw, parts)
        return value if isinstance(value, tuple) else (value,)

    def is_right(self, right: str, given: str, *, parts: int) -> bool:
        wanted, answer = self.scores(right, parts), self.scores(given, parts)
        return all(abs(a - b) <= self.tolerance for a, b in zip(wanted, answer, strict=True))

    def simulated_answer(self, opinion: Opinion, parts: int) -> str:  # noqa: ARG002 - one output
        return self.spell(opinion.score(self.simulated_scores))

    def first_answer(self, parts: int) -> str:  # noqa: ARG002 - one output
        return self.spell(self.bounds[1])

    def _point_in_words(self, point: float) -> str:
        label = self.labels_by_value.get(point)
        return f"{point:g} ({label})" if label else f"{point:g}"


def join_parts(parts: Iterable[str]) -> str | None:
    """The raw answer of several controls; None if none was used."""
    given = [part.strip() for part in parts]
    return ",".join(given) if any(given) else None


def by_preference(seen: Sequence[float]) -> list[str]:
    """The letters of the outputs, what seems best first."""
    places = sorted(range(len(seen)), key=lambda place: -seen[place])
    return [LETTERS[place] for place in places]


def wrong_key(key: str, message: str) -> PydanticCustomError:
    """A fault of a whole question that one of its keys causes."""
    return PydanticCustomError("wrong_key", "{message}", {"message": message, "key": key})


def list_numbers(values: Iterable[float]) -> str:
    """Numbers with commas between them."""
    return ", ".join(f"{value:g}" for value in values)
