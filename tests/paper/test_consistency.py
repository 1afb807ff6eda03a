"""Parts of a paper that do not fit each other are reported, each with its line and a remedy."""

from __future__ import annotations

import pytest

from paper_faults import PAPER, changed, only_problem, problems_of
from rejudge.paper.paper_file import parse


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("system: b, value", "system: c, value", "cases[0].scores[1].system"),
        ("criterion: q, system: b", "criterion: r, system: b", "cases[0].scores[1].criterion"),
        ("percent, systems: [a, b]", "percent, systems: [a, c]", "cases[0].agreement[0].systems"),
        ("q, systems: [a, b], p", "q, systems: [a, c], p", "cases[0].tests[0].systems"),
        ("a > b on q", "a > c on q", "claims[0].says"),
        ("a > b on q", "a > b on r", "claims[0].says"),
        ("cv-star, criterion: q", "cv-star, criterion: r", "reproducibility[0].criterion"),
        ("system: a, value: 3.470", "system: c, value: 3.470", "reproducibility[0].system"),
        ("value: 3.470", "case: other, value: 3.470", "reproducibility[0].case"),
    ],
)
def test_names_that_are_used_exist(before, after, field):
    problem = only_problem(before, after)
    assert problem.field == field
    assert problem.what.startswith("there is no ")


def test_nothing_may_be_given_twice():
    assert "used twice" in only_problem("[{id: a}, {id: b}]", "[{id: a}, {id: b}, {id: a}]").what
    twice = only_problem("system: b, value: 2", "system: a, value: 2")
    assert twice.what == "the score of a on q is given twice, here and on line 9."
    again = "[{property: platform}, {property: platform}]"
    assert only_problem("[{property: platform, reason: It had to be.}]", again).line == 18


def test_a_claim_does_not_compare_a_system_with_itself():
    assert "with itself" in only_problem("a > b on q", "a > a on q").what


def test_a_paper_does_not_reproduce_itself():
    assert "itself" in only_problem("reproduces: first", "reproduces: second").what


def test_only_a_reproduction_has_deviations_and_reproducibility():
    problems = problems_of(changed("reproduces: first\n", ""))
    assert [problem.field for problem in problems] == ["deviations", "reproducibility"]


def test_medians_and_means_of_one_criterion_are_two_cases():
    problem = only_problem("value: 3.50, sd: 0.90", "value: 3.5, is_median: true")
    assert "are medians, but this one is a mean" in problem.what
    assert problem.field == "cases[0].scores[1]"


def test_agreement_of_two_definitions_is_distinguished():
    one = "- {criterion: q, coefficient: kendall-w, value: 0.61"
    told = "- {criterion: q, coefficient: percent, systems: [a, b], value: 80.0}"
    found = parse(changed(told, f"{one}}}\n      {one}, variant: without ties}}"))
    assert [each.variant for each in found.cases[0].agreement] == ["", "without ties"]
    assert "kendall-w on q is given twice" in only_problem(told, f"{one}}}\n      {one}}}").what


def test_demographics_are_counts_or_summaries():
    text = PAPER + (
        "demographics:\n"
        "  - {what: gender, counts: {women: 12, men: 0}, place: section 3}\n"
        "  - {what: age, mean: 34.2, sd: 9.1, low: 18, high: 65}\n"
    )
    assert [each.what for each in parse(text).demographics] == ["gender", "age"]
    assert "is given twice" in problems_of(text.replace("what: age", "what: gender"))[0].what
    (problem,) = problems_of(text.replace("mean: 34.2, sd: 9.1, low: 18, high: 65", "n: 20"))
    assert problem.what == "there are no numbers for 'age'."


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("{kind: rating}", "the ends of the scale are missing."),
        ("{kind: rating, low: 4, high: 1}", "is not below"),
        ("{kind: unbounded, low: 0, high: 1}", "has no ends"),
    ],
)
def test_a_scale_has_its_ends(scale, words):
    assert (
        words in problems_of(changed("{kind: rating, low: 1, high: 4, points: 4}", scale))[0].what
    )


def test_a_test_is_of_two_systems_or_of_all():
    assert problems_of(changed("criterion: q, systems: [a, b], p", "criterion: q, p")) == ()
    assert "two different" in only_problem("systems: [a, b], p", "systems: [a], p").what
