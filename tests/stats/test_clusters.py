"""Intervals for clustered judgments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from by_definition import degrees, factor
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from ratings import complete
from whys import why

from rejudge.stats import Estimate, Why, clustered_estimate, mean_by_system, mean_difference

OTHERS = json.loads((Path(__file__).parent / "other_programs.json").read_text(encoding="utf-8"))


def mean_of(y, item, participant, **options: Any):  # options of `clustered`
    y = np.asarray(y, dtype=float)
    return clustered_estimate(
        float(y.mean()),
        (y - y.mean()) / len(y),
        item=np.asarray(item),
        participant=np.asarray(participant),
        **options,
    )


def test_the_variance_is_that_of_statsmodels_with_factors_for_few_clusters():
    """V(cells) is what statsmodels takes off; factors and df by their definition."""
    case = OTHERS["two_way"]
    item, participant = np.array(case["item"]), np.array(case["participant"])
    estimate = mean_of(case["y"], item, participant)
    one, weight = np.zeros(60, dtype=int), np.full(60, 1 / 60)
    parts = [
        case["by_item"] * factor(item, one, weight),
        case["by_participant"] * factor(participant, one, weight),
    ]
    cells = case["by_item"] + case["by_participant"] - case["variance"]
    assert estimate.value == pytest.approx(case["mean"])
    assert estimate.standard_error**2 == pytest.approx(sum(parts) - cells)
    influence = (np.array(case["y"]) - case["mean"]) / 60
    cell = 7 * item + participant
    dfs = [degrees(code, cell, one, weight, influence) for code in (item, participant)]
    expected = (sum(parts) - cells) ** 2 / sum(v**2 / df for v, df in zip(parts, dfs, strict=True))
    assert estimate.df == pytest.approx(expected)


def test_the_interval_and_p_use_students_t():
    from scipy import stats

    case = OTHERS["two_way"]
    estimate = mean_of(case["y"], case["item"], case["participant"], null=1.0)
    reach = stats.t.ppf(0.975, estimate.df) * estimate.standard_error
    assert estimate.interval.low == pytest.approx(case["mean"] - reach)
    assert estimate.interval.high == pytest.approx(case["mean"] + reach)
    t = (case["mean"] - 1.0) / estimate.standard_error
    assert estimate.p == pytest.approx(2 * stats.t.sf(t, estimate.df))


def test_a_difference_of_means_has_the_variance_of_the_regression_slope():
    """Here V(items) + V(participants) − V(both) is negative, so the larger of the two is taken."""
    case, data = OTHERS["difference"], OTHERS["two_way"]
    item, participant = np.array(data["item"]), np.array(data["participant"])
    system = np.array(case["system"])
    y = np.array(data["y"])
    estimate = mean_difference(y, system, (1, 0), item=item, participant=participant)
    assert case["variance"] < 0
    assert estimate.value == pytest.approx(case["value"])
    sizes = np.bincount(system)
    weight = np.where(system == 1, 1 / sizes[1], -1 / sizes[0])
    v = case["by_participant"] * factor(participant, system, weight)
    assert estimate.standard_error**2 == pytest.approx(v)
    means = np.array([y[system == s].mean() for s in (0, 1)])
    influence = weight * (y - means[system])
    cell = 7 * item + participant
    assert estimate.df == pytest.approx(degrees(participant, cell, system, weight, influence))


def test_equal_clusters_have_the_usual_factor_and_degrees_of_freedom():
    """Scores 1 2 / 3 6 by two people on two items: mean 3, residuals −2 −1 / 0 3, over n = 4.

    Item sums −3 and 3, participant sums −2 and 2, so V(items) = 18/16, V(participants) = 8/16,
    V(cells) = (4 + 1 + 0 + 9)/16 = 14/16. Both factors are 2/1: 36/16 + 16/16 − 14/16 = 2.375. Each
    part has one degree of freedom, so df = 2.375² / (2.25² + 1²) = 0.93, and at least 1.
    """
    estimate = mean_of([1, 2, 3, 6], [0, 0, 1, 1], [0, 1, 0, 1])
    assert estimate.standard_error == pytest.approx(2.375**0.5)
    assert estimate.df == 1


def test_a_complete_table_gives_nearly_what_a_mixed_model_gives():
    """R 4.2.2, lmerTest 3.1-3, y ~ system + (1|item) + (1|participant) + (1|system:item) +
    (1|system:participant): difference .7916667, SE .2393682, df 2.9996, p .04549."""
    y, system, item, participant = complete()
    found = mean_difference(y, system, (0, 1), item=item, participant=participant)
    assert found.value == pytest.approx(0.7916667)
    assert found.standard_error == pytest.approx(0.239357, abs=5e-7)
    assert found.df == pytest.approx(3)
    assert found.p == pytest.approx(0.045478, abs=5e-7)


def test_one_person_who_judged_most_leaves_few_degrees_of_freedom():
    """Ten people; one judged 91 of 100 items, the others one each."""
    rng = np.random.default_rng(5)
    participant = np.array([0] * 91 + list(range(1, 10)))
    strictness = rng.normal(size=10)
    estimate = mean_of(strictness[participant] + rng.normal(size=100), np.arange(100), participant)
    assert estimate.df < 2
    even = np.repeat(np.arange(10), 10)
    assert mean_of(strictness[even] + rng.normal(size=100), np.arange(100), even).df > 8


def test_where_each_system_has_its_own_only_participant_there_is_no_interval():
    """How far participants differ shows nowhere: each one's mean is the system's mean."""
    difference = mean_difference(
        np.array([1.0, 2, 4, 3, 5, 5]),
        np.array([0, 0, 0, 1, 1, 1]),
        (0, 1),
        item=np.array([0, 1, 2, 0, 1, 2]),
        participant=np.array([0, 0, 0, 1, 1, 1]),
    )
    assert difference.interval is None
    assert why(difference) == [Why.ONE_CLUSTER_EACH]


def test_clusters_by_the_hundred_thousand_need_no_table_of_pairs():
    rng = np.random.default_rng(6)
    n = 200_000
    estimate: Estimate = mean_of(rng.normal(size=n), np.arange(n) // 2, rng.integers(0, 50_000, n))
    assert estimate.standard_error == pytest.approx(n**-0.5, rel=0.02)


def test_one_participant_gives_no_interval():
    estimate = mean_of([1, 2, 3], [0, 1, 2], [0, 0, 0])
    assert estimate.value == 2
    assert estimate.interval is None
    assert why(estimate) == [Why.NEEDS]


def test_complete_agreement_gives_no_interval_instead_of_one_without_width():
    estimate = mean_of([1, 1, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1])
    assert estimate.interval is None
    assert estimate.p is None
    assert why(estimate) == [Why.NO_CLUSTER_VARIATION]


def test_three_participants_in_all_are_pointed_out():
    rng = np.random.default_rng(1)
    y = rng.normal(size=300)
    estimate = mean_of(y, np.repeat(np.arange(100), 3), np.tile(np.arange(3), 100))
    assert estimate.reasons == (Why.FEW_PEOPLE(n=3),)


def test_the_interval_stops_at_the_ends_of_the_scale():
    estimate = mean_of([5, 5, 5, 4], [0, 0, 1, 1], [0, 1, 0, 1], bounds=(1, 5))
    assert estimate.interval.high == 5


def test_a_system_nobody_judged_has_no_mean():
    one = np.zeros(2, dtype=int)
    means = mean_by_system(np.ones(2), one, item=one, participant=np.arange(2), systems=2)
    assert means[1].value is None
    assert why(means[1]) == [Why.NOBODY]


def test_a_difference_needs_both_systems():
    one = np.zeros(2, dtype=int)
    difference = mean_difference(np.ones(2), one, (0, 1), item=one, participant=np.arange(2))
    assert difference.value is None
    assert why(difference) == [Why.NOT_JUDGED]


def test_independent_judgments_give_the_textbook_interval():
    """Each judgment by another person on another item: the usual standard error of a mean.

    V(items) = V(participants) = V(cells) = Σ r²/n², times n/(n−1): the sample variance over n.
    """
    y = np.random.default_rng(2).normal(size=50)
    estimate = mean_of(y, np.arange(50), np.arange(50))
    assert estimate.standard_error == pytest.approx(y.std(ddof=1) / np.sqrt(50))


@given(
    y=hnp.arrays(np.float64, 24, elements=st.integers(1, 5)),
    order=st.permutations(range(24)),
    names=st.permutations(range(4)),
)
def test_neither_the_order_of_rows_nor_the_names_of_people_matter(y, order, names):
    item, participant = np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
    place = np.array(order)
    usual = mean_of(y, item, participant)
    other = mean_of(y[place], item[place], np.array(names)[participant][place])
    assert (usual.interval is None) == (other.interval is None)
    assert other.standard_error == pytest.approx(usual.standard_error)


@pytest.mark.slow
def test_the_interval_covers_what_it_promises_where_people_and_items_vary():
    """400 simulated studies, 60 items × 3 of 18 people. 95 % ± 3 standard errors of 1.1 %."""
    rng = np.random.default_rng(3)
    item = np.repeat(np.arange(60), 3)
    participant = (item // 10) * 3 + np.tile(np.arange(3), 60)
    hits = 0
    for _ in range(400):
        y = rng.normal(size=60)[item] + 0.7 * rng.normal(size=18)[participant]
        interval = mean_of(y + rng.normal(size=180), item, participant).interval
        hits += interval.low <= 0 <= interval.high
    assert 0.917 <= hits / 400 <= 0.99


@pytest.mark.parametrize(("items", "people"), [(40, 2), (40, 4), (3, 40)])
def test_few_clusters_leave_one_degree_of_freedom_fewer_than_they_are(items, people):
    """Satterthwaite's rejected 13 % of true hypotheses with 100 items and 2 participants, and 8 %
    with 3 items and 50 participants (600 simulated studies each)."""
    rng = np.random.default_rng(3)
    item, participant = (part.ravel() for part in np.indices((items, people)))
    value = rng.normal(size=items)[item] + rng.normal(size=items * people)
    centred = (value - value.mean()) / len(value)
    found = clustered_estimate(float(value.mean()), centred, item=item, participant=participant)
    assert found.df <= min(items, people) - 1
