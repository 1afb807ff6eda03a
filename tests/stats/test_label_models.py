"""Error rates of participants without known labels: Dawid & Skene's EM.

Competence of participants without known labels: MACE.
"""

from __future__ import annotations

import numpy as np
import pytest
from labels import ANAESTHETISTS, SIMULATED, drawn

from rejudge.errors import DataError
from rejudge.stats import dawid_skene, mace

ALL_ITERATIONS = {"smoothing": 0.0, "tolerance": -1.0, "max_iterations": 500}


def test_the_anaesthetists_have_the_rates_that_another_program_finds():
    """Data: Dawid & Skene (1979), table 1, as transcribed in dallascard/dawid_skene.

    Figures: crowd-kit 1.4.2, `DawidSkene(n_iter=500, tol=-1.0).fit(rows)`, `priors_` and `errors_`.
    """
    found = dawid_skene(*ANAESTHETISTS, **ALL_ITERATIONS)
    assert found.prevalence == pytest.approx([0.399554753, 0.421983392, 0.111795189, 0.066666667])
    first = [[0.889488, 0.110512, 0, 0], [0.070585, 0.87638, 0.053035, 0]]
    assert found.confusion[0, :2] == pytest.approx(np.array(first), abs=1e-6)
    last = [[0.159039, 0.73452, 0.10644, 0], [0, 0.209114, 0.790886, 0]]
    assert found.confusion[4, 1:3] == pytest.approx(np.array(last), abs=1e-6)
    assert found.judgments.tolist() == [135, 45, 45, 45, 45]


def test_simulated_labels_have_the_rates_that_another_program_finds():
    """crowd-kit 1.4.2, as above, on the rows in `labels.py`."""
    found = dawid_skene(*SIMULATED, **ALL_ITERATIONS)
    assert found.prevalence == pytest.approx([0.4769603289, 0.2481907132, 0.2748489579])
    rates = [0.2009655029, 0.1997586243, 0.5992758728]
    assert found.confusion[4, 1] == pytest.approx(rates)


def test_where_all_agree_everybody_is_right():
    """Two labels on two units each, by three people: prevalence 1/2, so the likelihood is 2^-4.
    Smoothed by 1, two judgments of a label give (2 + 1)/(2 + 2)."""
    unit, participant = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    label = (unit > 1).astype(np.int64)
    found = dawid_skene(unit, participant, label, smoothing=0)
    assert found.reliability == pytest.approx([1, 1, 1])
    assert found.log_likelihood == pytest.approx(-4 * np.log(2))
    assert found.probability == pytest.approx([1, 1, 1, 1])
    smoothed = dawid_skene(unit, participant, label, smoothing=1)
    assert smoothed.accuracy == pytest.approx([0.75] * 3, abs=0.03)


def test_known_confusions_are_found_again():
    unit, participant, label, truth = drawn(units=3000, competence=(0.9, 0.7, 0.5, 0.0, 0.8))
    found = dawid_skene(unit, participant, label)
    assert found.reliability == pytest.approx([0.9, 0.7, 0.5, 0.0, 0.8], abs=0.05)
    assert (found.label == truth).mean() > 0.95


@pytest.mark.parametrize("seed", range(5))
def test_dawid_skene_does_not_depend_on_names_or_on_the_order_of_rows(seed):
    rng = np.random.default_rng(seed)
    unit, participant, label, _ = drawn(units=15, competence=(0.8, 0.5, 0.2), seed=seed)
    order = rng.permutation(len(unit))
    names = rng.permutation(3)
    found = dawid_skene(unit, participant, label)
    again = dawid_skene(unit[order] * 7, names[participant][order] + 40, 10.0 - label[order])
    assert again.reliability[names] == pytest.approx(found.reliability, nan_ok=True, abs=1e-6)
    assert again.prevalence[::-1] == pytest.approx(found.prevalence, abs=1e-6)


def test_one_label_has_no_reliability():
    found = dawid_skene(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([2, 2, 2]))
    assert np.isnan(found.reliability).all()
    assert found.note.startswith("Undefined: only one label")


def test_no_judgments_give_no_rates():
    none = np.zeros(0, dtype=np.int64)
    found = dawid_skene(none, none, none)
    assert found.log_likelihood is None
    assert found.note == "Undefined: no judgments."


def test_of_one_participant_no_errors_can_be_told():
    found = dawid_skene(np.arange(4), np.zeros(4, np.int64), np.array([0, 1, 0, 1]))
    assert found.note.startswith("No unit was judged by two participants")


def test_dawid_skene_reports_too_few_iterations():
    found = dawid_skene(*SIMULATED, max_iterations=2)
    assert found.note.startswith("Not converged after 2 iterations")


def test_two_who_always_contradict_each_other_end_somewhere():
    unit, participant = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    found = dawid_skene(unit, participant, (unit + participant) % 2)
    assert np.isfinite(found.confusion).all()


def test_a_negative_smoothing_is_refused():
    with pytest.raises(DataError, match="0 or more"):
        dawid_skene(*SIMULATED, smoothing=-1)


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
def test_mace_does_not_depend_on_names_or_on_the_order_of_rows(seed):
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


def test_mace_reports_too_few_iterations():
    assert fitted(*SIMULATED, max_iterations=2).note.startswith("Not converged after 2")


def test_no_smoothing_is_refused():
    with pytest.raises(DataError, match="above 0"):
        fitted(*SIMULATED, smoothing=0)
