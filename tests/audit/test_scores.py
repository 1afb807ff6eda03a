"""Printed scores, SDs and medians: whether judgments can give them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audited import (
    SYSTEMS,
    audited,
    codes,
    errors_of,
    printed,
    whole,
)
from property_settings import examples


@settings(max_examples=examples(100))
@given(st.integers(0, 10**6), st.integers(3, 4), st.integers(2, 300), st.integers(0, 3))
def test_zero_sum_scores_of_real_comparisons_have_no_error(seed, systems, rounds, decimals):
    """Every pair of systems is compared equally often."""
    rng = np.random.default_rng(seed)
    balance = np.zeros(systems)
    for i in range(systems):
        for j in range(i):
            wins = rng.integers(0, rounds + 1)
            balance[i] += 2 * wins - rounds
            balance[j] -= 2 * wins - rounds
    n = rounds * (systems - 1)
    rows = [
        {"criterion": "quality", "system": system, "n": n,
         "value": printed(100 * each / n, decimals)}
        for system, each in zip(SYSTEMS, balance, strict=False)
    ]  # fmt: skip
    scale = {"kind": "best-worst", "low": -100, "high": 100}
    made = whole({"cases": [{"scores": rows}]}, systems=systems)
    assert errors_of({**made, "criteria": [{"id": "quality", "scale": scale}]}) == []


CHOICES = """
criteria: [{{id: quality, scale: {{kind: best-worst, low: -100, high: 100}}}}]
cases:
  - scores:
      - {{criterion: quality, system: a, value: {value}, n: 900, place: Table 1}}
conditions: {{elicitation: choice of one of two outputs, tie-allowed: {ties}}}
"""


def score(more: str, scale: str = "{kind: rating, low: 1, high: 5}") -> str:
    return (
        f"criteria: [{{id: quality, scale: {scale}}}]\n"
        f"cases: [{{scores: [{{criterion: quality, system: a, {more}}}]}}]\n"
    )


def test_half_a_win_is_found_where_there_were_no_ties():
    """900 choices: (won − lost) / 900 = 0.23 needs 553.5 wins; 553 give 22.89 and 554 23.11."""
    (finding,) = audited(CHOICES.format(value="23.00", ties="false")).findings
    assert finding.code == "A101"
    assert "22.8889 and 23.1111" in finding.arithmetic
    assert codes(CHOICES.format(value="23.11", ties="false")) == []


def test_with_ties_half_a_win_can_be():
    assert codes(CHOICES.format(value="23.00", ties="true")) == []


def test_of_more_than_two_outputs_one_may_be_neither_best_nor_worst():
    text = CHOICES.format(value="23.00", ties="false")
    assert codes(text.replace("choice of one of two outputs", "best and worst of 4 outputs")) == []


def test_a_share_of_yes_answers_is_checked_once_its_points_are_given():
    """120 answers: 23.0 % needs 27.6 of them; 28 are 23.3 %."""
    asked = "{kind: percent, low: 0, high: 100, points: 2}"
    assert codes(score("value: 23.0, n: 120", asked)) == ["A101"]
    assert codes(score("value: 23.3, n: 120", asked)) == []
    assert codes(score("value: 23.0, n: 120", "{kind: percent, low: 0, high: 100}")) == []


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("value: 3.00, sd: 2.31, n: 4", False),  # two at either end: √(4 · 4/3) = 2.309
        ("value: 3.00, sd: 2.32, n: 4", True),
        ("value: 3.00, sd: 2.83", False),  # two people at the two ends: √8 = 2.828
        ("value: 3.00, sd: 2.84", True),
        ("value: 5.00, sd: 0.40", True),  # at the end of the scale nobody differs
        ("value: 5.00, sd: 0.10", False),  # but 4.995 is 5.00 too: √(0.005 · 3.995 · 2) = 0.2
        ("value: 3.00, sd: -0.50", True),
    ],
)
def test_an_sd_that_cannot_be_is_reported_and_not_refused(more, found):
    assert codes(score(more)) == (["A102"] if found else [])


@pytest.mark.parametrize(
    "part",
    [
        score("value: 5.21"),
        score("value: 3.00, median: 6"),
        "cases: [{agreement: [{coefficient: percent, value: 101.0}]}]",
        "cases: [{agreement: [{coefficient: kendall-w, value: -0.10}]}]",
        "cases: [{tests: [{criterion: quality, systems: [a, b], p: 1.010}]}]",
        "cases: [{tests: [{criterion: quality, effect: {name: d, value: 1, interval: [9, 6]}}]}]",
        "reproduces: x\nreproducibility: [{measure: pearson, value: 1.02}]",
        "reproduces: x\nreproducibility: [{measure: cv-star, value: -3.47}]",
        "arithmetic: [{kind: correlation, what: q, coefficient: pearson, value: 1.2, n: 5, p: 1}]",
    ],
)
def test_a_number_that_cannot_be_is_reported_and_not_refused(part):
    assert "A104" in codes(part)


@pytest.mark.parametrize(
    "part",
    [
        score("value: 5.0"),
        score("value: 4.999, median: 5"),
        "cases: [{agreement: [{coefficient: percent, value: 100}]}]",
        "cases: [{agreement: [{coefficient: kendall-w, value: 0.61, variant: without ties}]}]",
        "reproduces: x\nreproducibility: [{measure: claims, value: 80 %}]",
    ],
)
def test_a_number_at_the_end_of_what_can_be_is_no_finding(part):
    assert "A104" not in codes(part)


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("value: 3.5, is_median: true, n: 41", True),  # of an odd number it is one of them
        ("value: 3.5, is_median: true", False),
        ("value: 3.21, median: 3.2", True),
        ("value: 3.21, median: 3", False),
    ],
)
def test_a_median_is_a_rating_or_lies_between_two(more, found):
    five = "{kind: rating, low: 1, high: 5, points: 5}"
    assert ("A105" in codes(score(more, five))) is found


def test_a_median_is_not_taken_for_a_mean():
    """3.5 is no mean of 41 whole ratings, and an SD belongs to a mean."""
    five = "{kind: rating, low: 1, high: 5, points: 5}"
    assert codes(score("value: 3.5, sd: 9, is_median: true, n: 40", five)) == []


@pytest.mark.parametrize(
    ("system", "wins", "losses", "value"),
    [("vae", 1850, 850, "37.04"), ("lbow", 1154, 1546, "-14.52"), ("sep", 948, 1752, "-29.78")],
)
def test_wins_and_losses_give_the_published_scores(system, wins, losses, value):
    """Arvan and Parde (2024), table 2: wins, losses and the best–worst scale."""
    told = f"value: {value}, wins: {wins}, losses: {losses}"
    assert codes(score(told, "{kind: best-worst, low: -100, high: 100}")) == []


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("value: 20.00, wins: 6, losses: 4, n: 10", False),
        ("value: 16.67, wins: 6, losses: 4, ties: 2, n: 12", False),  # (6 − 4) / 12
        ("value: 20.00, wins: 6, losses: 4, ties: 2, n: 12", True),
        ("value: 20.00, wins: 6, losses: 4, n: 9", True),  # more than there are
        ("value: 16.67, wins: 6, losses: 4, n: 12", False),  # the other two may be ties
        ("value: 16.67, wins: 0, losses: 0", False),
    ],
)
def test_wins_losses_and_ties_are_held_against_score_and_n(told, found):
    scale = "{kind: best-worst, low: -100, high: 100}"
    assert ("A106" in codes(score(told, scale))) is found
