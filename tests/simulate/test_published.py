"""Simulated studies have the means and the spread that a paper prints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from judged_study import PAIRWISE, RATING, drawn, small_study
from rejudge.errors import DataError
from rejudge.judgments.answers import tabulate
from rejudge.paper.paper_file import open_shipped, parse, shipped_ids
from rejudge.simulate.people import judge
from rejudge.simulate.published import parameters_from_paper, strengths_behind
from rejudge.simulate.sources import read_parameters

PAPER = """
id: trees-2020
reference: {{authors: A, year: 2020, title: Trees}}
systems: [{{id: ash}}, {{id: beech}}, {{id: cedar}}]
criteria:
  - {{id: {criterion}, scale: {scale}}}
cases:
  - scores:
      - {{criterion: {criterion}, system: ash, value: {ash}{sd}}}
      - {{criterion: {criterion}, system: beech, value: {beech}{sd}}}
      - {{criterion: {criterion}, system: cedar, value: {cedar}{sd}}}
"""
RATED = {
    "criterion": "fluency", "scale": "{kind: rating, low: 1, high: 5, points: 5}",
    "ash": 3.9, "beech": 3.2, "cedar": 2.8, "sd": ", sd: 1.10",
}  # fmt: skip
CHOSEN = {
    "criterion": "meaning", "scale": "{kind: best-worst, low: -1, high: 1}",
    "ash": 0.40, "beech": 0.05, "cedar": -0.45, "sd": "",
}  # fmt: skip
CHOICE = {**PAIRWISE, "tie": False}


def paper(values, **changes: object):
    return parse(PAPER.format(**{**values, **changes}))


def simulated(study, given):
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(2), parameters=given.by_question)
    return tabulate(study, plan, answers, origin="simulated")


@pytest.mark.slow
def test_simulated_ratings_have_the_printed_means_and_spread():
    """1,500 items, so that chance moves a mean by 0.03."""
    study = small_study(RATING, inputs=1500)
    rows = simulated(study, parameters_from_paper(study, paper(RATED)))
    system = rows.system.codes
    means = [rows.value[system == code].mean() for code in range(3)]
    assert means == pytest.approx([3.9, 3.2, 2.8], abs=0.12)
    spreads = [rows.value[system == code].var() for code in range(3)]
    assert np.mean(spreads) ** 0.5 == pytest.approx(1.10, abs=0.05)


@pytest.mark.slow
def test_simulated_choices_have_the_printed_wins():
    study = small_study(CHOICE, inputs=1000)
    rows = simulated(study, parameters_from_paper(study, paper(CHOSEN)))
    first, second = rows.system_a.codes, rows.system_b.codes
    for system, score in enumerate((0.40, 0.05, -0.45)):
        wins = np.concatenate([rows.value[first == system], 1 - rows.value[second == system]])
        assert 2 * wins.mean() - 1 == pytest.approx(score, abs=0.06)


def test_strengths_win_the_shares_they_were_solved_for():
    shares = np.array([0.78, 0.51, 0.43, 0.28])
    found = strengths_behind(shares)
    wins = (ndtr(found[:, None] - found).sum(axis=1) - 0.5) / 3
    assert wins == pytest.approx(shares, abs=1e-4)
    assert found.mean() == pytest.approx(0)
    assert strengths_behind(np.array([0.4])).tolist() == [0]


@pytest.mark.parametrize("name", shipped_ids())
def test_every_shipped_paper_gives_parameters(name):
    """Their systems are others, which is said."""
    published = open_shipped(name)
    study = small_study({**RATING, "id": published.criteria[0].id})
    found = read_parameters(study, paper=published)
    (values,) = found.by_question.values()
    assert list(values.quality) == ["ash", "beech", "cedar"]
    assert any("other systems" in sentence for sentence in found.assumptions)
    assert values.quality["ash"] > values.quality["cedar"]


def test_what_a_paper_does_not_print_is_said():
    study = small_study(RATING, {**RATING, "id": "style"})
    found = parameters_from_paper(study, paper(RATED, sd=""))
    said = " ".join(found.assumptions)
    assert "style: not in the paper" in said
    assert "No standard deviation is printed" in said


def test_a_paper_without_the_systems_means_is_taken_at_their_mean():
    one = paper(RATED)
    case = one.cases[0]
    fewer = one.model_copy(update={"cases": (case.model_copy(update={"scores": case.scores[:2]}),)})
    found = parameters_from_paper(small_study(RATING), fewer)
    quality = found.by_question["fluency"].quality
    assert quality["cedar"] == pytest.approx((quality["ash"] + quality["beech"]) / 2)
    assert any("cedar is not in the paper" in sentence for sentence in found.assumptions)


def test_a_paper_of_other_criteria_is_refused_with_their_names():
    study = small_study(RATING, {**RATING, "id": "style"})
    with pytest.raises(DataError, match="meaning"):
        parameters_from_paper(study, paper(CHOSEN))


def test_scores_without_bounds_leave_all_values_assumed():
    unbounded = paper(RATED, scale="{kind: unbounded}")
    found = parameters_from_paper(small_study(RATING), unbounded)
    assert any("no bounds" in sentence for sentence in found.assumptions)
