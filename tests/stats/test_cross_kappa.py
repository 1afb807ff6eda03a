"""Agreement between two groups of people."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import cohen_kappa, cross_kappa

# The test data of the authors' own program (google-research/cross-replication-reliability), whose
# result is 0.1818182. Units 6 and 7 were judged by one group only.
ONE = {1: "BB", 2: "BBB", 3: "AA", 4: "AAA", 5: "AB", 6: "AAA", 7: "AAB"}
TWO = {1: "BB", 2: "AB", 3: "AB", 4: "AB", 5: "AA"}


def columns(one, two):
    rows = [(u, ord(c), g) for g, said in enumerate((one, two)) for u in said for c in said[u]]
    unit, value, group = (np.array(each) for each in zip(*rows, strict=True))
    return unit, value.astype(float), group == 1


def test_it_is_the_number_of_the_authors_program():
    found = cross_kappa(*columns(ONE, TWO), "nominal")
    assert found.value == pytest.approx(0.1818182, abs=5e-8)
    assert (found.n, found.judgments) == (5, 22)


def test_units_of_one_group_alone_do_not_count():
    shared = {unit: said for unit, said in ONE.items() if unit in TWO}
    assert cross_kappa(*columns(ONE, TWO), "nominal") == cross_kappa(
        *columns(shared, TWO), "nominal"
    )


def test_of_two_single_people_it_is_cohens_kappa():
    one, two = np.array([1, 2, 2, 1, 3, 3, 1, 2]), np.array([1, 2, 1, 1, 3, 2, 1, 3])
    unit = np.tile(np.arange(8), 2)
    found = cross_kappa(unit, np.concatenate([one, two]), np.repeat([False, True], 8), "nominal")
    assert found.value == pytest.approx(cohen_kappa(one, two).value)
    assert found.inside == (None, None)
    assert found.normalised is None


def test_interval_distances_done_by_hand():
    """Observed (0 + 1)/2; expected the mean of (1−1)², (1−3)², (2−1)², (2−3)² = 1.5; 1 − .5/1.5."""
    unit, value = np.array([0, 1, 0, 1]), np.array([1.0, 2.0, 1.0, 3.0])
    found = cross_kappa(unit, value, np.array([False, False, True, True]), "interval")
    assert found.value == pytest.approx(2 / 3)


def test_groups_that_agree_across_as_well_as_inside_have_a_normalised_kappa_near_one():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=4000)
    said = truth[:, None] + rng.normal(size=(4000, 4))  # two people in each group
    unit = np.repeat(np.arange(4000), 4)
    group = np.tile([False, False, True, True], 4000)
    found = cross_kappa(unit, np.round(said.ravel(), 1), group, "interval")
    assert found.value == pytest.approx(0.5, abs=0.03)  # the share of variance that is the truth
    assert found.normalised == pytest.approx(1.0, abs=0.03)


def test_the_interval_covers_what_is_true_about_as_often_as_it_says():
    """Interval scores of 60 units by two people in each of two groups; the true kappa is ½."""
    rng = np.random.default_rng(2)
    unit, group = np.repeat(np.arange(60), 4), np.tile([False, False, True, True], 60)
    hits = 0
    for _ in range(200):
        said = rng.normal(size=60)[:, None] + rng.normal(size=(60, 4))
        found = cross_kappa(unit, np.round(said.ravel(), 1), group, "interval")
        hits += found.interval.low <= 0.5 <= found.interval.high
    assert 180 <= hits <= 199  # 95 % of 200, ± 3 standard deviations


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [
        ({1: "A"}, {2: "A"}, "no unit in common"),
        ({1: "A", 2: "A"}, {1: "A", 2: "A"}, "everybody said the same"),
    ],
)
def test_it_is_undefined_where_nothing_is_shared_or_nothing_differs(one, two, why):
    found = cross_kappa(*columns(one, two), "nominal")
    assert found.value is None
    assert why in found.note


def test_one_shared_unit_gives_no_interval():
    found = cross_kappa(*columns({1: "AB"}, {1: "AA"}), "nominal")
    assert found.value == pytest.approx(0.0)
    assert found.interval is None


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(1, 4), st.booleans()), min_size=1, max_size=40
    )
)
def test_which_group_comes_first_does_not_matter(rows):
    unit, value, group = (np.array(each) for each in zip(*rows, strict=True))
    one = cross_kappa(unit, value.astype(float), group, "ordinal")
    two = cross_kappa(unit, value.astype(float), ~group, "ordinal")
    assert one.value == pytest.approx(two.value)
    assert one.value is None or one.value <= 1 + 1e-12
