"""Spreads come back from simulated scores; what a design cannot show is said."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from drawn_opinions import TRUE, drawn_scores, estimated, recovered
from rejudge import stats
from rejudge.simulate.components import ScoreRows, assumed_spread
from rejudge.simulate.hidden_scale import HiddenScale

FIVE = HiddenScale.of_points([1, 2, 3, 4, 5])
FOUR = HiddenScale.of_points([1, 2, 3, 4])
THREE_SYSTEMS = (0.6, 0.0, -0.6)


def some(rows, keep):
    return ScoreRows(*(getattr(rows, each.name)[keep] for each in fields(rows)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "quality", "design"),
    [
        (FIVE, THREE_SYSTEMS, {}),
        (FIVE, THREE_SYSTEMS, {"keep": 0.15, "people": 60}),
        (FOUR, (1.8, 1.0, 0.3), {}),  # most scores at the upper end
    ],
    ids=["balanced", "unbalanced", "ceiling"],
)
def test_spreads_and_qualities_come_back_from_scores(scale, quality, design):
    estimates = []
    for seed in range(12):
        found = estimated(drawn_scores(seed, quality, scale, **design), scale)
        estimates.append([*found.spreads.values(), *found.quality.values()])
    assert recovered(estimates, [*TRUE.values(), *quality])


@pytest.mark.slow
def test_a_mixed_model_of_scores_at_the_end_of_the_scale_underestimates_spreads():
    """Why they are corrected: of four points with means near the upper end, items differ by 0.6 on
    the latent scale and by about 0.5 in the scores."""
    naive = []
    for seed in range(6):
        rows = drawn_scores(seed, (1.8, 1.0, 0.3), FOUR)
        groups = {
            "item": rows.item,
            "output": rows.system * 1000 + rows.item,
            "participant": rows.participant,
            "taste": rows.system * 1000 + rows.participant,
        }
        fit = stats.linear_mixed(rows.value, {"system": rows.system}, groups)
        naive.append(fit.variance("output") ** 0.5)
    assert np.mean(naive) < 0.9 * TRUE["system_by_item"]


def test_a_complete_design_shows_all_parts():
    found = estimated(drawn_scores(1, THREE_SYSTEMS, FIVE, items=12, people=6), FIVE)
    assert set(found.spreads) == set(TRUE)
    assert found.shared == ()


NOT_SHOWN = {
    "one judgment of each output": (
        lambda rows: rows.participant == rows.item % 6,
        "noise and system × item",
    ),
    "one system for each participant": (
        lambda rows: rows.participant % 3 == rows.system,
        "severity of participants and system × participant",
    ),
    "one system for each item": (
        lambda rows: rows.item % 3 == rows.system,
        "difficulty of items and system × item",
    ),
}


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_what_a_design_cannot_separate_is_said_and_shared_out(name):
    keep, words = NOT_SHOWN[name]
    rows = drawn_scores(1, THREE_SYSTEMS, FIVE, items=12, people=6)
    found = estimated(some(rows, keep(rows)), FIVE)
    assert any(words in sentence for sentence in found.shared)
    assert set(found.spreads) == set(TRUE)
    assert all(np.isfinite(list(found.spreads.values())))


def test_one_judgment_by_each_participant_shows_no_severity():
    rows = drawn_scores(1, THREE_SYSTEMS, FIVE, items=3, people=36)
    found = estimated(some(rows, rows.system * 3 + rows.item == rows.participant % 9), FIVE)
    (sentence,) = found.shared
    assert "noise, severity of participants and system × participant" in sentence


def test_one_judgment_of_each_thing_shows_nothing():
    rows = drawn_scores(1, THREE_SYSTEMS, FIVE, items=3, people=3)
    once = some(rows, (rows.participant == rows.item) & (rows.item == rows.system))
    assert estimated(once, FIVE) == "each thing was judged once, or by one participant only"


@pytest.mark.parametrize("value", [0.0, 2.0, -2.0])
def test_scores_that_are_all_the_same_show_nothing(value):
    rows = drawn_scores(1, THREE_SYSTEMS, FIVE, items=6, people=4)
    assert isinstance(estimated(replace(rows, value=rows.value * 0 + value), FIVE), str)


def test_scores_at_the_two_ends_alone_have_finite_spreads():
    rows = drawn_scores(1, THREE_SYSTEMS, FIVE, items=12, people=6)
    ends = replace(rows, value=np.where(rows.value > 0, 2.0, -2.0))
    found = estimated(ends, FIVE)
    assert all(np.isfinite(list(found.spreads.values())))


def test_one_system_alone_has_spreads_too():
    found = estimated(drawn_scores(1, (0.3,), FIVE, items=20, people=8), FIVE)
    assert found.quality[0] == pytest.approx(0.3, abs=0.8)


def test_two_points_show_only_ratios():
    two = HiddenScale.of_points([0, 1])
    found = estimated(drawn_scores(2, THREE_SYSTEMS, two, items=30, people=12), two)
    total = sum(each**2 for each in found.spreads.values()) ** 0.5
    assert total == pytest.approx(assumed_spread(tuple(TRUE)), rel=0.02)
    assert any("show only ratios" in sentence for sentence in found.shared)
