"""A small paper file, and what is wrong with changed copies of it."""

from __future__ import annotations

from rejudge.errors import Problem, StudyError
from rejudge.paper.paper_file import parse

PAPER = """\
id: second
reproduces: first
reference: {authors: Doe, year: 2024, title: Once more}
systems: [{id: a}, {id: b}]
criteria:
  - {id: q, scale: {kind: rating, low: 1, high: 4, points: 4}}
cases:
  - scores:
      - {criterion: q, system: a, value: 3.50, sd: 0.90, n: 20, place: Table 1}
      - {criterion: q, system: b, value: 2, place: Table 1}
    agreement:
      - {criterion: q, coefficient: percent, systems: [a, b], value: 80.0}
    tests:
      - {criterion: q, systems: [a, b], p: 0.010,
         effect: {name: d, value: 0.52, interval: [0.10, 0.90]}}
claims: [{id: a-better, says: "a > b on q with p < 0.05"}]
conditions: {platform: Prolific, items: 50, countries: [GB, US], blind: true, x-weather: fine}
deviations: [{property: platform, reason: It had to be.}]
reproducibility: [{measure: cv-star, criterion: q, system: a, value: 3.470}]
"""


def problems_of(text: str) -> tuple[Problem, ...]:
    try:
        parse(text, file="p.yaml")
    except StudyError as error:
        return error.problems
    return ()


def changed(before: str, after: str) -> str:
    assert PAPER.count(before) == 1
    return PAPER.replace(before, after)


def only_problem(before: str, after: str) -> Problem:
    (problem,) = problems_of(changed(before, after))
    assert problem.file == "p.yaml"
    assert problem.line
    assert problem.remedy
    return problem
