"""Simulated scores have the moments that their parameters say."""

from __future__ import annotations

import numpy as np
import pytest

from power_studies import parameters_of
from rejudge.power.draw import PointRange, draw_scores, qualities
from rejudge.power.sizes import StudyShape
from rejudge.simulate.parameters import Parameters

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


def test_a_scale_of_two_points_has_two():
    two = PointRange(0, 1, 1)
    table = draw_scores(
        StudyShape(9, 3, 3), parameters_of(0.2, 0), two, 50, np.random.default_rng(3)
    )
    assert set(np.unique(table + two.middle)) == {0, 1}


def test_careless_people_take_every_point_equally_often():
    truth = parameters_of(2.0, 2.0, careless=1.0)
    table = draw_scores(StudyShape(50, 4, 4), truth, FIVE, 100, np.random.default_rng(4))
    _, counts = np.unique(table, return_counts=True)
    assert counts / counts.sum() == pytest.approx([0.2] * 5, abs=0.01)


def test_the_share_of_careless_people_is_as_given():
    truth = parameters_of(2.0, 2.0, **SILENT, careless=0.3)
    table = draw_scores(StudyShape(30, 4, 4), truth, FIVE, 500, np.random.default_rng(5))
    is_even = (table == 2).all(axis=(1, 3))
    assert 1 - is_even.mean() == pytest.approx(0.3, abs=0.04)


def test_without_qualities_systems_get_worse_in_their_order():
    assert qualities(Parameters(), 3) == pytest.approx((0.6, 0, -0.6))
