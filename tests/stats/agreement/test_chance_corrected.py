"""Gwet's coefficients, and kappa of crowds, of two groups and of tables.

Agreement from a table of counts is that of the labels it was counted from.

Second sources, on labels expanded from the tables: cohen_kappa_score of scikit-learn 1.9.1,
krippendorff 0.9.0 (`alpha(reliability_data=…, level_of_measurement=…)`), and for the standard error
of unweighted kappa psych 2.2.9 on R 4.2.2 (`sqrt(cohen.kappa(table)$var.kappa)`). psych's error of
weighted kappa (0.0182 for RATED, quadratic) is not used: 400 multinomial resamples of the table
give 0.0426, the formula of Fleiss, Cohen & Everitt 0.0421.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ratings import rated_by_some, six_units
from whys import why

from rejudge.stats import (
    Why,
    alpha_for_new_participants,
    alpha_jackknife,
    cohen_kappa,
    cohen_kappas,
    contingency_agreement,
    count_table,
    cross_kappa,
    gwet_agreement,
    percent_agreement,
    pooled_kappa,
)

# Four raters, twelve units, as in `test_agreement` (Krippendorff 2011; Gwet 2014, page 120).
RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def four_raters():
    cells = [(unit, said) for row in RATERS for unit, said in enumerate(row) if said is not None]
    unit, value = (np.array(column) for column in zip(*cells, strict=True))
    return unit, value


def two_raters(table):
    """Units and values from a table of what two people said."""
    counts = np.array(table)
    first, second = (np.repeat(part.ravel(), counts.ravel()) for part in np.indices(counts.shape))
    return np.tile(np.arange(len(first)), 2), np.concatenate([first, second])


def test_ac1_of_four_raters_is_that_of_irrcac():
    """R package irrCAC 1.0, README: gwet.ac1.raw(cac.raw4raters) gives pa 0.8181818, pe 0.1903212,
    AC1 0.77544, SE 0.14295, interval (0.461, 1)."""
    found = gwet_agreement(*four_raters())
    assert found.observed == pytest.approx(0.8181818, abs=5e-8)
    assert found.expected == pytest.approx(0.1903212, abs=5e-8)
    assert found.value == pytest.approx(0.77544, abs=5e-6)
    assert found.standard_error == pytest.approx(0.14295, abs=5e-6)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.461, 1), abs=5e-4)
    assert (found.n, found.judgments) == (11, 40)
    assert why(found) == [Why.SINGLE]


def test_ac1_of_two_raters_is_that_of_irrcac():
    """The same: gwet.ac1.table(cont3x3abstractors) gives 0.8493305, SE 0.04321747 with n in place
    of n − 1 of 100 units; interval (0.764, 0.935)."""
    found = gwet_agreement(*two_raters([[13, 0, 0], [0, 20, 7], [0, 4, 56]]))
    assert found.value == pytest.approx(0.8493305, abs=5e-8)
    assert found.standard_error == pytest.approx(0.04321747 * (100 / 99) ** 0.5, abs=5e-8)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.764, 0.935), abs=1.1e-3)


@pytest.mark.parametrize(
    ("weights", "credit"),
    [
        ("linear", lambda a, b: 1 - abs(a - b) / 4),
        ("quadratic", lambda a, b: 1 - (a - b) ** 2 / 16),
        ("ordinal", lambda a, b: 1 - (abs(a - b) + 1) * abs(a - b) / 2 / 10),
    ],
)
def test_ac2_by_going_through_all_pairs(weights, credit):
    """The definition of Gwet (2014), pair by pair, for five values."""
    unit, value = four_raters()
    agreed, shares = [], []
    for each in range(12):
        said = value[unit == each].tolist()
        shares.append([said.count(k) / len(said) for k in range(1, 6)])
        if len(said) > 1:
            agreed.append(np.mean([credit(a, b) for a, b in permutations(said, 2)]))
    mean = np.mean(shares, axis=0)
    weight = sum(credit(a, b) for a in range(1, 6) for b in range(1, 6))
    chance = weight / 20 * float(np.sum(mean * (1 - mean)))
    found = gwet_agreement(unit, value, weights=weights)
    assert found.observed == pytest.approx(np.mean(agreed))
    assert found.value == pytest.approx((np.mean(agreed) - chance) / (1 - chance))


def test_where_one_value_is_common_ac1_is_high_and_kappa_is_not():
    """90 of 100 units “fine” by both, 5 + 5 by one only: kappa −.05, AC1 by hand: π = .95, .05,
    P_e = 2 · ½ · 2 · .95 · .05 = .095, (.9 − .095)/.905."""
    unit, value = two_raters([[90, 5], [5, 0]])
    assert cohen_kappa(value[:100], value[100:]).value == pytest.approx(-0.0526, abs=1e-4)
    assert gwet_agreement(unit, value).value == pytest.approx(0.805 / 0.905)


def test_values_that_nobody_gave_count_if_they_are_named():
    """Two raters who always say 1: with two possible values they agree beyond chance."""
    unit, value = np.repeat(np.arange(5), 2), np.ones(10)
    assert gwet_agreement(unit, value).value is None
    assert gwet_agreement(unit, value, values=np.array([0.0, 1.0])).value == 1
    some = gwet_agreement(*four_raters(), values=np.arange(1.0, 8))
    assert some.value > gwet_agreement(*four_raters()).value


def test_sentences_of_one_text_count_as_one():
    """Each unit five times: with their texts the error is that of one of each."""
    unit, value = four_raters()
    five = np.concatenate([unit + 12 * copy for copy in range(5)])
    once = gwet_agreement(unit, value)
    texts = gwet_agreement(five, np.tile(value, 5), item=five % 12)
    assert texts.value == pytest.approx(once.value)
    assert texts.standard_error == pytest.approx(once.standard_error)


def test_without_pairs_it_is_undefined():
    assert gwet_agreement(np.arange(3), np.arange(3)).value is None
    one = gwet_agreement(np.zeros(2, dtype=int), np.array([1, 2]))
    assert one.interval is None


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
        ({1: "A", 2: "A"}, {1: "A", 2: "A"}, "always gave the same value"),
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


RATED = np.array([[20, 5, 1, 0], [4, 31, 8, 2], [0, 9, 40, 6], [1, 1, 7, 25]])
UNUSED = np.array([[12, 0, 3], [0, 0, 0], [5, 0, 30]])
APART = np.array([[9, 2, 1], [3, 8, 2], [0, 4, 11]])
TWO_LABELS = np.array([[45, 15], [25, 15]])


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
        (TWO_LABELS, 60.0, 0.13043478260869568, 0.13043478260869568, 0.13043478260869568),
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
        (TWO_LABELS, None, 0.12527472527472527, 0.12527472527472516, 0.12527472527472527),
    ],
)
def test_alpha_is_that_of_the_krippendorff_package(counts, values, nominal, ordinal, interval):
    places = None if values is None else np.array(values, dtype=float)
    for level, wanted in (("nominal", nominal), ("ordinal", ordinal), ("interval", interval)):
        found = contingency_agreement(counts, level, values=places)["krippendorff-alpha"]
        assert found.value == pytest.approx(wanted)


def test_the_interval_of_kappa_has_the_standard_error_of_psych():
    for counts, error in ((RATED, 0.04894634562), (TWO_LABELS, 0.09866153762)):
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
    assert why(found["cohen-kappa"]) == [Why.ONE_VALUE]
    assert found["krippendorff-alpha"].value is None


def test_a_billion_units_cost_no_more_than_a_few():
    many = contingency_agreement(TWO_LABELS * 10_000_000, "nominal")
    few = contingency_agreement(TWO_LABELS, "nominal")
    assert many["cohen-kappa"].n == 10**9
    assert many["cohen-kappa"].value == pytest.approx(few["cohen-kappa"].value)


def test_pooled_kappa_by_hand():
    """A prototype with loops over units gives P_o .555556, P_e .224537, kappa .426866."""
    found = pooled_kappa(*six_units())
    assert (found.observed, found.expected) == pytest.approx((5 / 9, 0.224537), abs=5e-7)
    assert found.value == pytest.approx(0.426866, abs=5e-7)
    assert (found.pairs, found.n) == (18, 6)
    alpha = alpha_for_new_participants(*six_units(), "nominal")
    assert found.interval == alpha.interval


def test_pooled_kappa_of_two_people_is_nearly_cohens():
    """They differ in that a judgment does not count for its own chance, which is of order 1/n."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 3, 400)
    said = [np.where(rng.random(400) < 0.7, truth, rng.integers(0, 3, 400)) for _ in range(2)]
    unit, person = np.tile(np.arange(400), 2), np.repeat([0, 1], 400)
    found = pooled_kappa(unit, person, np.concatenate(said))
    assert found.value == pytest.approx(cohen_kappa(*said).value, abs=0.005)


def test_in_a_crowd_pooled_kappa_is_near_alpha_where_the_mean_of_kappas_is_undefined():
    unit, person, value = rated_by_some(7, 300, 100, strictness=0.0)
    value = (value > 3).astype(int)
    pooled = pooled_kappa(unit, person, value)
    alpha = alpha_for_new_participants(unit, person, value, "nominal")
    mean = cohen_kappas(unit, person, value, rng=np.random.default_rng(7), replicates=10)
    assert pooled.value == pytest.approx(alpha.value, abs=0.02)
    assert mean.value is None
    assert why(mean) == [Why.FEW_PAIRS_OF_PEOPLE]


def test_pooled_kappa_without_variation_or_pairs_is_undefined():
    unit, person = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert why(pooled_kappa(unit, person, np.ones(4))) == [Why.ONE_VALUE]
    assert pooled_kappa(np.arange(4), person, np.ones(4)).value is None
    assert pooled_kappa(unit[:0], unit[:0], np.zeros(0)).value is None
