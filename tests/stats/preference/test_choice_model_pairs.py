"""The mixed model of one pair of systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from choice_examples import crowd, dense, rotated, table
from hypothesis import given, settings
from hypothesis import strategies as st
from whys import why

from property_settings import examples
from rejudge.errors import DataError
from rejudge.stats import Comparisons, Why, choice_model, pair_model

COLUMNS = ("first", "second", "preference", "item", "participant")


def of(rows, comparisons):
    return replace(comparisons, **{name: getattr(comparisons, name)[rows] for name in COLUMNS})


def estimate(model):
    (only,) = model.contrasts
    return only


def test_a_pair_has_the_figures_of_lmertest():
    """lmerTest 3.1-3: y ~ side + (1|item) + (1|rater), see choice_examples; its df are 6.809 by
    the observed information, here by the average one."""
    comparisons, side = table()
    found = pair_model(comparisons, (0, 1), side=side)
    assert found.criterion == pytest.approx(88.0098338, abs=1e-6)
    assert found.variances["item"] == pytest.approx(0.16014, abs=1e-5)
    assert found.variances["participant"] == pytest.approx(0.18279, abs=1e-5)
    assert found.variances["residual"] == pytest.approx(0.32517, abs=1e-5)
    assert estimate(found).value == pytest.approx(50 + 50 * 0.55)
    assert estimate(found).standard_error == pytest.approx(50 * 0.25437, rel=2e-5)
    assert estimate(found).df == pytest.approx(6.809, abs=0.005)
    assert estimate(found).p == pytest.approx(0.06847, abs=5e-5)
    assert (found.n, found.items, found.participants) == (40, 8, 5)


def test_unbalanced_comparisons_give_what_the_matrices_written_out_give():
    comparisons = crowd(6, 160, systems=2, items=12, people=9, tail=0.7, favour=0.6, liking=0.5)
    side = np.random.default_rng(1).choice([-1, 0, 1], 160)
    sign = np.where(comparisons.first == 0, 1, -1)
    choice = sign * (2 * comparisons.preference - 1)
    terms = [
        (codes[:, None] == np.unique(codes)).astype(float)
        for codes in (comparisons.item, comparisons.participant)
    ]
    expected = dense(choice, np.column_stack([np.ones(160), sign * side]), terms)
    found = pair_model(comparisons, (0, 1), side=side)
    assert found.criterion == pytest.approx(expected.criterion, abs=1e-5)
    assert list(found.variances.values()) == pytest.approx(expected.variances, abs=1e-4)
    assert estimate(found).value == pytest.approx(50 + 50 * expected.beta[0], abs=1e-2)
    assert estimate(found).standard_error == pytest.approx(
        50 * np.sqrt(expected.covariance[0, 0]), rel=1e-3
    )
    assert found.side.value == pytest.approx(50 + 50 * expected.beta[1], abs=1e-2)
    assert found.side.standard_error == pytest.approx(
        50 * np.sqrt(expected.covariance[1, 1]), rel=1e-3
    )


@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(10))
def test_two_systems_in_the_joint_model_are_a_pair(seed):
    """Systems vary over items by u_a − u_b, whose variance is twice that of u."""
    comparisons = crowd(seed, 150, systems=2)
    pair, joint = pair_model(comparisons, (0, 1)), choice_model(comparisons)
    assert estimate(pair).value == pytest.approx(estimate(joint).value, abs=1e-3)
    assert estimate(pair).standard_error == pytest.approx(estimate(joint).standard_error, rel=1e-3)
    assert pair.variances["item"] == pytest.approx(
        2 * joint.variances["system × item"], rel=1e-3, abs=1e-5
    )


@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(10))
def test_the_other_order_of_the_pair_turns_the_result_round(seed):
    comparisons = crowd(seed, 150, systems=3)
    rng = np.random.default_rng(seed)
    side, order = rng.choice([-1, 1], 150), rng.permutation(150)
    one = pair_model(comparisons, (0, 2), side=side)
    other = pair_model(of(order, comparisons), (2, 0), side=side[order])
    assert estimate(other).value == pytest.approx(100 - estimate(one).value)
    assert estimate(other).standard_error == pytest.approx(estimate(one).standard_error)
    assert estimate(other).p == pytest.approx(estimate(one).p)
    assert other.side.value == pytest.approx(one.side.value)
    assert (other.contrasts[0].first, other.contrasts[0].second) == (2, 0)


def test_degrees_of_freedom_are_limited_where_participants_do_not_differ():
    """Everybody has the same total."""
    found = pair_model(rotated(systems=2), (0, 1))
    assert found.variances["participant"] == 0
    assert estimate(found).df == 4  # 2 (3 − 1)


def test_unknown_participants_leave_items_alone():
    comparisons, _ = table()
    found = pair_model(replace(comparisons, participant=np.full(120, -1)), (0, 1))
    assert set(found.variances) == {"item", "residual"}
    assert found.participants == 0
    assert why(found) == [Why.NOT_ESTIMATED]


def test_items_judged_once_are_part_of_the_residual():
    comparisons = crowd(3, 60, systems=2, people=6)
    found = pair_model(replace(comparisons, item=np.arange(60)), (0, 1))
    assert set(found.variances) == {"participant", "residual"}
    assert found.items == 60
    assert why(found) == [Why.NOT_ESTIMATED]


def test_one_participant_who_judged_each_item_once_is_a_one_sample_t_test():
    """By SciPy."""
    from scipy.stats import ttest_1samp

    comparisons, _ = table()
    rows = of(comparisons.participant == 4, comparisons)
    found = pair_model(rows, (0, 1))
    expected = ttest_1samp(2 * rows.of(0, 1).preference - 1, 0)
    assert estimate(found).p == pytest.approx(expected.pvalue)
    assert estimate(found).df == pytest.approx(expected.df)
    assert why(found) == [Why.NOT_ESTIMATED, Why.ONE_LEVEL]
    assert (found.contrasts[0].first, found.contrasts[0].second) == (0, 1)


def test_one_item_and_one_participant_have_no_test():
    comparisons = crowd(3, 30, systems=2, items=1, people=1)
    found = pair_model(comparisons, (0, 1))
    assert estimate(found).value is not None
    assert estimate(found).p is None
    assert why(found) == [Why.ONE_LEVEL, Why.ONE_LEVEL, Why.NO_BOUND]


def test_one_item_of_unknown_participants_has_no_test():
    comparisons = replace(crowd(3, 30, systems=2, items=1), participant=np.full(30, -1))
    found = pair_model(comparisons, (0, 1))
    assert estimate(found).p is None
    assert why(estimate(found)) == [Why.NO_BOUND]


@pytest.mark.parametrize(("preference", "percent"), [(1.0, 100), (0.5, 50), (0.0, 0)])
def test_choices_that_are_all_the_same_have_no_test(preference, percent):
    comparisons, side = table()
    same = replace(comparisons.of(0, 1), preference=np.full(40, preference))
    found = pair_model(same, (0, 1), side=side[:40])
    assert estimate(found).value == pytest.approx(percent)
    assert estimate(found).standard_error is None
    assert estimate(found).p is None
    assert why(estimate(found)) == [Why.PERFECT_FIT]


def test_choices_that_items_decide_leave_no_residual():
    comparisons, _ = table()
    two = comparisons.of(0, 1)
    found = pair_model(replace(two, preference=(two.item % 2).astype(float)), (0, 1))
    assert estimate(found).value == pytest.approx(50)
    assert estimate(found).p is None
    assert why(found) == [Why.NO_RESIDUAL]


def test_a_side_that_never_changes_is_left_out():
    comparisons, _ = table()
    two = comparisons.of(0, 1)
    found = pair_model(two, (0, 1), side=np.ones(40, dtype=int))
    assert found.side.value is None
    assert why(found.side) == [Why.NOT_SEPARABLE]
    assert estimate(found) == estimate(pair_model(two, (0, 1)))


def test_a_pair_that_never_met_is_undefined():
    comparisons, _ = table()
    found = pair_model(comparisons, (0, 7))
    assert found.contrasts == ()
    assert why(found) == [Why.NOT_COMPARED]


def test_one_comparison_has_a_value_and_no_test():
    one = np.zeros(1, dtype=np.int64)
    found = pair_model(Comparisons(one, one + 1, np.ones(1), one, one, 2), (0, 1))
    assert estimate(found).value == pytest.approx(100)
    assert estimate(found).p is None


def test_a_missing_preference_is_refused():
    comparisons, _ = table()
    with pytest.raises(DataError):
        pair_model(replace(comparisons, preference=np.full(120, np.nan)), (0, 1))
