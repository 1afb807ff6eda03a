"""What is true of simulated systems, items and participants, for one question.

All opinions lie on one latent scale whose unit is a quarter of the scale: on a scale from 1 to 5
the middle is 0 and the ends are −2 and +2. How good an output seems to somebody is

    severity of the participant + quality of the system + difficulty of the item
    + system × item + system × participant + noise,

each but the quality drawn from a normal distribution with mean 0 and the standard deviation below.
A score is the nearest point of the scale, the ends included. Of outputs shown together the first
is better by `position_bias`, and a choice goes to the output that seems best; with a tie allowed,
two that differ by less than `tie_width` are about the same. Severity and difficulty are the same
for all outputs of a task, so choices do not depend on them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from statistics import NormalDist, fmean, stdev
from typing import Any

from rejudge.english import did_you_mean
from rejudge.errors import DataError, Problem
from rejudge.study.model import Study

BEST, WORST = 0.6, -0.6  # of the first and the last system where no quality is given
SPREADS = ("item_difficulty", "system_by_item", "severity", "system_by_participant", "noise")
SHARES = ("careless", "dropout", "slip")
_LARGEST = 1e6  # far beyond any scale; squares and sums of such numbers stay exact enough
OTHER_SYSTEMS = (
    "The study has other systems: they are assumed to get worse in its order, and to differ as "
    "much as the published ones."
)
DESCRIPTIONS = {  # of each number; all but the shares are in quarters of the scale
    "item_difficulty": "how much higher or lower all outputs of an item are",
    "system_by_item": "how much a system's quality changes from item to item",
    "severity": "how much higher or lower some people score",
    "system_by_participant": "how much people differ in which system they like",
    "noise": "of a single judgment",
    "position_bias": "how much better the output shown first seems",
    "tie_width": "smaller differences are ties",
    "careless": "share of participants who answer at random",
    "dropout": "share of participants who leave before the end",
    "slip": "how often an attentive person misses a check",
}


@dataclass(frozen=True, slots=True)
class Parameters:
    """One question's parameters, as `DESCRIPTIONS` has them; spreads are standard deviations."""

    quality: Mapping[str, float] = field(default_factory=dict)  # by system; see `qualities`
    item_difficulty: float = 0.0
    system_by_item: float = 0.6
    severity: float = 0.5
    system_by_participant: float = 0.3
    noise: float = 0.7
    position_bias: float = 0.0
    tie_width: float = 0.5
    careless: float = 0.0
    dropout: float = 0.0
    slip: float = 0.01

    def __post_init__(self) -> None:
        problems = list(_faults(self))
        if problems:
            raise DataError.of(problems)

    def qualities(self, systems: Sequence[str]) -> dict[str, float]:
        """The quality of each of a study's systems.

        Where none is given, systems get worse in the order of the study, from +0.6 to −0.6.
        """
        if not self.quality:
            steps = max(1, len(systems) - 1)
            return {
                system: BEST + (WORST - BEST) * place / steps
                for place, system in enumerate(systems)
            }
        refuse_other_systems(self.quality, systems)
        return {system: float(self.quality[system]) for system in systems}

    def with_quality(self, quality: Mapping[str, float]) -> Parameters:
        """The same with other systems."""
        return replace(self, quality=dict(quality))

    def with_numbers(self, numbers: Mapping[str, float]) -> Parameters:
        """The same with other values of some parameters, by name."""
        values: dict[str, Any] = dict(numbers)  # each checked when the parameters are made
        return replace(self, **values)


NUMBERS = tuple(each.name for each in fields(Parameters) if each.name != "quality")


def bounds(name: str) -> tuple[float, float]:
    """The least and the largest value of a number."""
    least = -_LARGEST if name == "position_bias" else 0.0
    return least, 1.0 if name in SHARES else _LARGEST


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """Parameters for each question of a study, where they come from, and what was assumed."""

    by_question: Mapping[str, Parameters]  # all questions of the study, in its order
    source: str  # such as "pilot/judgments.csv: 600 judgments by 12 participants"
    assumptions: tuple[str, ...] = ()  # sentences: what could not be estimated, and what else


def for_each_question(
    study: Study, given: Parameters | Mapping[str, Parameters] | None
) -> dict[str, Parameters]:
    """Parameters by question, from one set or several; rejects what does not fit the study."""
    asked = [question.id for question in study.spec.questions]
    if given is None or isinstance(given, Parameters):
        found = dict.fromkeys(asked, given or Parameters())
    else:
        _refuse_other_questions(given, asked)
        found = {question: given[question] for question in asked}
    for parameters in found.values():
        parameters.qualities(study.system_ids)  # which refuses those of other systems
    _refuse_two_kinds_of_people(found)
    return found


def quality_of_others(systems: Sequence[str], known: Collection[float]) -> dict[str, float]:
    """Qualities for other systems than those that are known, the best first.

    They are as far apart as systems of the same standard deviation usually are: at the expected
    places of so many normal numbers in order (Blom 1958).
    """
    n = len(systems)
    places = [NormalDist().inv_cdf(1 - (place + 0.625) / (n + 0.25)) for place in range(n)]
    middle, spread = fmean(known), stdev(known) if len(known) > 1 else 0.0
    return {
        system: round(middle + spread * place, 4)
        for system, place in zip(systems, places, strict=True)
    }


def _refuse_other_questions(given: Mapping[str, Parameters], asked: list[str]) -> None:
    problems = [
        Problem(
            f"there are parameters for '{name}', which is not a question of the study.",
            f"{did_you_mean(name, asked)} Its questions are {', '.join(asked)}.".strip(),
        )
        for name in given
        if name not in asked
    ]
    problems += [
        Problem(
            f"the question '{name}' has no parameters.",
            f"Give parameters for each of {', '.join(asked)}, or one set for all of them.",
        )
        for name in asked
        if name not in given
    ]
    if problems:
        raise DataError.of(problems)


def _refuse_two_kinds_of_people(found: Mapping[str, Parameters]) -> None:
    """Whoever is careless or leaves does so in all questions of a page."""
    problems = [
        Problem(
            f"`{name}` differs between questions, but it is about people, who answer all of them.",
            "Give one value for all questions.",
        )
        for name in ("careless", "dropout")
        if len({getattr(each, name) for each in found.values()}) > 1
    ]
    if problems:
        raise DataError.of(problems)


def refuse_other_systems(quality: Mapping[str, float], systems: Sequence[str]) -> None:
    """Refuse qualities unless there is one for each system of the study, and no other."""
    problems = [
        Problem(
            f"'{name}' has a quality, but it is not a system of the study.",
            f"{did_you_mean(name, systems)} Its systems are {', '.join(systems)}.".strip(),
        )
        for name in sorted(set(quality) - set(systems))
    ]
    problems += [
        Problem(
            f"the system '{name}' has no quality, but others do.",
            f"Give a quality for each of {', '.join(systems)}, or for none.",
        )
        for name in systems
        if name not in quality
    ]
    if problems:
        raise DataError.of(problems)


def _faults(given: Parameters) -> Iterator[Problem]:
    for name in NUMBERS:
        value, (least, most) = getattr(given, name), bounds(name)
        if not _is_number(value):
            yield Problem(f"`{name}` is {value!r}, not a number.", _remedy(name))
        elif not least <= value <= most:
            yield Problem(f"`{name}` cannot be {value:g}.", _remedy(name))
    for system, value in given.quality.items():
        if not _is_number(value) or abs(value) > _LARGEST:
            what = f"the quality of '{system}' is {value!r}, not a number that can be used."
            yield Problem(what, "Give a number around 0, such as 0.5.")


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return math.isfinite(value)


def _remedy(name: str) -> str:
    if name in SHARES:
        return "Give a number from 0 to 1."
    if name == "position_bias":
        return "Give a number around 0, such as 0.3."
    return "Give a number of 0 or more, such as 0.5."
