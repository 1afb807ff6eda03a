"""What simulated studies come to: p values, counts, rankings, verdicts and repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planned_studies import RATING, planned_study, rating_study
from rejudge import stats
from rejudge.design.draw import draw
from rejudge.power.grid import balanced_tally
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.sizes import StudyShape
from rejudge.power.tally import (
    FOUND,
    REVERSED,
    SimulatedStudies,
    SizeTally,
    can_be_simulated,
    comparison_powers,
    corrected,
    count_verdicts,
    one_sided,
    repeats,
)
from rejudge.simulate.sources import read_parameters
from rejudge.study.claims import Claim

P_VALUES = st.one_of(st.floats(0, 1), st.just(float("nan")))
CORRECTIONS = st.sampled_from(["holm", "bonferroni", "benjamini-hochberg", "none"])


@given(
    p=st.lists(P_VALUES, min_size=1, max_size=8), correction=CORRECTIONS, others=st.integers(0, 3)
)
def test_a_correction_of_many_studies_is_that_of_each(p, correction, others):
    known = [None if np.isnan(each) else each for each in p]
    expected = stats.adjust_p([*known, *[1.0] * others], correction)[: len(p)]

    found = corrected(np.array([p, p]), correction, others)

    for row in found:
        assert [None if np.isnan(each) else each for each in row] == pytest.approx(list(expected))


@given(p=st.floats(0, 1), value=st.floats(-2, 2), side=st.sampled_from(["greater", "less"]))
def test_a_planned_direction_makes_p_one_sided(p, value, side):
    if value == 0:
        value = 1.0
    found = float(one_sided(np.array([p]), np.array([value]), side)[0])

    assert found == pytest.approx(stats.one_sided(p, value, side))


def test_two_studies_agree_as_often_as_two_draws_from_the_same_urn():
    """By hand: of 6 studies 3, 2 and 1 came to the same: (3·2 + 2·1 + 0) / (6·5) = 8/30."""
    assert repeats({"x": 3, "y": 2, "z": 1}) == pytest.approx(8 / 30)
    assert repeats({"x": 1}) is None


def task_of(tests: str, effect: float, claims: str = ""):
    study = planned_study((RATING,), tests, systems="[a, b, c]", more=claims)
    stated = state_task(
        study, draw(study), read_parameters(study), effect=EffectRequest({EVERY: effect})
    )
    return stated.task


def test_a_pair_in_the_other_direction_is_found_as_often():
    shape = StudyShape(20, 3, 12, 3)
    one = balanced_tally(
        task_of("{question: fluency, test: mixed-model, pairs: [[a, b]]}", 0.8), shape, 300, (1,)
    )
    other = balanced_tally(
        task_of("{question: fluency, test: mixed-model, pairs: [[b, a]]}", 0.8), shape, 300, (1,)
    )

    assert one.sums[0, FOUND] == other.sums[0, FOUND] > 0


def test_a_direction_that_is_not_the_true_one_is_never_found_right():
    shape = StudyShape(20, 3, 12, 3)
    wrong = task_of("{question: fluency, test: mixed-model, alternative: less}", 0.8)
    found = balanced_tally(wrong, shape, 300, (1,))

    assert (found.sums[:, REVERSED] == found.sums[:, FOUND]).all()
    assert found.all_found == 0


def test_overestimation_needs_twenty_findings():
    """A mean over one or two findings says nothing; at this size almost nothing is found."""
    task, shape = task_of("{question: fluency, test: mixed-model}", 0.05), StudyShape(8, 3, 6, 3)
    one, all_ = (balanced_tally(task, shape, n, (1,)) for n in (50, 3000))
    rare = [c for c in comparison_powers(task, one) if 0 < c.power * 50 < 20]

    assert rare
    assert all(each.exaggeration is each.wrong_sign is None for each in rare)
    assert any(each.exaggeration is not None for each in comparison_powers(task, all_))


def test_parts_add_up_in_any_order():
    task, shape = task_of("{question: fluency, test: mixed-model}", 0.5), StudyShape(10, 3, 6, 3)
    one, two = balanced_tally(task, shape, 40, (1,)), balanced_tally(task, shape, 60, (2,))

    assert (one + two).studies == 100
    assert np.allclose((one + two).sums, (two + one).sums)
    assert (one + two).rankings == (two + one).rankings
    assert sum((one + two).rankings["fluency"].values()) == 100


def test_two_tests_of_one_question_see_the_same_answers():
    both = task_of(
        "{question: fluency, test: paired-t}, {question: fluency, test: paired-t, unit: item}", 0.5
    )
    found = balanced_tally(both, StudyShape(20, 3, 12, 3), 200, (1,))
    first, second = found.sums[:3], found.sums[3:]

    assert np.array_equal(first, second)


def test_verdicts_on_claims_are_counted():
    claims = (
        "claims: [{id: top, says: a best on fluency}, {id: alpha, says: alpha >= 0.5 on fluency}]\n"
    )
    task = task_of("{question: fluency, test: mixed-model}", 1.0, claims)
    found = balanced_tally(task, StudyShape(20, 3, 12, 3), 50, (1,))

    assert list(found.verdicts) == ["top"]
    assert sum(found.verdicts["top"].values()) == 50


def test_systems_that_are_level_share_a_place():
    from rejudge.power.tally import _rankings

    found = _rankings(np.array([[3.0, 1.0, 1.0], [3.0, 1.0, 1.0], [1.0, 2.0, 3.0]]))

    assert found == {(1, 2, 2): 2, (3, 2, 1): 1}


def test_type_m_and_s_are_those_of_the_differences_that_were_found():
    """40 of 100 found, one of them reversed, 0.9 on average where 0.6 is true on average."""
    study = rating_study()
    task = state_task(
        study, draw(study), read_parameters(study), effect=EffectRequest({EVERY: 0.6})
    ).task
    row = [100, 40, 1, 36.0, 60.0, 100, 120.0, 100]
    tally = SizeTally(100, np.array([row], dtype=float), 39, {}, {})
    (found,) = comparison_powers(task, tally)

    assert found.power == 0.4
    assert found.exaggeration == pytest.approx(1.5)
    assert found.wrong_sign == pytest.approx(1 / 40)
    assert found.width == pytest.approx(1.2)


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
        ("a best on q", (1, 1, 0), (1.0, 0.01, 0.01), "opposite-direction"),
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
