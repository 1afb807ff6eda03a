"""Where the parameters of a simulation come from: by hand, a pilot, a paper, a published study.

A parameters.yaml has values for all questions and, below `questions`, exceptions for some of them;
what is left out has its assumed value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel, Field, create_model

from rejudge.english import capital, count, did_you_mean
from rejudge.errors import DataError, Problem, StudyError, UsageError
from rejudge.simulate.parameters import (
    DESCRIPTIONS,
    NUMBERS,
    OTHER_SYSTEMS,
    Parameters,
    ParameterSet,
    bounds,
    for_each_question,
    quality_of_others,
)
from rejudge.study.draft import sound_part
from rejudge.study.model import Study
from rejudge.study.parts import Part
from rejudge.study.schema import line_of_yaml
from rejudge.study.yaml_file import YamlFile, in_order, read_yaml, refuse_other_format

if TYPE_CHECKING:
    from rejudge.paper.model import Paper
    from rejudge.simulate.pilot import Pilot

DEFAULTS = "rejudge's own assumptions, without data"
FORMAT = 1
PARAMETERS = "parameters.yaml"
_PRESETS = "presets.yaml"
_EXAMPLE = "`noise: 0.5` and `severity: 0.3`"
_BEGINNING = "`rejudge simulate STUDY --show > parameters.yaml` writes one to start from."


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
        from rejudge.simulate.pilot import parameters_from_pilot  # loads numpy and scipy

        return parameters_from_pilot(study, pilot)
    if paper is not None:
        from rejudge.simulate.published import parameters_from_paper  # 〃

        return parameters_from_paper(study, paper)
    if preset is not None:
        return parameters_from_preset(study, preset)
    return ParameterSet({q.id: Parameters() for q in study.spec.questions}, DEFAULTS)


# ── parameters.yaml ──────────────────────────────────────────────────────────────────────────────


def _number_field(name: str) -> tuple[object, Any]:  # what create_model takes
    least, most = bounds(name)
    return float | None, Field(None, ge=least, le=most, description=_sentence(name))


def _sentence(name: str) -> str:
    return f"{capital(DESCRIPTIONS[name])}." if name != "noise" else "Noise of a single judgment."


QuestionParameters: type[BaseModel] = create_model(
    "QuestionParameters",
    __base__=Part,
    __doc__="What is true for one question, or for all; what is left out has its assumed value.",
    quality=(
        dict[str, float] | None,
        Field(
            None,
            description="How good each system is, in quarters of the scale from its middle; all "
            "systems or none. Without it, systems get worse in the order of the study, from 0.6 "
            "to −0.6.",
            examples=[{"baseline": -0.3, "ours": 0.3}],
        ),
    ),
    **{name: _number_field(name) for name in NUMBERS},  # type: ignore[call-overload]  # by name
)


ParametersFile: type[BaseModel] = create_model(
    "ParametersFile",
    __base__=QuestionParameters,
    __doc__="The whole file: values for all questions, and exceptions for some of them.",
    format=(int, Field(FORMAT, description="Version of this file's format.")),
    source=(
        str,
        Field("", description="Where the values come from, for the output and reports."),
    ),
    questions=(
        dict[str, QuestionParameters],
        Field(
            default_factory=dict,
            description="Values for single questions that differ from those above.",
            examples=[{"fluency": {"noise": 0.5}}],
        ),
    ),
)


def parse_parameters(study: Study, text: str, *, file: str = PARAMETERS) -> ParameterSet:
    """The parameters that a text gives for a study.

    Raises one error with every problem of the text, in the order of lines.
    """
    written = read_yaml(
        text.removeprefix("\ufeff"), file=file, beginning=_BEGINNING, example=_EXAMPLE
    )
    refuse_other_format(written, FORMAT, file=file)
    understood = sound_part(written, ParametersFile, {}, file=file)
    problems = [*written.problems, *understood.problems]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    found = understood.spec.model_dump(exclude_unset=True)
    questions, source = found.pop("questions", {}), found.pop("source", "")
    found.pop("format", None)
    asked = dict.fromkeys(question.id for question in study.spec.questions)
    try:
        by_question = for_each_question(
            study,
            {name: Parameters(**found | questions.get(name, {})) for name in asked | questions},
        )
    except DataError as error:
        raise StudyError(*(_placed(each, written, file) for each in error.problems)) from None
    return ParameterSet(by_question, f"{file} ({source})" if source else file)


def _placed(problem: Problem, written: YamlFile, file: str) -> Problem:
    """A problem with the line of the word it is about, as far as that can be found."""
    word = problem.what.split("'")[1] if problem.what.count("'") > 1 else ""
    lines = [line for path, line in written.lines.items() if path and path[-1] == word]
    return Problem(problem.what, problem.remedy, file=file, line=min(lines, default=None))


def parameters_schema() -> dict[str, Any]:  # JSON Schema (draft 2020-12) is nested JSON
    """The JSON Schema of parameters.yaml, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ParametersFile.model_json_schema(mode="validation"),
        "title": PARAMETERS,
        "description": "True values of simulated systems, items and participants.",
    }


def parameters_yaml(study: Study, given: ParameterSet) -> str:
    """A parameters.yaml with these values, with what was assumed as comments."""
    return "\n".join(_lines(study, given)) + "\n"


def _lines(study: Study, given: ParameterSet) -> Iterator[str]:
    yield "# True values of simulated systems, items and participants; see docs/guide/simulate.md."
    yield "# Spreads are standard deviations in quarters of the scale."
    for sentence in given.assumptions:
        yield f"# - {''.join(each if each.isprintable() else ' ' for each in sentence)}"
    yield f"source: {line_of_yaml(given.source)}"
    parts = [_values(study, each) for each in given.by_question.values()]
    shared = {
        name: value for name, value in parts[0].items() if all(p[name] == value for p in parts)
    }
    for name, value in shared.items():
        yield f"{name}: {line_of_yaml(value)}{_comment(name)}"
    if len(shared) == len(parts[0]):
        return
    yield "questions:"
    for question, values in zip(given.by_question, parts, strict=True):
        yield f"  {line_of_yaml(question)}:"
        for name, value in values.items():
            if name not in shared:
                yield f"    {name}: {line_of_yaml(value)}{_comment(name)}"


def _values(study: Study, given: Parameters) -> dict[str, Any]:
    """Rounded to four digits: more are never known."""
    quality = given.qualities(study.system_ids)
    return {
        "quality": {system: round(value, 4) for system, value in quality.items()},
        **{name: round(float(getattr(given, name)), 4) for name in NUMBERS},
    }


def _comment(name: str) -> str:
    return f"  # {DESCRIPTIONS[name]}" if name in DESCRIPTIONS else ""


# ── published studies ────────────────────────────────────────────────────────────────────────────


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
    text = resources.files("rejudge.simulate").joinpath(_PRESETS).read_text(encoding="utf-8")
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
