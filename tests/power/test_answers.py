"""Balanced tables of simulated scores, choices and rankings follow the latent scale."""

from __future__ import annotations

import math

import numpy as np
import pytest

from power_studies import parameters_of
from rejudge.power import draw
from rejudge.power.draw import PointRange, draw_scores
from rejudge.power.sizes import StudyShape

FIVE = PointRange(1, 5, 1)
SILENT = {
    "system_by_item": 0.0, "severity": 0.0, "system_by_participant": 0.0, "noise": 0.0,
}  # fmt: skip


def marks(shape, studies=4000, seed=1, quality=(0.0, 0.0), **spreads: float):
    truth = parameters_of(*quality, **{**SILENT, **spreads})
    rng = np.random.default_rng(seed)
    return draw_scores(shape, truth, FIVE, studies, rng, is_rounded=False)


@pytest.mark.parametrize(
    ("spread", "shared"),
    [
        ("item_difficulty", {"system", "person"}),
        ("system_by_item", {"person"}),
        ("severity", {"system", "item"}),
        ("system_by_participant", {"item"}),
        ("noise", set()),
    ],
)
def test_each_spread_is_shared_by_the_judgments_that_it_should_be(spread, shared):
    table = marks(StudyShape(4, 2, 4), **{spread: 0.5})
    assert table.std() == pytest.approx(0.5, rel=0.03)
    here = table[:, 0, 0, 0]
    others = {"system": table[:, 1, 0, 0], "person": table[:, 0, 1, 0], "item": table[:, 0, 0, 1]}
    for name, there in others.items():
        expected = 1.0 if name in shared else 0.0
        assert np.corrcoef(here, there)[0, 1] == pytest.approx(expected, abs=0.08)


def test_participants_of_different_blocks_are_different_people():
    table = marks(StudyShape(4, 2, 4), severity=0.5)
    assert np.corrcoef(table[:, 0, 0, 1], table[:, 0, 0, 2])[0, 1] == pytest.approx(0, abs=0.08)


@pytest.mark.parametrize(
    ("scale", "steps"), [(FIVE, 1), (PointRange(0, 100, 1), 25), (PointRange(0, 2, 0.5), 1)]
)
def test_the_unit_of_the_line_is_a_quarter_of_the_scale(scale, steps):
    truth = parameters_of(1.0, 0.0, **SILENT)
    table = draw_scores(StudyShape(2, 1, 1), truth, scale, 1, np.random.default_rng(1))
    assert (table[0, 0] - table[0, 1]).ravel().tolist() == [steps] * 2


def test_scores_are_points_of_the_scale_and_stay_on_it():
    truth = parameters_of(3.0, -3.0, severity=2.0)
    table = draw_scores(StudyShape(20, 3, 3), truth, FIVE, 50, np.random.default_rng(2))
    assert set(np.unique(table + FIVE.middle)) == {1, 2, 3, 4, 5}


def test_careless_people_take_every_point_equally_often():
    truth = parameters_of(2.0, 2.0, careless=1.0)
    table = draw_scores(StudyShape(50, 4, 4), truth, FIVE, 100, np.random.default_rng(4))
    _, counts = np.unique(table, return_counts=True)
    assert counts / counts.sum() == pytest.approx([0.2] * 5, abs=0.01)


AGREED = {"system_by_item": 0.0, "system_by_participant": 0.0}
ONE = StudyShape(40, 3, 3)


def drawn(shape=ONE, *, quality=(0.0, 0.0), has_ties=True, studies=300, **others: float):
    truth = parameters_of(*quality, **{**AGREED, **others})
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


@pytest.mark.parametrize("systems", [2, 3, 4])
def test_each_system_is_shown_in_each_place_equally_often(systems):
    shape = StudyShape(12 * systems, 1, 1, systems)
    assert draw.ranking_sides(shape).mean(axis=1) == pytest.approx(0)
