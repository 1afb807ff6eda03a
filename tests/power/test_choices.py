"""Simulated choices and rankings follow the latent scale."""

from __future__ import annotations

import math

import numpy as np
import pytest

from power_studies import parameters_of
from rejudge.power import draw
from rejudge.power.sizes import StudyShape

SILENT = {"system_by_item": 0.0, "system_by_participant": 0.0}
ONE = StudyShape(40, 3, 3)


def drawn(shape=ONE, *, quality=(0.0, 0.0), has_ties=True, studies=300, **others: float):
    truth = parameters_of(*quality, **{**SILENT, **others})
    rng = np.random.default_rng(1)
    return draw.draw_choices(shape, truth, studies, rng, has_ties=has_ties)


def test_the_better_system_wins_as_often_as_the_line_says():
    """P(d + √2 σ z > 0) with d = 0.5 and σ = 0.7."""
    table = drawn(quality=(0.5, 0.0), has_ties=False)
    expected = 0.5 * (1 + math.erf(0.5 / (0.7 * math.sqrt(2)) / math.sqrt(2)))
    assert (table == 1).mean() == pytest.approx(expected, abs=0.01)
    assert not (table == 0).any()


def test_ties_are_differences_below_the_width():
    table = drawn()
    assert (table == 0).mean() == pytest.approx(math.erf(0.5 / (0.7 * 2)), abs=0.01)


def test_position_bias_helps_what_is_shown_first_and_no_system():
    table, side = drawn(has_ties=False, position_bias=1.0), draw.sides(ONE)
    assert table.mean() == pytest.approx(0, abs=0.02)
    assert (table * side[:, None, :]).mean() > 0.5


def test_the_effect_of_sides_is_taken_off():
    side = draw.sides(ONE)
    table = draw.without_sides(drawn(position_bias=1.0), side, is_shared=False)
    by_item = (table.mean(axis=2) * side).mean(axis=2)
    assert by_item == pytest.approx(np.zeros_like(by_item), abs=1e-5)


def test_careless_people_prefer_nothing():
    table = drawn(quality=(5.0, 0.0), has_ties=False, careless=1.0)
    assert table.mean() == pytest.approx(0, abs=0.02)


def test_careless_people_answer_even_where_there_is_no_noise():
    table = drawn(has_ties=False, careless=1.0, noise=0.0)
    assert set(np.unique(table)) == {-1, 1}


def test_a_ranking_implies_choices_that_do_not_contradict_each_other():
    shape = StudyShape(10, 2, 4, 4)
    seen = draw.draw_ranked(shape, parameters_of(0.3, 0, 0, 0), 20, np.random.default_rng(2))
    scores = draw.ranking_scores(draw.implied_choices(seen), 4)
    places = np.sort(scores, axis=1)
    assert places == pytest.approx(np.broadcast_to(
        np.array([-100, -100 / 3, 100 / 3, 100])[:, None, None], places.shape
    ), abs=1e-3)  # fmt: skip


def test_best_and_worst_are_never_the_same_output():
    seen = np.zeros((1, 3, 1, 2), dtype=np.float32)
    assert draw.best_worst_scores(seen)[0, :, 0, 0].tolist() == [100, 0, -100]


@pytest.mark.parametrize("systems", [2, 3, 4])
def test_each_system_is_shown_in_each_place_equally_often(systems):
    shape = StudyShape(12 * systems, 1, 1, systems)
    assert draw.ranking_sides(shape).mean(axis=1) == pytest.approx(0)
