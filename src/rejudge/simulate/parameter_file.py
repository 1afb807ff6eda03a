"""A parameters.yaml: what is true of simulated systems, items and participants, written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from rejudge.errors import DataError, Problem, StudyError
from rejudge.simulate.parameters import NUMBERS, Parameters, ParameterSet, for_each_question
from rejudge.study.draft import sound_part
from rejudge.study.model import Study
from rejudge.study.parts import Part
from rejudge.study.schema import line_of_yaml
from rejudge.study.yaml_file import YamlFile, in_order, read_yaml, refuse_other_format

FORMAT = 1
PARAMETERS = "parameters.yaml"
_EXAMPLE = "`noise: 0.5` and `severity: 0.3`"
_BEGINNING = "`rejudge simulate STUDY --show > parameters.yaml` writes one to start from."


class QuestionParameters(Part):
    """What is true for one question, or for all; what is left out has its assumed value."""

    quality: dict[str, float] | None = Field(
        None,
        description="How good each system is, in quarters of the scale from its middle; all "
        "systems or none. Without it, systems get worse in the order of the study, from 0.6 to "
        "−0.6.",
        examples=[{"baseline": -0.3, "ours": 0.3}],
    )
    item_difficulty: float | None = Field(
        None, ge=0, description="How much higher or lower all outputs of an item are."
    )
    system_by_item: float | None = Field(
        None, ge=0, description="How much a system's quality changes from item to item."
    )
    severity: float | None = Field(
        None, ge=0, description="How much higher or lower some people score overall."
    )
    system_by_participant: float | None = Field(
        None, ge=0, description="How much people differ in which system they like."
    )
    noise: float | None = Field(None, ge=0, description="Noise of a single judgment.")
    scale_use: float | None = Field(
        None,
        ge=0,
        le=3,
        description="How much people differ in how much of the scale they use: the standard "
        "deviation of its logarithm.",
    )
    position_bias: float | None = Field(
        None, description="How much better the output shown first seems, if several are shown."
    )
    tie_width: float | None = Field(
        None,
        ge=0,
        description="Differences below this are “about the same”, if ties are allowed.",
    )
    careless: float | None = Field(
        None, ge=0, le=1, description="Share of participants who answer at random, and fast."
    )
    dropout: float | None = Field(
        None, ge=0, le=1, description="Share of participants who leave before the end."
    )
    slip: float | None = Field(
        None, ge=0, le=1, description="How often an attentive person misses a check."
    )


class ParametersFile(QuestionParameters):
    """The whole file: values for all questions, and exceptions for some of them."""

    format: int = Field(FORMAT, description="Version of this file's format.")
    source: str = Field("", description="Where the values come from, for the output and reports.")
    questions: dict[str, QuestionParameters] = Field(
        default_factory=dict,
        description="Values for single questions that differ from those above.",
        examples=[{"fluency": {"noise": 0.5}}],
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
    found = understood.spec
    asked = [question.id for question in study.spec.questions]
    try:
        by_question = {name: _together(found, found.questions.get(name)) for name in asked}
        extra = {name: Parameters() for name in found.questions if name not in by_question}
        by_question = for_each_question(study, by_question | extra)
    except DataError as error:
        raise StudyError(*(_placed(each, written, file) for each in error.problems)) from None
    source = f"{file} ({found.source})" if found.source else file
    return ParameterSet(by_question, source)


def _together(for_all: QuestionParameters, for_one: QuestionParameters | None) -> Parameters:
    values: dict[str, Any] = {}  # numbers, and the qualities
    for part in (for_all, for_one):
        for name in ("quality", *NUMBERS) if part is not None else ():
            value = getattr(part, name)
            if value is not None:
                values[name] = value
    return Parameters(**values)


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
    numbers: Mapping[str, float] = {name: getattr(given, name) for name in NUMBERS}
    return {
        "quality": {system: round(value, 4) for system, value in quality.items()},
        **{name: round(float(value), 4) for name, value in numbers.items()},
    }


def _comment(name: str) -> str:
    words = {
        "item_difficulty": "how much higher or lower all outputs of an item are",
        "system_by_item": "how much a system's quality changes from item to item",
        "severity": "how much higher or lower some people score",
        "system_by_participant": "how much people differ in which system they like",
        "noise": "of a single judgment",
        "scale_use": "of the logarithm of how much of the scale people use",
        "position_bias": "how much better the output shown first seems",
        "tie_width": "smaller differences are ties",
        "careless": "share of participants who answer at random",
        "dropout": "share of participants who leave before the end",
        "slip": "how often an attentive person misses a check",
    }
    return f"  # {words[name]}" if name in words else ""
