"""One pair of systems compared by several labs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from rejudge.stats import linear_mixed, win_percent_over_labs


def simulated(seed, shares, *, items=12, people=4, own=False):
    rng = np.random.default_rng(seed)
    lab, person, item = (
        each.reshape(-1) for each in np.indices((len(shares), people, items), dtype=np.int64)
    )
    preference = (rng.random(lab.size) < np.array(shares)[lab]).astype(float)
    return preference, {
        "lab": lab,
        "participant": lab * people + person,
        "item": lab * items + item if own else item,
    }


def test_three_labs_are_a_draw_of_labs_with_two_degrees_of_freedom_at_most():
    preference, codes = simulated(1, (0.6, 0.7, 0.8))
    found = win_percent_over_labs(preference, **codes)
    fit = linear_mixed(100 * preference, {}, codes)
    assert found.value == pytest.approx(fit.coefficient("intercept").value)
    assert found.standard_error == pytest.approx(fit.coefficient("intercept").standard_error)
    assert found.df <= 2
    reach = t.ppf(0.975, found.df) * found.standard_error
    assert found.interval.high == pytest.approx(found.value + reach)
    assert found.p == pytest.approx(2 * t.sf((found.value - 50) / found.standard_error, found.df))
    assert found.between == pytest.approx(fit.variance("lab"))


def test_two_labs_count_the_same_however_many_people_each_has():
    """4 of 4 people × 12 items against 12: the value is the mean of the labs' shares."""
    preference, codes = simulated(2, (0.5, 0.9), people=12)
    kept = (codes["lab"] == 1) | (codes["participant"] < 3)
    preference, codes = preference[kept], {name: each[kept] for name, each in codes.items()}
    found = win_percent_over_labs(preference, **codes)
    shares = [100 * preference[codes["lab"] == lab].mean() for lab in (0, 1)]
    assert found.value == pytest.approx(np.mean(shares), abs=0.5)
    assert found.df <= 11  # items but one, fewer than 15 people beyond labs
    assert found.between is None


def test_one_lab_is_no_summary_of_several():
    preference, codes = simulated(3, (0.6,))
    found = win_percent_over_labs(preference, **codes)
    assert (found.value, found.labs) == (None, 1)
    assert "fewer than two labs" in found.note


def test_a_system_that_always_wins_has_a_share_but_no_interval():
    preference, codes = simulated(4, (1.0, 1.0, 1.0))
    found = win_percent_over_labs(preference, **codes)
    assert (found.value, found.interval, found.p) == (100, None, None)
    assert found.note


def test_judgments_that_nothing_groups_have_no_interval():
    preference, codes = simulated(5, (0.5, 0.8), items=6, people=1, own=True)
    codes["participant"] = np.arange(len(preference))
    found = win_percent_over_labs(preference, **codes)
    assert found.interval is None
    assert "nothing shows how far items or participants differ" in found.note
