"""Verdicts on simulated studies are those that the analysis would give, one study at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.power.tally import SimulatedStudies, can_be_simulated, count_verdicts
from rejudge.study.claims import Claim

SYSTEMS = ("a", "b", "c")
PAIRS = list(combinations(range(3), 2))
CLAIMS = (
    "a best on q",
    "c worst on q",
    "b > a on q",
    "a > b, c on q",
    "order c > b > a on q",
    "a > b on q with p < 0.05",
    "order b > a > c on q with p < 0.01",
    "a ~ b on q within 0.4",
    "c ~ a on q within 0.4",
)
SCORES = st.integers(-4, 4).map(lambda n: n / 4)
P_VALUES = st.sampled_from([0.0001, 0.009, 0.02, 0.049, 0.05, 0.3, 1.0, float("nan")])


@st.composite
def simulated(draw, studies=6):
    scores = np.array([[draw(SCORES) for _ in SYSTEMS] for _ in range(studies)])
    value = np.stack([scores[:, one] - scores[:, other] for one, other in PAIRS], axis=1)
    p = np.array([[draw(P_VALUES) for _ in PAIRS] for _ in range(studies)])
    error = np.full(p.shape, draw(st.sampled_from([0.05, 0.2, 0.5])))
    return SimulatedStudies(value, error, np.full(p.shape, 20.0), p, scores)


@given(says=st.sampled_from(CLAIMS), found=simulated())
def test_verdicts_on_many_studies_are_those_on_each(says, found):
    claim = Claim(id="it", says=says)
    each = Counter()
    for place in range(len(found.p)):
        own = [getattr(found, name.name)[place : place + 1] for name in fields(found)]
        each.update(count_verdicts(claim, SimulatedStudies(*own), systems=SYSTEMS, alpha=0.05))

    assert count_verdicts(claim, found, systems=SYSTEMS, alpha=0.05) == each


@pytest.mark.parametrize(
    ("says", "scores", "p", "verdict"),
    [
        ("a best on q", (2, 1, 0), (0.01, 0.01, 0.01), "supported"),
        ("a best on q", (2, 1, 0), (0.01, 0.3, 0.01), "same-direction"),
        ("a best on q", (1, 1, 0), (1.0, 0.01, 0.01), "no-difference"),
        ("a best on q", (0, 1, 2), (0.3, 0.3, 0.3), "opposite-direction"),
        ("a best on q", (0, 1, 2), (0.3, 0.01, 0.3), "contradicted"),
        ("a > b on q with p < 0.05", (2, 1, 0), (float("nan"), 0.01, 0.01), "not-testable"),
        ("a ~ b on q within 0.4", (1, 1, 0), (0.9, 0.1, 0.1), "supported"),
        ("a ~ b on q within 0.4", (2, 1, 0), (0.01, 0.01, 0.01), "contradicted"),
    ],
)
def test_a_verdict_is_that_of_the_judge_of_claims(says, scores, p, verdict):
    apart = [[scores[one] - scores[other] for one, other in PAIRS]]
    arrays = (apart, [[0.1] * 3], [[20.0] * 3], [p], [scores])
    found = SimulatedStudies(*(np.array(each, dtype=np.float64) for each in arrays))
    claim = Claim(id="it", says=says)
    assert count_verdicts(claim, found, systems=SYSTEMS, alpha=0.05) == {verdict: 1}


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("a best on q", True),
        ("a ~ b on q within 0.1", True),
        ("krippendorff-alpha >= 0.6 on q", False),
        ("z > a on q", False),
    ],
)
def test_only_claims_about_systems_that_take_part_are_simulated(says, expected):
    assert can_be_simulated(Claim(id="it", says=says), SYSTEMS) is expected


def test_the_only_system_is_neither_best_nor_worst():
    assert not can_be_simulated(Claim(id="it", says="a best on q"), ("a",))
