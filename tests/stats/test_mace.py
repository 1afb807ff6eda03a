"""Competence of participants without known labels: MACE."""

from __future__ import annotations

import numpy as np
import pytest
from labels import SIMULATED, drawn

from rejudge.errors import DataError
from rejudge.stats import mace


def fitted(unit, participant, label, **options: float):
    return mace(unit, participant, label, rng=np.random.default_rng(1), **options)


def test_simulated_labels_have_the_competences_that_another_program_finds():
    """crowd-kit 1.4.2, `MACE(method="em", n_restarts=10, n_iter=1000, random_state=0).fit(rows)`,
    the second column of `spamming_`, on the rows in `labels.py`; it smooths by 0.01 / labels."""
    found = fitted(*SIMULATED, smoothing=0.01, tolerance=-1.0, max_iterations=1000)
    theirs = [0.92138492, 0.91545900, 0.13549684, 0.63553295, 0.47381514, 0.15978558]
    assert found.competence == pytest.approx(theirs, abs=1e-6)
    assert found.posterior[2] == pytest.approx([0.12175704, 0.86323731, 0.01500565], abs=1e-6)


def test_one_iteration_done_by_hand():
    """Two people agree on two units with two labels. From competence 1/2 and even guesses a label
    has probability 3/4 if right and 1/4 if not, so it is right with 9/16 / (9/16 + 1/16) = 0.9, and
    was given on purpose with 0.9 · (1/2)/(3/4) = 0.6. Smoothed by 0.1/2: (1.2 + .05)/(2 + .1)."""
    columns = (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]))
    found = fitted(*columns, restarts=1, max_iterations=1)
    assert found.competence == pytest.approx([1.25 / 2.1] * 2)
    assert found.probability == pytest.approx([0.9, 0.9])
    assert found.log_likelihood == pytest.approx(2 * np.log((9 / 16 + 1 / 16) / 2))


def test_known_competences_are_found_again():
    unit, participant, label, truth = drawn(units=3000, competence=(0.9, 0.7, 0.5, 0.0, 0.8))
    found = fitted(unit, participant, label)
    assert found.competence == pytest.approx([0.9, 0.7, 0.5, 0.0, 0.8], abs=0.05)
    assert (found.label == truth).mean() > 0.95


def test_somebody_who_always_says_the_same_has_no_competence():
    unit, participant, label, _ = drawn(units=300, competence=(0.9, 0.8, 0.9, 0.9))
    label[participant == 1] = 2
    found = fitted(unit, participant, label)
    assert found.competence[1] < 0.05
    assert found.guesses[1, 2] > 0.99


@pytest.mark.parametrize("seed", range(5))
def test_names_and_order_of_rows_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    unit, participant, label, _ = drawn(units=15, competence=(0.8, 0.5, 0.2), seed=seed)
    order, names = rng.permutation(len(unit)), rng.permutation(3)
    found = fitted(unit, participant, label, restarts=1)
    again = fitted(unit[order], names[participant][order], 5 - label[order], restarts=1)
    assert again.competence[names] == pytest.approx(found.competence, abs=1e-5)


def test_the_same_seed_gives_the_same_numbers():
    one, two = (fitted(*SIMULATED) for _ in range(2))
    assert (one.competence == two.competence).all()


def test_one_label_is_told():
    found = fitted(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([2, 2, 2]))
    assert found.note.startswith("Undefined: only one label")


def test_no_judgments_give_no_competence():
    none = np.zeros(0, dtype=np.int64)
    found = fitted(none, none, none)
    assert len(found.competence) == 0
    assert found.note == "Undefined: no judgments."


def test_units_and_participants_with_one_judgment_are_no_obstacle():
    found = fitted(np.arange(6), np.arange(6), np.array([0, 1, 0, 1, 2, 2]))
    assert np.isfinite(found.competence).all()


def test_too_few_iterations_are_told():
    assert fitted(*SIMULATED, max_iterations=2).note.startswith("Not converged after 2")


def test_no_smoothing_is_refused():
    with pytest.raises(DataError, match="above 0"):
        fitted(*SIMULATED, smoothing=0)
