"""Cohen's kappa of two people, of all pairs, and Fleiss' kappa."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.stats import (
    Why,
    cohen_kappa,
    cohen_kappas,
    count_table,
    fleiss_kappa,
    krippendorff_alpha,
    table_of_counts,
)

# Fleiss, Levin & Paik, "Statistical Methods for Rates and Proportions" (3rd ed., 2003), table 18.1:
# two raters' diagnoses of 100 subjects.
DIAGNOSES = np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]])

# The table of the article "Fleiss' kappa" in Wikipedia: 10 subjects, 14 judgments each.
SUBJECTS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def rng():
    return np.random.default_rng(7)


def judged(table):
    """What two people said, from their table of counts."""
    first, second = np.nonzero(table)
    times = table[first, second]
    return np.repeat(first, times), np.repeat(second, times)


def long(matrix):
    """Units, participants and values from rows of participants and columns of units."""
    cells = [
        (unit, person, value)
        for person, row in enumerate(matrix)
        for unit, value in enumerate(row)
        if value is not None
    ]
    unit, person, value = (np.array(column) for column in zip(*cells, strict=True))
    return unit, person, value.astype(float)


def test_kappa_is_that_of_the_textbook():
    """Fleiss, Levin & Paik (2003), chapter 18: .68 with standard error .087."""
    found = cohen_kappa(*judged(DIAGNOSES))
    assert found.value == pytest.approx(0.68, abs=0.005)
    assert found.standard_error == pytest.approx(0.087, abs=0.001)
    assert found.n == 100


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_and_its_interval_are_those_of_statsmodels(weights):
    from statsmodels.stats.inter_rater import cohens_kappa

    other = cohens_kappa(DIAGNOSES, wt=None if weights == "none" else weights)
    found = cohen_kappa(*judged(DIAGNOSES), weights=weights)
    assert found.value == pytest.approx(other.kappa)
    assert found.standard_error == pytest.approx(other.std_kappa)
    assert found.interval.low == pytest.approx(other.kappa_low)
    assert found.interval.high == pytest.approx(other.kappa_upp)


def test_kappa_by_hand():
    """aa ab bb bb: agreed 3/4; by chance 1/2·1/4 + 1/2·3/4 = 1/2; (3/4 − 1/2)/(1/2) = 1/2."""
    assert cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])).value == pytest.approx(0.5)


def test_weights_go_by_values_and_not_by_their_order():
    """Values 1, 2, 10; pairs 1–1, 2–1, 10–10, 10–1.

    Distances 0 1 0 9: mean 10/4. By chance, first 1 2 10 with ¼ ¼ ½, second 1 10 with ¾ ¼:
    1–10 9/16, 2–1 3/16, 2–10 8/16, 10–1 54/16, sum 74/16. κ = 1 − 40/74 = 17/37.
    By order: distances 0 1 0 2, mean 3/4; by chance (2 + 3 + 1 + 12)/16; κ = 1/3.
    """
    first, second = np.array([1.0, 2, 10, 10]), np.array([1.0, 1, 10, 1])
    found = cohen_kappa(first, second, weights="linear")
    assert found.value == pytest.approx(17 / 37)
    codes = (np.array([0, 1, 2, 2]), np.array([0, 0, 2, 0]))
    assert cohen_kappa(*codes, weights="linear", values=np.array([1.0, 2, 10])) == found
    assert cohen_kappa(*codes, weights="linear").value == pytest.approx(1 / 3)


def test_kappa_of_one_value_only_is_undefined():
    found = cohen_kappa(np.ones(4), np.ones(4))
    assert (found.value, found.interval, found.n) == (None, None, 4)
    assert why(found) == [Why.ONE_VALUE]


def test_complete_agreement_is_one_without_an_interval():
    found = cohen_kappa(np.array([0, 1, 2]), np.array([0, 1, 2]))
    assert (found.value, found.interval) == (1, None)
    assert why(found) == [Why.NO_BOUND]


def test_two_people_without_common_units_have_no_kappa():
    nothing = np.zeros(0)
    assert cohen_kappa(nothing, nothing).value is None


def test_each_pair_has_the_kappa_of_its_shared_units():
    matrix = [
        [1, 2, 2, 1, 3, None, 1, 2],
        [1, 2, 1, 1, 3, 3, 2, None],
        [2, 2, 2, 1, None, 3, 1, 2],
    ]
    found = cohen_kappas(*long(matrix), rng=rng(), replicates=50)
    one = cohen_kappa(np.array([1, 2, 2, 1, 3, 1]), np.array([1, 2, 1, 1, 3, 2]))
    two = cohen_kappa(np.array([1, 2, 2, 1, 1, 2]), np.array([2, 2, 2, 1, 1, 2]))
    three = cohen_kappa(np.array([1, 2, 1, 1, 3, 2]), np.array([2, 2, 2, 1, 3, 1]))
    assert [(p.first, p.second, p.n) for p in found.pairs] == [
        (0, 1, 6),
        (0, 2, 6),
        (1, 2, 6),
    ]
    assert [pair.value for pair in found.pairs] == pytest.approx(
        [one.value, two.value, three.value]
    )
    assert found.value == pytest.approx((one.value + two.value + three.value) / 3)
    assert found.interval.low < found.value < found.interval.high


def test_the_mean_leaves_out_pairs_without_kappa_and_counts_them():
    matrix = [[1, 1, None, None], [1, 1, 2, 1], [None, None, 2, 1]]
    found = cohen_kappas(*long(matrix), rng=rng(), replicates=20)
    assert found.value == 1
    assert why(found) == [Why.LEFT_OUT, Why.LEFT_OUT, Why.NO_BOUND]


def a_crowd(people, units, each, *, kappa):
    """Units judged by `each` of many people, who say what is true with this chance and else toss a
    coin: any two agree beyond chance by kappa."""
    chance = np.random.default_rng(5)
    unit = np.repeat(np.arange(units), each)
    person = np.concatenate([chance.permutation(people)[:each] for _ in range(units)])
    truth = chance.integers(0, 2, units)[unit]
    knows = chance.random(len(unit)) < np.sqrt(kappa)
    return unit, person, np.where(knows, truth, chance.integers(0, 2, len(unit))).astype(float)


def test_in_a_crowd_whose_pairs_meet_once_the_mean_is_undefined_and_not_near_zero():
    """400 people, 3 for each unit: Fleiss' kappa finds the true .65, kappas of one unit are 0."""
    crowd = a_crowd(400, 1000, 3, kappa=0.65)
    found = cohen_kappas(*crowd, rng=rng(), replicates=20)
    assert fleiss_kappa(count_table(crowd[0], crowd[2]), rng=rng()).value == pytest.approx(
        0.65, abs=0.03
    )
    assert found.value is None
    assert why(found) == [Why.FEW_PAIRS_OF_PEOPLE]
    assert why(found) == [Why.FEW_PAIRS_OF_PEOPLE]


def test_the_mean_is_over_the_pairs_who_share_enough_units():
    """Two people judge all 200 units, and a crowd of 300 adds one more judgment to a third of them,
    so that the two hold 200 of 320 pairs of judgments."""
    unit, person, value = a_crowd(2, 200, 2, kappa=0.65)
    chance = np.random.default_rng(6)
    more = np.arange(60), chance.integers(2, 302, 60), chance.integers(0, 2, 60).astype(float)
    both = cohen_kappas(unit, person, value, rng=rng(), replicates=20)
    parts = zip((unit, person, value), more, strict=True)
    found = cohen_kappas(*map(np.concatenate, parts), rng=rng(), replicates=20)
    assert found.value == both.value
    assert found.reasons[0].get("n") == len(found.pairs) - 1


def test_a_mean_that_leaves_out_most_pairs_of_judgments_is_undefined():
    """The same two people and one more judgment of each unit: 200 of 600 pairs, a third."""
    unit, person, value = a_crowd(2, 200, 2, kappa=0.65)
    chance = np.random.default_rng(6)
    more = np.arange(200), chance.integers(2, 302, 200), chance.integers(0, 2, 200).astype(float)
    parts = zip((unit, person, value), more, strict=True)
    found = cohen_kappas(*map(np.concatenate, parts), rng=rng(), replicates=20)
    assert found.value is None
    assert why(found) == [Why.FEW_PAIRS_OF_PEOPLE]


def test_where_all_pairs_share_many_units_the_mean_is_near_fleiss_kappa():
    """12 people, each unit judged by 6 of them, 1,000 units: all pairs count."""
    crowd = a_crowd(12, 1000, 6, kappa=0.4)
    found = cohen_kappas(*crowd, rng=rng(), replicates=1)
    pooled = fleiss_kappa(count_table(crowd[0], crowd[2]), rng=rng(), replicates=1)
    assert found.value == pytest.approx(pooled.value, abs=0.01)


def test_judging_a_unit_twice_is_refused():
    unit, person, value = np.zeros(3, dtype=int), np.array([0, 0, 1]), np.array([1.0, 2, 1])
    found = cohen_kappas(unit, person, value, rng=rng())
    assert found.value is None
    assert why(found) == [Why.REPEATS]


def test_many_people_give_the_same_kappas_as_few():
    """With 40 people the kinds of unit are not collapsed; the first three are as if alone."""
    chance = np.random.default_rng(3)
    unit, person = np.repeat(np.arange(50), 40), np.tile(np.arange(40), 50)
    value = chance.integers(1, 4, 2000).astype(float)
    few = person < 3
    all_pairs = cohen_kappas(unit, person, value, rng=rng(), replicates=1)
    alone = cohen_kappas(unit[few], person[few], value[few], rng=rng(), replicates=1)
    assert len(all_pairs.pairs) == 40 * 39 / 2
    known = {(p.first, p.second): p.value for p in all_pairs.pairs}
    assert [known[p.first, p.second] for p in alone.pairs] == pytest.approx(
        [p.value for p in alone.pairs]
    )


def test_fleiss_kappa_is_that_of_the_worked_example():
    """Wikipedia, "Fleiss' kappa", worked example: 0.210."""
    table = table_of_counts(SUBJECTS, np.arange(5.0))
    assert fleiss_kappa(table, rng=rng()).value == pytest.approx(0.2099, abs=0.00005)


def test_fleiss_kappa_is_that_of_statsmodels():
    from statsmodels.stats.inter_rater import fleiss_kappa as theirs

    found = fleiss_kappa(table_of_counts(SUBJECTS, np.arange(5.0)), rng=rng())
    assert found.value == pytest.approx(theirs(SUBJECTS))
    assert (found.n, found.judgments) == (10, 140)


def test_fleiss_kappa_by_hand():
    """Units aaa aab: agreed (1 + 1/3)/2 = 2/3; shares 5/6, 1/6: by chance 26/36. −1/5."""
    table = table_of_counts(np.array([[3, 0], [2, 1]]), np.arange(2.0))
    assert fleiss_kappa(table, rng=rng()).value == pytest.approx(-0.2)


@pytest.mark.parametrize("counts", [[[3, 0], [1, 1]], [[2, 0], [1, 1], [1, 0]]])
def test_fleiss_kappa_needs_the_same_number_of_judgments(counts):
    found = fleiss_kappa(table_of_counts(np.array(counts), np.arange(2.0)), rng=rng())
    assert found.value is None
    assert why(found) == [Why.UNEQUAL]


def test_fleiss_kappa_without_variation_or_pairs_is_undefined():
    same = table_of_counts(np.array([[3, 0], [3, 0]]), np.arange(2.0))
    nobody = table_of_counts(np.zeros((0, 2), dtype=int), np.arange(2.0))
    assert why(fleiss_kappa(same, rng=rng())) == [Why.ONE_VALUE]
    assert why(fleiss_kappa(nobody, rng=rng())) == [Why.NO_PAIRS]


def test_fleiss_kappa_nears_nominal_alpha_as_judgments_grow_in_number():
    """α = 1 − (1 − κ)(1 − 1/N), with N judgments (Krippendorff 2011)."""
    table = table_of_counts(SUBJECTS, np.arange(5.0))
    kappa = fleiss_kappa(table, rng=rng()).value
    alpha = krippendorff_alpha(table, "nominal", rng=rng()).value
    assert alpha == pytest.approx(1 - (1 - kappa) * (1 - 1 / 140))


ANSWERS = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=30)


@given(ANSWERS, st.sampled_from(["none", "linear", "quadratic"]))
def test_kappa_does_not_depend_on_who_comes_first_or_on_the_order_of_units(answers, weights):
    first, second = np.array(answers, dtype=float).T
    there = cohen_kappa(first, second, weights=weights)
    back = cohen_kappa(second[::-1], first[::-1], weights=weights)
    assert back.value == pytest.approx(there.value, abs=1e-9)
    assert there.value is None or there.value <= 1


@given(ANSWERS)
def test_data_twice_over_have_the_same_kappa(answers):
    first, second = np.array(answers, dtype=float).T
    twice = cohen_kappa(np.tile(first, 2), np.tile(second, 2))
    assert twice.value == pytest.approx(cohen_kappa(first, second).value, abs=1e-9)


def test_units_in_any_order_give_the_same_table():
    unit, person, value = long([[1, 2, 2, 1], [1, 2, 1, 1], [2, 2, 2, 1]])
    shuffled = rng().permutation(len(unit))
    one = fleiss_kappa(count_table(unit, value), rng=rng())
    other = fleiss_kappa(count_table(unit[shuffled], value[shuffled]), rng=rng())
    assert one == other
    assert len(np.unique(person)) == 3
