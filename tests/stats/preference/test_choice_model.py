"""Mixed models of comparisons of all systems at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from choice_examples import crowd, dense_choices, iterate, rotated, table
from hypothesis import given, settings
from hypothesis import strategies as st
from whys import why

from property_settings import examples
from rejudge.errors import DataError
from rejudge.stats import Comparisons, Why, choice_model

ITEM, PARTICIPANT = "system × item", "system × participant"


def of(rows, comparisons):
    """Some rows of a table."""
    columns = ("first", "second", "preference", "item", "participant")
    return replace(comparisons, **{name: getattr(comparisons, name)[rows] for name in columns})


def estimates(model):
    return {(c.first, c.second): c for c in model.contrasts}


# ── against other programs and the matrices written out ──────────────────────────────────────────


def test_the_joint_model_is_that_of_lme4_with_signed_columns():
    """lme4 1.1-31, Zt of `lFormula` replaced: see choice_examples."""
    comparisons, side = table()
    found = choice_model(comparisons, side=side, adjust="none")
    assert found.criterion == pytest.approx(301.4391442, abs=1e-6)
    assert found.variances[ITEM] == pytest.approx(0.1179248, rel=1e-4)
    assert found.variances[PARTICIPANT] == pytest.approx(0.0353230, rel=1e-4)
    assert found.variances["residual"] == pytest.approx(0.5418418, rel=1e-5)
    contrasts = estimates(found)
    for pair, value in {(0, 1): 0.375, (0, 2): 0.4, (1, 2): 0.025}.items():
        assert contrasts[pair].value == pytest.approx(50 + 50 * value)
        assert contrasts[pair].standard_error == pytest.approx(50 * 0.2294365, rel=1e-5)
        assert contrasts[pair].df == pytest.approx(15.94, abs=0.005)
    assert found.side.value == pytest.approx(50 + 50 * 0.0083333, abs=1e-4)
    assert found.side.standard_error == pytest.approx(50 * 0.0671963, rel=1e-5)
    assert (found.n, found.items, found.participants) == (120, 8, 5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_unbalanced_comparisons_give_what_the_matrices_written_out_give(seed):
    comparisons = crowd(seed, 150, items=10, people=7, tail=0.8, favour=0.7, liking=0.5)
    side = np.random.default_rng(seed).choice([-1, 0, 1], 150)
    found, expected = choice_model(comparisons, side=side), dense_choices(comparisons, side)
    assert found.criterion == pytest.approx(expected.criterion, abs=1e-5)
    assert list(found.variances.values()) == pytest.approx(expected.variances, abs=2e-4)
    for (first, second), each in estimates(found).items():
        value, error = expected.contrast(first, second)
        assert each.value == pytest.approx(50 + 50 * value, abs=1e-2)
        assert each.standard_error == pytest.approx(50 * error, rel=1e-3)
    assert found.side.value == pytest.approx(50 + 50 * expected.beta[-1], abs=1e-2)


# ── what must not matter ─────────────────────────────────────────────────────────────────────────


FITS = [(choice_model, 1e-4), (iterate, 5e-3)]  # and how close a repetition must come


def assert_same(one, other, close):
    """Equal up to a share of the standard error, which itself is equal up to that share."""
    assert one.value == pytest.approx(other.value, abs=close * other.standard_error)
    assert one.standard_error == pytest.approx(other.standard_error, rel=close)
    assert one.p_adjusted == pytest.approx(other.p_adjusted, rel=20 * close, abs=1e-6)


def turned(comparisons):
    """Every pair the other way round."""
    return replace(
        comparisons,
        first=comparisons.second,
        second=comparisons.first,
        preference=1 - comparisons.preference,
    )


@pytest.mark.parametrize(("fit", "close"), FITS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(6))
def test_the_order_of_rows_and_of_the_two_systems_of_a_pair_does_not_matter(fit, close, seed):
    comparisons = crowd(seed, 200)
    rng = np.random.default_rng(seed)
    side = rng.choice([-1, 1], 200)
    order = rng.permutation(200)
    plain = fit(comparisons, side=side)
    other = fit(of(order, turned(comparisons)), side=-side[order])
    assert other.variances == pytest.approx(plain.variances, rel=close, abs=1e-5)
    for a, b in zip(plain.contrasts, other.contrasts, strict=True):
        assert_same(b, a, close)


@pytest.mark.parametrize(("fit", "close"), FITS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(6))
def test_other_numbers_for_systems_items_and_people_change_only_the_signs(fit, close, seed):
    """Systems 0 to 3 become 9, 7, 4, 2; items and people have gaps between their codes."""
    comparisons = crowd(seed, 200)
    anew = np.array([9, 7, 4, 2])
    named = Comparisons(
        anew[comparisons.first],
        anew[comparisons.second],
        comparisons.preference,
        3 * comparisons.item + 5,
        2 * comparisons.participant + 1,
        10,
    )
    plain, other = fit(comparisons), fit(named)
    for each in plain.contrasts:
        found = other.contrast(anew[each.second], anew[each.first])
        assert_same(found, replace(each, value=100 - each.value), close)


def test_exchanging_wins_and_losses_turns_every_win_percentage_round():
    comparisons, side = table()
    lost = replace(comparisons, preference=1 - comparisons.preference)
    one, other = (choice_model(each, side=side) for each in (comparisons, lost))
    assert [100 - e.value for e in estimates(one).values()] == pytest.approx(
        [e.value for e in estimates(other).values()]
    )
    assert other.side.value == pytest.approx(100 - one.side.value)
    assert other.criterion == pytest.approx(one.criterion)


def test_items_and_participants_are_interchangeable():
    comparisons, _ = table()
    swapped = replace(comparisons, item=comparisons.participant, participant=comparisons.item)
    one, other = choice_model(comparisons), choice_model(swapped)
    assert other.variances[ITEM] == pytest.approx(one.variances[PARTICIPANT], rel=1e-4)
    assert other.criterion == pytest.approx(one.criterion)


def test_an_item_with_ties_only_pulls_every_win_percentage_towards_50():
    comparisons, _ = table()
    ties = of(comparisons.item == 0, comparisons)
    ties = replace(ties, item=np.full(15, 8), preference=np.full(15, 0.5))
    joined = Comparisons(
        *(
            np.concatenate([getattr(comparisons, name), getattr(ties, name)])
            for name in ("first", "second", "preference", "item", "participant")
        ),
        systems=3,
    )
    before, after = estimates(choice_model(comparisons)), estimates(choice_model(joined))
    for pair, each in after.items():  # balanced: a mean over nine items instead of eight
        assert each.value - 50 == pytest.approx((before[pair].value - 50) * 8 / 9)


# ── thirty systems, few judgments, none ──────────────────────────────────────────────────────────


def test_thirty_systems_have_435_contrasts_and_p_allows_for_all():
    found = choice_model(crowd(3, 1500, systems=30, items=40, people=15), adjust="holm")
    assert [(c.first, c.second) for c in found.contrasts] == list(combinations(range(30), 2))
    assert all(c.p_adjusted >= c.p for c in found.contrasts)


def test_degrees_of_freedom_are_limited_where_participants_do_not_differ():
    """Everybody has the same total for each pair: their variance is 0, below what chance gives."""
    found = choice_model(rotated(systems=3))
    assert found.variances[PARTICIPANT] == 0
    assert [c.df for c in found.contrasts] == [4, 4, 4]  # 2 (3 − 1)


def test_unknown_participants_leave_items_alone():
    comparisons, _ = table()
    found = choice_model(replace(comparisons, participant=np.full(120, -1)))
    assert set(found.variances) == {ITEM, "residual"}
    assert found.participants == 0
    assert why(found) == [Why.NOT_ESTIMATED]
    assert found.contrasts[0].p_adjusted is not None


def test_one_participant_is_left_out_and_named():
    comparisons, _ = table()
    found = choice_model(of(comparisons.participant == 2, comparisons))
    assert why(found) == [Why.ONE_LEVEL]
    assert set(found.variances) == {ITEM, "residual"}


def test_participants_who_judged_once_are_part_of_the_residual():
    """The same model as without participants."""
    comparisons, _ = table()
    once = choice_model(replace(comparisons, participant=np.arange(120)))
    without = choice_model(replace(comparisons, participant=np.full(120, -1)))
    assert why(once) == [Why.NOT_ESTIMATED]
    assert once.participants == 120
    assert once.criterion == pytest.approx(without.criterion)


def test_pairs_of_an_item_that_share_no_system_are_no_repetition():
    """Items have (0, 1) and (2, 3) once each: differences between items are not visible."""
    pair = np.tile([[0, 1], [2, 3]], (20, 1))
    item, person = np.repeat(np.arange(20), 2), np.tile(np.arange(5), 8)
    won = np.random.default_rng(1).integers(0, 2, 40).astype(float)
    found = choice_model(Comparisons(*pair.T, won, item, person, 4))
    assert why(found) == [Why.NOT_ESTIMATED]
    assert set(found.variances) == {PARTICIPANT, "residual"}


def test_items_that_have_a_participant_of_their_own_count_once():
    comparisons, _ = table()
    found = choice_model(replace(comparisons, participant=comparisons.item + 7))
    assert why(found) == [Why.NOT_ESTIMATED]
    assert set(found.variances) == {ITEM, "residual"}


def test_judgments_that_stand_alone_are_a_plain_regression():
    """Each with its own item and person. Least squares, by NumPy; df = 120 − 2."""
    comparisons, _ = table()
    alone = replace(comparisons, item=np.arange(120), participant=np.arange(120))
    columns = np.zeros((120, 3))
    columns[np.arange(120), alone.first] += 1
    columns[np.arange(120), alone.second] -= 1
    choice = 2 * alone.preference - 1
    beta, left, *_ = np.linalg.lstsq(columns[:, 1:], choice, rcond=None)
    error = np.sqrt(np.linalg.inv(columns[:, 1:].T @ columns[:, 1:])[0, 0] * left[0] / 118)
    found = choice_model(alone).contrast(0, 1)
    assert found.value == pytest.approx(50 - 50 * beta[0])
    assert found.standard_error == pytest.approx(50 * error)
    assert found.df == pytest.approx(118)


def test_one_item_judged_by_one_participant_has_no_test():
    comparisons, _ = table()
    rows = (comparisons.item == 0) & (comparisons.participant == 0)
    found = choice_model(of(rows, comparisons))
    assert found.contrasts[0].value is not None
    assert [c.p_adjusted for c in found.contrasts] == [None] * 3
    assert [c.p for c in found.contrasts] == [None] * 3
    assert why(found) == [Why.ONE_LEVEL, Why.ONE_LEVEL, Why.NO_BOUND]


def test_ties_alone_are_50_percent_without_a_test():
    comparisons, side = table()
    found = choice_model(replace(comparisons, preference=np.full(120, 0.5)), side=side)
    assert [e.value for e in estimates(found).values()] == pytest.approx([50] * 3)
    assert [e.p_adjusted for e in estimates(found).values()] == [None] * 3
    assert why(found) == [Why.PERFECT_FIT]


def test_a_clean_sweep_is_100_percent_without_a_test():
    comparisons, _ = table()
    two = comparisons.of(0, 1)
    found = choice_model(replace(two, preference=np.ones(40)))
    assert found.contrasts[0].value == pytest.approx(100)
    assert found.contrasts[0].p_adjusted is None
    assert why(found.contrasts[0]) == [Why.PERFECT_FIT]


def test_choices_that_items_decide_leave_no_residual():
    """Everybody chooses alike on each item; items differ."""
    comparisons, _ = table()
    two = comparisons.of(0, 1)
    found = choice_model(replace(two, preference=(two.item % 2).astype(float)))
    assert found.contrasts[0].value == pytest.approx(50)
    assert found.contrasts[0].p_adjusted is None
    assert why(found) == [Why.NO_RESIDUAL]


def test_variances_that_cannot_be_told_apart_give_no_test():
    """Seven comparisons of four items by four people: the likelihood grows as the residual goes to
    0, and has no maximum."""
    wins = np.array([0.5, 1, 1, 0, 0.5, 1, 0])
    item, person = np.array([4, 4, 3, 0, 1, 3, 0]), np.array([3, 2, 0, 1, 1, 2, 3])
    first = np.zeros(7, dtype=np.int64)
    found = choice_model(Comparisons(first, first + 1, wins, item, person, 2))
    assert found.contrasts[0].value == pytest.approx(100 * wins.mean())
    assert found.contrasts[0].p_adjusted is None
    assert why(found) == [Why.NO_BOUND]


def test_a_clean_order_of_three_goes_beyond_100_percent_and_says_so():
    """0 always beats 1 and 1 always beats 2, but for one choice; 0 and 2 never meet."""
    comparisons, _ = table()
    rows = comparisons.second - comparisons.first == 1
    ordered = of(rows, comparisons)
    won = np.ones(80)
    won[:3] = 0
    found = choice_model(replace(ordered, preference=won)).contrast(0, 2)
    assert found.value > 100
    assert why(found) == [Why.OUTSIDE]


def test_systems_that_nothing_links_are_not_compared():
    one, other = crowd(1, 150, systems=2), crowd(2, 150, systems=2)
    both = Comparisons(
        np.concatenate([one.first, other.first + 2]),
        np.concatenate([one.second, other.second + 2]),
        *(
            np.concatenate([getattr(one, name), getattr(other, name)])
            for name in ("preference", "item", "participant")
        ),
        systems=4,
    )
    found = estimates(choice_model(both))
    assert {pair for pair, each in found.items() if each.value is not None} == {(0, 1), (2, 3)}
    assert why(found[0, 2]) == [Why.NOT_CHAINED]
    assert found[2, 3].p_adjusted is not None


def test_systems_that_were_not_judged_are_left_out():
    comparisons = replace(crowd(4, 200, systems=3), systems=6)
    assert list(estimates(choice_model(comparisons))) == [(0, 1), (0, 2), (1, 2)]


def test_a_side_that_always_goes_with_the_systems_is_left_out():
    """The lower number is always shown first: what the side does is part of the strengths."""
    comparisons, _ = table()
    two = comparisons.of(0, 1)
    found, plain = choice_model(two, side=np.ones(40)), choice_model(two)
    assert found.side.value is None
    assert why(found.side) == [Why.NOT_SEPARABLE]
    assert estimates(found) == estimates(plain)


def test_sides_that_are_not_known_ask_for_nothing():
    comparisons, _ = table()
    assert choice_model(comparisons, side=np.zeros(120)).side is None


def test_what_is_too_large_is_refused_with_the_size_that_is_possible(monkeypatch):
    monkeypatch.setattr("rejudge.stats.preference.choice_model._MOST_OUTPUTS", 20_000)
    comparisons = crowd(1, 300)
    found = choice_model(comparisons)
    assert found.contrasts == ()
    assert (found.n, found.items, found.participants) == (300, 20, 12)
    assert why(found) == [Why.TOO_LARGE]


def test_no_comparisons_are_undefined():
    none = np.zeros(0, dtype=np.int64)
    found = choice_model(Comparisons(none, none, np.zeros(0), none, none, 3))
    assert found.contrasts == ()
    assert why(found) == [Why.NEEDS]


def test_a_missing_preference_is_refused():
    comparisons, _ = table()
    with pytest.raises(DataError):
        choice_model(replace(comparisons, preference=np.full(120, np.nan)))
