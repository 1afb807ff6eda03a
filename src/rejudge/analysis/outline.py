"""Groups of items or of participants within which systems are estimated and compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rejudge import stats
from rejudge.analysis.derived_scores import DerivedFormula, DerivedScore, bounds_of
from rejudge.analysis.item_selection import ItemSelection
from rejudge.analysis.results import GroupedBy, Groups, GroupSize
from rejudge.english import count, natural_order
from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments.columns import refuse_many_systems
from rejudge.judgments.table import Coded, Judgments
from rejudge.study.kinds.question import Level, Question
from rejudge.study.model import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_GROUPS = 50
_TWO = 2
_OUTPUTS = (
    "No item was judged for more than one system. If the items of the table are outputs, name the "
    "column of their inputs with --inputs, so that systems are compared on the same inputs."
)
MOST_POINTS = 11  # a table of numbers with more different values is no scale of points


@dataclass(frozen=True, slots=True)
class Grouping:
    """A column that puts each item, or each participant, into one group."""

    column: str
    of: GroupedBy
    group: Mapping[str, str]  # by item or by participant; those not named are in no group
    is_planned: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The groups, in the order of the alphabet, and numbers as they are counted."""
        return tuple(natural_order(set(self.group.values())))

    def codes(self, judgments: Judgments) -> NDArray[np.integer]:
        """The group of each judgment as its place among the names; −1 for none."""
        column = judgments.item if self.of == "items" else judgments.participant
        place = {name: code for code, name in enumerate(self.names)}
        known = [place.get(self.group.get(label, ""), -1) for label in column.labels]
        return np.array([*known, -1], dtype=np.int64)[column.codes]


@dataclass(frozen=True, slots=True)
class AnalysedQuestion:
    """One question as the analysis sees it."""

    id: str
    kind: Literal["comparison", "score"]
    level: Level
    bounds: tuple[float, float] | None = None  # the declared ends of a scale, never the observed
    points: tuple[float, ...] = ()  # of a declared scale; none of a slider or a bare table
    in_segments: bool = False  # scored sentence by sentence
    is_implied: bool = False  # comparisons that follow from a ranking or from best and worst
    labels: Mapping[float, str] = field(default_factory=dict)  # words for scores, where known

    @property
    def is_comparison(self) -> bool:
        """Whether systems were compared rather than scored."""
        return self.kind == "comparison"

    @property
    def is_named(self) -> bool:
        """Whether answers are labels without order: they have shares, but no mean."""
        return self.kind == "score" and self.level == "nominal"


@dataclass(frozen=True, slots=True)
class AnalysisOutline:
    """The questions and systems of a study, or of a table that was collected anywhere."""

    questions: tuple[AnalysedQuestion, ...]
    systems: tuple[str, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)  # item → its input; else itself
    notes: tuple[str, ...] = ()  # what was assumed
    derived: tuple[DerivedFormula, ...] = ()  # scores that are computed from others
    groupings: tuple[Grouping, ...] = ()  # columns by whose groups systems are compared, too
    by_items_alone: bool = False  # participants are not clusters: intervals are for these people
    selection: ItemSelection | None = None  # of inputs; None: no method is known


def outline_of_study(study: Study, questions: Sequence[str] = ()) -> AnalysisOutline:
    """What study.yaml says about all its questions, or about these."""
    planned = study.spec.analysis.derived if study.spec.analysis else ()
    derived = [DerivedFormula(each.id, each.parsed) for each in planned]
    known = {question.id: _of_question(question) for question in study.spec.questions}
    chosen = _selection(questions, [*known, *(each.id for each in derived)])
    return _with_derived(
        AnalysisOutline(
            tuple(asked for name, asked in known.items() if name in chosen),
            study.system_ids,
            {item.id: item.group for item in study.items},
            groupings=tuple(_groupings(study)),
        ),
        [each for each in derived if each.id in chosen],
        known,
    )


def with_segments(outline: AnalysisOutline, scores: Sequence[DerivedScore]) -> AnalysisOutline:
    """The outline in which derived scores of segments are marked as such."""
    by_segment = {each.id for each in scores if each.is_by_segment}
    asked = (replace(q, in_segments=q.in_segments or q.id in by_segment) for q in outline.questions)
    return replace(outline, questions=tuple(asked))


def _with_derived(
    outline: AnalysisOutline,
    derived: Sequence[DerivedFormula],
    known: Mapping[str, AnalysedQuestion],
) -> AnalysisOutline:
    """The outline with scores that are computed from others behind its questions."""
    bounds = {name: asked.bounds for name, asked in known.items()}
    scores = [
        AnalysedQuestion(each.id, "score", "interval", bounds_of(each.formula.term, bounds))
        for each in derived
    ]
    questions = (*outline.questions, *scores)
    return replace(outline, questions=questions, derived=tuple(derived))


def _groupings(study: Study) -> Iterator[Grouping]:
    """The groups of items by which the study is to be analysed."""
    for column in study.spec.analysis.groups if study.spec.analysis else ():
        group = {item.id: item.column(column) for item in study.items}
        known = {item: name for item, name in group.items() if name}
        yield Grouping(column, "items", known, is_planned=True)


def outline_of_table(
    judgments: Judgments,
    *,
    level: Level | None = None,
    scale: tuple[float, float] | None = None,
    questions: Sequence[str] = (),
    inputs: Mapping[str, str] | None = None,
    groupings: Sequence[Grouping] = (),
    derived: Sequence[DerivedFormula] = (),
    labels: Mapping[str, float] | None = None,
) -> AnalysisOutline:
    """What can be inferred from the rows; the rest is assumed, and the notes say so."""
    ids = [each.id for each in derived]
    wanted = [each for each in derived if not questions or each.id in questions]
    own = [name for name in questions if name not in ids]
    _refuse_parts(judgments, derived)
    if wanted and level == "nominal":
        what = "nominal labels have no order, so no score can be computed from them."
        _refuse_derived(what, "Leave out --derive, or --level nominal.")
    words = {score: label for label, score in (labels or {}).items()}
    parts = tuple(dict.fromkeys(part for each in wanted for part in each.formula.parts))

    def read(chosen: Sequence[str]) -> AnalysisOutline:
        found = _outline_of_rows(
            judgments, chosen, level=level, scale=scale, inputs=inputs, groupings=groupings
        )
        return replace(found, questions=tuple(replace(q, labels=words) for q in found.questions))

    outline = read(own) if own or not questions else replace(read(parts), questions=())
    known = {asked.id: asked for asked in read(parts).questions} if wanted else {}
    return _with_derived(outline, wanted, known)


def _refuse_parts(judgments: Judgments, derived: Sequence[DerivedFormula]) -> None:
    """Reject formulas whose parts are missing or are choices, and ids that are taken."""
    known = judgments.question.used()
    seen = set(known)
    for each in derived:
        unknown = [part for part in each.formula.parts if part not in known]
        compared = [p for p in each.formula.parts if judgments.of_question(p).is_comparison.any()]
        if each.id in seen:
            _refuse_derived(f"there is already a question '{each.id}'.", "Choose another name.")
        if unknown:
            remedy = f"The questions are: {', '.join(known)}. Put ids with hyphens into quotes."
            _refuse_derived(f"there are no judgments on '{unknown[0]}'.", remedy)
        if compared:
            what = f"'{compared[0]}' compares systems, so it has no score of an output."
            _refuse_derived(what, "Remove it from the formula.")
        seen.add(each.id)


def _refuse_derived(what: str, remedy: str) -> None:
    raise UsageError(Problem(what, remedy, field="--derive"))


def _outline_of_rows(
    judgments: Judgments,
    questions: Sequence[str],
    *,
    level: Level | None,
    scale: tuple[float, float] | None,
    inputs: Mapping[str, str] | None,
    groupings: Sequence[Grouping],
) -> AnalysisOutline:
    real = judgments.of_kind("real")
    found = _labels_in_use(real.question.codes, real.question.labels)
    asked = [
        _of_rows(name, real.of_question(name), level=level, scale=scale)
        for name in _selection(questions, found)
    ]
    codes = [real.question.code(question.id) for question in asked]
    real = real.take(np.isin(real.question.codes, codes))
    _refuse_scores_off_scale(asked, real)
    systems = dict.fromkeys(
        name
        for column in (real.system, real.system_a, real.system_b)
        for name in _labels_in_use(column.codes, column.labels)
    )
    refuse_many_systems(len(systems))
    order = {name: place for place, name in enumerate(real.system.labels)}
    return AnalysisOutline(
        tuple(asked),
        tuple(sorted(systems, key=lambda name: (order.get(name, len(order)), name))),
        inputs=inputs or {},
        groupings=tuple(groupings),
        notes=(
            *_assumptions(asked, level=level, scale=scale),
            *(() if inputs else _outputs_as_items(real)),
        ),
    )


def _selection(questions: Sequence[str], known: Sequence[str]) -> Sequence[str]:
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


def _of_question(question: Question) -> AnalysedQuestion:
    return AnalysedQuestion(
        question.id,
        "comparison" if question.is_comparison else "score",
        question.level,
        bounds=question.bounds,
        points=question.values,
        in_segments=question.is_segmented,
        is_implied=question.is_implied,
        labels=question.labels_by_value,
    )


def _of_rows(
    name: str, rows: Judgments, *, level: Level | None, scale: tuple[float, float] | None
) -> AnalysedQuestion:
    if rows.is_comparison.any():
        return AnalysedQuestion(
            name, "comparison", "nominal", is_implied=_has_several_in_one_answer(rows)
        )
    in_segments = bool((rows.segment >= 0).any())
    return AnalysedQuestion(
        name, "score", level or _usual_level(rows.value), scale, in_segments=in_segments
    )


def _has_several_in_one_answer(rows: Judgments) -> bool:
    """Whether one answer to a task decided several comparisons, as a ranking does."""
    known = (rows.task.codes >= 0) & (rows.participant.codes >= 0)
    columns = rows.participant, rows.task, rows.item, rows.batch
    answer = np.stack([column.codes[known] for column in columns])
    return len(np.unique(answer, axis=1).T) < int(known.sum())


def _usual_level(value: NDArray[np.float64]) -> Level:
    """A few whole numbers are points of a scale; anything else is treated as interval."""
    points = np.unique(value)
    is_scale = len(points) <= MOST_POINTS and bool((points == np.round(points)).all())
    return "ordinal" if is_scale else "interval"


def _assumptions(
    asked: Sequence[AnalysedQuestion], *, level: Level | None, scale: tuple[float, float] | None
) -> list[str]:
    scored = [question for question in asked if not question.is_comparison]
    notes = []
    if scored and level is None:
        levels = ", ".join(f"{question.id} {question.level}" for question in scored)
        notes.append(
            f"Level of measurement assumed from the values: {levels}. Set it with --level."
        )
    if scored and scale is None and level != "nominal":
        notes.append("The ends of the scale are not known, so intervals may extend beyond them.")
    return notes


def _outputs_as_items(real: Judgments) -> list[str]:
    """A note where no item has scores of two systems: perhaps each item is one output."""
    scored = real.take(np.asarray(real.system.codes >= 0))
    item, system = scored.item.codes.astype(np.int64), scored.system.codes
    items, outputs = (
        stats.count_distinct(item),
        stats.count_distinct(item * len(scored.system.labels) + system),
    )
    if outputs > items or items < _TWO or stats.count_distinct(system) < _TWO:
        return []
    return [_OUTPUTS]


def _refuse_scores_off_scale(asked: Sequence[AnalysedQuestion], real: Judgments) -> None:
    """Reject scores outside the scale: an error in the table, or a different scale."""
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


def _labels_in_use(codes: NDArray[np.integer], labels: Sequence[str]) -> list[str]:
    present = np.bincount(codes[codes >= 0], minlength=len(labels)) if len(labels) else ()
    return [label for label, rows in zip(labels, present, strict=True) if rows]


def grouping_of(name: str, judgments: Judgments, column: Coded) -> Grouping:
    """The groups of a table by one of its columns, which must belong to items or to participants.

    A column that differs within items and within participants has no groups of either.
    """
    parts: tuple[tuple[GroupedBy, Coded], ...] = (
        ("items", judgments.item),
        ("participants", judgments.participant),
    )
    for of, owner in parts:
        group = _one_for_each(owner, column)
        if group is not None:
            found = Grouping(name, of, group)
            _refuse_sizes(found)
            return found
    what = f"'{name}' differs between judgments of the same item and of the same participant."
    _refuse(what, "Name a column with one value per item or per participant.")
    raise AssertionError(name)  # refused above


def groups_of(outline: AnalysisOutline, judgments: Judgments) -> tuple[Groups, ...]:
    """Every grouping, with the size of its groups; scores computed from others do not count."""
    derived = [judgments.question.code(each.id) for each in outline.derived]
    real = judgments.of_kind("real")
    real = real.take(~np.isin(real.question.codes, derived))
    return tuple(
        Groups(
            column=grouping.column,
            of=grouping.of,
            sizes=tuple(
                _size(name, real.take(codes == code)) for code, name in enumerate(grouping.names)
            ),
            is_planned=grouping.is_planned,
            without_group=int((grouping.codes(judgments.of_kind("real")) < 0).sum()),
        )
        for grouping in outline.groupings
        for codes in (grouping.codes(real),)
    )


def _size(name: str, part: Judgments) -> GroupSize:
    items, people = (
        stats.count_distinct(codes) for codes in (part.item.codes, part.participant.codes)
    )
    is_known = not len(part) or bool((part.participant.codes >= 0).any())
    return GroupSize(name, len(part), items, people if is_known else None)


def _one_for_each(owner: Coded, column: Coded) -> dict[str, str] | None:
    """The value of the column for each owner; None if one has two values."""
    rows = (owner.codes >= 0) & (column.codes >= 0)
    pairs = np.unique(np.stack([owner.codes[rows], column.codes[rows]]), axis=1)
    if not pairs.size or len(np.unique(pairs[0])) < pairs.shape[1]:
        return None
    return {owner.labels[one]: column.labels[two] for one, two in pairs.T.tolist()}


def _refuse_sizes(found: Grouping) -> None:
    groups = len(found.names)
    if groups == 1:
        _refuse(f"'{found.column}' is '{found.names[0]}' in all rows.", "Name another column.")
    if groups > MOST_GROUPS:
        what = f"'{found.column}' has {groups:,} different values."
        _refuse(what, f"Name a column with {MOST_GROUPS} groups at most.")


def _refuse(what: str, remedy: str) -> None:
    raise UsageError(Problem(what, remedy, field="--by"))
