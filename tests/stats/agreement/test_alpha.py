"""Percent agreement and Krippendorff's alpha."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whys import why

from property_settings import examples
from rejudge.errors import DataError
from rejudge.stats import (
    CountTable,
    Why,
    alpha_jackknife,
    count_table,
    krippendorff_alpha,
    percent_agreement,
    table_of_counts,
)
from rejudge.stats.agreement.disagreement import alphas, alphas_with_errors

OTHERS = json.loads((Path(__file__).parents[1] / "other_programs.json").read_text(encoding="utf-8"))

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers,
# twelve units, missing values; results in sections C (nominal) and D to F.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def rng():
    return np.random.default_rng(7)


def table_of(matrix):
    """A table from rows of participants and columns of units, None where nobody judged."""
    cells = [
        (unit, value)
        for row in matrix
        for unit, value in enumerate(row)
        if value is not None
    ]  # fmt: skip
    unit, value = (np.array(column) for column in zip(*cells, strict=True))
    return count_table(unit, value.astype(float))


def alpha(matrix, level):
    return krippendorff_alpha(table_of(matrix), level, rng=rng())


@pytest.mark.parametrize(
    ("level", "published"),
    [("nominal", 0.7434), ("ordinal", 0.8154), ("interval", 0.8491), ("ratio", 0.7974)],
)
def test_alpha_is_that_of_krippendorffs_own_example(level, published):
    assert alpha(OBSERVERS, level).value == pytest.approx(published, abs=0.00005)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_that_of_the_krippendorff_package(level):
    case = OTHERS["alpha"]
    assert alpha(case["matrix"], level).value == pytest.approx(case["values"][level], abs=1e-12)


def test_alpha_by_hand():
    """Two people, units aa ab bb: n = 6, three a and three b.

    One unit disagrees: Σ d_u = 2. By chance: 2·3·3 = 18. 1 − 5·2/18 = 4/9.
    """
    found = alpha([[0, 0, 1], [0, 1, 1]], "nominal")
    assert found.value == pytest.approx(4 / 9)
    assert (found.n, found.judgments) == (3, 6)


def test_units_with_one_judgment_do_not_count():
    assert alpha([*OBSERVERS], "nominal").n == 11  # the twelfth was judged once


def test_alpha_of_one_unit_with_two_answers_is_zero_and_has_no_interval():
    """n = 2: 1 − 1·2/2 = 0."""
    found = alpha([[1], [2]], "nominal")
    assert found.value == 0
    assert found.interval is None


def test_alpha_without_variation_is_undefined_and_says_why():
    found = alpha([[1, 1], [1, 1]], "nominal")
    assert found.value is None
    assert why(found) == [Why.ONE_VALUE]


def test_agreement_of_one_participant_is_undefined_and_says_why():
    table = table_of([[1, 2, 3]])
    assert percent_agreement(table).value is None
    assert why(krippendorff_alpha(table, "nominal", rng=rng())) == [Why.NO_PAIRS]


def test_ratio_distances_of_two_zeros_are_zero():
    """Values 0 0 / 0 1: δ²(0,1) = 1, so alpha is the nominal one."""
    matrix = [[0, 0], [0, 1]]
    assert alpha(matrix, "ratio").value == alpha(matrix, "nominal").value


def test_percent_agreement_by_hand():
    """Unit 1: three people, aab: 1 of 3 pairs. Unit 2: aa: all. Mean 2/3; over 4 pairs 2/4."""
    found = percent_agreement(table_of([[0, 0], [0, 0], [1, None]]))
    assert found.value == pytest.approx(200 / 3)
    assert why(found) == [Why.PER_PAIR]


def test_complete_agreement_has_no_interval():
    found = percent_agreement(table_of([[0, 1, 2], [0, 1, 2]]))
    assert (found.value, found.interval) == (100, None)
    assert why(found) == [Why.NO_BOUND]


def test_resamples_without_variation_are_left_out_and_counted():
    """Of two units aa bb, half of all resamples take one unit twice."""
    found = alpha([[0, 1], [0, 1]], "nominal")
    assert found.value == 1
    assert why(found) == [Why.LEFT_OUT, Why.NO_BOUND]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_the_error_of_alpha_is_how_far_each_unit_pulls_it(level):
    """Derivatives by the weight of a unit, here as difference quotients of alpha itself."""
    table = table_of(OTHERS["alpha"]["matrix"])
    whole, step = table.units[np.newaxis, :].astype(float), 1e-5
    moved = alphas(table, whole + step * np.eye(len(table.units)), level)
    pull = (moved - alphas(table, whole, level)[0]) / step
    n = table.n
    spread = table.units @ (pull - table.units @ pull / n) ** 2
    value, error = alphas_with_errors(table, whole, level)
    assert value[0] == pytest.approx(OTHERS["alpha"]["values"][level], abs=1e-12)
    assert error[0] == pytest.approx(np.sqrt(spread * n / (n - 1)), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_the_interval_is_that_of_resampling_units_one_by_one(level):
    """Bootstrap-t on log(1 − alpha) by plain resampling of columns, each with its own error.

    Within the error of 2,000 draws.
    """
    matrix = np.array(OTHERS["alpha"]["matrix"], dtype=float)
    matrix = matrix[:, (~np.isnan(matrix)).sum(axis=0) >= 2]
    found = alpha(OTHERS["alpha"]["matrix"], level)
    chance = np.random.default_rng(8)

    def logs_and_errors(columns) -> tuple[float, float]:
        units = np.broadcast_to(np.arange(columns.shape[1]), columns.shape)
        place = ~np.isnan(columns)
        table = count_table(units[place], columns[place])
        whole = table.units[np.newaxis, :].astype(float)
        (value,), (error,) = alphas_with_errors(table, whole, level)
        return np.log(1 - value), error / (1 - value)

    centre, own = logs_and_errors(matrix)
    width = matrix.shape[1]
    rows = (chance.integers(0, width, width) for _ in range(2000))
    drawn = np.array([logs_and_errors(matrix[:, row]) for row in rows])
    low, high = np.quantile((drawn[:, 0] - centre) / drawn[:, 1], [0.025, 0.975])
    plain = 1 - np.exp([centre - low * own, centre - high * own])
    assert [found.interval.low, found.interval.high] == pytest.approx(plain.tolist(), abs=0.03)


def test_little_disagreement_leaves_percentiles_and_says_so():
    """One unit of thirty disagrees: a third of all resamples, (29/30)³⁰, agree completely."""
    found = alpha([[0, 1] * 15, [0, 1] * 14 + [0, 0]], "nominal")
    assert found.interval.low < found.value < found.interval.high <= 1
    assert why(found) == [Why.ANOTHER_METHOD]


@pytest.mark.slow
def test_the_interval_covers_what_it_promises():
    """800 studies of 30 units and 10 people; .95 within three Monte-Carlo errors of .0077.

    Percentiles of the same resamples cover about .90 here.
    """
    chance = np.random.default_rng(12)
    strictness = 0.5 * chance.normal(size=10)

    def rated(units) -> CountTable:
        latent = chance.normal(size=(units, 1)) + strictness + chance.normal(size=(units, 10))
        value = np.clip(np.round(3 + 0.85 * latent), 1, 5)
        return count_table(np.repeat(np.arange(units), 10), value.ravel())

    truth = krippendorff_alpha(rated(200_000), "interval", rng=chance, replicates=2).value
    intervals = [
        krippendorff_alpha(rated(30), "interval", rng=chance, replicates=300).interval
        for _ in range(800)
    ]
    held = np.mean([interval.low <= truth <= interval.high for interval in intervals])
    assert held == pytest.approx(0.95, abs=3 * 0.0077)


def test_many_values_and_units_fit_into_memory():
    """Sliders: a hundred values, three thousand units; the coincidences go block by block."""
    chance = np.random.default_rng(9)
    truth = chance.integers(0, 101, 3000)
    value = np.clip(np.repeat(truth, 3) + chance.integers(-9, 10, 9000), 0, 100).astype(float)
    found = krippendorff_alpha(
        count_table(np.repeat(np.arange(3000), 3), value), "interval", rng=rng(), replicates=50
    )
    assert 0.9 < found.value < 1
    assert found.interval.low < found.value < found.interval.high


MATRICES = st.lists(
    st.lists(st.sampled_from([None, 1, 2, 3]), min_size=6, max_size=6), min_size=2, max_size=5
).filter(lambda rows: any(value is not None for row in rows for value in row))


@given(MATRICES, st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_is_never_above_one(matrix, level):
    found = alpha(matrix, level)
    assert found.value is None or found.value <= 1


@settings(max_examples=examples(50))
@given(MATRICES, st.permutations(range(6)), st.randoms(use_true_random=False))
def test_neither_the_order_of_units_nor_that_of_people_matters(matrix, order, shuffler):
    other = [[row[place] for place in order] for row in matrix]
    shuffler.shuffle(other)
    assert alpha(other, "ordinal") == alpha(matrix, "ordinal")


@given(MATRICES)
def test_nominal_values_can_be_renamed(matrix):
    names = {None: None, 1: 30, 2: 10, 3: 20}
    renamed = [[names[value] for value in row] for row in matrix]
    assert alpha(renamed, "nominal").value == pytest.approx(alpha(matrix, "nominal").value)


@given(MATRICES)
def test_interval_alpha_does_not_depend_on_the_zero_or_the_unit(matrix):
    moved = [[None if value is None else 10 * value - 7 for value in row] for row in matrix]
    assert alpha(moved, "interval").value == pytest.approx(alpha(matrix, "interval").value)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_that_of_evalica(level):
    import evalica
    import pandas as pd

    chance = np.random.default_rng(11)
    matrix = np.where(chance.random((4, 60)) < 0.2, np.nan, chance.integers(1, 6, (4, 60)))
    found = alpha([[None if np.isnan(v) else v for v in row] for row in matrix], level)
    theirs = evalica.alpha(pd.DataFrame(matrix), distance=level).alpha
    assert found.value == pytest.approx(theirs, abs=1e-12)


def test_both_means_of_percent_agreement_by_hand():
    """Unit 1: aab, 1 of 3 pairs. Unit 2: aa, 1 of 1. Per unit (1/3 + 1)/2, per pair 2/4."""
    found = percent_agreement(table_of([[0, 0], [0, 0], [1, None]]))
    assert found.value == pytest.approx(200 / 3)
    assert found.per_pair == pytest.approx(50)
    assert found.pairs == 4


def test_both_means_agree_where_all_units_have_as_many_judgments():
    found = percent_agreement(table_of([[0, 1, 1, 0], [0, 0, 1, 0], [1, 0, 1, 0]]))
    assert found.per_pair == pytest.approx(found.value)
    assert "Over all pairs" not in found.note


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_the_jackknife_is_leaving_out_one_unit_after_the_other(level):
    matrix = np.array(OTHERS["alpha"]["matrix"], dtype=float)
    units = np.flatnonzero((~np.isnan(matrix)).sum(axis=0) >= 2)
    without = []
    for unit in units:
        rest = np.delete(matrix, unit, axis=1)
        place = ~np.isnan(rest)
        numbers = np.broadcast_to(np.arange(rest.shape[1]), rest.shape)
        table = count_table(numbers[place], rest[place])
        without.append(krippendorff_alpha(table, level, rng=rng(), replicates=1).value)
    n = len(units)
    error = np.sqrt((n - 1) / n * np.sum((without - np.mean(without)) ** 2))
    found = alpha_jackknife(table_of(OTHERS["alpha"]["matrix"]), level)
    reach = {25: 2.063898561628, 24: 2.068657610419}[n] * error  # t of n − 1 at .975, from tables
    assert found.value == pytest.approx(OTHERS["alpha"]["values"][level], abs=1e-12)
    assert found.interval.low == pytest.approx(found.value - reach)


def test_the_jackknife_has_no_interval_where_a_unit_decides_everything():
    assert alpha_jackknife(table_of([[0, 0, 1], [0, 0, 1]]), "nominal").interval is None
    assert alpha_jackknife(table_of([[1, 1], [1, 1]]), "nominal").value is None
    assert alpha_jackknife(table_of([[0, 1, 0, 1], [0, 1, 0, 1]]), "nominal").interval is None


def test_a_counted_table_is_the_table_of_its_judgments():
    """Units aab, aa, b: the third was judged once."""
    table = table_of_counts(np.array([[2, 1], [2, 0], [0, 1]]), np.array([1.0, 5]))
    same = count_table(np.array([0, 0, 0, 1, 1, 2]), np.array([1.0, 1, 5, 1, 1, 5]))
    assert np.array_equal(table.patterns, same.patterns)
    assert np.array_equal(table.units, same.units)
    assert (table.n, table.single, same.single) == (2, 1, 1)


@pytest.mark.parametrize("step", [1.0, 0.5, 1e6])
def test_values_are_told_apart_however_they_are_spaced(step):
    unit, value = np.array([0, 0, 1, 1, 900_000]), np.array([1, 3, 3, 3, 1]) * step
    table = count_table(unit, value)
    assert list(table.values) == [step, 3 * step]
    assert sorted(table.patterns.tolist()) == [[0, 2], [1, 1]]


def test_nearly_all_units_different_are_resampled_one_by_one():
    """2,000 units of over 1,700 kinds; the interval is that of the jackknife."""
    chance = np.random.default_rng(9)
    truth = chance.integers(0, 101, 2000)
    value = np.clip(np.repeat(truth, 3) + chance.integers(-30, 31, 6000), 0, 100).astype(float)
    table = count_table(np.repeat(np.arange(2000), 3), value)
    assert len(table.units) > 1700
    drawn = krippendorff_alpha(table, "interval", rng=rng(), replicates=500).interval
    left_out = alpha_jackknife(table, "interval").interval
    assert [drawn.low, drawn.high] == pytest.approx([left_out.low, left_out.high], abs=0.003)


def test_a_table_too_large_to_be_counted_is_refused_with_a_remedy():
    """Magnitudes with decimals: 20,000 units and as many values would need 3.2 GB."""
    value = np.arange(40_000) / 7
    with pytest.raises(DataError, match="Round the values"):
        count_table(np.repeat(np.arange(20_000), 2), value)


@settings(max_examples=examples(50))
@given(MATRICES, st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_data_twice_over_lose_the_correction_for_small_n_only(matrix, level):
    """Σ d doubles, Σ nnδ² quadruples (ordinal distances cancel): only n − 1 becomes 2n − 1.

    1 − α' = (1 − α) · (2n − 1)/(2(n − 1)).
    """
    once, twice = alpha(matrix, level), alpha([[*row, *row] for row in matrix], level)
    n = once.judgments
    expected = None if once.value is None else 1 - (1 - once.value) * (2 * n - 1) / (2 * (n - 1))
    assert twice.value == pytest.approx(expected, abs=1e-9)
