"""Many studies at once: chance, closed forms of power, undefined cases, and other programs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import nct, t

from power_studies import BEST_WORST, PAIRWISE, RANKING, RATING, parameters_of, question_of
from rejudge.errors import DataError
from rejudge.power.balanced import SCORE_TESTS, simulate_studies, why_not_balanced
from rejudge.power.sizes import StudyShape
from rejudge.power.tally import SimulatedStudies

REFERENCE = Path(__file__).parents[1] / "reference"
RATED, CHOSEN = question_of(RATING), question_of(PAIRWISE)
RANKED, BEST = question_of(RANKING, systems=3), question_of(BEST_WORST, systems=3)
SLIDER = question_of({"id": "q", "kind": "slider", "prompt": "?", "low": "no", "high": "yes"})
SMALL = StudyShape(12, 3, 6)
EVEN = parameters_of(0.0, 0.0)


def share(p: np.ndarray) -> float:
    """Studies in which the first pair differs."""
    return float(np.mean(p[:, 0] < 0.05))


def margin(rate: float, studies: int) -> float:
    """Four standard errors: a correct rate is outside once in 16,000 times."""
    return 4 * math.sqrt(rate * (1 - rate) / studies)


def power_of_t(away: float, df: float) -> float:
    reach = t.ppf(0.975, df)
    return float(nct.sf(reach, df, away) + nct.cdf(-reach, df, away))


# ── chance ───────────────────────────────────────────────────────────────────────────────────────


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others():
    def run(seed: tuple[int, ...]) -> SimulatedStudies:
        return simulate_studies(SMALL, EVEN, RATED, "mixed-model", 20, seed)

    one, again, other = run((1, 2)), run((1, 2)), run((1, 3))
    assert one.p.tolist() == again.p.tolist()
    assert one.p.tolist() != other.p.tolist()


def test_studies_that_do_not_fit_into_one_table_are_all_there():
    shape = StudyShape(300, 10, 10)  # 41 studies fill a table
    found = simulate_studies(shape, EVEN, RATED, "paired-t", 100, (1,))
    assert found.p.shape == (100, 1)
    assert found.scores.shape == (100, 2)
    assert len(np.unique(found.value)) > 95


def test_scores_are_on_the_scale_of_the_question():
    up = parameters_of(1.0, 0.0)
    found = simulate_studies(SMALL, up, SLIDER, "mixed-model", 400, (1,))
    assert found.scores.mean(axis=0) == pytest.approx([75, 50], abs=2.5)
    assert found.value.mean() == pytest.approx(24, abs=2)


def test_steps_of_any_size_give_scores_of_the_scale_and_the_same_p():
    tenths = question_of({**RATING, "lowest": 0, "step": 0.1})
    one, other = (
        simulate_studies(SMALL, EVEN, question, "mixed-model", 30, (1,))
        for question in (RATED, tenths)
    )
    assert other.p.tolist() == one.p.tolist()
    assert other.value == pytest.approx(one.value / 10)
    assert other.scores == pytest.approx((one.scores - 1) / 10)


# ── closed forms ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("items", "each", "effect"), [(20, 3, 0.5), (8, 2, 1.0), (60, 1, 0.3)])
def test_power_of_the_paired_t_test_is_that_of_the_noncentral_t(items, each, effect):
    """d̄ of items is normal with variance 2 (τ² + σ²/k) / I if participants have no tastes."""
    shape, studies = StudyShape(items, each, each), 4000
    truth = parameters_of(effect, 0.0, system_by_participant=0.0)
    found = simulate_studies(shape, truth, RATED, "paired-t", studies, (3,), is_rounded=False)
    error = math.sqrt(2 * (truth.system_by_item**2 + truth.noise**2 / each) / items)
    expected = power_of_t(effect / error, items - 1)
    assert share(found.p) == pytest.approx(expected, abs=margin(expected, studies))


@pytest.mark.parametrize(("items", "people", "effect"), [(30, 10, 0.4), (20, 20, 0.3)])
def test_power_of_the_crossed_design_is_near_that_of_westfall_kenny_and_judd(items, people, effect):
    """Their approximation (2014, eq. 4): noncentral t, Satterthwaite's df of expected squares."""
    shape, studies = StudyShape(items, people, people), 6000
    truth = parameters_of(effect, 0.0)
    found = simulate_studies(shape, truth, RATED, "mixed-model", studies, (4,), is_rounded=False)
    rest = truth.noise**2
    item = rest + people * truth.system_by_item**2
    person = rest + items * truth.system_by_participant**2
    variance = item + person - rest
    df = variance**2 / (
        item**2 / (items - 1) + person**2 / (people - 1) + rest**2 / (items - 1) / (people - 1)
    )
    expected = power_of_t(effect / math.sqrt(2 * variance / items / people), df)
    assert share(found.p) == pytest.approx(expected, abs=0.01 + margin(expected, studies))


def test_the_planned_test_keeps_its_level_where_pooled_judgments_do_not():
    shape, studies = StudyShape(30, 10, 10), 4000
    level = {
        test: share(simulate_studies(shape, EVEN, RATED, test, studies, (5,)).p)
        for test in ("mixed-model", "cluster-robust", "t-test")
    }
    assert level["mixed-model"] == pytest.approx(0.05, abs=margin(0.05, studies) + 0.005)
    assert level["cluster-robust"] == pytest.approx(0.05, abs=margin(0.05, studies) + 0.01)
    assert level["t-test"] > 0.3


def test_power_is_that_of_an_independent_simulation_in_r():
    """tests/reference/crossed_power.R draws and analyses studies of its own, with lme4."""
    made = json.loads((REFERENCE / "crossed_power_r.json").read_text(encoding="utf-8"))
    assert made["example"]["df"] == pytest.approx(2.9996, abs=1e-4)  # lmerTest, for the same table
    shape = StudyShape(made["items"], made["participants"], made["participants"])
    for each in made["effects"]:
        truth = parameters_of(each["effect"], 0.0, **made["spread"])
        studies = 6000
        found = simulate_studies(shape, truth, RATED, "mixed-model", studies, (6,))
        rate, n = each["rejected"] / each["studies"], each["studies"]
        allowed = 4 * math.sqrt(rate * (1 - rate) * (1 / n + 1 / studies))
        assert share(found.p) == pytest.approx(rate, abs=allowed)
        spread = each["sd"] * math.sqrt(1 / n + 1 / studies)
        assert found.value.mean() == pytest.approx(each["mean"], abs=4 * spread)
        assert found.value.std() == pytest.approx(each["sd"], rel=0.1)
        assert found.standard_error.mean() == pytest.approx(each["mean_standard_error"], rel=0.03)


# ── undefined cases ──────────────────────────────────────────────────────────────────────────────

CORNERS = {
    "1 item": StudyShape(1, 4, 4),
    "1 participant": StudyShape(5, 1, 1),
    "2 of each": StudyShape(2, 2, 2),
    "1 per item": StudyShape(8, 1, 4),
    "1 item each": StudyShape(4, 2, 8),
}


@pytest.mark.parametrize("test", SCORE_TESTS)
@pytest.mark.parametrize("shape", CORNERS.values(), ids=CORNERS)
def test_every_corner_has_a_p_or_none(shape, test):
    found = simulate_studies(shape, EVEN, RATED, test, 30, (1,), unit="item")
    known = found.p[~np.isnan(found.p)]
    assert ((known >= 0) & (known <= 1)).all()
    assert np.isfinite(found.value).all()


@pytest.mark.parametrize("test", ["mixed-model", "joint-mixed-model", "cluster-robust", "paired-t"])
@pytest.mark.parametrize("shape", CORNERS.values(), ids=CORNERS)
def test_every_corner_of_choices_has_a_p_or_none(shape, test):
    found = simulate_studies(shape, EVEN, CHOSEN, test, 20, (1,))
    known = found.p[~np.isnan(found.p)]
    assert ((known >= 0) & (known <= 1)).all()


@pytest.mark.parametrize("shape", [CORNERS["1 item"], CORNERS["1 participant"]])
def test_one_item_or_participant_decides_nothing(shape):
    for test in ("mixed-model", "cluster-robust"):
        assert np.isnan(simulate_studies(shape, EVEN, RATED, test, 5, (1,)).p).all()


@pytest.mark.parametrize("test", SCORE_TESTS)
def test_people_without_any_differences_decide_nothing(test):
    quiet = parameters_of(0.9, 0.0, system_by_item=0, severity=0, system_by_participant=0, noise=0)
    found = simulate_studies(SMALL, quiet, RATED, test, 5, (1,))
    assert np.isnan(found.p).all()
    assert found.value.ravel() == pytest.approx(1)


@pytest.mark.parametrize(
    "truth",
    [parameters_of(5.0, 5.0), parameters_of(0.4, 0.0, careless=1.0)],
    ids=["top", "careless"],
)
def test_studies_at_the_end_of_the_scale_or_of_careless_people_find_little(truth):
    found = simulate_studies(StudyShape(30, 3, 30), truth, RATED, "mixed-model", 500, (2,))
    assert share(found.p) < 0.1


# ── which simulation ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("question", "test", "says"),
    [
        (CHOSEN, "plackett-luce", "No closed form is known for plackett-luce"),
        (RATED, "bradley-terry", "of a question of kind rating"),
        (BEST, "cluster-robust", "of a question of kind best-worst"),
    ],
)
def test_what_has_no_closed_form_is_named(question, test, says):
    assert says in why_not_balanced(SMALL, EVEN, question, test)
    with pytest.raises(DataError, match=says):
        simulate_studies(SMALL, EVEN, question, test, 5, (1,))


def test_people_who_leave_early_have_no_closed_form():
    leaving = replace(EVEN, dropout=0.2)
    assert "leave early" in why_not_balanced(SMALL, leaving, RATED, "mixed-model")


def test_judgments_of_some_of_the_systems_have_no_closed_form():
    shape = replace(SMALL, systems=5)
    assert "some of the systems" in why_not_balanced(shape, EVEN, BEST, "joint-mixed-model")


def test_rankings_and_best_worst_judgments_find_the_better_system():
    shape, truth = replace(SMALL, systems=3), parameters_of(1.5, 0, 0)
    for question in (RANKED, BEST):
        found = simulate_studies(shape, truth, question, "joint-mixed-model", 300, (1,))
        assert share(found.p) > 0.5
        assert found.scores.mean(axis=0)[0] > 30
