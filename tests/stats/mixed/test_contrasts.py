"""Means and differences of the levels of a factor in a mixed model."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import (
    PENICILLIN,
    PENICILLIN_BLEND,
    PENICILLIN_TREATMENT,
    WINE,
    WINE_CONTACT,
    WINE_JUDGE,
    WINE_WARM,
    favoured,
    study,
)
from whys import why

from rejudge.errors import DataError
from rejudge.stats import (
    Why,
    factor_test,
    level_contrasts,
    limit_of_df,
    linear_mixed,
    marginal_means,
    ordinal_mixed,
)

TREATMENTS = PENICILLIN.reshape(4, 5)
# Two-way analysis of variance of the penicillin table: Σ(y − row − column + mean)² = 226 on 12 df.
MEAN_SQUARE = 226 / 12
ERROR_OF_DIFFERENCE = (2 * MEAN_SQUARE / 5) ** 0.5


@pytest.fixture(scope="module")
def penicillin():
    return linear_mixed(
        PENICILLIN, {"treatment": PENICILLIN_TREATMENT}, {"blend": PENICILLIN_BLEND}
    )


def test_differences_of_a_balanced_table_are_those_of_its_analysis_of_variance(penicillin):
    for found in level_contrasts(penicillin, "treatment", adjust="none"):
        expected = TREATMENTS[found.first].mean() - TREATMENTS[found.second].mean()
        assert found.value == pytest.approx(expected)
        assert found.standard_error == pytest.approx(ERROR_OF_DIFFERENCE, rel=1e-5)
        assert found.df == pytest.approx(12, rel=1e-4)
        assert found.p_adjusted == found.p


def test_tukeys_p_is_the_tail_of_the_studentized_range(penicillin):
    """Against SciPy: range of 4 means on 12 df, q = difference / √(MSE/5)."""
    from scipy.stats import studentized_range

    found = level_contrasts(penicillin, "treatment")[1]  # 84 against 89
    q = 5 / (MEAN_SQUARE / 5) ** 0.5
    assert found.p_adjusted == pytest.approx(studentized_range.sf(q, 4, 12), rel=1e-4)
    reach = studentized_range.ppf(0.95, 4, 12) / 2**0.5 * ERROR_OF_DIFFERENCE
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (-5 - reach, -5 + reach), rel=1e-3
    )


def test_tukey_for_two_levels_is_the_plain_test(penicillin):
    half = PENICILLIN_TREATMENT < 2
    fit = linear_mixed(
        PENICILLIN[half],
        {"treatment": PENICILLIN_TREATMENT[half]},
        {"blend": PENICILLIN_BLEND[half]},
    )
    (found,) = level_contrasts(fit, "treatment")
    assert found.p_adjusted == found.p
    assert found.interval == level_contrasts(fit, "treatment", adjust="none")[0].interval


def test_holm_and_bonferroni_count_the_pairs_that_were_asked_for(penicillin):
    pairs = [(0, 1), (0, 2), (0, 3)]
    raw = [
        c.p_adjusted for c in level_contrasts(penicillin, "treatment", pairs=pairs, adjust="none")
    ]
    bonferroni = level_contrasts(penicillin, "treatment", pairs=pairs, adjust="bonferroni")
    assert [c.p_adjusted for c in bonferroni] == pytest.approx([min(1, 3 * p) for p in raw])
    holm = level_contrasts(penicillin, "treatment", pairs=pairs, adjust="holm")
    assert min(c.p_adjusted for c in holm) == pytest.approx(3 * min(raw))
    assert holm[0].interval == bonferroni[0].interval


def test_the_test_of_a_factor_is_that_of_the_analysis_of_variance(penicillin):
    """Faraway (2015): treat, F 1.24 on 3 and 12 degrees of freedom, p 0.34."""
    found = factor_test(penicillin, "treatment")
    assert found.statistic == pytest.approx(1.24, abs=0.005)
    assert found.df == pytest.approx((3, 12), rel=1e-4)
    assert found.p == pytest.approx(0.34, abs=0.005)


def test_a_factor_of_two_levels_is_tested_by_the_square_of_t():
    value, fixed, groups = study(11, systems=2)
    fit = linear_mixed(value, fixed, groups)
    found, single = factor_test(fit, "system"), fit.coefficient("system", 1)
    assert found.statistic == pytest.approx(single.statistic**2)
    assert found.p_adjusted == pytest.approx(single.p_adjusted)


def test_marginal_means_of_a_balanced_table_are_its_means(penicillin):
    """Variance of a mean: (MSE + σ²(blend))/5 = (18.83 + 11.79)/5, printed by lme4 as 2.48²."""
    means = marginal_means(penicillin, "treatment")
    assert [m.value for m in means] == pytest.approx(TREATMENTS.mean(axis=1).tolist())
    assert [m.standard_error for m in means] == pytest.approx([2.4749] * 4, abs=1e-4)


def test_marginal_means_weigh_the_levels_of_other_factors_equally():
    """Intercept 1, system +2, dataset +10 and +40: (0 + 10 + 40)/3 however often each occurs."""
    rng = np.random.default_rng(1)
    system = rng.integers(0, 2, 300)
    dataset = np.repeat([0, 1, 2], [200, 60, 40])
    item = np.arange(300) % 50
    value = 1 + 2 * system + np.array([0, 10, 40])[dataset] + 1e-3 * rng.normal(size=300)
    fit = linear_mixed(value, {"system": system, "dataset": dataset}, {"item": item})
    means = [m.value for m in marginal_means(fit, "system")]
    assert means == pytest.approx([1 + 50 / 3, 3 + 50 / 3], abs=1e-2)


def test_a_covariate_stands_at_its_mean():
    value, fixed, groups = study(12)
    centred = {**fixed, "length": fixed["length"] - fixed["length"].mean()}
    first = marginal_means(linear_mixed(value, fixed, groups), "system")[0]
    base = linear_mixed(value, centred, groups).coefficient("intercept")
    assert (first.value, first.standard_error) == pytest.approx((base.value, base.standard_error))


def test_each_difference_is_that_of_the_means_and_turns_with_its_pair():
    value, fixed, groups = study(13)
    fit = linear_mixed(value, fixed, groups)
    means = [m.value for m in marginal_means(fit, "system")]
    there, back = level_contrasts(fit, "system", pairs=[(0, 2), (2, 0)], adjust="none")
    assert there.value == pytest.approx(means[0] - means[2])
    assert (back.value, back.p_adjusted) == pytest.approx((-there.value, there.p_adjusted))


def test_the_lowest_level_is_only_a_way_of_writing():
    """Numbering systems the other way round changes no difference."""
    value, fixed, groups = study(14)
    turned = {**fixed, "system": 2 - fixed["system"]}
    one = level_contrasts(linear_mixed(value, fixed, groups), "system", pairs=[(0, 1)])
    other = level_contrasts(linear_mixed(value, turned, groups), "system", pairs=[(2, 1)])
    for a, b in zip(one, other, strict=True):
        assert (a.value, a.standard_error, a.df, a.p_adjusted) == pytest.approx(
            (b.value, b.standard_error, b.df, b.p_adjusted), rel=1e-4
        )


def test_a_system_that_was_not_judged_has_no_difference():
    value, fixed, groups = study(15)
    fit = linear_mixed(value, {"system": 2 * fixed["system"]}, groups)
    missing, there = level_contrasts(fit, "system", pairs=[(0, 1), (0, 2)])
    assert missing.value is None
    assert why(missing) == [Why.NOT_JUDGED]
    assert there.value is not None


def test_systems_that_go_with_another_factor_have_no_difference():
    value, fixed, groups = study(16)
    twin = {"system": fixed["system"], "dataset": fixed["system"] + 1}
    fit = linear_mixed(value, twin, groups)
    assert {c.value for c in level_contrasts(fit, "system")} == {None}
    assert factor_test(fit, "system").p is None
    assert {m.value for m in marginal_means(fit, "system")} == {None}


def test_an_undefined_fit_has_no_differences():
    fit = linear_mixed(np.ones(8), {"system": np.arange(8) % 2}, {"item": np.arange(8) // 2})
    assert level_contrasts(fit, "system") == marginal_means(fit, "system") == ()
    assert factor_test(fit, "system").p is None


SAMPLED = ("participant", "item")


def test_without_a_variance_over_participants_there_is_a_limit_of_two_for_each_but_one():
    """60 items × 4 people with nothing in common but their items: 2 · (4 − 1)."""
    item, person, system = (each.ravel() for each in np.mgrid[:60, :4, :2])
    rng = np.random.default_rng(1)
    value = rng.normal(0, 1, 60)[item] + rng.normal(size=item.size)
    value -= (np.bincount(2 * person + system, value) / 60)[2 * person + system] - 0.1 * system
    groups = {"participant": person, "item": item, "system × participant": 2 * person + system}
    fit = linear_mixed(value, {"system": system}, groups)
    limit = limit_of_df(fit, "system × participant", SAMPLED)
    assert limit == 6
    (plain,), (found,) = (level_contrasts(fit, "system", df_limit=k) for k in (None, limit))
    assert plain.df > 100
    assert found.df == 6
    assert found.standard_error == plain.standard_error
    assert found.p_adjusted > plain.p_adjusted
    tested = factor_test(fit, "system", df_limit=limit)
    assert tested.df == (1, 6)
    assert tested.p == pytest.approx(found.p_adjusted)


def test_with_a_variance_over_participants_there_is_no_limit():
    value, fixed, groups = favoured(1)
    fit = linear_mixed(value, fixed, groups)
    assert limit_of_df(fit, "liking", SAMPLED) is None


def test_a_limit_beyond_the_degrees_of_freedom_changes_nothing(penicillin):
    plain = level_contrasts(penicillin, "treatment")
    assert level_contrasts(penicillin, "treatment", df_limit=1000) == plain


def test_an_unknown_factor_is_named_with_those_there_are(penicillin):
    with pytest.raises(DataError, match=r"no factor 'system'\. It has: treatment"):
        level_contrasts(penicillin, "system")


def test_differences_of_an_ordinal_model_are_its_coefficients():
    """clmm of the wine data: warm against cold 3.063, standard error 0.595; z as Wald's χ²."""
    fit = ordinal_mixed(WINE, {"warm": WINE_WARM, "contact": WINE_CONTACT}, {"judge": WINE_JUDGE})
    (found,) = level_contrasts(fit, "warm", pairs=[(1, 0)])
    assert (found.value, found.standard_error) == pytest.approx((3.063, 0.5954), abs=5e-5)
    assert found.df is None
    assert factor_test(fit, "warm").statistic == pytest.approx(found.statistic**2)
