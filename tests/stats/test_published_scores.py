"""Published wins, scores, means, deviations and times, from public judgments.

The judgments are read where they lie and never copied here. A figure that rests on a questionable
definition is met by that definition and, beside it, the right value is shown to differ; figures
that are errors of their publication must not be met.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats

from rejudge.stats import (
    Comparisons,
    pair_rates,
    relative_preference,
    scores_by_block,
    share_of_first,
    win_matrix,
    win_table,
)

SYSTEMS = ["vae", "sep_ae", "lbow", "dips"]


def codes(words):
    return np.unique(np.array(words), return_inverse=True)[1]


def approximately(figure):
    """As far from the printed figure as its last digit allows, ends included."""
    return pytest.approx(figure["value"], abs=figure["tolerance"] * (1 + 1e-9))


# ── comparisons of paraphrases ───────────────────────────────────────────────────────────────────


def comparisons_of(rows):
    return Comparisons(
        np.array([SYSTEMS.index(row["system_a"]) for row in rows]),
        np.array([SYSTEMS.index(row["system_b"]) for row in rows]),
        np.array([float(row["choice"] == "A") for row in rows]),
        codes([row["item"] for row in rows]),
        codes([row["rater"] for row in rows]),
        len(SYSTEMS),
    )


STANDING = {
    "wins": lambda standing: standing.wins,
    "losses": lambda standing: standing.losses,
    "score": lambda standing: standing.wins - standing.losses,
    "scale": lambda standing: standing.score,
    "winpct": lambda standing: standing.value,
}


@pytest.mark.parametrize(("name", "system"), [*product(STANDING, SYSTEMS)])
def test_wins_losses_and_scores_are_the_published_ones(choices, name, system):
    rows, figures = choices
    standing = win_table(comparisons_of(rows))[SYSTEMS.index(system)]
    assert STANDING[name](standing) == approximately(figures[f"{name}.{system}"])
    assert standing.participants == 120


def test_the_win_matrix_and_the_relative_preference_say_the_same(choices):
    rows, figures = choices
    comparisons = comparisons_of(rows)
    matrix = win_matrix(comparisons)
    assert matrix.wins.sum(axis=1).tolist() == [figures[f"wins.{s}"]["value"] for s in SYSTEMS]
    assert [p.value for p in relative_preference(comparisons)] == pytest.approx(
        [figures[f"scale.{s}"]["value"] for s in SYSTEMS]
    )
    assert {rate.n for rate in pair_rates(comparisons)} == {600}


@pytest.mark.parametrize(("system", "swapped"), [("sep_ae", "lbow"), ("lbow", "sep_ae")])
def test_swapped_rows_of_a_published_table_are_not_met(choices, system, swapped):
    rows, figures = choices
    figure = figures[f"corrcsv.reproduced_value.{system}"]
    assert figure["reproducible"] is False
    table = win_table(comparisons_of(rows))
    assert table[SYSTEMS.index(system)].score != approximately(figure)
    assert table[SYSTEMS.index(swapped)].score == approximately(figure)


def test_scores_by_input_give_the_published_analysis_of_variance(choices):
    """One-way, on 200 summed scores of each system, as published; scipy's F on our scores."""
    rows, figures = choices
    scores = scores_by_block(comparisons_of(rows))
    assert scores.shape == (200, 4)
    found = scipy.stats.f_oneway(*scores.T)
    assert found.statistic == approximately(figures["anova.F"])


@pytest.mark.parametrize(
    "pair", ["dips-lbow", "dips-sep_ae", "dips-vae", "lbow-sep_ae", "lbow-vae", "sep_ae-vae"]
)
def test_differences_of_scores_by_input_are_the_published_ones(choices, pair):
    """Published as second minus first."""
    rows, figures = choices
    first, second = (SYSTEMS.index(name) for name in pair.split("-"))
    scores = scores_by_block(comparisons_of(rows)).mean(axis=0)
    assert scores[second] - scores[first] == approximately(figures[f"tukey.{pair}.diff"])


def test_the_share_of_the_first_side_is_the_recorded_one(choices):
    """`choice_A_rate` beside the published figures: .53222."""
    rows, _ = choices
    comparisons = comparisons_of(rows)
    found = share_of_first(
        comparisons.preference, item=comparisons.item, participant=comparisons.participant
    )
    assert found.value == pytest.approx(53.22222222222222)
