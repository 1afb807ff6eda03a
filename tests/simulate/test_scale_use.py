"""How much of the scale people use comes back from how far their scores spread."""

from __future__ import annotations

import numpy as np
import pytest

from drawn_opinions import TRUE, drawn_scores, recovered
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.simulate.scale_use import with_scale_use
from rejudge.simulate.score_components import components_behind, moments_of_scores

FIVE = HiddenScale.of_points([1, 2, 3, 4, 5])
TWO = HiddenScale.of_points([0, 1])
QUALITY = (0.6, -0.6)


def estimate(seed, true, scale=FIVE, **design: float):
    rows = drawn_scores(seed, QUALITY, scale, scale_use=true, **design)
    moments = moments_of_scores(rows)
    return with_scale_use(rows, scale, moments, components_behind(moments, scale))


@pytest.mark.slow
@pytest.mark.parametrize("true", [0.0, 0.4])
def test_scale_use_and_all_other_spreads_come_back(true):
    """Scale use within 0.08: it cannot be negative, and the ends of five points hide some of it."""
    found = [estimate(seed, true, items=30, people=40, keep=0.5) for seed in range(6)]
    used = [each.spreads["scale_use"] for each in found]
    assert np.mean(used) == pytest.approx(true, abs=0.08)
    others = [[*(each.spreads[name] for name in TRUE), *each.quality.values()] for each in found]
    assert recovered(others, [*TRUE.values(), *QUALITY])


def test_few_people_or_scores_or_two_points_show_nothing_of_it():
    assert "scale_use" not in estimate(1, 0.3, items=10, people=4).spreads
    assert "scale_use" not in estimate(1, 0.3, items=2, people=12).spreads
    assert "scale_use" not in estimate(1, 0.3, TWO, items=10, people=8).spreads


def test_the_same_judgments_give_the_same_estimate():
    assert estimate(3, 0.4, items=6, people=6) == estimate(3, 0.4, items=6, people=6)


def test_extreme_widths_stay_finite():
    found = estimate(5, 2.0, items=8, people=6)
    assert np.isfinite([*found.spreads.values(), *found.quality.values()]).all()
