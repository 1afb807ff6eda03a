"""The likelihood of ordinal models for many tables, held to that of one table after the other."""

from __future__ import annotations

import numpy as np
import pytest

from power_studies import RATING, parameters_of, question_of
from rejudge.power.answers import draw_scores
from rejudge.power.fast import scale_of
from rejudge.power.ordinal_likelihood import OrdinalPlaces, OrdinalTables, evaluate
from rejudge.power.studies import StudyShape
from rejudge.stats.mixed.ordinal_laplace import (
    OrdinalJudgments,
    OrdinalParameters,
    evaluate_laplace,
)

POINTS = 5
THRESHOLDS = np.array([-1.0, -0.2, 0.4, 1.3])


def tables_of(shape: StudyShape) -> np.ndarray:
    """Points from 0 in two studies."""
    truth = parameters_of(*[0.0] * shape.systems)
    scale = scale_of(question_of(RATING))
    scores = draw_scores(shape, truth, scale, 2, np.random.default_rng(1))
    return np.rint(scores + 2).astype(np.int64)


def alone(points: np.ndarray, shape: StudyShape, effects: np.ndarray, variances: np.ndarray):
    """The same by `stats`, from columns of one table."""
    s, k, items = shape.systems, shape.participants_per_item, shape.items
    system, place, item = (
        each.ravel() for each in np.meshgrid(*map(np.arange, (s, k, items)), indexing="ij")
    )
    person = np.repeat(np.arange(shape.blocks), shape.block_sizes)[item] * k + place
    columns = np.stack([(system == each).astype(float) for each in range(1, s)], axis=1)
    groups = [item, item * s + system, person, person * s + system]
    judged = OrdinalJudgments.of(points.ravel(), POINTS, columns, groups)
    return evaluate_laplace(judged, OrdinalParameters(THRESHOLDS, effects, np.sqrt(variances)))


@pytest.mark.parametrize("shape", [StudyShape(7, 3, 9), StudyShape(6, 4, 4, 3)])
@pytest.mark.parametrize("variances", [(0.4, 1.0, 0.2, 0.1), (0.0, 0.5, 0.2, 0.0)])
def test_likelihood_and_slopes_are_those_of_single_tables(shape, variances):
    """Blocks of unequal size, three systems, and variances of 0."""
    points, spread = tables_of(shape), np.array(variances)
    effects = np.array([0.3, -0.4])[: shape.systems - 1]
    given = OrdinalPlaces(*(np.tile(each, (2, 1)) for each in (THRESHOLDS, effects, spread)))
    found = evaluate(OrdinalTables.of(points, shape, POINTS), given)
    expected = alone(points[1], shape, effects, spread)

    assert found.value[1] == pytest.approx(expected.value, abs=1e-7)
    assert found.thresholds[1] == pytest.approx(expected.slope.thresholds, abs=1e-6)
    assert found.effects[1] == pytest.approx(expected.slope.effects, abs=1e-6)
    assert found.variances[1] == pytest.approx(expected.variance_slope, abs=1e-6)


def test_a_search_may_start_from_the_offsets_of_other_variances():
    shape = StudyShape(7, 3, 9)
    tables = OrdinalTables.of(tables_of(shape), shape, POINTS)
    one, other = (
        OrdinalPlaces(
            np.tile(THRESHOLDS, (2, 1)), np.zeros((2, 1)), np.tile([wide, 0.5, 0.2, 0.1], (2, 1))
        )
        for wide in (0.0, 2.0)
    )
    elsewhere = evaluate(tables, one).offsets

    assert evaluate(tables, other, elsewhere).value == pytest.approx(
        evaluate(tables, other).value, abs=1e-7
    )
