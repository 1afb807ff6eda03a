"""Intervals for clustered judgments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rejudge.stats import clustered, mean_by_system, mean_difference

OTHERS = json.loads(Path(__file__).with_name("other_programs.json").read_text(encoding="utf-8"))


def mean_of(y, item, participant, **options: Any):  # options of `clustered`
    y = np.asarray(y, dtype=float)
    return clustered(
        float(y.mean()),
        (y - y.mean()) / len(y),
        item=np.asarray(item),
        participant=np.asarray(participant),
        **options,
    )


def test_the_variance_is_that_of_statsmodels_times_the_correction_for_few_clusters():
    """9 items and 7 participants, so the factor is 7/6 and t has 6 degrees of freedom."""
    case = OTHERS["two_way"]
    estimate = mean_of(case["y"], case["item"], case["participant"])
    assert estimate.value == pytest.approx(case["mean"])
    assert estimate.standard_error**2 == pytest.approx(case["variance"] * 7 / 6)
    assert (estimate.items, estimate.participants, estimate.df) == (9, 7, 6)


def test_the_interval_uses_students_t():
    """t(0.975, 6) = 2.446912, from any table."""
    case = OTHERS["two_way"]
    estimate = mean_of(case["y"], case["item"], case["participant"])
    reach = 2.446912 * estimate.standard_error
    assert estimate.interval.low == pytest.approx(case["mean"] - reach, rel=1e-6)
    assert estimate.interval.high == pytest.approx(case["mean"] + reach, rel=1e-6)


def test_the_p_value_is_that_of_scipy():
    from scipy import stats

    case = OTHERS["two_way"]
    estimate = mean_of(case["y"], case["item"], case["participant"], null=1.0)
    t = (case["mean"] - 1.0) / np.sqrt(case["variance"] * 7 / 6)
    assert estimate.p == pytest.approx(2 * stats.t.sf(t, 6))


def test_a_difference_of_means_has_the_variance_of_the_regression_slope():
    """Here V(items) + V(participants) − V(both) is negative, so the larger of the two is taken."""
    case, data = OTHERS["difference"], OTHERS["two_way"]
    estimate = mean_difference(
        np.array(data["y"]),
        np.array(case["system"]),
        (1, 0),
        item=np.array(data["item"]),
        participant=np.array(data["participant"]),
    )
    assert case["variance"] < 0
    assert estimate.value == pytest.approx(case["value"])
    assert estimate.standard_error**2 == pytest.approx(case["by_participant"] * 7 / 6)


def test_a_case_done_by_hand():
    """Scores 1 2 / 3 6 by two people on two items: mean 3, residuals −2 −1 / 0 3, over n = 4.

    Item sums −3 and 3, participant sums −2 and 2, so V(items) = 18/16, V(participants) = 8/16,
    V(cells) = (4 + 1 + 0 + 9)/16 = 14/16: together 12/16, less than V(items), so 18/16. Two
    clusters: times 2/1 = 2.25, of which the root is 1.5.
    """
    estimate = mean_of([1, 2, 3, 6], [0, 0, 1, 1], [0, 1, 0, 1])
    assert estimate.standard_error == pytest.approx(1.5)
    assert estimate.df == 1


def test_one_participant_gives_no_interval():
    estimate = mean_of([1, 2, 3], [0, 1, 2], [0, 0, 0])
    assert estimate.value == 2
    assert estimate.interval is None
    assert "two participants" in estimate.note


def test_complete_agreement_gives_no_interval_instead_of_one_without_width():
    estimate = mean_of([1, 1, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1])
    assert estimate.interval is None
    assert estimate.p is None
    assert "do not vary" in estimate.note


def test_three_participants_in_all_are_pointed_out():
    rng = np.random.default_rng(1)
    y = rng.normal(size=300)
    estimate = mean_of(y, np.repeat(np.arange(100), 3), np.tile(np.arange(3), 100))
    assert estimate.note.startswith("Only 3 participants in all")


def test_the_interval_stops_at_the_ends_of_the_scale():
    estimate = mean_of([5, 5, 5, 4], [0, 0, 1, 1], [0, 1, 0, 1], bounds=(1, 5))
    assert estimate.interval.high == 5


def test_a_system_nobody_judged_has_no_mean():
    one = np.zeros(2, dtype=int)
    means = mean_by_system(np.ones(2), one, item=one, participant=np.arange(2), systems=2)
    assert means[1].value is None
    assert means[1].note == "No judgments."


def test_a_difference_needs_both_systems():
    one = np.zeros(2, dtype=int)
    difference = mean_difference(np.ones(2), one, (0, 1), item=one, participant=np.arange(2))
    assert difference.value is None
    assert "not judged" in difference.note


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
