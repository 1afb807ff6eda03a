"""The Plackett–Luce model of rankings."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations, permutations
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.errors import DataError
from rejudge.stats import Comparisons, JudgedSets, Why, bradley_terry, plackett_luce

# 60 rankings of two to five of five systems, the best first, drawn once with seed 12.
DRAWN = re.findall(
    r"\d+",
    "0423 13 012 12 324 30124 01432 1234 12034 21 401 10324 3024 10423 0123 04 2104 10 20 12043 "
    "042 102 123 31024 0324 1340 21 03124 140 20143 31042 4102 2043 0132 304 03412 0234 14032 "
    "2134 3210 132 2134 10324 014 14 203 312 24 014 32 31 34102 0321 0214 021 014 41023 30 024 "
    "4032",
)
# A tie is a group in brackets.
TIED = ("(01)2", "1(02)", "210", "012", "(012)", "12", "20", "0(12)")


def groups(text):
    """'1(02)' is system 1, and behind it 0 and 2 in one place."""
    inside, found = False, []
    for sign in text:
        if sign == "(":
            found.append(())
        elif sign != ")":
            found = [*found[:-1], (*found[-1], int(sign))] if inside else [*found, (int(sign),)]
        inside = (inside or sign == "(") and sign != ")"
    return found


def ranked(texts, *, items=20, people=6, systems=5):
    rows = [
        (judgment, system, -place, judgment % items, judgment % people)
        for judgment, text in enumerate(texts)
        for place, group in enumerate(groups(text))
        for system in group
    ]
    judgment, system, score, item, person = (np.array(column) for column in zip(*rows, strict=True))
    return JudgedSets(judgment, system, score.astype(float), item, person, systems)


def log_worths(found):
    return [each.value for each in found.strengths]


def test_worths_by_hand():
    """Worths 1/2, 1/3, 1/6 give the six orders of 60 rankings exactly these expected numbers:
    P(012) = 1/2 · (1/3)/(1/2), …; where observed and expected agree the likelihood is highest."""
    often = {"012": 20, "021": 10, "102": 15, "120": 5, "201": 6, "210": 4}
    found = plackett_luce(ranked([text for text, n in often.items() for _ in range(n)], systems=3))
    assert [each.value for each in found.first] == pytest.approx([1 / 2, 1 / 3, 1 / 6])
    assert found.differences[0].value == pytest.approx(log(3 / 2))
    assert found.differences[0].win_probability == pytest.approx(0.6)
    assert (found.n, found.ties, found.items, found.participants) == (60, 0, 20, 6)


def test_partial_rankings_give_the_numbers_of_choix():
    """choix 0.4.1, ilsr_rankings(5, DRAWN, tol=1e-12), minus their mean."""
    expected = [0.63797965, 0.62712694, -0.28068735, -0.10777974, -0.8766395]
    assert log_worths(plackett_luce(ranked(DRAWN))) == pytest.approx(expected, abs=1e-7)


def test_ties_give_the_numbers_of_choix_for_all_orders():
    """choix 0.4.1, opt_rankings of 48 rankings: each of TIED in all its orders, 6 times in all."""
    found = plackett_luce(ranked(TIED, systems=3))
    assert log_worths(found) == pytest.approx([0.01017048, 0.37313459, -0.38330506], abs=1e-6)
    assert found.ties == 4


def test_systems_that_were_not_ranked_give_the_numbers_of_choix():
    """choix 0.4.1, opt_top1: 0 of 012, 1 of 012, 0 of 012, 2 of 012, 0 of 012, 1 of 12."""
    sets = ranked(("0(12)", "1(02)", "0(12)", "2(01)", "0(12)", "12"), systems=3)
    shown = replace(sets, score=np.where(sets.score < 0, -np.inf, sets.score))
    expected = [0.77166819, -0.03926122, -0.73240697]
    found = plackett_luce(shown)
    assert log_worths(found) == pytest.approx(expected, abs=2e-6)
    assert found.ties == 0


def likelihood(texts, place):
    """Of rankings without ties, choice by choice."""
    total = 0.0
    for text in texts:
        left = [int(sign) for sign in text]
        while left:
            total += place[left[0]] - log(sum(exp(place[system]) for system in left))
            left = left[1:]
    return total


def derivatives(texts, size):
    """Worths by a dense Newton search with differences of the likelihood, and its curvature."""
    place, step = np.zeros(size), 1e-4
    shifts = step * np.eye(size)
    for _ in range(12):
        here = likelihood(texts, place)
        up = np.array([likelihood(texts, place + shift) for shift in shifts])
        down = np.array([likelihood(texts, place - shift) for shift in shifts])
        curvature = np.diag(up - 2 * here + down) / step**2
        for one, other in combinations(range(size), 2):
            both = likelihood(texts, place + shifts[one] + shifts[other])
            curvature[one, other] = curvature[other, one] = (
                both - up[one] - up[other] + here
            ) / step**2
        place = place - np.linalg.pinv(curvature, rcond=1e-4) @ ((up - down) / 2 / step)
    return place - place.mean(), -curvature


def test_an_independent_search_finds_the_same_worths_and_errors():
    place, curvature = derivatives(DRAWN, 5)
    found = plackett_luce(ranked(DRAWN), errors="model")
    assert log_worths(found) == pytest.approx(place, abs=1e-5)
    inverse = np.linalg.pinv(curvature, rcond=1e-4)
    errors = [
        (inverse[a, a] + inverse[b, b] - 2 * inverse[a, b]) ** 0.5
        for a, b in combinations(range(5), 2)
    ]
    assert [each.standard_error for each in found.differences] == pytest.approx(errors, rel=1e-2)


@pytest.mark.parametrize("errors", ["two-way", "item", "participant", "model"])
def test_rankings_of_two_are_the_bradley_terry_model(errors):
    rng = np.random.default_rng(5)
    pairs = np.array(list(combinations(range(4), 2)))[rng.integers(0, 6, 120)]
    won = rng.choice([0.0, 0.5, 1.0], 120)
    item, person = rng.integers(0, 15, 120), rng.integers(0, 8, 120)
    theirs = bradley_terry(
        Comparisons(pairs[:, 0], pairs[:, 1], won, item, person, systems=4), errors=errors
    )
    sets = JudgedSets(
        np.repeat(np.arange(120), 2),
        pairs.ravel(),
        np.column_stack([won, 1 - won]).ravel(),
        np.repeat(item, 2),
        np.repeat(person, 2),
        4,
    )
    ours = plackett_luce(sets, errors=errors)
    assert log_worths(ours) == pytest.approx([each.value for each in theirs.strengths])
    for one, other in zip(ours.differences, theirs.differences, strict=True):
        assert one.standard_error == pytest.approx(other.standard_error)
        assert one.df == (None if other.df is None else pytest.approx(other.df))


def test_errors_by_item_are_those_of_the_definition():
    """Sandwich: A⁻¹ Σ_items s sᵀ A⁻¹ · G/(G − 1), with the slopes s by differences of likelihoods;
    everybody ranks all systems, so that items have equal weight."""
    rng = np.random.default_rng(6)
    texts = ["".join(map(str, rng.permutation(3))) for _ in range(40)]
    found = plackett_luce(ranked(texts, items=8, people=5, systems=3), errors="item")
    place, curvature = derivatives(texts, 3)
    shifts = 1e-5 * np.eye(3)
    slopes = [
        [
            (likelihood(texts[item::8], place + shift) - likelihood(texts[item::8], place - shift))
            / 2e-5
            for shift in shifts
        ]
        for item in range(8)
    ]
    inverse = np.linalg.pinv(curvature, rcond=1e-4)
    variance = inverse @ np.transpose(slopes) @ slopes @ inverse * 8 / 7
    contrast = np.array([1, -1, 0])
    error = (contrast @ variance @ contrast) ** 0.5
    assert found.differences[0].standard_error == pytest.approx(error, rel=1e-3)


def test_a_system_that_always_wins_has_no_worth_and_the_groups_are_named():
    found = plackett_luce(ranked(["012", "021", "021", "012"], systems=3))
    assert log_worths(found) == [None, None, None]
    assert found.differences == ()
    assert found.groups == ((0,), (1, 2))
    assert why(found) == [Why.SEPARATED]


def test_systems_that_were_never_ranked_together_are_not_compared():
    found = plackett_luce(ranked(["01", "10", "23", "32"], systems=4))
    assert found.groups == ((0, 1), (2, 3))
    assert why(found) == [Why.NOT_LINKED]


def test_a_system_that_nobody_ranked_has_none():
    found = plackett_luce(ranked(["013", "130", "301", "310"], systems=5))
    assert found.strengths[2].value is None
    assert found.first[4].value is None
    assert why(found) == [Why.FEW_PEOPLE, Why.ABSENT]
    assert [(each.first, each.second) for each in found.differences] == [(0, 1), (0, 3), (1, 3)]


def test_nothing_or_single_systems_are_no_rankings():
    nothing = np.zeros(0, dtype=int)
    empty = JudgedSets(nothing, nothing, np.zeros(0), nothing, nothing, 3)
    assert why(plackett_luce(empty)) == [Why.NEEDS]
    assert why(plackett_luce(ranked(["0", "1"], systems=2))) == [Why.NEEDS]


def test_one_participant_has_worths_but_no_errors():
    found = plackett_luce(ranked(DRAWN, people=1))
    assert found.differences[0].standard_error is None
    assert found.first[0].interval is None
    assert why(found) == [Why.NEEDS]
    assert plackett_luce(ranked(DRAWN, people=1), errors="item").differences[0].p is not None


def test_more_than_ten_systems_in_one_place_are_not_counted():
    many = np.arange(24)
    sets = JudgedSets(many // 12, many % 12, np.ones(24), many // 12, many // 12, 12)
    assert why(plackett_luce(sets)) == [Why.TOO_LARGE]


def test_missing_scores_are_refused():
    sets = ranked(DRAWN)
    broken = replace(sets, score=np.where(np.arange(len(sets.score)) == 3, np.nan, sets.score))
    with pytest.raises(DataError, match="missing"):
        plackett_luce(broken)


def test_chances_of_the_first_place_add_up_and_lie_in_their_intervals():
    found = plackett_luce(ranked(DRAWN))
    assert sum(each.value for each in found.first) == pytest.approx(1)
    assert all(0 < each.interval.low < each.value < each.interval.high < 1 for each in found.first)


@given(st.permutations(range(5)), st.permutations(range(60)))
def test_neither_names_nor_the_order_of_rankings_matter(names, order):
    usual = plackett_luce(ranked(DRAWN))
    sets = ranked(DRAWN)
    renamed = replace(
        sets, system=np.array(names)[sets.system], judgment=np.array(order)[sets.judgment] * 7
    )
    other = plackett_luce(renamed)
    for system in range(5):
        one, two = usual.strengths[system], other.strengths[names[system]]
        assert two.value == pytest.approx(one.value, abs=1e-9)
        assert two.standard_error == pytest.approx(one.standard_error)


def test_a_tie_of_all_says_that_systems_are_alike():
    texts = ["".join(order) for order in permutations("012")]
    plain = plackett_luce(ranked(texts, systems=3), errors="model")
    tied = plackett_luce(ranked(["(012)"] * 6, systems=3), errors="model")
    assert log_worths(tied) == pytest.approx(log_worths(plain))
    assert tied.differences[0].standard_error == pytest.approx(plain.differences[0].standard_error)
