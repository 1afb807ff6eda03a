"""What simulated studies come to: corrected p values, counts, rankings and repeats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planned_studies import RATING, planned_study
from rejudge import stats
from rejudge.design.draw import draw
from rejudge.power.grid import balanced_tally
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.sizes import StudyShape
from rejudge.power.tally import (
    FOUND,
    REVERSED,
    comparison_powers,
    corrected,
    one_sided,
    repeats,
)
from rejudge.simulate.sources import read_parameters

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
    assert repeats({"x": 3, "y": 2, "z": 1}, {"x": 1, "w": 3}) == pytest.approx(3 / 24)
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
