"""The judgments of a pilot as columns, and what they show of systems, items and participants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rejudge.analysis.columns import answers, are_choices, sides
from rejudge.errors import DataError, Problem
from rejudge.judgments import Judgments
from rejudge.simulate.choice_components import components_of_choices
from rejudge.simulate.components import Components
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.simulate.scale_use import with_scale_use
from rejudge.simulate.score_components import ScoreRows, components_behind, moments_of_scores
from rejudge.stats import Comparisons
from rejudge.stats.arrays import Codes, Numbers
from rejudge.study import Question, ScoreQuestion

_MOST_POINTS = 11  # of a scale whose points are counted; a slider has any number between its ends
_MOST_ROWS = 0.5
_SAMPLES = 3  # of the comparisons that rankings decide


@dataclass(frozen=True, slots=True, eq=False)
class PilotQuestion:
    """One question's judgments, and how the pilot and the study ask it."""

    name: str  # of the pilot, for messages
    rows: Judgments
    systems: tuple[str, ...]  # all that were judged or will be; quality is by place
    asked: Question  # in the study
    original: Question | None  # in the pilot, where its study is known

    def components(self) -> Components | str:
        """What the judgments show, or why they show nothing."""
        compares = self.rows.is_comparison
        is_choice = float(compares.mean()) > _MOST_ROWS
        rows = self.rows.take(compares if is_choice else ~compares)
        return self._choices(rows) if is_choice else self._scores(rows)

    def _scores(self, rows: Judgments) -> Components | str:
        points = self._points(rows)
        self._refuse_off_scale(rows, points)
        scale = HiddenScale.of_points(points.tolist())
        low, high = points[0], points[-1]
        table = ScoreRows(
            (rows.value - (low + high) / 2) * 4 / (high - low),
            rows.system.recode(self.systems),
            _consecutive(rows.item.codes),
            _consecutive(rows.participant.codes),
        )
        moments = moments_of_scores(table)
        if isinstance(moments, str):
            return moments
        return with_scale_use(table, scale, moments, components_behind(moments, scale))

    def _points(self, rows: Judgments) -> Numbers:
        """Of the pilot's scale, or of the study's, or else whole numbers as far as scores go."""
        for question in (self.original, self.asked):
            if isinstance(question, ScoreQuestion):
                return np.array(question.simulated_scores)
        low, high = np.floor(rows.value.min()), np.ceil(rows.value.max())
        return np.arange(low, max(high, low + 1) + 1)

    def _refuse_off_scale(self, rows: Judgments, points: Numbers) -> None:
        place = np.clip(np.searchsorted(points, rows.value), 1, len(points) - 1)
        distance = np.minimum(rows.value - points[place - 1], points[place] - rows.value)
        is_off = (rows.value < points[0]) | (rows.value > points[-1])
        if len(points) <= _MOST_POINTS:
            is_off |= np.abs(distance) > 1e-9 * float(np.abs(points).max() + 1)
        if is_off.any():
            raise DataError(
                Problem(
                    f"{self.name} has the score {rows.value[is_off][0]:g} on '{self.asked.id}', "
                    f"whose points run from {points[0]:g} to {points[-1]:g} in steps of "
                    f"{points[1] - points[0]:g}.",
                    "Use judgments on the study's scale, or the folder of the pilot with its own "
                    "study.yaml.",
                )
            )

    def _choices(self, rows: Judgments) -> Components | str:
        if not are_choices(rows):
            return "its comparisons are means of several people's choices"
        side = sides(rows)
        table = Comparisons(
            rows.system_a.recode(self.systems),
            rows.system_b.recode(self.systems),
            rows.value,
            _consecutive(rows.item.codes),
            _consecutive(rows.participant.codes),
            len(self.systems),
        )
        own = answers(rows)
        if len(np.unique(own)) == len(own):
            return components_of_choices(table, side)
        samples = [_without_shared_outputs(own, table, turn) for turn in range(_SAMPLES)]
        return components_of_choices(table, None, samples)


def _without_shared_outputs(answer: Codes, table: Comparisons, turn: int) -> Codes:
    """Rows such that no output occurs in two comparisons of one answer.

    A ranking decides several comparisons at one look, whose noise they share. Which ones are taken
    goes round with the answers, so that all pairs have their turn.
    """
    order = np.argsort(answer, kind="stable")
    starts = np.flatnonzero(np.diff(answer[order], prepend=-1))
    taken: list[int] = []
    for number, group in enumerate(np.split(order, starts[1:]), start=turn):
        seen: set[int] = set()
        for place in np.roll(group, -(number % len(group))).tolist():
            pair = {int(table.first[place]), int(table.second[place])}
            if not pair & seen:
                seen |= pair
                taken.append(place)
    return np.array(sorted(taken), dtype=np.int64)


def _consecutive(codes: Codes) -> Codes:
    return np.asarray(np.unique(codes, return_inverse=True)[1])


def systems_of(judgments: Judgments, first: Sequence[str]) -> tuple[str, ...]:
    """These systems, and after them the others that were judged."""
    columns = (judgments.system, judgments.system_a, judgments.system_b)
    names = {name for each in columns for name in each.used()}
    return (*first, *sorted(names - set(first)))
