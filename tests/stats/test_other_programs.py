"""Our numbers against those of R, which tests/reference/other_programs.R made and says how.

The copies of published data in the tests are checked against those that come with R's packages.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from mixed_examples import (
    DYESTUFF,
    DYESTUFF_BATCH,
    PENICILLIN,
    PENICILLIN_BLEND,
    PENICILLIN_TREATMENT,
    WINE,
    WINE_CONTACT,
    WINE_JUDGE,
    WINE_WARM,
)
from win_examples import SEASON, from_wins

from rejudge.stats import (
    CohenD,
    CohenDz,
    CohenF,
    anova_power,
    anova_sample_size,
    bradley_terry,
    clustered_estimate,
    cohen_kappa,
    factor_test,
    intraclass,
    level_contrasts,
    linear_mixed,
    ordinal_mixed,
    paired_t_sample_size,
    studentized_range_sf,
    t_test_power,
    t_test_sample_size,
)

REFERENCE = Path(__file__).parents[1] / "reference"
R = json.loads((REFERENCE / "other_programs_r.json").read_text(encoding="utf-8"))


def test_the_copies_of_published_data_are_those_of_the_packages():
    dyestuff, wine = R["dyestuff"], R["wine"]
    assert DYESTUFF.tolist() == dyestuff["yield"]
    assert (DYESTUFF_BATCH + 1).tolist() == dyestuff["batch"]
    assert WINE.tolist() == wine["rating"]
    assert (WINE_JUDGE + 1).tolist() == wine["judge"]
    assert WINE_WARM.tolist() == wine["warm"]
    assert WINE_CONTACT.tolist() == wine["contact"]


@pytest.mark.parametrize("method", ["reml", "ml"])
def test_a_linear_mixed_model_is_that_of_lme4(method):
    theirs = R["dyestuff"][method]
    fit = linear_mixed(DYESTUFF, {}, {"batch": DYESTUFF_BATCH}, reml=method == "reml")
    base = fit.coefficient("intercept")
    assert fit.criterion == pytest.approx(theirs["criterion"], abs=1e-8)
    assert fit.variance("batch") == pytest.approx(theirs["batch"], rel=1e-5)
    assert fit.variance("residual") == pytest.approx(theirs["residual"], rel=1e-6)
    assert (base.value, base.standard_error) == pytest.approx(
        (theirs["intercept"], theirs["standard_error"]), rel=1e-6
    )


def test_a_randomised_block_is_that_of_lme4_lmertest_and_emmeans():
    theirs = R["penicillin"]
    fit = linear_mixed(PENICILLIN, {"treatment": PENICILLIN_TREATMENT}, {"blend": PENICILLIN_BLEND})
    assert fit.criterion == pytest.approx(theirs["criterion"], abs=1e-8)
    assert [c.value for c in fit.coefficients] == pytest.approx(theirs["coefficients"])
    assert [c.standard_error for c in fit.coefficients] == pytest.approx(
        theirs["standard_errors"], rel=1e-5
    )
    test = factor_test(fit, "treatment")
    assert (test.statistic, test.df[1], test.p) == pytest.approx(
        (theirs["f"], theirs["df_error"], theirs["p"]), rel=1e-4
    )
    pairs = level_contrasts(fit, "treatment")
    assert [pair.value for pair in pairs] == pytest.approx(theirs["pairs"]["estimate"])
    assert [pair.p_adjusted for pair in pairs] == pytest.approx(theirs["pairs"]["p"], abs=1e-4)


def test_an_ordinal_mixed_model_is_that_of_the_ordinal_package():
    theirs = R["wine"]
    fit = ordinal_mixed(WINE, {"warm": WINE_WARM, "contact": WINE_CONTACT}, {"judge": WINE_JUDGE})
    assert fit.log_likelihood == pytest.approx(theirs["log_likelihood"], abs=1e-5)
    assert [t.value for t in fit.thresholds] == pytest.approx(theirs["thresholds"], abs=1e-4)
    assert [c.value for c in fit.coefficients] == pytest.approx(theirs["coefficients"], abs=1e-4)
    errors = [c.standard_error for c in (*fit.thresholds, *fit.coefficients)]
    assert errors == pytest.approx(theirs["standard_errors"], abs=2e-4)
    assert fit.components[0].variance == pytest.approx(theirs["judge_variance"], rel=1e-3)


def test_strengths_of_teams_are_those_of_a_logistic_regression():
    theirs = R["baseball"]
    result = bradley_terry(from_wins(SEASON), errors="model")
    against = [found for found in result.differences if found.second == len(SEASON) - 1]
    assert [found.value for found in against] == pytest.approx(theirs["estimate"], abs=1e-7)
    assert [found.standard_error for found in against] == pytest.approx(
        theirs["standard_error"], rel=1e-6
    )


def test_intraclass_correlations_are_those_of_the_psych_package():
    theirs = R["icc"]
    scores = np.array(theirs["ratings"], dtype=float)
    unit, person = np.indices(scores.shape)
    found = {icc.form: icc for icc in intraclass(unit.ravel(), person.ravel(), scores.ravel())}
    ours = [found[form] for form in theirs["form"]]
    assert [icc.value for icc in ours] == pytest.approx(theirs["value"])
    assert [icc.interval.low for icc in ours] == pytest.approx(theirs["low"])
    assert [icc.interval.high for icc in ours] == pytest.approx(theirs["high"])


def test_power_is_that_of_the_pwr_package():
    theirs = R["power"]
    assert anova_power(CohenF(0.1), groups=4, per_group=300).value == pytest.approx(
        theirs["anova_power"]
    )
    assert t_test_power(CohenD(0.5), per_group=64).value == pytest.approx(theirs["t_test_power"])


def test_required_sizes_are_the_next_whole_ones_of_the_pwr_package():
    theirs = R["power"]
    found = (
        t_test_sample_size(CohenD(0.5)).per_group,
        paired_t_sample_size(CohenDz(0.5)).per_group,
        anova_sample_size(CohenF(0.25), groups=4).per_group,
    )
    assert found == tuple(
        int(np.ceil(theirs[name])) for name in ("t_test_per_group", "paired", "anova_per_group")
    )


@pytest.mark.parametrize(
    ("weights", "name"), [("none", "plain"), ("linear", "linear"), ("quadratic", "quadratic")]
)
def test_kappas_are_those_of_the_psych_package(weights, name):
    table = np.array(R["kappa"]["table"])
    first, second = (np.repeat(axis.ravel(), table.ravel()) for axis in np.indices(table.shape))
    found = cohen_kappa(first, second, weights=weights)
    assert found.value == pytest.approx(R["kappa"][name])


def test_the_two_way_variance_is_that_of_the_sandwich_package():
    """Their variance is of items + persons − cells without factors; four items and three persons
    in a complete table have 4/3 and 3/2."""
    theirs = R["two_way"]
    y = np.array(theirs["y"], dtype=float)
    influence = (y - y.mean()) / len(y)
    item, person = np.array(theirs["item"]), np.array(theirs["person"])
    found = clustered_estimate(y.mean(), influence, item=item, participant=person)
    by_item, by_person = (float(np.sum(np.bincount(c, influence) ** 2)) for c in (item, person))
    cells = float(influence @ influence)
    assert by_item + by_person - cells == pytest.approx(theirs["variance"])
    parts = by_item * 4 / 3, by_person * 3 / 2
    assert found.standard_error**2 == pytest.approx(max(sum(parts) - cells, *parts))


def test_tails_of_the_studentized_range_are_those_of_r():
    theirs = R["studentized_range"]
    found = studentized_range_sf(np.array(theirs["q"]), 4, 12)
    assert found == pytest.approx(theirs["p"], abs=1e-8)


def test_the_typed_season_has_thirteen_games_of_each_pair():
    wins = np.array(SEASON)
    assert set((wins + wins.T)[np.triu_indices(7, 1)].tolist()) == {13}
