"""What an analysis must know of a study: its questions and systems. A table alone tells it, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rejudge.english import count
from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments import Judgments
from rejudge.study import BestWorst, Level, Pairwise, Question, Ranking, Segments, Slider, Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_POINTS = 11  # a table of numbers with more different values is no scale of points


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as the analysis sees it."""

    id: str
    kind: Literal["comparison", "score"]
    level: Level
    bounds: tuple[float, float] | None = None  # the declared ends of a scale, never the observed
    points: tuple[float, ...] = ()  # of a declared scale; none of a slider or a bare table
    in_segments: bool = False  # scored sentence by sentence
    is_implied: bool = False  # comparisons that follow from a ranking or from best and worst

    @property
    def is_comparison(self) -> bool:
        """Whether systems were compared rather than scored."""
        return self.kind == "comparison"


@dataclass(frozen=True, slots=True)
class Outline:
    """The questions and systems of a study, or of a table that was collected anywhere."""

    questions: tuple[Asked, ...]
    systems: tuple[str, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)  # item → its input; else itself
    notes: tuple[str, ...] = ()  # what was assumed
    by_items_alone: bool = False  # participants are not clusters: intervals speak for these people


def outline_of_study(study: Study, questions: Sequence[str] = ()) -> Outline:
    """What study.yaml says, of all its questions or of these."""
    chosen = _chosen(questions, [question.id for question in study.spec.questions])
    return Outline(
        tuple(_asked(each) for each in study.spec.questions if each.id in chosen),
        study.system_ids,
        {item.id: item.group for item in study.items},
    )


def outline_of_table(
    judgments: Judgments,
    *,
    level: Level | None = None,
    scale: tuple[float, float] | None = None,
    questions: Sequence[str] = (),
) -> Outline:
    """What the rows themselves tell; what they cannot is assumed, and the notes say so."""
    import numpy as np

    real = judgments.of_kind("real")
    found = _used(real.question.codes, real.question.labels)
    asked = [
        _seen(name, real.of_question(name), level=level, scale=scale)
        for name in _chosen(questions, found)
    ]
    codes = [real.question.code(question.id) for question in asked]
    real = real.take(np.isin(real.question.codes, codes))
    _refuse_beyond(asked, real)
    systems = dict.fromkeys(
        name
        for column in (real.system, real.system_a, real.system_b)
        for name in _used(column.codes, column.labels)
    )
    order = {name: place for place, name in enumerate(real.system.labels)}
    return Outline(
        tuple(asked),
        tuple(sorted(systems, key=lambda name: (order.get(name, len(order)), name))),
        notes=tuple(_assumptions(asked, level=level, scale=scale)),
    )


def _chosen(questions: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    """The questions to analyse: these, or all that there are."""
    unknown = [name for name in questions if name not in known]
    if unknown:
        raise UsageError(
            Problem(
                f"there are no judgments on '{unknown[0]}'.",
                f"The questions are: {', '.join(known)}." if known else "There are no judgments.",
                field="--question",
            )
        )
    return tuple(dict.fromkeys(questions)) or known


def _asked(question: Question) -> Asked:
    if isinstance(question, Pairwise | BestWorst | Ranking):
        is_implied = not isinstance(question, Pairwise)
        return Asked(question.id, "comparison", question.level, is_implied=is_implied)
    return Asked(
        question.id,
        "score",
        question.level,
        bounds=_bounds(question),
        points=tuple(getattr(question, "values", ())),
        in_segments=isinstance(question, Segments),
    )


def _bounds(question: Question) -> tuple[float, float] | None:
    if isinstance(question, Slider):
        return question.lowest, question.highest
    values: tuple[float, ...] = getattr(question, "values", ())
    return (values[0], values[-1]) if values else None


def _seen(
    name: str, rows: Judgments, *, level: Level | None, scale: tuple[float, float] | None
) -> Asked:
    if rows.is_comparison.any():
        return Asked(name, "comparison", "nominal")
    in_segments = bool((rows.segment >= 0).any())
    return Asked(name, "score", level or _usual(rows.value), scale, in_segments=in_segments)


def _usual(value: NDArray[np.float64]) -> Level:
    """A few whole numbers are points of a scale; anything else is taken as distances."""
    import numpy as np

    points = np.unique(value)
    is_scale = len(points) <= MOST_POINTS and bool((points == np.round(points)).all())
    return "ordinal" if is_scale else "interval"


def _assumptions(
    asked: Sequence[Asked], *, level: Level | None, scale: tuple[float, float] | None
) -> list[str]:
    scored = [question for question in asked if not question.is_comparison]
    notes = []
    if scored and level is None:
        told = ", ".join(f"{question.id} {question.level}" for question in scored)
        notes.append(f"Level of measurement assumed from the values: {told}. Set it with --level.")
    if scored and scale is None:
        notes.append("The ends of the scale are not known, so intervals are not cut at them.")
    return notes


def _refuse_beyond(asked: Sequence[Asked], real: Judgments) -> None:
    """Scores that the scale does not have: a slip in the table, or another scale than was said."""
    problems = []
    for question in asked:
        value = real.of_question(question.id).value
        if question.bounds is None or question.is_comparison or not len(value):
            continue
        low, high = question.bounds
        outside = value[(value < low) | (value > high)]
        if len(outside):
            are = "is" if len(outside) == 1 else "are"
            problems.append(
                Problem(
                    f"{len(outside):,} of {count(len(value), 'score')} on '{question.id}', such as "
                    f"{outside[0]:g}, {are} not on the scale from {low:g} to {high:g}.",
                    "Correct the scores or the ends of the scale.",
                )
            )
    if problems:
        raise DataError.of(problems)


def _used(codes: NDArray[np.integer], labels: Sequence[str]) -> list[str]:
    import numpy as np

    present = np.bincount(codes[codes >= 0], minlength=len(labels)) if len(labels) else ()
    return [label for label, rows in zip(labels, present, strict=True) if rows]
