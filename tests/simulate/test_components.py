"""Spreads and qualities come back from simulated scores and choices."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.stats import norm

from drawn_opinions import TRUE, drawn_choices, drawn_scores, estimated, recovered
from rejudge import stats
from rejudge.simulate.components import (
    ScoreRows,
    assumed_spread,
    components_of_choices,
    fit_marginal_probit,
    share_out,
)
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.simulate.parameters import Parameters
from rejudge.stats import Comparisons


def test_a_shared_variance_is_divided_as_in_the_assumed_values():
    assumed = Parameters()
    parts = share_out(2.0, ("severity", "system_by_participant"))
    assert sum(parts.values()) == pytest.approx(2.0)
    ratio = (assumed.severity / assumed.system_by_participant) ** 2
    assert parts["severity"] / parts["system_by_participant"] == pytest.approx(ratio)
    assert share_out(1.0, ("item_difficulty",)) == {"item_difficulty": 1.0}


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


def comparisons(*rows: tuple[int, int, float, int]):
    """Rows of first, second, preference and how often."""
    listed = [row[:3] for row in rows for _ in range(row[3])]
    first, second, preference = (np.array(column) for column in zip(*listed, strict=True))
    nobody = np.zeros(len(listed), dtype=np.int64)
    return Comparisons(first, second, preference.astype(float), nobody, nobody, 3)


def test_two_systems_differ_by_the_quantile_of_the_win_share():
    """By hand: 84 of 100 wins are Φ(0.994)."""
    found = fit_marginal_probit(comparisons((0, 1, 1, 84), (0, 1, 0, 16)), None)
    assert found.quality[0] - found.quality[1] == pytest.approx(norm.ppf(0.84), abs=2e-3)
    assert (found.tie_width, found.position_bias) == (0.0, None)


def test_ties_lie_between_two_thresholds():
    """By hand: of equal systems 38 % ties lie within ±Φ⁻¹(0.69)."""
    found = fit_marginal_probit(comparisons((0, 1, 1, 31), (0, 1, 0, 31), (0, 1, 0.5, 38)), None)
    assert found.tie_width == pytest.approx(norm.ppf(0.69), abs=2e-3)


def test_a_position_that_always_goes_with_the_systems_is_not_known():
    table = comparisons((0, 1, 1, 60), (0, 1, 0, 40))
    assert fit_marginal_probit(table, np.ones(100, dtype=int)).position_bias is None
    assert fit_marginal_probit(table, np.zeros(100, dtype=int)).position_bias is None


def test_a_position_shows_where_either_system_comes_first():
    """By hand: first shown wins 70 % either way."""
    table = comparisons((0, 1, 1, 70), (0, 1, 0, 30), (1, 0, 1, 70), (1, 0, 0, 30))
    found = fit_marginal_probit(table, np.ones(200, dtype=int))
    assert found.position_bias == pytest.approx(norm.ppf(0.7), abs=2e-3)
    assert found.quality[0] == pytest.approx(0, abs=1e-3)
