"""Verdicts on simulated studies are those that the analysis would give, one study at a time."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge import stats
from rejudge.analysis.claims import judge
from rejudge.analysis.evidence import Evidence, PairInterval, PairTest
from rejudge.power.tally import VERDICTS, SimulatedStudies, can_be_simulated, judge_studies
from rejudge.study.claims import Claim

SYSTEMS = ("a", "b", "c")
PAIRS = list(combinations(SYSTEMS, 2))
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


@given(
    says=st.sampled_from(CLAIMS),
    scores=st.lists(SCORES, min_size=3, max_size=3),
    p=st.lists(P_VALUES, min_size=3, max_size=3),
    error=st.sampled_from([0.05, 0.2, 0.5]),
)
def test_a_verdict_is_that_of_the_analysis(says, scores, p, error):
    claim = Claim(id="it", says=says)
    seen, known = both_kinds_of_evidence(scores, p, error)

    (place,) = judge_studies(claim, seen, systems=SYSTEMS, alpha=0.05)
    assert VERDICTS[place] == judge(claim, known).verdict


def both_kinds_of_evidence(scores, p, error) -> tuple[SimulatedStudies, Evidence]:
    by_system = dict(zip(SYSTEMS, scores, strict=True))
    value = [by_system[one] - by_system[other] for one, other in PAIRS]
    df = 20.0
    seen = SimulatedStudies(
        np.array([value]),
        np.full((1, 3), error),
        np.full((1, 3), df),
        np.array([p]),
        np.array([scores]),
    )
    reach = stats.t_half_width(error, df, 0.95)
    known = Evidence(
        SYSTEMS,
        by_system,
        tests=tuple(
            PairTest(*pair, "t", apart, each, is_significant=each < 0.05)
            for pair, apart, each in zip(PAIRS, value, p, strict=True)
            if not np.isnan(each)
        ),
        intervals=tuple(
            PairInterval(
                *pair, stats.Interval(apart - reach, apart + reach, 0.95), apart, error, df
            )
            for pair, apart in zip(PAIRS, value, strict=True)
        ),
    )
    return seen, known


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
