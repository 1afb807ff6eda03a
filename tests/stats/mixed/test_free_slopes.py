"""Mixed models in which each system varies in its own way.

All numbers of another program: R 4.2.2, lme4 1.1-31, lmerTest 3.1-3, on the rows of
`slope_examples.judged`, with s a factor:
m <- lmer(y ~ s + (0 + s | i) + (0 + s | r), d, control = lmerControl(optimizer = "nloptwrap",
optCtrl = list(xtol_abs = 1e-12, ftol_abs = 1e-12, maxeval = 1e5))); REMLcrit(m); VarCorr(m);
contest(m, L, joint = FALSE). Its search stops at a criterion that is up to 1e-7 above the least.
"""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import study
from slope_examples import judged
from whys import why

from rejudge.errors import DataError
from rejudge.stats import (
    Why,
    factor_test,
    free_slopes_model,
    level_contrasts,
    limit_of_slopes_df,
    linear_mixed,
    marginal_means,
)


def fitted(rows, covariates=None):
    value, system, item, person = rows
    return free_slopes_model(
        value, system, {"item": item, "participant": person}, covariates=covariates
    )


def contrasts(fit):
    found = level_contrasts(fit, "system", adjust="none")
    return [(c.value, c.standard_error, c.df, c.p) for c in found]


def covariances(fit):
    """Variances and, behind them, covariances, by item and by participant."""
    tables = [np.array(each.covariance) for each in fit.spreads]
    below = np.tril_indices(len(tables[0]), -1)
    return [number for table in tables for number in (*np.diag(table), *table[below])]


def test_a_balanced_study_has_the_numbers_of_lmer():
    """Systems vary over participants as one: the fit is singular there."""
    fit = fitted(judged(12, 6, 2))
    assert fit.criterion == pytest.approx(386.637989259, abs=1e-6)
    expected = [0.3600417, 0.4700610, 0.3786474, 0.1493726, 0.5925077, 0.2974969]
    assert covariances(fit) == pytest.approx(expected, rel=1e-4)
    assert fit.residual == pytest.approx(0.6325518, rel=1e-5)
    expected = (-0.30638889, 0.21936111, 6.5477445, 0.20800666)
    assert contrasts(fit) == [pytest.approx(expected, rel=1e-4)]
    assert fit.converged
    assert fit.singular
    assert why(fit) == [Why.SINGULAR]


def test_a_study_with_gaps_has_the_numbers_of_lmer():
    fit = fitted(judged(20, 8, 2, missing=5))
    assert fit.n == 264
    assert fit.criterion == pytest.approx(695.495964456, abs=1e-6)
    expected = [0.6318516, 0.5345881, 0.5602822, 0.1338133, 0.5693898, 0.2444323]
    assert covariances(fit) == pytest.approx(expected, rel=1e-4)
    assert fit.residual == pytest.approx(0.5958383, rel=1e-5)
    expected = (-0.25418233, 0.19539989, 7.0345336, 0.23430438)
    assert contrasts(fit) == [pytest.approx(expected, rel=1e-4)]
    assert not fit.singular
    assert not fit.note


def test_three_systems_with_gaps_have_the_numbers_of_lmer():
    fit = fitted(judged(15, 10, 3, missing=6))
    assert fit.criterion == pytest.approx(998.967524895, abs=1e-6)
    expected = [
        0.66447936, 0.62914413, 0.58674337, 0.54260054, 0.45154741, 0.51667493,
        0.07245435, 0.38273308, 1.21426509, 0.09950157, 0.04715685, 0.20180094,
    ]  # fmt: skip
    assert covariances(fit) == pytest.approx(expected, rel=2e-4)
    assert fit.residual == pytest.approx(0.46146683, rel=1e-5)
    assert contrasts(fit) == [
        pytest.approx((-0.30217706, 0.21653365, 14.626425, 0.18368593), rel=1e-4),
        pytest.approx((-0.80695738, 0.38712720, 12.233117, 0.05871877), rel=1e-4),
        pytest.approx((-0.50478032, 0.37157887, 10.733481, 0.20217820), rel=1e-4),
    ]


def test_three_systems_in_a_balanced_study_have_the_numbers_of_lmer():
    fit = fitted(judged(12, 12, 3))
    assert fit.criterion == pytest.approx(1067.15690152, abs=1e-6)
    assert contrasts(fit) == [
        pytest.approx((-0.18326389, 0.20874228, 16.368828, 0.392679009), rel=1e-4),
        pytest.approx((-0.87, 0.36149059, 17.507097, 0.027384350), rel=1e-4),
        pytest.approx((-0.68673611, 0.35169383, 15.583960, 0.069061975), rel=1e-4),
    ]
    assert factor_test(fit, "system").df[0] == 2
    assert [each.level for each in marginal_means(fit, "system")] == [0, 1, 2]


def test_more_participants_than_items_are_solved_the_other_way_round():
    value, system, item, person = judged(20, 8, 2, missing=5)
    turned = free_slopes_model(value, system, {"item": person, "participant": item})
    plain = fitted((value, system, item, person))
    assert turned.criterion == pytest.approx(plain.criterion, abs=1e-9)
    assert contrasts(turned)[0] == pytest.approx(contrasts(plain)[0], rel=1e-6)
    assert turned.spread("item").variance(1) == pytest.approx(
        plain.spread("participant").variance(1), rel=1e-6
    )


def test_neither_the_order_of_rows_nor_the_codes_change_the_numbers():
    value, system, item, person = judged(15, 10, 3, missing=6)
    order = np.random.default_rng(1).permutation(len(value))
    other = (value[order], 2 * system[order] + 3, 7 * item[order], 50 - person[order])
    assert contrasts(fitted(other)) == [
        pytest.approx(each, rel=1e-6) for each in contrasts(fitted((value, system, item, person)))
    ]
    assert fitted(other).spreads[0].systems == (3, 5, 7)


def test_the_same_judgments_on_another_scale_give_the_same_t():
    value, *rest = judged(20, 8, 2, missing=5)
    plain, scaled = fitted((value, *rest)), fitted((1e6 * value + 1e8, *rest))
    one, other = contrasts(plain)[0], contrasts(scaled)[0]
    assert other[2:] == pytest.approx(one[2:], rel=1e-6)
    assert other[0] / other[1] == pytest.approx(one[0] / one[1], rel=1e-6)
    assert scaled.residual == pytest.approx(1e12 * plain.residual, rel=1e-6)


def test_it_is_at_least_as_likely_as_equal_slopes():
    """Equal slopes are a special case, so that their criterion cannot be lower."""
    value, system, item, person = judged(15, 10, 3, missing=6)
    groups = {"item": item, "participant": person}
    crossed = {f"system × {name}": 3 * codes + system for name, codes in groups.items()}
    equal = linear_mixed(value, {"system": system}, groups | crossed)
    assert fitted((value, system, item, person)).criterion < equal.criterion


def test_six_systems_settle():
    fit = fitted(judged(30, 14, 6, missing=7))
    assert fit.converged
    assert len(contrasts(fit)) == 15
    assert all(df > 0 for _, _, df, _ in contrasts(fit))


def test_covariates_are_fixed_effects():
    value, system, item, person = judged(20, 8, 2, missing=5)
    length = np.sin(item) + 0.1 * person
    fit = fitted((value, system, item, person), covariates={"length": length})
    assert fit.coefficient("length").df is not None
    with pytest.raises(DataError, match="has no effect 'width'"):
        fit.coefficient("width")


def test_correlations_are_those_of_the_covariance():
    """VarCorr(m) of the study with gaps: .8855316 over participants."""
    spread = fitted(judged(20, 8, 2, missing=5)).spread("participant")
    assert spread.correlation(0, 1) == pytest.approx(0.8855316, abs=1e-5)
    expected = 0.1338133 + 0.5693898 - 2 * 0.2444323
    assert spread.difference_variance(0, 1) == pytest.approx(expected, rel=1e-3)


def test_people_who_judged_one_system_each_show_variances_and_no_correlation():
    value, system, item, person = judged(20, 12, 2)
    kept = person % 2 == system
    fit = fitted((value[kept], system[kept], item[kept], person[kept]))
    spread = fit.spread("participant")
    assert spread.form == "variances"
    assert spread.correlation(0, 1) is None
    assert spread.covariance[0][1] == 0
    assert why(fit) == [Why.NOT_ESTIMATED]
    assert contrasts(fit)[0][3] is not None


def test_outputs_that_were_judged_once_share_an_offset_of_the_item():
    """How systems vary over items is then part of the residual."""
    value, system, item, person = judged(40, 8, 2)
    kept = person == (item + 3 * system) % 8
    fit = fitted((value[kept], system[kept], item[kept], person[kept]))
    spread = fit.spread("item")
    assert spread.form == "offset"
    assert spread.variance(0) == spread.variance(1) == spread.covariance[0][1]
    assert why(fit) == [Why.NOT_ESTIMATED, Why.SINGULAR]
    assert contrasts(fit)[0][3] is not None


def test_with_one_offset_each_it_is_the_model_of_offsets():
    """Every output judged once by one person of its own: (1 | item) is all that can be known."""
    value, _, groups = study(drop=0.0)
    item = groups["item"]
    system = np.arange(len(item)) % 3
    kept = np.unique(item * 3 + system, return_index=True)[1]
    value, system, item = value[kept], system[kept], item[kept]
    free = free_slopes_model(value, system, {"item": item})
    plain = linear_mixed(value, {"system": system}, {"item": item})
    assert free.criterion == pytest.approx(plain.criterion, abs=1e-6)
    assert free.spreads[0].variance(0) == pytest.approx(plain.variance("item"), rel=1e-4)


def test_a_system_that_some_items_and_people_never_had_is_compared():
    value, system, item, person = judged(20, 10, 3)
    kept = (system < 2) | ((item > 5) & (person > 3))
    fit = fitted((value[kept], system[kept], item[kept], person[kept]))
    assert fit.converged
    assert len(contrasts(fit)) == 3


def test_systems_that_never_meet_have_a_correlation_that_nothing_hangs_on():
    """Systems 0 and 2 share neither an item nor a person, 1 shares both with each."""
    value, system, item, person = judged(20, 12, 3)
    late_item, late_person = item >= 10, person >= 6
    kept = (system == 1) | ((system == 0) & ~late_item & ~late_person)
    kept |= (system == 2) & late_item & late_person
    fit = fitted((value[kept], system[kept], item[kept], person[kept]))
    assert fit.converged
    assert all(np.isfinite(each).all() for each in contrasts(fit))


def test_a_difference_that_people_share_wholly_has_limited_degrees_of_freedom():
    """Satterthwaite's are 30.9, as lmerTest has them, though only five people judged."""
    fit = fitted(judged(30, 5, 2, missing=5, spread=0.0))
    assert contrasts(fit)[0] == pytest.approx(
        (-0.21088742, 0.1124366, 30.85694, 0.070198174), rel=1e-4
    )
    assert limit_of_slopes_df(fit, (0, 1), "participant") == 8
    assert limit_of_slopes_df(fit, (0, 1), "lab") is None


def test_a_difference_whose_variance_is_known_has_no_limit():
    fit = fitted(judged(20, 8, 2, missing=5))
    assert limit_of_slopes_df(fit, (0, 1), "participant") is None


VALUE, SYSTEM, ITEM, PERSON = judged(12, 6, 2)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ((VALUE, SYSTEM, 0 * ITEM, PERSON), "Only one item"),
        ((VALUE, SYSTEM, ITEM, 0 * PERSON), "Only one participant"),
        ((VALUE, SYSTEM, ITEM, ITEM), "always occur together"),
        ((VALUE, SYSTEM, ITEM, np.arange(len(PERSON))), "its own participant"),
        ((SYSTEM + 3.0, SYSTEM, ITEM, PERSON), "do not vary"),
        ((np.sin(ITEM) + SYSTEM, SYSTEM, ITEM, PERSON), "explain every judgment"),
        ((VALUE[:0], SYSTEM[:0], ITEM[:0], PERSON[:0]), "No judgments"),
    ],
)
def test_what_cannot_be_fitted_says_why(rows, reason):
    fit = fitted(rows)
    assert fit.coefficients == ()
    assert fit.criterion is None
    assert reason in fit.note
    assert contrasts(fit) == []
    assert limit_of_slopes_df(fit, (0, 1), "participant") is None


def test_columns_that_do_not_belong_together_are_refused():
    value, system, item, person = judged(12, 6, 2)
    with pytest.raises(DataError, match="one or two groupings, got 3"):
        free_slopes_model(value, system, {"a": item, "b": person, "c": item + person})
    with pytest.raises(DataError, match="whole numbers"):
        free_slopes_model(value, system + 0.5, {"item": item})
