"""Compiled code draws from the same distributions as numpy."""

from __future__ import annotations

import numpy as np
import pytest

from power_studies import RATING, parameters_of, question_of
from rejudge.power.answers import PointRange, draw_scores
from rejudge.power.fast import simulate_studies
from rejudge.power.moments import moments_of
from rejudge.power.studies import SimulatedStudies, StudyShape

pytest.importorskip("numba", reason="needs numba: pip install 'rejudge[speed]'")
pytestmark = pytest.mark.slow  # the first call compiles

STUDIES = 4000
FIVE = PointRange(1, 5, 1)
TRUTH = parameters_of(
    0.3, 0.0, item_difficulty=0.4, scale_use=0.2, careless=0.1, system_by_participant=0.2
)


@pytest.mark.parametrize("is_rounded", [True, False])
@pytest.mark.parametrize("shape", [StudyShape(20, 3, 3), StudyShape(25, 2, 12)], ids=str)
def test_moments_have_the_same_means_as_those_of_numpy(shape, is_rounded):
    from rejudge.power import compiled

    rng = np.random.default_rng(1)
    fast = compiled.draw_moments(shape, TRUTH, FIVE, STUDIES, rng, is_rounded=is_rounded)
    table = draw_scores(shape, TRUTH, FIVE, STUDIES, rng, is_rounded=is_rounded)
    slow = moments_of(table, shape)
    for part in ("mean", "block", "item", "person", "rest"):
        one, other = getattr(fast, part), getattr(slow, part)
        error = np.hypot(one.std(axis=0), other.std(axis=0)) / np.sqrt(STUDIES)
        assert np.abs(one.mean(axis=0) - other.mean(axis=0)) == pytest.approx(
            np.zeros_like(error), abs=4.5 * error.max() + 1e-6
        )


def test_normal_numbers_are_normal():
    from scipy.stats import kstest

    from rejudge.power import compiled

    out = np.empty(200_000)
    compiled._fill_with_normals(np.array([1, 2, 3, 4], dtype=np.uint64), out, len(out))
    assert kstest(out[1000:], "norm").pvalue > 1e-4
    assert np.mean(np.abs(out) > 3.6541528853610088) == pytest.approx(2.58e-4, abs=1.5e-4)


def test_the_engine_is_part_of_the_result_and_repeats_itself():
    def run() -> SimulatedStudies:
        question = question_of(RATING)
        shape = StudyShape(20, 3, 12)
        return simulate_studies(shape, TRUTH, question, "mixed-model", 50, (1,), engine="numba")

    assert run().engine == "numba"
    assert run().p.tolist() == run().p.tolist()
