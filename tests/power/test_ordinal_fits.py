"""Ordinal models of many tables, held to `stats.ordinal_mixed`, which is held to R."""

from __future__ import annotations

import math

import numpy as np
import pytest

from power_studies import RATING, parameters_of, question_of
from rejudge import stats
from rejudge.power.answers import draw_scores
from rejudge.power.fast import scale_of
from rejudge.power.ordinal_fits import binary_tests, ordinal_tests
from rejudge.power.studies import StudyShape

SMALL = StudyShape(12, 3, 12)


def scores_of(shape: StudyShape, studies: int, points: int = 5, quality: float = 0.5):
    truth = parameters_of(quality, *[0.0] * (shape.systems - 1), item_difficulty=0.4)
    scale = scale_of(question_of({**RATING, "points": points}))
    return draw_scores(shape, truth, scale, studies, np.random.default_rng(3))


def by_stats(table: np.ndarray, shape: StudyShape, clusters: int):
    """The model of the analysis: participants, items and both crossed with systems random."""
    s, k, items = shape.systems, shape.participants_per_item, shape.items
    system, place, item = (
        each.ravel() for each in np.meshgrid(*map(np.arange, (s, k, items)), indexing="ij")
    )
    person = np.repeat(np.arange(shape.blocks), shape.block_sizes)[item] * k + place
    groups = {
        "participant": person,
        "item": item,
        "system × participant": person * s + system,
        "system × item": item * s + system,
    }
    fit = stats.ordinal_mixed(table.ravel().astype(float), {"system": system}, groups)
    return stats.level_contrasts(fit, "system", adjust="none", clusters=clusters)


@pytest.mark.parametrize(
    ("shape", "points"),
    [(SMALL, 2), pytest.param(StudyShape(13, 4, 8, 3), 5, marks=pytest.mark.slow)],
)
def test_differences_and_errors_are_those_of_the_analysis(shape, points):
    table = scores_of(shape, 26, points)
    found = ordinal_tests(table, shape)
    clusters = min(shape.items, shape.judging)
    expected = by_stats(table[25], shape, clusters)  # started from where the first ones ended

    assert found.value[25] == pytest.approx([each.value for each in expected], abs=1e-3)
    assert found.standard_error[25] == pytest.approx(
        [each.standard_error for each in expected], rel=1e-3
    )
    assert found.df[25] == pytest.approx(expected[0].df)


def test_a_system_with_one_point_only_has_no_difference():
    table = scores_of(SMALL, 2, 2)
    table[0, 0] = table.max()

    found = binary_tests(table, SMALL)

    assert math.isnan(found.value[0, 0])
    assert math.isfinite(found.value[1, 0])


def test_a_table_of_one_point_has_no_difference():
    table = np.zeros((1, 2, 3, 12), dtype=np.float32)

    assert np.isnan(ordinal_tests(table, SMALL).value).all()


def test_the_binary_model_is_for_two_points():
    assert np.isnan(binary_tests(scores_of(SMALL, 1), SMALL).value).all()


def test_one_participant_shows_no_variation():
    shape = StudyShape(4, 1, 1)

    assert np.isnan(ordinal_tests(scores_of(shape, 2), shape).standard_error).all()
