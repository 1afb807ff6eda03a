"""Krippendorff's alpha for new participants, and pooled kappa."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import (
    alpha_for_new_participants,
    cohen_kappa,
    cohen_kappas,
    count_table,
    krippendorff_alpha,
    pooled_kappa,
)


def example():
    """Six units, three judgments each: units, participants, values."""
    values = "112 333 221 443 111 344"
    people = "012 013 123 023 012 123"
    said, by = (np.array([int(one) for one in row.replace(" ", "")]) for row in (values, people))
    return np.repeat(np.arange(6), 3), by, said


def crowd(seed, units, people, *, each=3, strictness=0.6):
    """Five-point ratings by some of many people."""
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(units), each)
    person = np.concatenate([rng.choice(people, each, replace=False) for _ in range(units)])
    worth, bias = rng.normal(size=units), strictness * rng.normal(size=people)
    value = np.clip(
        np.round(3 + worth[unit] + bias[person] + 0.7 * rng.normal(size=len(unit))), 1, 5
    )
    return unit, person, value


@pytest.mark.parametrize(
    ("measured", "alpha", "error", "low", "high"),
    [
        ("nominal", 0.428571, 0.171269, -0.1165, 0.9736),
        ("ordinal", 0.83, 0.053336, 0.6603, 0.9997),
        ("interval", 0.844394, 0.054745, 0.6702, 1.0),
    ],
)
def test_a_small_table_gives_the_numbers_of_an_independent_program(
    measured, alpha, error, low, high
):
    """Values: krippendorff 0.9.0. Errors: a prototype with dense tables, written separately."""
    found = alpha_for_new_participants(*example(), measured)
    assert found.value == pytest.approx(alpha, abs=5e-7)
    assert found.standard_error == pytest.approx(error, abs=5e-7)
    assert found.df == pytest.approx(3)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=5e-5)
    assert "4 participants" in found.note
    assert "6 units" in found.note


@pytest.mark.parametrize("measured", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_that_of_the_count_table(measured):
    unit, person, value = crowd(1, 80, 30)
    found = alpha_for_new_participants(unit, person, value, measured)
    usual = krippendorff_alpha(
        count_table(unit, value), measured, rng=np.random.default_rng(1), replicates=10
    )
    assert found.value == pytest.approx(usual.value)
    assert (found.n, found.judgments, found.participants) == (80, 240, 30)


@pytest.mark.parametrize("measured", ["nominal", "ordinal", "interval", "ratio"])
def test_pulls_are_derivatives_of_alpha(measured):
    """Alpha of all units minus alpha without one is, to first order, that unit's pull.

    Repeating all units many times makes the first order exact enough to be seen."""
    from rejudge.stats.alpha_participants import _pulls

    unit, _, value = crowd(2, 12, 8)
    many = np.concatenate([unit + 12 * copy for copy in range(60)])
    values = np.tile(value, 60)
    pulls = _pulls(many, values, measured)
    for one in (0, 5, 11):
        without = _pulls(
            np.unique(many[many != one], return_inverse=True)[1], values[many != one], measured
        )
        moved = pulls.alpha - without.alpha
        assert moved == pytest.approx(pulls.of_unit[many == one].sum(), rel=0.03, abs=2e-5)


def test_two_participants_have_no_interval_and_three_a_warning():
    unit, person = (part.ravel() for part in np.indices((30, 3)))
    value = np.random.default_rng(3).integers(1, 4, 90)
    two = person < 2
    assert (
        alpha_for_new_participants(unit[two], person[two], value[two], "nominal").interval is None
    )
    three = alpha_for_new_participants(unit, person, value, "nominal")
    assert three.interval is not None
    assert "very uncertain" in three.note


def test_twenty_units_or_fewer_are_pointed_out():
    assert "a little too narrow" in alpha_for_new_participants(*crowd(4, 20, 9), "ordinal").note
    assert alpha_for_new_participants(*crowd(4, 40, 9), "ordinal").note == ""


def test_undefined_alpha_says_why():
    unit, person = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    assert (
        "all judgments are the same"
        in alpha_for_new_participants(unit, person, np.ones(6), "nominal").note
    )
    assert alpha_for_new_participants(np.arange(6), person, np.ones(6), "nominal").value is None
    complete = alpha_for_new_participants(unit, person, unit + 1.0, "interval")
    assert (complete.value, complete.interval) == (1, None)
    nobody = np.zeros(0, dtype=int)
    assert alpha_for_new_participants(nobody, nobody, np.zeros(0), "nominal").value is None


def test_sentences_of_one_text_count_as_one():
    """Five sentences of each text get the same score from a person: the error is that of one
    sentence of each, though there are five times as many units."""
    unit, person, value = crowd(5, 40, 15)
    five = np.concatenate([unit + 40 * copy for copy in range(5)])
    people, values = np.tile(person, 5), np.tile(value, 5)
    texts = alpha_for_new_participants(five, people, values, "interval", item=five % 40)
    once = alpha_for_new_participants(unit, person, value, "interval")
    assert texts.standard_error == pytest.approx(once.standard_error, rel=0.02)


@given(st.permutations(range(18)), st.permutations(range(4)))
def test_neither_the_order_of_rows_nor_names_matter(order, names):
    unit, person, value = example()
    place = np.array(order)
    usual = alpha_for_new_participants(unit, person, value, "ordinal")
    other = alpha_for_new_participants(
        unit[place] * 7, np.array(names)[person][place], value[place], "ordinal"
    )
    assert other.standard_error == pytest.approx(usual.standard_error)


def test_pooled_kappa_by_hand():
    """A prototype with loops over units gives P_o .555556, P_e .224537, kappa .426866."""
    found = pooled_kappa(*example())
    assert (found.observed, found.expected) == pytest.approx((5 / 9, 0.224537), abs=5e-7)
    assert found.value == pytest.approx(0.426866, abs=5e-7)
    assert (found.pairs, found.n) == (18, 6)
    assert found.interval.low == pytest.approx(-0.1165, abs=5e-5)


def test_pooled_kappa_of_two_people_is_nearly_cohens():
    """They differ in that a judgment does not count for its own chance, which is of order 1/n."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 3, 400)
    said = [np.where(rng.random(400) < 0.7, truth, rng.integers(0, 3, 400)) for _ in range(2)]
    unit, person = np.tile(np.arange(400), 2), np.repeat([0, 1], 400)
    found = pooled_kappa(unit, person, np.concatenate(said))
    assert found.value == pytest.approx(cohen_kappa(*said).value, abs=0.005)


def test_in_a_crowd_pooled_kappa_is_near_alpha_where_the_mean_of_kappas_is_undefined():
    unit, person, value = crowd(7, 300, 100, strictness=0.0)
    value = (value > 3).astype(int)
    pooled = pooled_kappa(unit, person, value)
    alpha = alpha_for_new_participants(unit, person, value, "nominal")
    mean = cohen_kappas(unit, person, value, rng=np.random.default_rng(7), replicates=10)
    assert pooled.value == pytest.approx(alpha.value, abs=0.02)
    assert mean.value is None
    assert "Pooled kappa" in mean.note


def test_pooled_kappa_without_variation_or_pairs_is_undefined():
    unit, person = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert "same value" in pooled_kappa(unit, person, np.ones(4)).note
    assert pooled_kappa(np.arange(4), person, np.ones(4)).value is None
    assert pooled_kappa(unit[:0], unit[:0], np.zeros(0)).value is None
