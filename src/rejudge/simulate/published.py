"""Parameters behind the means and the standard deviations that a paper prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rejudge.english import join_words
from rejudge.errors import DataError, Problem
from rejudge.paper.model import Paper, PaperCriterion, Score
from rejudge.simulate.components import (
    BY_ITEM,
    BY_PARTICIPANT,
    NOISE,
    PARTS,
    assumed_spread,
    inside,
    share_out,
    total_spread,
)
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.simulate.parameters import OTHER_SYSTEMS, Parameters, ParameterSet, quality_of_others
from rejudge.stats.arrays import Numbers
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study

_CHOICES = {"best-worst", "win-rate"}
_MOST_POINTS = 11
_FAR = 6.0  # standard deviations: a system that always wins has no finite quality
_READ_AS_WINS = (
    "Its scores were read as shares of comparisons won, with each pair compared equally often and "
    "ties as half; they show only ratios, so the variance of opinions is assumed."
)
_SHARES = (
    "How the variance of opinions is divided between items, participants and noise is assumed."
)
_NO_SD = (
    "No standard deviation is printed: that of opinions, {:.2f} quarters of the scale, is assumed."
)


def parameters_from_paper(study: Study, paper: Paper) -> ParameterSet:
    """Each question's parameters from a paper's printed means and standard deviations.

    The means give each system's quality, the standard deviations the variance of opinions. How it
    is divided between items, participants and noise is assumed, as in the values without data.
    """
    matched = _match_criteria(study, paper)
    by_question: dict[str, Parameters] = {}
    notes: list[str] = []
    for question in study.spec.questions:
        criterion = matched.get(question.id)
        if criterion is None:
            by_question[question.id] = Parameters()
            notes.append(f"{question.id}: not in the paper, so all values are assumed.")
            continue
        found, said = _PrintedCriterion.of(paper, criterion).parameters(study, question)
        by_question[question.id] = found
        notes += [f"{question.id}: {sentence}" for sentence in said]
    about = paper.reference
    notes.append(
        "Papers do not print position bias, careless participants or drop-out: none is assumed."
    )
    return ParameterSet(by_question, f"{about.authors} {about.year} ({paper.id})", tuple(notes))


def _match_criteria(study: Study, paper: Paper) -> dict[str, PaperCriterion]:
    """By id, or the only one of both."""
    asked = [question.id for question in study.spec.questions]
    same = {each.id: each for each in paper.criteria if each.id in asked}
    if same:
        return same
    if len(asked) == len(paper.criteria) == 1:
        return {asked[0]: paper.criteria[0]}
    raise DataError(
        Problem(
            f"{paper.id} has none of the study's questions; it has "
            f"{join_words([each.id for each in paper.criteria])}.",
            f"Give its criteria the ids of the study's questions: {', '.join(asked)}.",
        )
    )


@dataclass(frozen=True, slots=True)
class _PrintedCriterion:
    """What a paper prints about one criterion."""

    criterion: PaperCriterion
    scores: tuple[Score, ...]

    @classmethod
    def of(cls, paper: Paper, criterion: PaperCriterion) -> _PrintedCriterion:
        """The numbers of the first case that has any."""
        for case in paper.cases:
            scores = tuple(each for each in case.known if each.criterion == criterion.id)
            if scores:
                return cls(criterion, scores)
        return cls(criterion, ())

    def parameters(self, study: Study, question: Question) -> tuple[Parameters, list[str]]:
        """The parameters, and sentences on what was assumed."""
        kind = self.criterion.scale.kind
        if not self.scores:
            return Parameters(), ["The paper prints no scores; all values are assumed."]
        if kind == "unbounded":
            return Parameters(), ["Its scores have no bounds; all values are assumed."]
        is_choice = kind in _CHOICES
        found, said = self._choices() if is_choice else self._ratings()
        if self.criterion.better == "lower" and question.is_comparison != is_choice:
            found = _Printed({name: -each for name, each in found.quality.items()}, found.spreads)
        quality, missing = _of_study(study, found.quality)
        return Parameters(quality).with_numbers(found.spreads), [*said, *missing]

    def _ratings(self) -> tuple[_Printed, list[str]]:
        scale = HiddenScale.of_points(_points(self.criterion))
        means = inside(self._on_line(), scale)
        spread, said = self._spread(scale, means)
        quality = scale.opinion(means, spread)
        spreads = {name: math.sqrt(each) for name, each in share_out(spread**2, PARTS).items()}
        return _Printed(self._by_system(quality), spreads), [*said, _SHARES]

    def _choices(self) -> tuple[_Printed, list[str]]:
        unit = math.sqrt(2) * assumed_spread((BY_ITEM, BY_PARTICIPANT, NOISE))
        strengths = strengths_behind(self._win_shares())
        return _Printed(self._by_system(unit * strengths), {}), [_READ_AS_WINS, _SHARES]

    def _by_system(self, quality: Numbers) -> dict[str, float]:
        return dict(zip((each.system for each in self.scores), quality.tolist(), strict=True))

    def _on_line(self) -> Numbers:
        low, high = _ends(self.criterion)
        printed = np.array([each.number.value for each in self.scores])
        return np.asarray((printed - (low + high) / 2) * 4 / (high - low))

    def _win_shares(self) -> Numbers:
        return np.clip(self._on_line() / 4 + 0.5, 0.005, 0.995)

    def _spread(self, scale: HiddenScale, means: Numbers) -> tuple[float, list[str]]:
        """How far opinions differ in all: behind the printed standard deviations, or assumed."""
        low, high = _ends(self.criterion)
        known = [each.sd.value for each in self.scores if each.sd is not None]
        said = [
            "A printed median was used as a mean." for each in self.scores[:1] if each.is_median
        ]
        if known and len(scale.values) > 2:
            variance = float(np.mean(np.square(known))) * (4 / (high - low)) ** 2
            return total_spread(means, variance, scale), said
        spread = assumed_spread(PARTS)
        return spread, [*said, _NO_SD.format(spread)]


@dataclass(frozen=True, slots=True)
class _Printed:
    quality: Mapping[str, float]  # by system of the paper
    spreads: Mapping[str, float]


def _ends(criterion: PaperCriterion) -> tuple[float, float]:
    scale = criterion.scale
    usual = (0.0, 100.0)
    low = usual[0] if scale.low is None else scale.low
    high = usual[1] if scale.high is None else scale.high
    if not low < high:
        what = f"the scale of '{criterion.id}' runs from {low:g} to {high:g}."
        raise DataError(Problem(what, "Write its lower and its upper end."))
    return low, high


def _points(criterion: PaperCriterion) -> Sequence[float]:
    """The points of a printed scale; one step a point where their number is not printed."""
    low, high = _ends(criterion)
    scale = criterion.scale
    steps = high - low
    counted = steps + 1 if steps == int(steps) and steps < _MOST_POINTS else None
    points = scale.points or (counted if scale.kind == "rating" else None) or 101
    found: list[float] = np.linspace(low, high, int(points)).tolist()
    return found


def _of_study(study: Study, known: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """The study's systems; those that the paper lacks are assumed to be as good as the mean."""
    ours = {system: known[system] for system in study.system_ids if system in known}
    if not ours:
        return quality_of_others(study.system_ids, known.values()), [OTHER_SYSTEMS]
    mean = sum(ours.values()) / len(ours)
    said = [
        f"{system} is not in the paper, and is assumed to be as good as the mean of the others."
        for system in study.system_ids
        if system not in ours
    ]
    return {system: ours.get(system, mean) for system in study.system_ids}, said


def strengths_behind(shares: Numbers) -> Numbers:
    """Strengths with mean 0, in standard deviations of a difference, that win these shares.

    Thurstone's case V: a share is the mean of Φ(difference) over all opponents. Printed shares are
    moved so that their mean is one half.
    """
    from scipy.optimize import minimize
    from scipy.special import ndtr

    systems = len(shares)
    if systems == 1:
        return np.zeros(1)
    wanted = (systems - 1) * (shares - shares.mean() + 0.5)

    def gap(strengths: Numbers) -> tuple[float, Numbers]:
        """A convex function whose slope is wins minus wanted wins."""
        apart = strengths[:, None] - strengths
        density = np.exp(-(apart**2) / 2) / math.sqrt(2 * math.pi)
        area = float((apart * ndtr(apart) + density).sum()) / 2
        level = ((systems - 1) / 2 - wanted) @ strengths
        return area + float(level), ndtr(apart).sum(axis=1) - 0.5 - wanted

    found = minimize(
        gap, np.zeros(systems), jac=True, method="L-BFGS-B", bounds=[(-_FAR, _FAR)] * systems
    )
    return np.asarray(found.x - found.x.mean())
