"""Correlations between participants.

How each participant goes with the others, in columns.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import compare_participants, participant_correlations

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
    found = participant_correlations(*long(SCORES), method=method)
    pair = next(pair for pair in found.pairs if (pair.first, pair.second) == (10, 30))
    assert pair.correlation.value == pytest.approx(theirs(first, second).statistic)
    assert pair.correlation.n == 6


def test_the_correlations_are_those_of_pandas():
    import pandas as pd

    theirs = pd.DataFrame(np.array(SCORES, dtype=float).T).corr(method="spearman")
    matrix = participant_correlations(*long(SCORES)).matrix()
    for row in range(4):
        assert matrix[row][row] is None
        for column in set(range(4)) - {row}:
            assert matrix[row][column] == pytest.approx(theirs.iloc[row, column])


def test_the_shared_units_of_each_two_are_counted():
    shared = participant_correlations(*long(SCORES)).shared()
    assert shared == ((0, 6, 5, 5), (6, 0, 6, 6), (5, 6, 0, 5), (5, 6, 5, 0))


def test_spearman_by_hand():
    """1 2 3 against 1 3 2: 1 − 6·(0 + 1 + 1)/(3·8) = ½."""
    found = participant_correlations(*long([[1, 2, 3], [1, 3, 2]]))
    assert found.pairs[0].correlation.value == pytest.approx(0.5)


def test_the_mean_is_over_the_others():
    """1 2 3, 1 2 3 and 1 3 2: correlations 1, ½, ½; each has two others."""
    found = participant_correlations(*long([[1, 2, 3], [1, 2, 3], [1, 3, 2]]))
    assert [mean.value for mean in found.means] == pytest.approx([0.75, 0.75, 0.5])
    assert [mean.others for mean in found.means] == [2, 2, 2]


def test_the_mean_over_all_participants_is_given_only_when_asked_for():
    matrix = [[1, 2, 3], [1, 2, 3], [1, 3, 2]]
    found = participant_correlations(*long(matrix), divide_by="participants")
    assert [mean.value for mean in found.means] == pytest.approx([0.5, 0.5, 1 / 3])
    assert "divided by all 3" in found.means[0].note


def test_a_participant_with_one_value_has_no_correlation():
    found = participant_correlations(*long([[1, 2, 3], [1, 3, 2], [2, 2, 2]]))
    values = {(p.first, p.second): p.correlation.value for p in found.pairs}
    assert values == {(0, 10): pytest.approx(0.5), (0, 20): None, (10, 20): None}
    assert found.means[2].value is None
    assert (found.means[0].value, found.means[0].others) == (pytest.approx(0.5), 1)
    assert "1 other" in found.means[0].note


def test_too_few_shared_units_are_not_correlated():
    found = participant_correlations(*long([[1, 2, 3], [1, 3, None]]))
    assert found.pairs[0].correlation.value is None
    assert "fewer than 3" in found.pairs[0].correlation.note


def test_people_who_share_nothing_have_no_pair():
    found = participant_correlations(*long([[1, None], [None, 2]]))
    assert (found.pairs, found.means) == ((), ())
    assert "two or more" in found.note


def test_judging_a_unit_twice_is_refused():
    found = participant_correlations(np.zeros(3, dtype=int), np.array([0, 0, 1]), np.arange(3.0))
    assert found.pairs == ()
    assert "Choose which" in found.note


MATRICES = st.lists(
    st.lists(st.sampled_from([None, 1, 2, 3]), min_size=7, max_size=7), min_size=2, max_size=5
).filter(lambda rows: any(value is not None for row in rows for value in row))


@given(MATRICES, st.sampled_from(METHODS))
def test_correlations_lie_between_minus_one_and_one(matrix, method):
    found = participant_correlations(*long(matrix), method=method)
    values = [p.correlation.value for p in found.pairs if p.correlation.value is not None]
    assert all(-1 <= value <= 1 for value in values)


@given(MATRICES, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(matrix, shuffler):
    columns = long(matrix)
    order = list(range(len(columns[0])))
    shuffler.shuffle(order)
    assert participant_correlations(*(column[order] for column in columns)) == (
        participant_correlations(*columns)
    )


@given(MATRICES)
def test_ranks_do_not_depend_on_the_distances_of_values(matrix):
    stretched = [[None if value is None else value**3 for value in row] for row in matrix]
    assert participant_correlations(*long(stretched)) == participant_correlations(*long(matrix))


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


@pytest.mark.parametrize("measure", ["spearman", "pearson", "kendall"])
def test_correlations_are_those_of_every_pair(measure):
    rng = np.random.default_rng(3)
    unit, person = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
    value = rng.integers(1, 6, 80).astype(float)
    columns = compare_participants(unit, person, value, measure=measure)
    one_by_one = participant_correlations(unit, person, value, method=measure)
    assert columns.value == pytest.approx([pair.correlation.value for pair in one_by_one.pairs])
    assert columns.mean == pytest.approx([each.value for each in one_by_one.means])


def test_without_shared_units_everything_is_undefined_with_the_reason():
    found = compare_participants(np.arange(3), np.arange(3), np.ones(3))
    assert np.isnan(found.mean).all()
    assert found.note.startswith("Undefined")
