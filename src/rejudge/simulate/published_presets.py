"""Parameters of published studies; tools/make_presets.py computes them from public judgments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from rejudge.english import count, did_you_mean
from rejudge.errors import Problem, UsageError
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.sources import OTHER_SYSTEMS, ParameterSet, quality_of_others
from rejudge.study import Study

FILE = "presets.yaml"


@dataclass(frozen=True, slots=True)
class Preset:
    """A published study, and what its judgments show of one question."""

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
    import yaml

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


def preset(study: Study, name: str) -> ParameterSet:
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
