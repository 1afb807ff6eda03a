"""Correlation and agreement of every two participants, and of each with the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import cohen_kappa, compare_participants

METHODS = ["pearson", "spearman", "kendall"]


def long(matrix):
    """Units, participants and values from rows of participants and columns of units."""
    cells = [
        (unit, 10 * person, value)
        for person, row in enumerate(matrix)
        for unit, value in enumerate(row)
        if value is not None
    ]
    unit, person, value = (np.array(column) for column in zip(*cells, strict=True))
    return unit, person, value.astype(float)


SCORES = [
    [1, 2, 3, 4, 2, 1, None],
    [2, 2, 4, 4, 1, 1, 3],
    [1, 3, 2, None, 2, 3, 3],
    [2.5, 2.5, 7, 1, 1, None, 6],
]


@pytest.mark.parametrize("method", METHODS)
def test_correlations_are_those_of_scipy_over_shared_units(method):
    from scipy import stats

    theirs = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall": stats.kendalltau,
    }[method]
    first, second = [2, 2, 4, 1, 3], [2.5, 2.5, 7, 1, 6]  # units 0 1 2 4 6 of the second and fourth
    first, second = [*first, 4], [*second, 1]  # and unit 3
    found = compare_participants(*long(SCORES), measure=method)
    place = by_pair(found).index((10, 30))
    assert found.value[place] == pytest.approx(theirs(first, second).statistic)
    assert found.n[place] == 6


def by_pair(found):
    """The pairs by the codes of the two."""
    people = found.people
    return list(zip(people[found.first].tolist(), people[found.second].tolist(), strict=True))


def test_the_correlations_are_those_of_pandas():
    import pandas as pd

    theirs = pd.DataFrame(np.array(SCORES, dtype=float).T).corr(method="spearman")
    found = compare_participants(*long(SCORES))
    expected = [theirs.iloc[a, b] for a, b in zip(found.first, found.second, strict=True)]
    assert found.value == pytest.approx(expected)
    assert found.n.tolist() == [6, 5, 5, 6, 6, 5]


def test_spearman_and_the_mean_over_the_others_by_hand():
    """1 2 3 against 1 3 2: 1 − 6·(0 + 1 + 1)/(3·8) = ½; of 1 2 3 twice 1. Each has two others."""
    found = compare_participants(*long([[1, 2, 3], [1, 2, 3], [1, 3, 2]]))
    assert found.value == pytest.approx([1, 0.5, 0.5])
    assert found.mean == pytest.approx([0.75, 0.75, 0.5])
    assert found.others.tolist() == [2, 2, 2]


def test_a_participant_with_one_value_has_no_correlation():
    found = compare_participants(*long([[1, 2, 3], [1, 3, 2], [2, 2, 2]]))
    assert found.value == pytest.approx([0.5, np.nan, np.nan], nan_ok=True)
    assert found.mean == pytest.approx([0.5, 0.5, np.nan], nan_ok=True)
    assert found.others.tolist() == [1, 1, 0]


def test_too_few_shared_units_are_not_correlated():
    assert np.isnan(compare_participants(*long([[1, 2, 3], [1, 3, None]])).value).all()


def test_judging_a_unit_twice_is_refused():
    found = compare_participants(np.zeros(3, dtype=int), np.array([0, 0, 1]), np.arange(3.0))
    assert not len(found.value)
    assert "Choose which" in found.note


def test_kappas_are_those_of_every_two_participants():
    matrix = [[1, 2, 3, 3, 1, 2], [1, 2, 3, 2, 1, 1], [2, 2, 3, 3, 1, 2], [1, 1, 1, 1, 1, 1]]
    found = compare_participants(*long(matrix), measure="kappa")
    expected = [
        cohen_kappa(np.array(matrix[a], float), np.array(matrix[b], float)).value
        for a, b in zip(found.first, found.second, strict=True)
    ]
    assert found.value == pytest.approx(expected)


MATRICES = st.lists(
    st.lists(st.sampled_from([None, 1, 2, 3]), min_size=7, max_size=7), min_size=2, max_size=5
).filter(lambda rows: any(value is not None for row in rows for value in row))


@given(MATRICES, st.sampled_from(METHODS))
def test_correlations_lie_between_minus_one_and_one(matrix, method):
    values = compare_participants(*long(matrix), measure=method).value
    assert all(-1 <= value <= 1 for value in values[~np.isnan(values)])


@given(MATRICES, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(matrix, shuffler):
    columns = long(matrix)
    order = list(range(len(columns[0])))
    shuffler.shuffle(order)
    shuffled = compare_participants(*(column[order] for column in columns))
    assert shuffled.value == pytest.approx(compare_participants(*columns).value, nan_ok=True)


@given(MATRICES)
def test_ranks_do_not_depend_on_the_distances_of_values(matrix):
    stretched = [[None if value is None else value**3 for value in row] for row in matrix]
    before, after = (compare_participants(*long(each)).value for each in (matrix, stretched))
    assert after == pytest.approx(before, nan_ok=True)


def test_percent_by_hand():
    """Units 0–3. a: 1 1 0 0; b: 1 1 0 1; c judged units 0 and 1 only: 0 1.

    a–b: 3 of 4 alike; a–c and b–c share two units, one fewer than three.
    """
    unit = np.array([0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    person = np.array([0] * 4 + [1] * 4 + [2] * 2)
    value = np.array([1, 1, 0, 0, 1, 1, 0, 1, 0, 1], dtype=float)
    found = compare_participants(unit, person, value, measure="percent")
    assert found.n.tolist() == [4, 2, 2]
    assert found.value[0] == 75
    assert np.isnan(found.value[1:]).all()
    assert found.mean[:2].tolist() == [75, 75]
    assert found.others.tolist() == [1, 1, 0]


def test_without_shared_units_everything_is_undefined_with_the_reason():
    found = compare_participants(np.arange(3), np.arange(3), np.ones(3))
    assert np.isnan(found.mean).all()
    assert found.note.startswith("Undefined")
