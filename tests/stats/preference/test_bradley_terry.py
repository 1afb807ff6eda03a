"""Strengths of systems: against published values, other programs, and cases done by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import evalica
import numpy as np
import pytest
import statsmodels.api as sm
from by_definition import factor
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from whys import why
from win_examples import SEASON, TEAMS, from_wins, judged

from property_settings import examples
from rejudge.stats import Comparisons, Why, bradley_terry, clustered_estimate


def values(result):
    return [strength.value for strength in result.strengths]


ROWS = st.lists(
    st.tuples(
        st.sampled_from([(0, 1), (1, 2), (2, 0), (3, 1), (0, 3)]),
        st.sampled_from([0.0, 0.5, 1.0]),
        st.integers(0, 4),
        st.integers(0, 3),
    ),
    min_size=4,
    max_size=40,
)


def of_rows(rows):
    first, second = (np.array([row[0][side] for row in rows]) for side in (0, 1))
    preference, item, participant = (np.array([row[c] for row in rows]) for c in (1, 2, 3))
    return Comparisons(first, second, preference.astype(float), item, participant, 4)


# ── published and by hand ────────────────────────────────────────────────────────────────────────


def test_strengths_of_baseball_teams_are_the_published_ones():
    """R's BradleyTerry2 (Turner & Firth 2012, J. Stat. Softw. 48:9) on Agresti's games, home
    advantage not counted: estimates and standard errors against Baltimore."""
    published = {
        "Milwaukee": (1.5814, 0.3433),
        "Detroit": (1.4364, 0.3396),
        "Toronto": (1.2945, 0.3367),
        "New York": (1.2476, 0.3359),
        "Boston": (1.1077, 0.3339),
        "Cleveland": (0.6839, 0.3319),
    }
    result = bradley_terry(from_wins(SEASON), errors="model")
    found = {
        TEAMS[d.first]: (round(d.value, 4), round(d.standard_error, 4))
        for d in result.differences
        if TEAMS[d.second] == "Baltimore"
    }
    assert found == published
    assert result.n == 273


def test_two_systems_differ_by_the_log_of_the_odds():
    """30 : 10, so log 3 = 1.0986 with variance 1/30 + 1/10; win probability ¾."""
    (difference,) = bradley_terry(from_wins([[0, 30], [10, 0]]), errors="model").differences
    assert difference.value == pytest.approx(math.log(3))
    assert difference.standard_error == pytest.approx(math.sqrt(1 / 30 + 1 / 10))
    assert difference.win_probability == pytest.approx(0.75)
    reach = 1.959963984540054 * math.sqrt(1 / 30 + 1 / 10)
    assert difference.interval.low == pytest.approx(math.log(3) - reach)
    assert difference.win_interval.high == pytest.approx(expit(math.log(3) + reach))


def test_a_tie_is_half_a_win_each_way():
    """30 wins, 8 losses, 4 ties: odds 32 : 10."""
    result = bradley_terry(from_wins([[0, 30], [8, 0]], [(0, 1, 4)]))
    assert result.differences[0].value == pytest.approx(math.log(3.2))
    assert (result.n, result.ties, result.tie) == (42, 4, None)


def test_davidson_with_two_systems_by_hand():
    """32 wins, 8 losses, 12 ties. The model fits any such table: e^d = 32/8, ν = 12/√(32·8) = ¾;
    the probability of a tie is then 12/52, of a win among decided comparisons 32/40. The variance
    of the log of a ratio of two counts of a multinomial is 1/32 + 1/8."""
    comparisons = from_wins([[0, 32], [8, 0]], [(0, 1, 7), (1, 0, 5)])
    result = bradley_terry(comparisons, ties="davidson", errors="model")
    (difference,) = result.differences
    assert result.tie == pytest.approx(0.75)
    assert difference.value == pytest.approx(math.log(4))
    assert difference.standard_error == pytest.approx(math.sqrt(1 / 32 + 1 / 8))
    assert difference.tie_probability == pytest.approx(12 / 52)
    assert difference.win_probability == pytest.approx(0.8)


def test_without_ties_davidson_is_bradley_terry():
    plain, davidson = (bradley_terry(from_wins(SEASON), ties=t) for t in ("half", "davidson"))
    assert plain == davidson
    assert davidson.tie is None


# ── against other programs ───────────────────────────────────────────────────────────────────────


def test_strengths_are_those_of_evalica():
    comparisons = judged()
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    scores = evalica.bradley_terry(
        comparisons.first.tolist(),
        comparisons.second.tolist(),
        [winner[p] for p in comparisons.preference],
        tolerance=1e-12,
        limit=10_000,
    ).scores
    logs = np.log([scores[system] for system in range(4)])
    assert values(bradley_terry(comparisons)) == pytest.approx(logs - logs.mean(), abs=1e-7)


def test_davidson_strengths_maximise_the_likelihood():
    comparisons = judged()

    def minus_log_likelihood(place) -> float:
        strength, log_tie = np.append(place[:3], -place[:3].sum()), place[3]
        half = (strength[comparisons.first] - strength[comparisons.second]) / 2
        logs = np.stack([-half, np.full_like(half, log_tie), half])
        chosen = logs[(2 * comparisons.preference).astype(int), np.arange(len(half))]
        return np.logaddexp.reduce(logs).sum() - chosen.sum()

    best = minimize(minus_log_likelihood, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
    result = bradley_terry(comparisons, ties="davidson")
    assert values(result)[:3] == pytest.approx(best.x[:3], abs=1e-5)
    assert result.tie == pytest.approx(math.exp(best.x[3]), abs=1e-5)


def logit(comparisons, **options: Any):  # options of `fit`
    """statsmodels: a binomial model of the first side on +1/−1 columns, system 0 as reference."""
    rows = np.arange(len(comparisons.first))
    design = np.zeros((len(rows), comparisons.systems))
    design[rows, comparisons.first] += 1
    design[rows, comparisons.second] -= 1
    family = sm.families.Binomial()
    return sm.GLM(comparisons.preference, design[:, 1:], family=family).fit(**options)


def test_standard_errors_of_the_model_are_those_of_a_logistic_model():
    comparisons = judged(tied=0.0)
    result = bradley_terry(comparisons, errors="model")
    found = [d.standard_error for d in result.differences if d.first == 0]
    assert found == pytest.approx(logit(comparisons).bse, rel=1e-6)
    assert {d.df for d in result.differences} == {None}


@pytest.mark.parametrize("errors", ["item", "participant"])
def test_clustered_errors_are_those_of_a_logistic_model_with_factors(errors):
    """statsmodels gives the sandwich without a factor; the factor is that of its definition, where
    a comparison counts for its first system and against its second."""
    comparisons = judged(tied=0.0)
    cluster = getattr(comparisons, errors)
    how = {"groups": cluster, "use_correction": False}
    fit = logit(comparisons, cov_type="cluster", cov_kwds=how)
    model = logit(comparisons).cov_params()
    found = [d for d in bradley_terry(comparisons, errors=errors).differences if d.first == 0]
    for place, difference in enumerate(found):
        pull = np.concatenate([[0.0], -model[place]])  # of θ₀ − θ_k, by unit of each column
        weight = pull[comparisons.first] - pull[comparisons.second]
        wanted = factor(
            np.tile(cluster, 2),
            np.concatenate([comparisons.first, comparisons.second]),
            np.concatenate([weight, -weight]),
        )
        assert difference.standard_error == pytest.approx(fit.bse[place] * wanted**0.5, rel=1e-5)
        assert 1 <= difference.df <= len(np.unique(cluster)) - 1


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_two_way_errors_of_a_pair_are_those_of_clustered_influence(seed):
    """With two systems the influence of a comparison on the log odds is (y − p) / (n p (1−p))."""
    comparisons = judged(seed, n=200, systems=2)
    turned = comparisons.of(0, 1)
    p = turned.preference.mean()
    influence = (turned.preference - p) / (len(turned.preference) * p * (1 - p))
    log_odds = math.log(p / (1 - p))
    expected = clustered_estimate(
        log_odds, influence, item=turned.item, participant=turned.participant, null=0.0
    )
    result = bradley_terry(comparisons)
    (difference,) = result.differences
    assert difference.value == pytest.approx(log_odds)
    assert difference.standard_error == pytest.approx(expected.standard_error)
    assert difference.p == pytest.approx(expected.p)
    assert difference.df == pytest.approx(expected.df)


# ── undefined ────────────────────────────────────────────────────────────────────────────────────


def test_where_nobody_beats_the_best_there_is_no_strength_but_the_order_of_groups():
    """2 beats 0 and 1, which beat each other. (evalica gives equal scores for such tables.)"""
    comparisons = from_wins([[0, 2, 0], [1, 0, 0], [3, 1, 0]])
    result = bradley_terry(comparisons)
    assert values(result) == [None, None, None]
    assert result.differences == ()
    assert result.groups == ((2,), (0, 1))
    assert why(result) == [Why.SEPARATED]


def test_with_a_prior_there_are_strengths_and_the_note_says_so():
    """3 : 0 with ½ each way is 3½ : ½."""
    result = bradley_terry(from_wins([[0, 3], [0, 0]]), prior=0.5)
    assert result.differences[0].value == pytest.approx(math.log(7))
    assert why(result) == [Why.FEW_PEOPLE, Why.PRIOR]


def test_systems_that_no_comparison_links_have_no_strengths_even_with_a_prior():
    wins = [[0, 2, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 1, 0]]
    result = bradley_terry(from_wins(wins), prior=0.5)
    assert values(result) == [None] * 4
    assert result.groups == ((0, 1), (2, 3))
    assert why(result) == [Why.NOT_LINKED]


def test_a_system_that_was_not_compared_is_left_out():
    result = bradley_terry(from_wins([[0, 0, 3], [0, 0, 0], [1, 0, 0]]), errors="model")
    assert values(result) == [pytest.approx(math.log(3) / 2), None, pytest.approx(-math.log(3) / 2)]
    assert [(d.first, d.second) for d in result.differences] == [(0, 2)]
    assert why(result) == [Why.ABSENT]


def test_no_comparisons_give_no_strengths():
    none = np.zeros(0, dtype=int)
    result = bradley_terry(Comparisons(none, none, np.zeros(0), none, none, 2))
    assert (values(result), result.n) == ([None, None], 0)
    assert why(result) == [Why.NOBODY]


def test_all_ties_are_equal_strengths_without_error_unless_the_tie_itself_is_modelled():
    comparisons = from_wins([[0, 0], [0, 0]], [(0, 1, 5)])
    half = bradley_terry(comparisons)
    assert values(half) == [0.0, 0.0]
    assert half.differences[0].standard_error is None
    davidson = bradley_terry(comparisons, ties="davidson")
    assert values(davidson) == [None, None]
    assert why(davidson) == [Why.TIES_BY_DISTANCE]


def test_one_participant_gives_strengths_without_two_way_errors():
    comparisons = replace(judged(), participant=np.zeros(600, dtype=int))
    result = bradley_terry(comparisons)
    assert None not in values(result)
    assert {s.standard_error for s in result.strengths} == {None}
    assert why(result) == [Why.NEEDS]


# ── properties ───────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=examples(50))
@given(ROWS, st.sampled_from(["half", "davidson"]))
def test_sides_can_be_swapped(rows, ties):
    usual = of_rows(rows)
    swapped = replace(
        usual, first=usual.second, second=usual.first, preference=1 - usual.preference
    )
    assert values(bradley_terry(swapped, ties=ties, prior=0.5)) == pytest.approx(
        values(bradley_terry(usual, ties=ties, prior=0.5))
    )


@settings(max_examples=examples(50))
@given(ROWS, st.permutations(range(4)))
def test_systems_can_be_renamed(rows, names):
    names = np.array(names)
    usual = of_rows(rows)
    renamed = replace(usual, first=names[usual.first], second=names[usual.second])
    before, after = (bradley_terry(each, prior=0.5).strengths for each in (usual, renamed))
    assert [after[names[place]].value for place in range(4)] == pytest.approx(
        [strength.value for strength in before]
    )


@settings(max_examples=examples(50))
@given(ROWS)
def test_strengths_sum_to_nothing_and_differences_are_theirs(rows):
    result = bradley_terry(of_rows(rows))
    assume(result.differences)
    known = {s.system: s.value for s in result.strengths if s.value is not None}
    assert sum(known.values()) == pytest.approx(0.0, abs=1e-9)
    assert [d.value for d in result.differences] == pytest.approx(
        [known[d.first] - known[d.second] for d in result.differences]
    )


def fourfold(once):
    parts = ("first", "second", "preference", "item", "participant")
    return replace(once, **{name: np.tile(getattr(once, name), 4) for name in parts})


def test_the_same_judgments_four_times_halve_the_error_of_the_model():
    before, after = (
        bradley_terry(each, errors="model").strengths for each in (judged(), fourfold(judged()))
    )
    assert [s.value for s in after] == pytest.approx([s.value for s in before])
    assert [s.standard_error for s in after] == pytest.approx(
        [s.standard_error / 2 for s in before]
    )


def test_errors_by_cluster_are_not_fooled_by_copies_of_judgments():
    before, after = (bradley_terry(each).strengths for each in (judged(), fourfold(judged())))
    assert [s.standard_error for s in after] == pytest.approx([s.standard_error for s in before])


# ── lopsided tables and how often intervals hold ─────────────────────────────────────────────────


def test_a_long_chain_of_one_sided_contests_is_fitted():
    """Each of 25 systems meets only the next and wins 999 to 1. A chain has as many pairs as
    differences, so each difference is its log odds: log 999 = 6.907, from end to end 24 times."""
    size = 25
    first = np.repeat(np.arange(size - 1), 1000)
    preference = np.tile([1.0] * 999 + [0.0], size - 1)
    place = np.arange(len(first))
    result = bradley_terry(
        Comparisons(first, first + 1, preference, place, place, size), errors="model"
    )
    whole = next(d for d in result.differences if (d.first, d.second) == (0, size - 1))
    assert whole.value == pytest.approx(24 * math.log(999))


@pytest.mark.slow
def test_two_way_intervals_hold_where_items_and_participants_vary_and_those_of_the_model_do_not():
    """400 studies: at 95 % the Monte-Carlo error is √(.95·.05/400) = .011; allow three.

    Two equal systems, 60 items × 20 participants who see a third of them; log odds vary with
    item (sd 1) and participant (sd .7). The two-way interval may cover more, but not less.
    """
    rng = np.random.default_rng(5)
    held = {"two-way": 0, "model": 0}
    item, participant = (each.ravel() for each in np.indices((60, 20)))
    for _ in range(400):
        shown = rng.random(1200) < 1 / 3
        odds = rng.normal(0, 1, 60)[item] + rng.normal(0, 0.7, 20)[participant]
        preference = (rng.random(1200) < expit(odds)).astype(float)[shown]
        sides = np.zeros(shown.sum(), dtype=int)
        study = Comparisons(sides, sides + 1, preference, item[shown], participant[shown], 2)
        for errors in held:
            (difference,) = bradley_terry(study, errors=errors).differences
            held[errors] += difference.interval.low < 0 < difference.interval.high
    assert held["two-way"] / 400 > 0.95 - 3 * 0.011
    assert held["model"] / 400 < 0.85
