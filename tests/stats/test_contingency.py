"""Agreement from a table of counts is that of the labels it was counted from.

Second sources, on labels expanded from the tables: cohen_kappa_score of scikit-learn 1.9.1,
krippendorff 0.9.0 (`alpha(reliability_data=…, level_of_measurement=…)`), and for the standard error
of unweighted kappa psych 2.2.9 on R 4.2.2 (`sqrt(cohen.kappa(table)$var.kappa)`). psych's error of
weighted kappa (0.0182 for RATED, quadratic) is not used: 400 multinomial resamples of the table
give 0.0426, the formula of Fleiss, Cohen & Everitt 0.0421.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rejudge.stats import (
    alpha_jackknife,
    cohen_kappa,
    contingency_agreement,
    count_table,
    percent_agreement,
)

RATED = np.array([[20, 5, 1, 0], [4, 31, 8, 2], [0, 9, 40, 6], [1, 1, 7, 25]])
UNUSED = np.array([[12, 0, 3], [0, 0, 0], [5, 0, 30]])
APART = np.array([[9, 2, 1], [3, 8, 2], [0, 4, 11]])
TWO = np.array([[45, 15], [25, 15]])


def expanded(counts):
    """The labels of both sides, one row for each unit."""
    cells = [(i, j) for (i, j), often in np.ndenumerate(counts) for _ in range(often)]
    both = np.array(cells, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


@pytest.mark.parametrize(
    ("counts", "percent", "kappa", "linear", "quadratic"),
    [
        (RATED, 72.5, 0.6230859835100118, 0.7140201615786086, 0.7951262454483614),
        (UNUSED, 84.0, 0.6330275229357798, 0.6330275229357798, 0.6330275229357798),
        (APART, 70.0, 0.5488721804511278, 0.631728045325779, 0.715370018975332),
        (TWO, 60.0, 0.13043478260869568, 0.13043478260869568, 0.13043478260869568),
    ],
)
def test_percent_and_kappas_are_those_of_scikit_learn(counts, percent, kappa, linear, quadratic):
    found = contingency_agreement(counts, "ordinal")
    values = [found[name].value for name in list(found)[:4]]
    assert list(found)[:4] == [
        "percent", "cohen-kappa", "cohen-kappa-linear", "cohen-kappa-quadratic",
    ]  # fmt: skip
    assert values == pytest.approx([percent, kappa, linear, quadratic])


@pytest.mark.parametrize(
    ("counts", "values", "nominal", "ordinal", "interval"),
    [
        (RATED, None, 0.6242437222251968, 0.7910403928934275, 0.7957664759313352),
        (UNUSED, None, 0.6360294117647058, 0.6360294117647058, 0.6360294117647058),
        (APART, (1, 2, 10), 0.5543018335684062, 0.7177136184662545, 0.6534311529271206),
        (TWO, None, 0.12527472527472527, 0.12527472527472516, 0.12527472527472527),
    ],
)
def test_alpha_is_that_of_the_krippendorff_package(counts, values, nominal, ordinal, interval):
    places = None if values is None else np.array(values, dtype=float)
    for level, wanted in (("nominal", nominal), ("ordinal", ordinal), ("interval", interval)):
        found = contingency_agreement(counts, level, values=places)["krippendorff-alpha"]
        assert found.value == pytest.approx(wanted)


def test_the_interval_of_kappa_has_the_standard_error_of_psych():
    for counts, error in ((RATED, 0.04894634562), (TWO, 0.09866153762)):
        found = contingency_agreement(counts, "nominal")["cohen-kappa"]
        width = found.interval.high - found.interval.low
        assert width / 2 / 1.959963984540054 == pytest.approx(error)


def test_nominal_labels_have_no_weighted_kappa():
    assert list(contingency_agreement(RATED, "nominal")) == [
        "percent", "cohen-kappa", "krippendorff-alpha",
    ]  # fmt: skip


def test_interval_labels_in_falling_order_give_the_same():
    falling = contingency_agreement(
        APART[::-1, ::-1], "interval", values=np.array([10.0, 2.0, 1.0])
    )
    rising = contingency_agreement(APART, "interval", values=np.array([1.0, 2.0, 10.0]))
    assert falling == rising


@given(arrays(np.int64, (3, 3), elements=st.integers(0, 6)))
def test_every_table_gives_what_its_labels_give(counts):
    first, second = expanded(counts)
    found = contingency_agreement(counts, "ordinal")
    n = len(first)
    assert {each.n for each in found.values()} == {n}
    kappa = cohen_kappa(first, second)
    pairs = count_table(np.tile(np.arange(n), 2), np.concatenate([first, second]))
    for ours, theirs in (
        (found["cohen-kappa"], kappa),
        (found["percent"], percent_agreement(pairs)),
        (found["krippendorff-alpha"], alpha_jackknife(pairs, "ordinal")),
    ):
        assert ours.note == theirs.note
        assert ours.value == (None if theirs.value is None else pytest.approx(theirs.value))
        assert (ours.interval is None) == (theirs.interval is None)
        if ours.interval is not None:
            assert ours.interval.low == pytest.approx(theirs.interval.low)
            assert ours.interval.high == pytest.approx(theirs.interval.high)


def test_an_empty_table_leaves_all_undefined_with_a_reason():
    found = contingency_agreement(np.zeros((2, 2), dtype=np.int64), "ordinal")
    assert {each.value for each in found.values()} == {None}
    assert all(each.note.startswith("Undefined") for each in found.values())


def test_one_label_leaves_coefficients_beyond_chance_undefined():
    found = contingency_agreement(np.array([[10, 0], [0, 0]]), "nominal")
    assert found["percent"].value == 100
    assert found["cohen-kappa"].value is None
    assert "same value" in found["cohen-kappa"].note
    assert found["krippendorff-alpha"].value is None


def test_a_billion_units_cost_no_more_than_a_few():
    many = contingency_agreement(TWO * 10_000_000, "nominal")
    few = contingency_agreement(TWO, "nominal")
    assert many["cohen-kappa"].n == 10**9
    assert many["cohen-kappa"].value == pytest.approx(few["cohen-kappa"].value)
