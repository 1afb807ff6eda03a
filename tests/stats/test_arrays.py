"""A value that is none is refused and counted, and never becomes a number.

The different numbers of a column, as NumPy finds them.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from property_settings import examples
from rejudge.errors import DataError
from rejudge.stats import (
    cohen_d,
    cohen_kappa,
    count_distinct,
    count_table,
    eta_squared,
    friedman,
    hotelling,
    intraclass,
    kendall_tau,
    kendall_w,
    kruskal_wallis,
    levene,
    linear_mixed,
    mann_whitney,
    mann_whitney_r,
    mean_by_system,
    mean_difference,
    number_codes,
    one_way_anova,
    paired_t_test,
    pearson,
    repeated_measures,
    sign_test,
    spearman,
    t_test,
    tukey_hsd,
    wilcoxon,
)
from rejudge.stats.arrays import group_sizes, unique_numbers

FULL = np.array([1.0, 2.0, 4.0, 3.0])
TWO = np.array([0, 0, 1, 1])
TURNS = np.array([0, 1, 0, 1])
GIVEN = {
    "pairs": (
        cohen_d, cohen_kappa, kendall_tau, mann_whitney, mann_whitney_r, paired_t_test, pearson,
        sign_test, spearman, t_test, wilcoxon,
    ),
    "groups": (eta_squared, kruskal_wallis, levene, one_way_anova),
    "blocks": (friedman, hotelling, kendall_w, repeated_measures),
}  # fmt: skip


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("statistic", GIVEN["pairs"])
def test_a_missing_value_of_a_pair_is_refused(statistic, value):
    with pytest.raises(DataError, match="1 value missing"):
        statistic(np.array([1.0, value, 2.0, 5.0]), FULL)


@pytest.mark.parametrize("statistic", GIVEN["groups"])
def test_a_missing_value_of_a_group_is_refused(statistic):
    with pytest.raises(DataError, match="missing"):
        statistic(np.array([1.0, np.nan, 2.0, 5.0]), TWO)


@pytest.mark.parametrize("statistic", GIVEN["blocks"])
def test_a_missing_value_of_a_block_is_refused(statistic):
    with pytest.raises(DataError, match="2 values missing"):
        statistic(np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, 4.0], [1.0, 0.0]]))


@pytest.mark.parametrize(
    "statistic",
    [
        lambda value: tukey_hsd([value, FULL]),
        lambda value: count_table(TWO, value),
        lambda value: intraclass(TWO, TURNS, value),
        lambda value: mean_by_system(value, TWO, item=TURNS, participant=TURNS, systems=2),
        lambda value: mean_difference(value, TWO, (0, 1), item=TURNS, participant=TURNS),
        lambda value: linear_mixed(value, {"system": TWO}, {"item": TURNS}),
    ],
)
def test_a_missing_judgment_is_refused(statistic):
    with pytest.raises(DataError, match=r"missing|not numbers"):
        statistic(np.array([1.0, np.nan, 2.0, 5.0]))


COLUMNS = {
    "codes": np.array([3, 1, 1, 7]),
    "none": np.zeros(0, dtype=np.int64),
    "negative": np.array([-1, 0, -1]),
    "far apart": np.array([5, 10**15, 5, -(10**15)]),
    "halves": np.array([0.5, 1.0, 0.5]),
    "whole scores": np.array([1.0, 5.0, 1.0]),
    "small type": np.array([200, 0, 255, 200], dtype=np.uint8),
}


def as_numpy_does(column):
    names, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    found, which = number_codes(column)
    assert found.tolist() == names.tolist()
    assert which.tolist() == place.tolist()
    assert unique_numbers(column).tolist() == names.tolist()
    assert count_distinct(column) == len(names)
    assert group_sizes(column).tolist() == counts[place].tolist()


@pytest.mark.parametrize("name", COLUMNS)
def test_they_are_those_of_numpy(name):
    as_numpy_does(COLUMNS[name])


@given(arrays.arrays(np.int64, st.integers(0, 40), elements=st.integers(-(10**4), 10**4)))
@settings(max_examples=examples(100))
def test_whole_numbers_are_those_of_numpy_whatever_they_are(column):
    as_numpy_does(column)
