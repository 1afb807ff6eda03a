"""Where the parameters of a simulation come from: by hand, a pilot, a paper, a published study."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING

from rejudge.english import did_you_mean
from rejudge.errors import DataError, Problem, UsageError
from rejudge.simulate.parameters import Parameters

if TYPE_CHECKING:
    from rejudge.paper import Paper
    from rejudge.simulate.pilot import Pilot
    from rejudge.study import Study

DEFAULTS = "the values that rejudge assumes where nothing is known"


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """Parameters for each question of a study, where they come from, and what was assumed."""

    by_question: Mapping[str, Parameters]  # all questions of the study, in its order
    source: str  # such as "pilot/judgments.csv: 600 judgments by 12 participants"
    assumptions: tuple[str, ...] = ()  # sentences: what could not be estimated, and what else


def read_parameters(
    study: Study,
    *,
    file: str | None = None,
    pilot: Pilot | None = None,
    paper: Paper | None = None,
    preset: str | None = None,
) -> ParameterSet:
    """The parameters of each question, from one source; without any, the assumed values.

    `file` is the text of a parameters.yaml, `pilot` the judgments of an earlier study, `paper` a
    published study as data, `preset` the name of a study whose parameters come with rejudge.
    """
    if sum(each is not None for each in (file, pilot, paper, preset)) > 1:
        raise UsageError(Problem("the parameters have several sources.", "Give only one of them."))
    if file is not None:
        from rejudge.simulate.parameter_file import parse_parameters

        return parse_parameters(study, file)
    if pilot is not None:
        from rejudge.simulate.pilot import parameters_from_pilot

        return parameters_from_pilot(study, pilot)
    if paper is not None:
        from rejudge.simulate.published import parameters_from_paper

        return parameters_from_paper(study, paper)
    if preset is not None:
        from rejudge.simulate import published_presets

        return published_presets.preset(study, preset)
    return ParameterSet({q.id: Parameters() for q in study.spec.questions}, DEFAULTS)


def for_each_question(
    study: Study, given: Parameters | Mapping[str, Parameters] | None
) -> dict[str, Parameters]:
    """Parameters by question: one for all, or one for each; refuses what does not fit the study."""
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


OTHER_SYSTEMS = (
    "The study has other systems: they are assumed to get worse in its order, as far apart as so "
    "many systems usually are if they differ as the published ones do."
)


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
