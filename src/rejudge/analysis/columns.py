"""The columns of the judgments table as statistics need them: plain arrays for one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rejudge import stats
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import Judgments
from rejudge.study.model import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.analysis.outline import AnalysisOutline

_LARGEST = 2**62  # combined codes stay below it
_SHOWN = 20  # so many strangers are listed; a file of another study would fill the screen


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """One score per output and participant; segments are averaged first."""

    value: NDArray[np.float64]
    system: NDArray[np.integer]
    item: NDArray[np.integer]  # the cluster: the input, whichever of its items it was
    participant: NDArray[np.integer]
    has_participants: bool = True  # False: items alone are clusters
    weights: stats.ItemWeights | None = None  # where items were not equally likely to be selected


def comparisons(outline: AnalysisOutline, judgments: Judgments) -> stats.Comparisons:
    """The comparisons of one question, systems in the order of the study."""
    item = inputs(outline, judgments)
    return stats.Comparisons(
        first=judgments.system_a.recode(outline.systems),
        second=judgments.system_b.recode(outline.systems),
        preference=judgments.value,
        item=item,
        participant=item if outline.by_items_alone else _people(judgments, item),
        systems=len(outline.systems),
        answer=answers(judgments) if _are_implied(outline, judgments) else None,
    )


def weighted_comparisons(outline: AnalysisOutline, judgments: Judgments) -> stats.Comparisons:
    """The same with the weights of their items, where these were not equally likely selected."""
    rows = comparisons(outline, judgments)
    return replace(rows, weights=weights_of_items(outline, judgments))


def answers(judgments: Judgments) -> NDArray[np.int64]:
    """Which rows one answer gave: a ranking is one, though it decides several comparisons."""
    task = judgments.task.codes
    alone = np.where((task < 0) | ~judgments.is_comparison, np.arange(len(task)), -1)
    return combine_codes(
        judgments.participant.codes,
        judgments.question.codes,
        judgments.item.codes,
        judgments.batch.codes,
        task,
        alone,
    )


def _are_implied(outline: AnalysisOutline, judgments: Judgments) -> bool:
    implied = {asked.id for asked in outline.questions if asked.is_implied}
    asked = {judgments.question.labels[code] for code in judgments.question.codes[:1].tolist()}
    return bool(asked & implied)


def knows_participants(rows: stats.Comparisons) -> bool:
    """Whether participants are clusters; if they are unknown, items are used instead."""
    return rows.participant is not rows.item


def are_choices(judgments: Judgments) -> bool:
    """Whether each comparison was won, lost or tied; means of several people's are shares."""
    return bool((2 * judgments.value % 1 == 0).all())


def scores(outline: AnalysisOutline, judgments: Judgments) -> Scores:
    """The scores of one question, systems in the order of the study."""
    table = by_person(outline, judgments)
    if not outline.by_items_alone:
        return table
    return replace(table, participant=table.item, has_participants=False)


def by_person(outline: AnalysisOutline, judgments: Judgments) -> Scores:
    system = judgments.system.recode(outline.systems)
    item = inputs(outline, judgments)
    people = _people(judgments, item)
    is_known = people is not item
    if (judgments.segment < 0).all():
        weights = weights_of_items(outline, judgments)
        return Scores(judgments.value, system, item, people, is_known, weights)
    value, keys = stats.average_within(judgments.value, system, judgments.item.codes, item, people)
    weights = weights_of_items(outline, judgments, keys[1])
    return Scores(value, keys[0], keys[2], keys[3], is_known, weights)


def inputs(outline: AnalysisOutline, judgments: Judgments) -> NDArray[np.integer]:
    """The input of each row; items of one input are one cluster."""
    if not outline.inputs:
        return judgments.item.codes
    groups = [outline.inputs.get(item, item) for item in judgments.item.labels]
    names = {name: code for code, name in enumerate(dict.fromkeys(groups))}
    return np.array([*(names[name] for name in groups), -1], dtype=np.int32)[judgments.item.codes]


def weights_of_items(
    outline: AnalysisOutline, judgments: Judgments, item: NDArray[np.integer] | None = None
) -> stats.ItemWeights | None:
    """The weight and stratum of each row, or of each of these items; None where all are equal."""
    selection = outline.selection
    if selection is None or not selection.weight:
        return None
    inputs = [outline.inputs.get(name, name) for name in judgments.item.labels]
    known = np.array([selection.weight.get(name, 0.0) for name in inputs])
    names = [selection.stratum.get(name, "") for name in inputs]
    place = {name: code for code, name in enumerate(dict.fromkeys(names))}
    strata = np.array([place[name] for name in names], dtype=np.int64)
    codes = judgments.item.codes if item is None else item
    if not len(codes):
        return None
    return stats.ItemWeights.of(known[codes], strata[codes], codes)


def choices_of_first_shown(judgments: Judgments) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How far each comparison went to the option shown first, for the rows where that is known."""
    side = judgments.side
    known = np.asarray(side.codes >= 0)
    is_second = side.codes[known] == side.code("b")
    value = judgments.value[known]
    return np.where(is_second, 1 - value, value), known


def sides(judgments: Judgments) -> NDArray[np.int64] | None:
    """1 where the first system was shown first, −1 where the second was; None if never known."""
    codes = judgments.side.codes
    if not (codes >= 0).any():
        return None
    signs = np.where(codes == judgments.side.code("a"), 1, -1)
    return np.where(codes >= 0, signs, 0)


@dataclass(frozen=True, eq=False, slots=True)
class UnitAnswers:
    """Who gave which answer to which unit, for measures of agreement."""

    unit: NDArray[np.int64]
    participant: NDArray[np.integer]
    value: NDArray[np.float64]
    item: NDArray[np.integer] | None = None  # where units of one item resemble each other

    def of(self, rows: NDArray[np.bool_]) -> UnitAnswers:
        """Some of it."""
        item = None if self.item is None else self.item[rows]
        return UnitAnswers(self.unit[rows], self.participant[rows], self.value[rows], item)

    @property
    def counts(self) -> stats.CountTable:
        """How often each value was given to each unit."""
        return stats.count_table(self.unit, self.value, item=self.item)


def answers_by_unit(
    judgments: Judgments, coding: Literal["side", "winner"] = "side"
) -> UnitAnswers:
    """Who gave which answer to each unit: an output, a segment, or a pair of an item's outputs.

    A choice between two is coded as first or second shown, so that chance agreement does not depend
    on the names of systems; or, with `coding="winner"`, as the system that won.
    """
    unit = units(judgments)
    value = judgments.value
    if len(judgments) and judgments.is_comparison.any():
        value = _by_position(judgments, unit) if coding == "side" else _as_won(judgments)
    return UnitAnswers(unit, judgments.participant.codes, value)


def has_participants(judgments: Judgments) -> bool:
    """Whether it is known who judged: not so in some tables, nor where judgments were averaged."""
    codes = judgments.participant.codes
    return not len(codes) or bool((codes >= 0).any())


def levels(codes: NDArray[np.integer]) -> int:
    """How many different codes there are."""
    return stats.count_distinct(codes)


def duplicates(judgments: Judgments) -> Problem | None:
    """Reject judgments of the same thing by the same participant instead of averaging them."""
    if not len(judgments) or not has_participants(judgments):
        return None
    keys = combine_codes(judgments.participant.codes, judgments.question.codes, units(judgments))
    if stats.count_distinct(keys) == len(keys):
        return None
    _, place, counts = np.unique(keys, return_index=True, return_counts=True)
    doubled = np.flatnonzero(counts > 1)
    if not len(doubled):
        return None
    first = judgments.take(np.array([place[doubled[0]]])).rows()[0]
    return Problem(
        f"{len(doubled)} judgments were made twice by the same participant, for instance "
        f"'{first.question}' of item '{first.item}' by '{first.participant}'.",
        "Mark the second pass as kind `repeat`, or remove it.",
        file="judgments.csv",
    )


def refuse_strangers(study: Study, judgments: Judgments) -> None:
    """Reject judgments of another study."""
    known = {
        "question": {question.id for question in study.spec.questions},
        "item": set(study.item),
        "system": set(study.system_ids),
        "system_a": set(study.system_ids),
        "system_b": set(study.system_ids),
    }
    problems = [
        Problem(
            f"the {column} '{name}' is not in the study.",
            "Rename it as in study.yaml, or read the judgments with the study they belong to.",
            file="judgments.csv",
        )
        for column, names in known.items()
        for name in sorted(_labels_in_use(judgments, column) - names)
    ]
    if problems:
        raise DataError.of(problems[:_SHOWN])


def combine_codes(*columns: NDArray[np.integer]) -> NDArray[np.int64]:
    """One code for each combination of codes, in their order; rows are sorted only if they must."""
    code, height = np.zeros(len(columns[0]), dtype=np.int64), 1
    if not len(code):
        return code
    for column in columns:
        place, width = column.astype(np.int64) - int(column.min()), int(np.ptp(column)) + 1
        if height * width >= _LARGEST:
            (code, height), (place, width) = _renumber(code, height), _renumber(place, width)
        code, height = code * width + place, height * width
    return _renumber(code, height)[0]


def _renumber(code: NDArray[np.int64], height: int) -> tuple[NDArray[np.int64], int]:
    """Codes without gaps, in the same order, and how many there are."""
    if height > 8 * len(code) + 1000:
        seen, place = stats.number_codes(code)
        return place, len(seen)
    is_seen = np.bincount(code, minlength=height) > 0
    return (np.cumsum(is_seen) - 1)[code], int(is_seen.sum())


def things(judgments: Judgments) -> NDArray[np.int64]:
    """What was judged, in whatever task: an output, a segment, a pair of outputs."""
    a, b = judgments.system_a.codes, judgments.system_b.codes
    return combine_codes(
        judgments.item.codes,
        np.where(judgments.is_comparison, np.minimum(a, b), judgments.system.codes),
        np.where(judgments.is_comparison, np.maximum(a, b), -1),
        judgments.segment,
    )


def undirected_values(judgments: Judgments) -> NDArray[np.float64]:
    """Scores as they are; choices as the preference for the system with the lower code."""
    is_turned = judgments.is_comparison & (judgments.system_a.codes > judgments.system_b.codes)
    return np.where(is_turned, 1 - judgments.value, judgments.value)


def units(judgments: Judgments) -> NDArray[np.int64]:
    """What was judged, numbered the same for everybody who judged it.

    Two outputs that are shown together with others are judged in that company, so the set of
    systems counts too. The task counts only where somebody judged the same set twice: many tables
    give every answer a task of its own.
    """
    unit = combine_codes(things(judgments), systems_shown(judgments)[0])
    judged = combine_codes(judgments.participant.codes, judgments.question.codes, unit)
    if stats.count_distinct(judged) == len(judged):
        return unit
    return combine_codes(unit, judgments.task.codes)


def systems_shown(
    judgments: Judgments,
) -> tuple[NDArray[np.int64], tuple[frozenset[str], ...]]:
    """Which set of systems was shown side by side in the task of each row, and the sets; −1
    for a score. Without a column of tasks, a comparison is taken as one of two systems."""
    sides = (judgments.system_a, judgments.system_b)
    labels = tuple(dict.fromkeys(label for side in sides for label in side.labels))
    a, b = (side.recode(labels).astype(np.int64) for side in sides)
    found = np.full(len(judgments), -1, dtype=np.int64)
    rows = np.flatnonzero(judgments.is_comparison & (a >= 0) & (b >= 0))
    if not len(rows):
        return found, ()
    answer = combine_codes(answers(judgments)[rows])
    shown = np.zeros((int(answer.max()) + 1, len(labels)), dtype=np.bool_)
    shown[answer, a[rows]] = shown[answer, b[rows]] = True
    packed = np.packbits(shown, axis=1)
    key = combine_codes(*packed.T)
    found[rows] = key[answer]
    _, first = np.unique(key, return_index=True)
    sets = tuple(frozenset(labels[k] for k in np.flatnonzero(shown[place])) for place in first)
    return found, sets


def _people(judgments: Judgments, item: NDArray[np.integer]) -> NDArray[np.integer]:
    """Who judged; where that is not known, only items are clusters."""
    return judgments.participant.codes if has_participants(judgments) else item


def _labels_in_use(judgments: Judgments, column: str) -> set[str]:
    coded = getattr(judgments, column)
    return {coded.labels[code] for code in np.unique(coded.codes).tolist() if code >= 0}


def _by_position(judgments: Judgments, unit: NDArray[np.int64]) -> NDArray[np.float64]:
    """Choices as first or second shown.

    Where a pair was shown both ways round, its more frequent order counts for all. Where the order
    is not known, it is that of the table if two systems always have the same one, else that of
    the systems: a table that names the winner first shows who won, not what was seen.
    """
    is_turned = judgments.system_a.codes > judgments.system_b.codes
    value = undirected_values(judgments)
    is_second = judgments.side.codes == judgments.side.code("b")
    counts = (judgments.side.codes >= 0) | _has_one_order(judgments, is_turned)
    votes = np.bincount(unit, weights=np.where(is_second ^ is_turned, 1.0, -1.0) * counts)
    return np.where(votes[unit] > 0, 1 - value, value)


def _has_one_order(judgments: Judgments, is_turned: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the two systems of a row have the same order in all of their comparisons."""
    a, b = judgments.system_a.codes, judgments.system_b.codes
    pair = combine_codes(np.minimum(a, b), np.maximum(a, b))
    share = np.bincount(pair, weights=is_turned) / np.bincount(pair)
    found: NDArray[np.bool_] = np.isin(share, (0.0, 1.0))[pair]
    return found


def _as_won(judgments: Judgments) -> NDArray[np.float64]:
    """Choices as the system that won, by its code; a tie has a number of its own."""
    a, b = judgments.system_a.codes, judgments.system_b.codes
    won = np.where(judgments.value > 0.5, a, b).astype(np.float64)
    return np.where(judgments.value == 0.5, -1.0, won)


def rows_of_questions(judgments: Judgments, questions: Sequence[str]) -> NDArray[np.bool_]:
    """Which rows are on these questions; all rows if none are named."""
    if not questions:
        return np.ones(len(judgments), dtype=np.bool_)
    codes = [judgments.question.code(name) for name in questions]
    return np.isin(judgments.question.codes, codes)
