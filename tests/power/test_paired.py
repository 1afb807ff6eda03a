"""Planned tests on a sample of studies: the estimate, its error, and what it is sampled from."""

from __future__ import annotations

import numpy as np
import pytest

from planned_studies import RATING, planned_study
from rejudge.design.draw import draw
from rejudge.power.paired import pair, planned_shares, stratified_share
from rejudge.power.studies import StudyShape
from rejudge.power.tallies import STRATA, tally
from rejudge.power.truth import EVERY, EffectRequest, state_task
from rejudge.simulate.sources import read_parameters

SHAPE = StudyShape(10, 3, 6)


def task_of(test: str = "wilcoxon"):
    study = planned_study((RATING,), f"{{question: fluency, test: {test}}}")
    return state_task(
        study,
        draw(study),
        read_parameters(study),
        effect=EffectRequest({EVERY: 0.8}),
    ).task


def test_a_share_is_that_of_each_stratum_weighted_by_all_studies():
    """½·0.9 + ¼·0.5 + ¼·0.1 + 0 = 0.6; unweighted it would be 0.5."""
    found = stratified_share([20, 20, 20, 0], [18, 10, 2, 0], [500, 250, 250, 0])

    assert found.value == pytest.approx(0.6)


def test_the_error_is_that_of_two_phase_sampling():
    """Cochran (1977, §12.2): Σ w² p (1 − p) / n + Σ w (p − P)² / N, the shares moved to ½ by two
    studies: 0.25 · (0.9 · 0.1 + 0.1 · 0.9) / 998 + 0.16 / 10,000, a half-width of 0.015."""
    found = stratified_share([499, 0, 499, 0], [449, 0, 49, 0], [5000, 0, 5000, 0])
    half = (found.mc.high - found.mc.low) / 2

    assert half == pytest.approx(1.96 * (0.5 * 0.09 / 499 + 0.16 / 10_000) ** 0.5, rel=0.02)


def test_strata_with_few_studies_are_joined():
    """Two of the four have one study: found or not by the stand-in is all that is left."""
    found = stratified_share([19, 1, 1, 19], [19, 0, 1, 0], [400, 100, 100, 400])

    assert found.value == pytest.approx(0.5 * 19 / 20 + 0.5 * 1 / 20)


def test_a_sample_that_always_agrees_is_not_certain():
    found = stratified_share([50, 0, 0, 50], [50, 0, 0, 0], [5000, 0, 0, 5000])

    assert found.value == 0.5
    assert found.mc.high - found.mc.low > 0.02


def test_planned_test_and_stand_in_see_the_same_studies():
    task = task_of()
    found = pair(task, SHAPE, 60, (4,))
    fast = tally(task, SHAPE, 60, (4,))

    assert found.sampled.tolist() == fast.sums[:, STRATA].tolist()
    assert found.studies == 60
    assert (found.found <= found.sampled).all()
    assert (found + found).studies == 120


def test_the_estimate_of_the_whole_sample_is_its_share():
    """Where all studies are sampled, strata change nothing."""
    task = task_of()
    found, fast = pair(task, SHAPE, 60, (4,)), tally(task, SHAPE, 60, (4,))
    (share,) = planned_shares(found, fast, STRATA)

    assert share.value == pytest.approx(found.found.sum() / 60)


@pytest.mark.slow
def test_the_ordinal_model_finds_less_than_its_stand_in_in_small_studies():
    """It has t with as few degrees of freedom as there are participants, less one."""
    found = pair(task_of("ordinal-mixed-model"), StudyShape(12, 3, 6), 150, (9,))
    by_stand_in = found.sampled[0, :2].sum()

    assert found.found[0].sum() < by_stand_in
    assert np.isfinite(found.planned.sums).all()
