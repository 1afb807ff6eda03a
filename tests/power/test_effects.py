"""Effects on the scale of a question and qualities on the latent scale belong together."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planned_studies import PAIRWISE, RATING, planned_study
from rejudge.errors import UsageError
from rejudge.power.balanced import simulate_studies
from rejudge.power.effects import (
    expected_score,
    expected_wins,
    stated_truth,
    true_differences,
)
from rejudge.power.sizes import StudyShape
from rejudge.simulate.parameters import Parameters
from rejudge.study.kinds.question import Question

SYSTEMS = ("a", "b", "c")


def question_of(text: str) -> Question:
    return planned_study((text,), "", systems="[a, b, c]").spec.questions[0]


RATED, CHOSEN = question_of(RATING), question_of(PAIRWISE)
TIED = question_of(f"{PAIRWISE}, tie: true")
BEST_WORST = question_of("kind: best-worst, id: meaning, prompt: Best and worst, of: 3")
SLIDER = question_of("kind: slider, id: fluency, prompt: How fluent, low: not, high: very")
NOTHING_VARIES = Parameters(
    system_by_item=0.0, severity=0.0, system_by_participant=0.0, noise=0.0, tie_width=0.5
)


def test_a_mean_score_is_the_sum_over_points_of_a_normal_distribution():
    """By hand: quality 0.5, SD √(0.36 + 0.25 + 0.09 + 0.49) = 1.0909; P(score > cut) at cuts −1.5,
    −0.5, 0.5 and 1.5 of the latent scale."""
    spread = math.sqrt(0.36 + 0.25 + 0.09 + 0.49)
    above = [0.5 * math.erfc((cut - 0.5) / spread / math.sqrt(2)) for cut in (-1.5, -0.5, 0.5, 1.5)]

    assert expected_score(RATED, Parameters(), 0.5) == pytest.approx(1 + sum(above))


def test_wins_between_two_follow_from_the_spread_of_their_difference():
    """By hand: Φ(0.4 / √(2 · (0.36 + 0.09 + 0.49))) = Φ(0.29173) = 0.61475."""
    assert expected_wins(CHOSEN, Parameters(), [0.4, 0.0], (0, 1)) == pytest.approx(
        61.475, abs=0.01
    )


def test_where_nothing_varies_the_better_one_always_wins_unless_it_is_a_tie():
    assert expected_wins(CHOSEN, NOTHING_VARIES, [0.4, 0.0], (0, 1)) == 100
    assert expected_wins(TIED, NOTHING_VARIES, [0.4, 0.0], (0, 1)) == 50


def test_careless_participants_halve_what_is_seen():
    careful, half = Parameters(), Parameters(careless=0.5)

    assert expected_wins(CHOSEN, half, [0.4, 0.0], (0, 1)) - 50 == pytest.approx(
        (expected_wins(CHOSEN, careful, [0.4, 0.0], (0, 1)) - 50) / 2
    )
    assert expected_score(RATED, half, 1.0) - 3 == pytest.approx(
        (expected_score(RATED, careful, 1.0) - 3) / 2
    )


@given(
    effect=st.floats(0.01, 0.8),
    noise=st.floats(0.1, 2.0),
    careless=st.floats(0.0, 0.3),
)
def test_neighbouring_systems_differ_by_the_stated_effect(effect, noise, careless):
    spreads = Parameters(noise=noise, careless=careless)
    made = stated_truth(RATED, spreads, SYSTEMS, effect)
    apart = true_differences(RATED, made, SYSTEMS)

    assert apart["a", "b"] == pytest.approx(effect, abs=1e-6)
    assert apart["b", "c"] == pytest.approx(effect, abs=1e-6)


@given(
    effect=st.floats(0.5, 20.0), bias=st.floats(0.0, 0.5), question=st.sampled_from([CHOSEN, TIED])
)
def test_choices_between_neighbours_differ_by_the_stated_effect(effect, bias, question):
    made = stated_truth(question, Parameters(position_bias=bias), SYSTEMS, effect)
    apart = true_differences(question, made, SYSTEMS)

    assert apart["a", "b"] == pytest.approx(effect, abs=1e-6)
    assert apart["b", "c"] == pytest.approx(effect, abs=1e-6)


def test_of_a_pair_the_first_is_better_and_the_others_lie_between():
    made = stated_truth(RATED, Parameters(), SYSTEMS, 0.4, pair=("c", "a"))
    apart = true_differences(RATED, made, SYSTEMS)

    assert apart["a", "c"] == pytest.approx(-0.4)
    assert apart["a", "b"] == pytest.approx(-0.2)


def test_the_level_of_a_pilot_is_kept_but_not_its_differences():
    pilot = Parameters(quality={"a": 1.4, "b": 1.0, "c": 0.6})
    made = stated_truth(RATED, pilot, SYSTEMS, 0.2)
    scores = [expected_score(RATED, made, made.quality[name]) for name in SYSTEMS]

    assert scores[1] == pytest.approx(expected_score(RATED, pilot, 1.0))
    assert scores[0] - scores[1] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("question", "effect"), [(RATED, 5.0), (RATED, 2.1), (CHOSEN, 50.0), (CHOSEN, 80.0)]
)
def test_an_effect_beyond_the_scale_is_refused(question, effect):
    with pytest.raises(UsageError, match="are beyond"):
        stated_truth(question, Parameters(), SYSTEMS, effect)


def test_an_effect_of_nothing_makes_all_systems_alike():
    made = stated_truth(RATED, Parameters(), SYSTEMS, 0.0)

    assert set(true_differences(RATED, made, SYSTEMS).values()) == {0.0}


@pytest.mark.parametrize(
    ("question", "test", "effect"),
    [
        (RATED, "cluster-robust", 0.5),
        (SLIDER, "cluster-robust", 12.0),
        (CHOSEN, "cluster-robust", 8.0),
        (TIED, "cluster-robust", 8.0),
    ],
)
def test_simulated_studies_have_the_stated_effect_on_average(question, test, effect):
    """The mean of 2,000 studies lies within five standard errors of what was stated."""
    spreads = Parameters(position_bias=0.2, careless=0.05)
    made = stated_truth(question, spreads, SYSTEMS, effect)
    found = simulate_studies(StudyShape(20, 3, 12, 3), made, question, test, 2000, (5,))
    error = found.value.std(axis=0) / math.sqrt(len(found.value))

    assert np.abs(found.value.mean(axis=0)[0] - effect) < 5 * error[0]


def test_the_best_two_of_best_worst_answers_differ_by_the_effect():
    made = stated_truth(BEST_WORST, Parameters(), SYSTEMS, 10.0)

    assert true_differences(BEST_WORST, made, SYSTEMS)["a", "b"] == pytest.approx(10.0, abs=0.01)
    assert replace(made, quality={}) == Parameters()
