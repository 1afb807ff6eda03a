"""Whether the difference of two systems differs between groups, against R and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from whys import why

from rejudge.stats import Why, choice_interaction, score_interaction, unit_interaction

PEOPLE, ITEMS = 10, 12


def table(seed: int = 7):
    """Ten people, twelve items, two systems, whom both favour; a tenth of the rows is missing."""
    rng = np.random.default_rng(seed)
    p, i, s = (axis.ravel() for axis in np.meshgrid(range(PEOPLE), range(ITEMS), range(2)))
    kept = rng.random(len(p)) > 0.1
    p, i, s = p[kept], i[kept], s[kept]
    by_person = rng.normal(0, 0.6, (PEOPLE, 2, 3))
    by_item = rng.normal(0, 0.5, (ITEMS, 2, 3))
    y = 3 + by_person[p, s, i % 3] + by_person[p, s, 0] + by_item[i, s, p % 3] + by_item[i, s, 0]
    y = np.round(y + 0.5 * s * (i % 2) + rng.normal(0, 0.5, len(p)), 2)
    return y, s == 0, p, i


# Reference values: R 4.3.3, lme4 1.1, lmerTest 3.1, anova(m, type = 3)["s:g", ]. The model is
#   y ~ s*g + shares + (1|p) + (1|p:s) + (1|i) + (1|i:s)
# with (1|p:g) + (1|p:s:g) where people belong to several groups, and the same for items. `shares`
# are the first system's share of each person's and of each item's rows in a group, centred by group
# and 0 elsewhere. Satterthwaite's df rest on another information matrix there, hence 1 %.


def test_groups_of_items_are_compared_as_lmertest_does():
    y, is_first, p, i = table()
    found = score_interaction(y, is_first, i % 2, item=i, participant=p)
    assert found.statistic == pytest.approx(0.04268844, rel=1e-3)
    assert found.test.df == pytest.approx((1, 9.8527), rel=1e-2)
    assert found.p == pytest.approx(0.84052, abs=1e-4)
    assert found.value == pytest.approx(-0.0838067127, abs=1e-6)


def test_three_groups_of_people_are_compared_as_lmertest_does():
    y, is_first, p, i = table()
    found = score_interaction(y, is_first, p % 3, item=i, participant=p)
    assert found.statistic == pytest.approx(0.3332, abs=1e-4)
    assert found.test.df == pytest.approx((2, 12.9044), rel=1e-2)
    assert found.p == pytest.approx(0.72262, abs=1e-3)
    assert found.value is None
    assert found.test.groups == 3


def test_groups_that_cut_across_people_and_items_have_no_more_df_than_people_allow():
    """lmerTest: F = 0.39137 with 168.9 df, since no variance between people is found in groups."""
    y, is_first, p, i = table()
    found = score_interaction(y, is_first, (p + i) % 2, item=i, participant=p)
    assert found.statistic == pytest.approx(0.39137, rel=1e-3)
    assert found.value == pytest.approx(-0.14179973, abs=1e-6)
    assert found.test.df == (1, PEOPLE - 1)


def test_choices_are_compared_between_groups_as_lmertest_does():
    """R: lmer(y ~ g + side + (1|p) + (1|p:g) + (1|i)), y in percentage points."""
    y, is_first, p, i = table()
    y, p, i = (column[is_first][:90] for column in (y, p, i))
    preference = np.where(y > 3.2, 1.0, np.where(y < 2.7, 0.0, 0.5))
    side = np.where((p + 2 * i) % 3 == 0, 1.0, -1.0)
    found = choice_interaction(preference, i % 2, item=i, participant=p, side=side)
    assert found.statistic == pytest.approx(0.22065, rel=1e-3)
    assert found.test.df == pytest.approx((1, 8.8132), rel=1e-2)
    assert found.p == pytest.approx(0.649952, abs=1e-3)
    assert found.value == pytest.approx(4.5349437, abs=1e-3)


def test_items_of_two_groups_are_compared_by_welchs_t():
    """R: t.test(d ~ g), d the difference of an item's means."""
    y, is_first, _, i = table()
    found = unit_interaction(y, is_first, i % 2, i)
    assert (found.statistic, *found.test.df) == pytest.approx((-0.47744, 9.2944), abs=1e-4)
    assert found.p == pytest.approx(0.6441, abs=1e-4)
    assert found.value == pytest.approx(-0.11465873 - 0.05794246)
    assert found.interval.low == pytest.approx(-0.9864658)


def test_items_of_three_groups_are_compared_by_welchs_f():
    """R: oneway.test(d ~ g)."""
    y, is_first, _, i = table()
    found = unit_interaction(y, is_first, i % 3, i)
    assert (found.statistic, *found.test.df) == pytest.approx((0.8523734, 2, 5.678435), rel=1e-6)
    assert found.p == pytest.approx(0.474555, abs=1e-6)


def test_items_that_are_in_both_groups_are_compared_with_themselves():
    """R: t.test(d1, d2, paired = TRUE)."""
    y, is_first, p, i = table()
    found = unit_interaction(y, is_first, p % 2, i)
    assert (found.statistic, *found.test.df) == pytest.approx((-0.44027, 11), abs=1e-5)
    assert found.value == pytest.approx(-0.09497222)


def test_items_that_are_in_three_groups_are_repeated_measures():
    """R: anova(lm(m ~ 1), X = ~1, test = "Spherical"): F = 2.4825, epsilon 0.85, p = .117."""
    y, is_first, p, i = table()
    found = unit_interaction(y, is_first, p % 3, i)
    assert found.statistic == pytest.approx(2.4825, abs=1e-4)
    assert found.test.df == pytest.approx((2 * 0.85, 22 * 0.85), rel=1e-3)
    assert found.p == pytest.approx(0.117, abs=1e-4)


def test_an_item_that_lacks_a_group_is_left_out_and_counted():
    y, is_first, p, i = table()
    kept = ~((i == 3) & (p % 2 == 1))
    found = unit_interaction(y[kept], is_first[kept], p[kept] % 2, i[kept])
    assert found.n == ITEMS - 1
    assert found.reasons[-1].get("n") == 1


def test_one_group_cannot_differ():
    y, is_first, p, i = table()
    same = np.zeros_like(p)
    for found in (
        score_interaction(y, is_first, same, item=i, participant=p),
        unit_interaction(y, is_first, same, i),
        choice_interaction(np.round(y) % 2, same, item=i, participant=p),
    ):
        assert found.p is None
        assert why(found) == [Why.NEEDS]


def test_a_group_without_one_of_the_systems_does_not_count():
    y, is_first, p, i = table()
    kept = ~(is_first & (i % 2 == 0))
    y, is_first, p, i = (column[kept] for column in (y, is_first, p, i))
    found = score_interaction(y, is_first, i % 2, item=i, participant=p)
    assert found.p is None


def test_participants_need_not_be_known():
    y, is_first, p, i = table()
    found = score_interaction(y, is_first, p % 2, item=i)
    assert found.p is not None


def test_names_of_groups_and_the_order_of_rows_change_nothing():
    y, is_first, p, i = table()
    order = np.random.default_rng(1).permutation(len(y))
    one = score_interaction(y, is_first, i % 3, item=i, participant=p)
    other = score_interaction(
        y[order], is_first[order], (10 * (i % 3) + 5)[order], item=i[order], participant=p[order]
    )
    assert other.statistic == pytest.approx(one.statistic, rel=1e-5)
    assert other.p == pytest.approx(one.p, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("grouped", ["items", "people"])
def test_a_difference_that_is_the_same_in_all_groups_is_rarely_called_another(grouped):
    """5 % of 300 studies, within three standard errors: 1.2 to 8.8 %."""
    rng = np.random.default_rng(11)
    p, i, s = (axis.ravel() for axis in np.meshgrid(range(8), range(16), range(2)))
    group = i % 2 if grouped == "items" else p % 2
    rejected = 0
    for _ in range(300):
        y = rng.normal(0, 0.4, (8, 2))[p, s] + rng.normal(0, 0.4, (16, 2))[i, s]
        y = y + rng.normal(0, 0.7, len(p)) + 0.3 * s + 0.5 * group
        found = score_interaction(y, s == 0, group, item=i, participant=p)
        rejected += found.p < 0.05
    assert 0.012 <= rejected / 300 <= 0.088
