"""A paper file to begin with."""

from __future__ import annotations

import re

import pytest

from rejudge.errors import StudyError
from rejudge.paper.conditions import PROPERTIES
from rejudge.paper.paper_file import open_shipped, parse, scaffold, shipped_ids


def faults_of(text: str) -> set[str]:
    with pytest.raises(StudyError) as caught:
        parse(text)
    return {re.sub(r"\d+", "0", problem.field or "") for problem in caught.value.problems}


EMPTY = {
    "reference.authors",
    "reference.year",
    "reference.title",
    "cases[0].scores[0].value",
    "conditions.system-outputs",
}


def filled(text: str) -> str:
    """The same with something in every empty place."""
    for key, word in (("authors", "Doe"), ("year", "2024"), ("title", "Once")):
        text = re.sub(rf"(?m)^  {key}:.*$", f"  {key}: {word}", text)
    return text.replace("value: ,", "value: 1,").replace(
        "  system-outputs: ", "  system-outputs: x "
    )


def uncommented(text: str) -> str:
    """The same with its examples taken out of their comments; conditions stay as they are."""
    between = r"(?=\nconditions:)|(?<=\n)(?=\n# (?:What was|Further))"
    head, conditions, tail = re.split(between, text, maxsplit=2)
    example = re.compile(r"(?m)^( *)# ((?:  )*(?:- |(?!venue|url|lab|says)\w+:).*)$")
    return example.sub(r"\1\2", head) + conditions + example.sub(r"\1\2", tail)


def test_what_must_be_filled_in_is_reported_and_nothing_else():
    assert faults_of(scaffold("mine")) == EMPTY


@pytest.mark.parametrize("name", shipped_ids())
def test_a_reproduction_takes_over_what_its_original_names(name):
    original = open_shipped(name)
    text = scaffold("mine", original)
    assert faults_of(text) == EMPTY
    paper = parse(filled(text))
    assert paper.reproduces == name
    assert paper.systems == original.systems
    assert paper.criteria == original.criteria
    first = {(score.criterion, score.system) for score in original.cases[0].scores}
    assert {(score.criterion, score.system) for score in paper.cases[0].scores} == first
    assert "# original: " in text


@pytest.mark.parametrize("original", [None, "hosking-2021"])
def test_its_examples_are_of_the_format(original):
    text = scaffold("mine", open_shipped(original) if original else None)
    paper = parse(uncommented(filled(text)))
    assert paper.arithmetic
    assert paper.cases[0].tests[0].statistic.value.text == "5.157"
    assert paper.cases[0].agreement
    assert bool(paper.claims) == (original is None)
    assert bool(paper.deviations) == bool(paper.reproducibility) == (original is not None)


def test_every_standard_condition_is_offered():
    text = scaffold("mine")
    assert not [known.key for known in PROPERTIES if f" {known.key}:" not in text]
