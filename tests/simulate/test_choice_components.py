"""Spreads and qualities come back from simulated choices."""

from __future__ import annotations

import numpy as np
import pytest

from drawn_opinions import drawn_choices, recovered
from rejudge.simulate.choice_components import components_of_choices

THREE_SYSTEMS = (0.6, 0.0, -0.6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tie_width", "bias", "design"),
    [
        (0.5, 0.3, {"keep": 1.0, "items": 40, "people": 20}),
        (0.0, 0.0, {"keep": 0.2}),
        (0.5, -0.3, {"keep": 0.1, "people": 80}),
    ],
    ids=["balanced", "forced", "unbalanced"],
)
def test_spreads_and_qualities_come_back_from_choices(tie_width, bias, design):
    """Opinions vary in all as they are assumed to (0.6, 0.3 and 0.7), so that ratios are values."""
    estimates = []
    for seed in range(16):
        comparisons, side = drawn_choices(
            seed, THREE_SYSTEMS, tie_width=tie_width, position_bias=bias, **design
        )
        found = components_of_choices(comparisons, side)
        own = [found.spreads[name] for name in ("system_by_item", "system_by_participant", "noise")]
        assert (found.tie_width is None) == (tie_width == 0)
        estimates.append([*own, *found.quality.values(), found.position_bias, found.tie_width or 0])
    assert recovered(estimates, [0.6, 0.3, 0.7, *THREE_SYSTEMS, bias, tie_width])


def test_choices_by_one_person_show_nothing_of_people():
    comparisons, side = drawn_choices(1, THREE_SYSTEMS, people=1, keep=1.0)
    found = components_of_choices(comparisons, side)
    assert any("noise" in sentence and "participant" in sentence for sentence in found.shared)


def test_a_system_that_always_wins_has_a_finite_quality():
    comparisons, side = drawn_choices(1, (50.0, 0.0, -0.5), items=20, people=8)
    found = components_of_choices(comparisons, side)
    assert found.quality[0] > 2
    assert np.isfinite(list(found.quality.values())).all()
