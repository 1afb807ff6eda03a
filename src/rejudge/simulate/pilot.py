"""Parameters estimated from the judgments of an earlier study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis.columns import answers, are_choices, sides
from rejudge.english import count, join_words
from rejudge.errors import DataError, Problem
from rejudge.judgments.answers import check_results
from rejudge.judgments.exclusions import exclude
from rejudge.judgments.table import Judgments
from rejudge.simulate.components import (
    Components,
    ScoreRows,
    components_behind,
    components_of_choices,
    moments_of_scores,
)
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.simulate.parameters import NUMBERS, Parameters, ParameterSet
from rejudge.stats import Comparisons
from rejudge.stats.arrays import Codes, Numbers
from rejudge.study.kinds.question import Question, ScoreQuestion
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan

_CARELESS = {"failed-checks", "straight-lining", "too-fast", "faster-than-reading"}
_OF_PEOPLE = {"careless", "dropout", "slip"}
_NEED = "A pilot needs judgments of the study's systems by two or more participants."
_TWO = 2
_MOST_POINTS = 11  # of a scale whose points are counted; a slider has any number between its ends
_MOST_ROWS = 0.5
_SAMPLES = 3  # of the comparisons that rankings decide


@dataclass(frozen=True, slots=True)
class Pilot:
    """The judgments of an earlier study, with its study and plan where they are known."""

    name: str  # as people call it, such as the folder
    judgments: Judgments
    study: Study | None = None
    plan: Plan | None = None


def parameters_from_pilot(study: Study, pilot: Pilot) -> ParameterSet:
    """Estimate each question's parameters from the judgments of a pilot.

    Questions and systems are matched by their ids. Spreads come from a mixed model of the answers,
    corrected for rounding to points and for the ends of the scale (`components`). Sentences in
    `assumptions` say what the pilot cannot show, and what was assumed instead.
    """
    kept, people = _clean(pilot)
    if not len(kept):
        raise DataError(Problem(f"{pilot.name} has no judgments that count.", _NEED))
    matched = _match_questions(study, pilot, kept)
    by_question: dict[str, Parameters] = {}
    notes: list[str] = []
    for question in study.spec.questions:
        asked = matched.get(question.id)
        if asked is None:
            by_question[question.id] = Parameters().with_numbers(people.shares)
            notes.append(f"{question.id}: not asked in the pilot, so all values are assumed.")
            continue
        found, said = _of_question(study, question, pilot, kept.of_question(asked))
        by_question[question.id] = found.with_numbers(people.shares)
        notes += [f"{question.id}: {sentence}" for sentence in said]
    participants, items = len(kept.participant.used()), len(kept.item.used())
    source = (
        f"{pilot.name}: {count(len(kept), 'judgment')} by {count(participants, 'participant')} on "
        f"{count(items, 'item')}"
    )
    if kept.simulated:
        notes.append(
            f"Of these judgments, {kept.simulated:,} were simulated and not given by people."
        )
    notes += [*people.notes, _uncertainty(participants, items)]
    return ParameterSet(by_question, source, tuple(notes))


# ── who counts ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _People:
    """Shares of participants, and how they are known."""

    shares: Mapping[str, float]
    notes: tuple[str, ...]


def _clean(pilot: Pilot) -> tuple[Judgments, _People]:
    """The real judgments that the pilot's own rules keep, and what the others tell of people."""
    collected = pilot.judgments
    everybody = len(collected.participant.used())
    if not everybody:
        what = f"{pilot.name} does not say who judged."
        raise DataError(Problem(what, "Use a table with a column of participants."))
    assumed = Parameters()
    left, of = _leavers(pilot)
    shares = {"dropout": left / of if of else assumed.dropout}
    notes = [_share_note("dropout", left, of, "left before the end of a batch")]
    if pilot.study is None or pilot.plan is None:
        notes.append(
            "Careless participants and missed checks cannot be determined from a table alone: "
            f"careless {assumed.careless:g} and slip {assumed.slip:g} are assumed."
        )
        return collected.of_kind("real"), _People(shares, tuple(notes))
    cleaned = exclude(pilot.study, pilot.plan, collected)
    careless = {each.participant for each in cleaned.exclusions if each.rule in _CARELESS}
    shares["careless"] = len(careless) / everybody
    notes.append(_share_note("careless", len(careless), everybody, "excluded as careless"))
    shares |= _slips(pilot.plan, cleaned.kept, notes)
    return cleaned.kept.of_kind("real"), _People(shares, tuple(notes))


def _share_note(name: str, some: int, everybody: int, what: str) -> str:
    if not everybody:
        return f"Drop-out cannot be determined without batches: {name} 0 is assumed."
    return f"{name}: {some} of {count(everybody, 'participant')} {what}."


def _slips(plan: Plan, kept: Judgments, notes: list[str]) -> dict[str, float]:
    """How often those who are kept missed a check."""
    results = [each.is_right for each in check_results(plan, kept)]
    if not results:
        notes.append(f"There were no checks: slip {Parameters().slip:g} is assumed.")
        return {}
    missed = len(results) - sum(results)
    notes.append(f"slip: {missed} of {count(len(results), 'check')} missed by those who count.")
    return {"slip": missed / len(results)}


def _leavers(pilot: Pilot) -> tuple[int, int]:
    """How many people have fewer tasks of a batch than there are, and of how many this is known."""
    table = pilot.judgments
    codes = np.stack([table.participant.codes, table.batch.codes, table.task.codes], axis=1)
    tasks = np.unique(codes[(codes >= 0).all(axis=1)], axis=0)
    if not len(tasks):
        return 0, 0
    visits, done = np.unique(tasks[:, :2], axis=0, return_counts=True)
    most = np.zeros(len(table.batch.labels), dtype=np.int64)
    np.maximum.at(most, visits[:, 1], done)
    for batch in pilot.plan.batches if pilot.plan else ():
        if batch.id in table.batch.labels:
            most[table.batch.code(batch.id)] = len(batch.tasks)
    left = visits[done < most[visits[:, 1]], 0]
    return len(np.unique(left)), len(np.unique(visits[:, 0]))


# ── one question ─────────────────────────────────────────────────────────────────────────────────


def _match_questions(study: Study, pilot: Pilot, kept: Judgments) -> dict[str, str]:
    """The pilot's question for each of the study: of the same id, or the only one of both."""
    asked, there = [q.id for q in study.spec.questions], kept.question.used()
    same = {question: question for question in asked if question in there}
    if same:
        return same
    if len(asked) == len(there) == 1:
        return {asked[0]: there[0]}
    raise DataError(
        Problem(
            f"{pilot.name} has none of the study's questions: it asks about {join_words(there)}.",
            f"Give its questions the ids of the study's: {', '.join(asked)}.",
        )
    )


def _of_question(
    study: Study, question: Question, pilot: Pilot, rows: Judgments
) -> tuple[Parameters, list[str]]:
    systems = systems_of(rows, study.system_ids)
    there = {q.id: q for q in pilot.study.spec.questions} if pilot.study else {}
    original = there.get(rows.question.used()[0])
    found = PilotQuestion(pilot.name, rows, systems, question, original).components()
    if isinstance(found, str):
        return Parameters(), [f"Nothing can be estimated ({found}); all values are assumed."]
    by_name = {systems[code]: value for code, value in found.quality.items()}
    quality, missing = _quality(study, pilot, by_name)
    known = {name: value for name, value in found.spreads.items() if name in NUMBERS}
    known |= {
        name: value
        for name in ("position_bias", "tie_width")
        if (value := getattr(found, name)) is not None
    }
    assumed = [name for name in NUMBERS if name not in {*known, *_OF_PEOPLE}]
    return Parameters(quality, **known), [*found.shared, *missing, *_assumed(assumed)]


def _assumed(names: Sequence[str]) -> Iterator[str]:
    if names:
        values = ", ".join(f"{name} {getattr(Parameters(), name):g}" for name in names)
        yield f"The judgments do not show the following, which are assumed: {values}."


def _quality(
    study: Study, pilot: Pilot, known: Mapping[str, float]
) -> tuple[dict[str, float], list[str]]:
    """By system of the study; those that the pilot lacks are assumed to be as good as the mean."""
    ours = {system: known[system] for system in study.system_ids if system in known}
    if not ours:
        raise DataError(
            Problem(
                f"{pilot.name} judges other systems than the study: {join_words(list(known))}.",
                f"Give its systems the ids of the study's: {', '.join(study.system_ids)}.",
            )
        )
    missing = [system for system in study.system_ids if system not in ours]
    mean = sum(ours.values()) / len(ours)
    said = [
        f"{system} was not judged in the pilot, and is assumed to be as good as the mean of the "
        "others."
        for system in missing
    ]
    return {system: ours.get(system, mean) for system in study.system_ids}, said


# ── how sure ─────────────────────────────────────────────────────────────────────────────────────


def _uncertainty(participants: int, items: int) -> str:
    def words() -> Iterator[str]:
        for number, name in ((participants, "participant"), (items, "item")):
            if number < _TWO:
                yield f"with {count(number, name)} it is not known how they differ"
            else:
                low, high = _range(number)
                yield f"with {count(number, name)}, from {low:.2f} to {high:.2f} times its estimate"

    return (
        "Estimates from a pilot are uncertain. The 95 % interval of a standard deviation is at "
        f"best: {'; '.join(words())}."
    )


def _range(levels: int) -> tuple[float, float]:
    """The interval of a standard deviation of so many values, as a share of its estimate."""
    from scipy.stats import chi2

    df = levels - 1
    low, high = (float((df / chi2.ppf(share, df)) ** 0.5) for share in (0.975, 0.025))
    return low, high


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
        return components_behind(moments, scale)

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
