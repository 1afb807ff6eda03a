"""Where the parameters of a simulation come from: by hand, a pilot, a paper, a published study."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from rejudge.english import count, did_you_mean
from rejudge.errors import Problem, UsageError
from rejudge.paper.model import Paper
from rejudge.simulate.parameter_file import parse_parameters
from rejudge.simulate.parameters import OTHER_SYSTEMS, Parameters, ParameterSet, quality_of_others
from rejudge.simulate.pilot import Pilot, parameters_from_pilot
from rejudge.simulate.published import parameters_from_paper
from rejudge.study.model import Study

DEFAULTS = "rejudge's own assumptions, without data"
FILE = "presets.yaml"


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
        return parse_parameters(study, file)
    if pilot is not None:
        return parameters_from_pilot(study, pilot)
    if paper is not None:
        return parameters_from_paper(study, paper)
    if preset is not None:
        return parameters_from_preset(study, preset)
    return ParameterSet({q.id: Parameters() for q in study.spec.questions}, DEFAULTS)


@dataclass(frozen=True, slots=True)
class Preset:
    """A published study, and the parameters of one question estimated from its judgments."""

    name: str
    source: str  # authors, year, and where the judgments are
    question: str  # what was asked, in words
    judgments: int
    participants: int
    items: int
    parameters: Parameters  # with the quality of its own systems
    assumptions: tuple[str, ...]

    @property
    def size(self) -> str:
        """Such as `3,600 judgments by 120 participants on 200 items`."""
        return (
            f"{count(self.judgments, 'judgment')} by {count(self.participants, 'participant')} on "
            f"{count(self.items, 'item')}"
        )


@cache
def presets() -> tuple[Preset, ...]:
    """All presets, by name."""
    text = resources.files("rejudge.simulate").joinpath(FILE).read_text(encoding="utf-8")
    listed: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return tuple(
        Preset(
            name=name,
            parameters=Parameters(**values.pop("parameters")),
            assumptions=tuple(values.pop("assumptions")),
            **values,
        )
        for name, values in sorted(listed.items())
    )


def parameters_from_preset(study: Study, name: str) -> ParameterSet:
    """The parameters of a published study for each question of another one.

    Where the study has other systems, they are about as far apart (`quality_of_others`).
    """
    known = {each.name: each for each in presets()}
    if name not in known:
        raise UsageError(
            Problem(
                f"there is no preset '{name}'.",
                f"{did_you_mean(name, known)} The presets are {', '.join(known)}.".strip(),
            )
        )
    found = known[name]
    quality, said = _quality(study, found)
    values = found.parameters.with_quality(quality)
    alike = f"All questions are assumed to be like that of the preset: {found.question}."
    return ParameterSet(
        {question.id: values for question in study.spec.questions},
        f"preset {name}: {found.source}; {found.size}",
        (alike, *said, *found.assumptions),
    )


def _quality(study: Study, found: Preset) -> tuple[dict[str, float], tuple[str, ...]]:
    published = found.parameters.quality
    if set(study.system_ids) == set(published):
        return dict(published), ()
    return quality_of_others(study.system_ids, published.values()), (OTHER_SYSTEMS,)
