"""Krippendorff's alpha for new participants, and pooled kappa.

How much of a spread comes from participants.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from by_definition import degrees
from hypothesis import given
from hypothesis import strategies as st
from ratings import rated_by_some, six_units
from scipy.special import stdtrit
from whys import why

from rejudge.stats import (
    Interval,
    Why,
    alpha_for_new_participants,
    count_table,
    krippendorff_alpha,
)
from rejudge.stats.agreement.alpha_participants import crossed_parts, influence_on_alpha


def distance(first, second, values, measured):
    """δ² of two judgments, given all of them (Krippendorff 2011)."""
    if measured == "nominal":
        return float(first != second)
    if measured == "interval":
        return float(first - second) ** 2
    low, high = min(first, second), max(first, second)
    between = np.sum((values >= low) & (values <= high))
    return float(between - (np.sum(values == low) + np.sum(values == high)) / 2) ** 2


def alpha_by_pairs(unit, person, value, measured, *, apart=False):
    """Alpha pair by pair; `apart`: chance by pairs that share neither unit nor participant."""
    n = len(value)
    pairs = list(permutations(range(n), 2))
    far = {pair: distance(value[pair[0]], value[pair[1]], value, measured) for pair in pairs}
    size = np.bincount(unit)
    said = sum(far[i, j] / (size[unit[i]] - 1) for i, j in pairs if unit[i] == unit[j]) / n
    others = [
        (i, j) for i, j in pairs if not apart or (unit[i] != unit[j] and person[i] != person[j])
    ]
    return 1 - said * len(others) / sum(far[pair] for pair in others)


@pytest.mark.parametrize(
    ("measured", "alpha"), [("nominal", 0.428571), ("ordinal", 0.83), ("interval", 0.844394)]
)
def test_a_small_table_gives_the_numbers_of_the_definition(measured, alpha):
    """Values: krippendorff 0.9.0. The interval: pair by pair, and unit by unit left out."""
    unit, person, value = six_units()
    found = alpha_for_new_participants(unit, person, value, measured)
    assert found.value == pytest.approx(alpha, abs=5e-7)
    assert alpha_by_pairs(unit, person, value, measured) == pytest.approx(alpha, abs=5e-7)
    centre = alpha_by_pairs(unit, person, value, measured, apart=True)
    error, df = spread_by_definition(unit, person, value, measured)
    assert found.df == pytest.approx(df)
    reach = error * stdtrit(df, 0.975)
    limits = [inverse(z(centre) + sign * reach) for sign in (-1, 1)]
    assert (found.interval.low, found.interval.high) == pytest.approx(limits)
    assert why(found) == [Why.FEW, Why.FEW]
    assert why(found) == [Why.FEW, Why.FEW]


def z(alpha):
    """Fisher's scale for three judgments of a unit."""
    return np.log((1 + 2 * alpha) / (1 - alpha)) / 2


def inverse(value):
    return (np.exp(2 * value) - 1) / (np.exp(2 * value) + 2)


def spread_by_definition(unit, person, value, measured):
    """The error of z and its degrees of freedom: units left out, participants by moments."""
    keep = [unit != each for each in range(6)]
    without = [z(alpha_by_pairs(unit[k], person[k], value[k], measured)) for k in keep]
    from_units = 5 / 6 * np.sum((np.array(without) - np.mean(without)) ** 2)
    pulls = influence_on_alpha(unit, value, measured)  # derivatives, tested below
    centre = alpha_by_pairs(unit, person, value, measured, apart=True)
    slope = 3 / (2 * (1 + 2 * centre) * (1 - centre))
    parts = crossed_parts(pulls.of_participant, unit, person)  # by matrices in its own test
    effective = 18**2 / np.sum(np.bincount(person) ** 2)
    few = ((effective - 1) ** 2 / (effective - 2) / effective) ** 2
    people = parts.participants * few * slope**2
    own = np.bincount(unit, pulls.of_unit)
    squares = np.sum(own**2)
    df_units = min(5, 2 * squares**2 / (np.sum(own**4) - squares**2 / 6))
    weight, side = np.full(18, 1 / 18), np.zeros(18, dtype=int)
    df_people = degrees(person, unit * 10 + person, side, weight, pulls.of_participant)
    doubt = from_units**2 / df_units + (parts.cells * slope**2 + people) ** 2 / df_people
    least = min(3, df_units, df_people)
    return np.sqrt(from_units + people), max(least, (from_units + people) ** 2 / doubt)


@pytest.mark.parametrize("measured", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_that_of_the_count_table(measured):
    unit, person, value = rated_by_some(1, 80, 30)
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
    unit, _, value = rated_by_some(2, 12, 8)
    many = np.concatenate([unit + 12 * copy for copy in range(60)])
    values = np.tile(value, 60)
    pulls = influence_on_alpha(many, values, measured)
    for one in (0, 5, 11):
        without = influence_on_alpha(
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
    assert why(three) == [Why.FEW]


def test_ten_units_or_fewer_are_pointed_out():
    assert (
        "slightly too narrow"
        in alpha_for_new_participants(*rated_by_some(4, 10, 9), "ordinal").note
    )
    assert alpha_for_new_participants(*rated_by_some(4, 20, 9), "ordinal").note == ""


def test_without_a_unit_that_alone_shows_variation_there_is_no_interval():
    unit, person = (part.ravel() for part in np.indices((5, 4)))
    value = np.where(unit == 0, person, 1)
    found = alpha_for_new_participants(unit, person, value, "nominal")
    assert found.value is not None
    assert found.interval is None
    assert why(found) == [Why.LEAVE_ONE_OUT]


@pytest.mark.parametrize("measured", ["nominal", "ordinal", "interval", "ratio"])
def test_the_interval_lies_on_the_scale_and_holds_alpha(measured):
    for seed in range(20):
        found = alpha_for_new_participants(*rated_by_some(seed, 6, 5, strictness=2.0), measured)
        limits = found.interval or Interval(found.value, found.value, 0.95)
        assert -1 <= limits.low <= found.value <= limits.high <= 1


def test_undefined_alpha_says_why():
    unit, person = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    assert (
        "always gave the same value"
        in alpha_for_new_participants(unit, person, np.ones(6), "nominal").note
    )
    assert alpha_for_new_participants(np.arange(6), person, np.ones(6), "nominal").value is None
    complete = alpha_for_new_participants(unit, person, unit + 1.0, "interval")
    assert (complete.value, complete.interval) == (1, None)
    nobody = np.zeros(0, dtype=int)
    assert alpha_for_new_participants(nobody, nobody, np.zeros(0), "nominal").value is None


def test_people_who_disagree_equally_on_every_unit_are_not_said_to_agree():
    """Three people say 1 and three say 5 of each unit, by turns: 40 % of pairs agree."""
    unit, person = (each.ravel() for each in np.indices((10, 6)))
    found = alpha_for_new_participants(unit, person, 1.0 + 4 * ((unit + person) % 2), "interval")
    assert found.value < 0
    assert found.interval is None
    assert "complete" not in found.note


def test_sentences_of_one_text_count_as_one():
    """Five sentences of each text get the same score from a person: the error is that of one
    sentence of each, though there are five times as many units."""
    unit, person, value = rated_by_some(5, 40, 15)
    five = np.concatenate([unit + 40 * copy for copy in range(5)])
    people, values = np.tile(person, 5), np.tile(value, 5)
    texts = alpha_for_new_participants(five, people, values, "interval", item=five % 40)
    once = alpha_for_new_participants(unit, person, value, "interval")
    assert texts.standard_error == pytest.approx(once.standard_error, rel=0.02)


@given(st.permutations(range(18)), st.permutations(range(4)))
def test_neither_the_order_of_rows_nor_names_matter(order, names):
    unit, person, value = six_units()
    place = np.array(order)
    usual = alpha_for_new_participants(unit, person, value, "ordinal")
    other = alpha_for_new_participants(
        unit[place] * 7, np.array(names)[person][place], value[place], "ordinal"
    )
    assert other.standard_error == pytest.approx(usual.standard_error)


def by_definition(pull, unit, participant):
    """By matrices of judgments by judgments: E[pᵀ H K H p] = Σ variance · tr(K H L H)."""
    n = len(pull)
    centring = np.eye(n) - 1 / n
    cell = unit * 1000 + participant
    kinds = [(codes[:, None] == codes).astype(float) for codes in (participant, unit, cell)]
    seen = [centring @ kind @ centring for kind in kinds]
    table = [[np.trace(kind @ other) for other in seen] for kind in kinds]
    observed = [pull @ each @ pull for each in seen]
    variance = np.linalg.solve(np.array(table), observed)
    return variance * [kind.sum() for kind in kinds]


def judgments(seed, *, people=6, units=9, each=3, twice=False):
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(units), each)
    person = np.concatenate([rng.choice(people, each, replace=False) for _ in range(units)])
    if twice:
        unit, person = (np.concatenate([one, one[:10]]) for one in (unit, person))
    pull = rng.normal(size=people)[person] + rng.normal(size=units)[unit]
    return pull + rng.normal(size=len(unit)), unit, person


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_parts_are_those_of_the_definition(seed, twice):
    pull, unit, person = judgments(seed, twice=twice)
    people, _, cells = by_definition(pull, unit, person)
    found = crossed_parts(pull, unit, person)
    assert found.participants == pytest.approx(max(0.0, people))
    assert found.cells == pytest.approx(max(0.0, cells))


def test_units_that_differ_hide_no_participants_in_a_complete_table():
    """Everybody judges all: what units do cancels, however far they differ."""
    unit, person = (part.ravel() for part in np.indices((8, 5)))
    rng = np.random.default_rng(3)
    pull = rng.normal(size=5)[person] + 0.1 * rng.normal(size=40)
    calm = crossed_parts(pull, unit, person)
    wild = crossed_parts(pull + 100 * rng.normal(size=8)[unit], unit, person)
    assert wild.participants == pytest.approx(calm.participants)
    assert wild.cells == pytest.approx(calm.cells)


def test_participants_of_one_unit_each_have_a_part_that_is_a_number():
    pull = np.random.default_rng(4).normal(size=12)
    found = crossed_parts(pull, np.repeat(np.arange(4), 3), np.arange(12))
    assert found.participants >= 0
    assert np.isfinite(found.participants + found.cells)
