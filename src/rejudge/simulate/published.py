"""Parameters behind the means and the agreement that a paper prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rejudge.english import join_words
from rejudge.errors import DataError, Problem
from rejudge.paper.model import Paper, PaperCase, PaperCriterion, PrintedAgreement, Score
from rejudge.simulate.components import (
    BY_ITEM,
    BY_PARTICIPANT,
    ITEM,
    NOISE,
    PARTS,
    SEVERITY,
    assumed_spread,
    share_out,
)
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.simulate.parameters import OTHER_SYSTEMS, Parameters, ParameterSet, quality_of_others
from rejudge.simulate.score_components import inside, total_spread
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
_SOLVED = (
    "The outputs' share of the variance was chosen to give the printed {} of {:g}; the other "
    "shares are assumed."
)
_NO_SD = (
    "No standard deviation is printed: that of opinions, {:.2f} quarters of the scale, is assumed."
)
_PREFERRED = (
    "krippendorff-alpha",
    "icc",
    "fleiss-kappa",
    "cohen-kappa",
    "gwet-ac1",
    "percent",
)
Metric: TypeAlias = Literal["nominal", "ordinal", "interval"]

_CLOSEST = 0.99  # the largest correlation of two people's opinions of one output
_SAME = 0.005  # half a unit of the usual last digit


def parameters_from_paper(study: Study, paper: Paper) -> ParameterSet:
    """Each question's parameters from a paper's printed means and agreement.

    The means give each system's quality. The agreement gives which part of the variance of opinions
    is the outputs', so that simulated studies have the printed coefficient. How the parts are
    divided further is assumed, as in the values without data.
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
        "Papers do not print scale use, position bias, careless participants or drop-out: none is "
        "assumed."
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

    paper: Paper
    criterion: PaperCriterion
    scores: tuple[Score, ...]
    agreement: PrintedAgreement | None

    @classmethod
    def of(cls, paper: Paper, criterion: PaperCriterion) -> _PrintedCriterion:
        """The numbers of the first case that has any."""
        for case in paper.cases:
            scores = tuple(each for each in case.known if each.criterion == criterion.id)
            if scores:
                return cls(paper, criterion, scores, _agreement(case, criterion.id))
        return cls(paper, criterion, (), None)

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
        share, more = self._output_share(scale, quality, spread, is_choice=False)
        variances = share_out(share, (ITEM, BY_ITEM)) | share_out(1 - share, PARTS[2:])
        spreads = {name: spread * math.sqrt(each) for name, each in variances.items()}
        return _Printed(self._by_system(quality), spreads), [*said, *more]

    def _choices(self) -> tuple[_Printed, list[str]]:
        unit = math.sqrt(2) * assumed_spread((BY_ITEM, BY_PARTICIPANT, NOISE))
        strengths = strengths_behind(self._win_shares())
        pairs = np.triu_indices(len(strengths), 1)
        differences = strengths[pairs[0]] - strengths[pairs[1]]
        scale = HiddenScale.of_choice(0.0)
        share, more = self._output_share(scale, differences, 1.0, is_choice=True)
        variances = {BY_ITEM: share} | share_out(1 - share, (BY_PARTICIPANT, NOISE))
        spreads = {name: unit * math.sqrt(each / 2) for name, each in variances.items()}
        return _Printed(self._by_system(unit * strengths), spreads), [_READ_AS_WINS, *more]

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
        if known and len(scale.values) > 2:  # noqa: PLR2004 - two points have no unit
            variance = float(np.mean(np.square(known))) * (4 / (high - low)) ** 2
            return total_spread(means, variance, scale), said
        spread = assumed_spread(PARTS)
        return spread, [*said, _NO_SD.format(spread)]

    def _output_share(
        self, scale: HiddenScale, means: Numbers, spread: float, *, is_choice: bool
    ) -> tuple[float, list[str]]:
        """Which share of the variance of opinions is the outputs', so that agreement is right."""
        parts = (BY_ITEM, BY_PARTICIPANT, NOISE, *(() if is_choice else (SEVERITY, ITEM)))
        assumed = assumed_spread((BY_ITEM, ITEM)) ** 2 / assumed_spread(parts) ** 2
        if is_choice:
            assumed = Parameters().system_by_item ** 2 / assumed_spread(parts) ** 2
        printed = self.agreement
        read = printed and measure_of(printed, scale.values, is_choice=is_choice)
        if not printed or not read:
            return assumed, ["No usable agreement is printed: the shares of variance are assumed."]
        measure, name = read
        value = printed.value.value
        solved = solve_correlation(scale, means, spread, measure)(value)
        said = [_SOLVED.format(name, value)]
        if not solved.is_reached:
            said.append(
                f"No variance of outputs gives {value:g} with these means: simulated studies will "
                f"have about {solved.coefficient:.2f}."
            )
        return solved.value, said


@dataclass(frozen=True, slots=True)
class _Printed:
    quality: Mapping[str, float]  # by system of the paper
    spreads: Mapping[str, float]


def _agreement(case: PaperCase, criterion: str) -> PrintedAgreement | None:
    """The coefficient to use: of the criterion before one of all, by preference."""
    listed = [
        each
        for each in case.agreement
        if each.criterion in {criterion, None} and not each.systems
        if each.coefficient in _PREFERRED
    ]
    return min(
        listed,
        key=lambda each: (each.criterion is None, _PREFERRED.index(each.coefficient)),
        default=None,
    )


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


@dataclass(frozen=True, slots=True)
class SolvedCorrelation:
    """The correlation of two opinions of one output, and the coefficient it gives."""

    value: float
    coefficient: float
    is_reached: bool  # whether the coefficient is the printed one


def solve_correlation(
    scale: HiddenScale, means: Numbers, spread: float, measure: Callable[[Numbers], float]
) -> Callable[[float], SolvedCorrelation]:
    """A function from a printed coefficient to the correlation behind it, by bisection.

    `means`: of opinions, one for each kind of unit that is judged equally often; `measure`: from
    the table of two people's values to the coefficient.
    """

    def at(correlation: float) -> float:
        return measure(scale.tables(means, spread, correlation).mean(axis=0))

    def solve(printed: float) -> SolvedCorrelation:
        low, high = 0.0, _CLOSEST
        for end in (low, high):
            if (at(end) >= printed) == (end == low):
                return SolvedCorrelation(end, at(end), abs(at(end) - printed) < _SAME)
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if at(middle) < printed else (low, middle)
        return SolvedCorrelation((low + high) / 2, printed, is_reached=True)

    return solve


def measure_of(
    printed: PrintedAgreement, values: Numbers, *, is_choice: bool
) -> tuple[Callable[[Numbers], float], str] | None:
    """How a printed coefficient is computed from a table, in which reading; None if unknown."""
    name = printed.coefficient
    if name == "percent":
        return (
            lambda table: 100 * float(np.trace(_swapped(table, is_choice)))
        ), "percent agreement"
    if name == "gwet-ac1":
        return (lambda table: _gwet(_swapped(table, is_choice))), "Gwet's AC1"
    if name in {"gwet-ac2", "kendall-w"}:
        return None
    metric: Metric = "nominal" if is_choice else _metric(printed)
    distance = _distance(metric, values)
    words = f"{_WORDS[name]} ({metric})"
    return (lambda table: _alpha(_swapped(table, is_choice), distance)), words


_WORDS = {
    "krippendorff-alpha": "Krippendorff's alpha",
    "cohen-kappa": "Cohen's kappa",
    "fleiss-kappa": "Fleiss' kappa",
    "icc": "ICC of a single judgment",
}


def _metric(printed: PrintedAgreement) -> Metric:
    """How far values are apart: as the paper says, or as the coefficient is usually computed."""
    variant = printed.variant.casefold()
    if "nominal" in variant:
        return "nominal"
    if any(word in variant for word in ("interval", "ratio", "quadratic")):
        return "interval"
    if "ordinal" in variant:
        return "ordinal"
    if printed.coefficient == "icc":
        return "interval"
    return "ordinal" if printed.coefficient == "krippendorff-alpha" else "nominal"


def _distance(metric: Metric, values: Numbers) -> Callable[[Numbers], Numbers]:
    if metric == "nominal":
        return lambda _: 1.0 - np.eye(len(values))
    if metric == "interval":
        return lambda _: (values[:, None] - values) ** 2
    return _ordinal


def _ordinal(shares: Numbers) -> Numbers:
    """Krippendorff's: the square of how many values lie between, the two ends counted half."""
    middle = np.cumsum(shares) - shares / 2
    return np.asarray((middle[:, None] - middle) ** 2)


def _alpha(table: Numbers, distance: Callable[[Numbers], Numbers]) -> float:
    shares = table.sum(axis=1)
    squares = distance(shares)
    expected = float((shares[:, None] * shares * squares).sum())
    return 1 - float((table * squares).sum()) / expected if expected > 0 else 1.0


def _gwet(table: Numbers) -> float:
    shares = table.sum(axis=1)
    chance = float((shares * (1 - shares)).sum()) / (len(shares) - 1)
    return (float(np.trace(table)) - chance) / (1 - chance)


def _swapped(table: Numbers, is_choice: bool) -> Numbers:  # noqa: FBT001 - one of two readings
    """Either system of a pair is shown first equally often, so that neither side wins more."""
    return (table + table[::-1, ::-1]) / 2 if is_choice else table
