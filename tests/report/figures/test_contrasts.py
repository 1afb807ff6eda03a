"""Differences of pairs: what is supported is filled, and zero is always there."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from pictured import fills, found, made, picture, signs, spreads, values, within, words
from rejudge.findings.model import Finding
from rejudge.report.figures.study import study_pictures
from rejudge.report.figures.style import INK, PAPER
from rejudge.tables.findings import Scope, headlines

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}


def drawn(name, *findings: Finding, **parts: Any):
    return picture(study_pictures(None, made(*findings, **parts), NAMES), name)


def preferred(first, second, value, interval=None, **parts: Any):
    parts = {"measure": "win-percent", "by": "cluster-robust", "role": "headline"} | parts
    return found((first, second), value, interval, **parts)


def won(system, value, measure="win-percent", by="wins", **parts: Any):
    return found((system,), value, within(value - 5, value + 5), measure=measure, by=by, **parts)


def test_a_supported_difference_is_filled_and_another_one_open():
    pairs = (
        preferred("ash", "beech", 70.0, within(60, 80), is_supported=True),
        preferred("ash", "cedar", 52.0, within(40, 64), is_supported=False),
    )
    drawing = drawn("fluency-pairs", *pairs)
    assert values(drawing) == pytest.approx([70, 52])
    assert fills(drawing) == [INK, PAPER]
    assert "supported" in drawing.description
    assert drawing.description.endswith("not supported.")


def test_a_difference_that_could_not_be_tested_is_open_and_the_caption_says_so():
    figure = drawn("fluency-pairs", preferred("ash", "beech", 100.0, is_supported=None))
    assert "open marks: it is not, or could not be tested" in figure.caption
    assert figure.description == "Ash against Beech: 100.0\u202f%, no interval, not tested."


def test_differences_of_means_show_zero_and_both_sides_of_it():
    pair = preferred("ash", "beech", -1.5, within(-1.9, -1.1), measure="mean-difference")
    drawing = drawn("fluency-pairs", pair)
    assert spreads(drawing) == pytest.approx([-1.9, -1.1])
    assert {"−2", "0", "← second higher", "first higher →"} <= set(words(drawing))


def test_a_difference_of_zero_still_has_an_axis_with_both_sides():
    pair = preferred("ash", "beech", 0.0, measure="mean-difference")
    drawing = drawn("fluency-pairs", pair)
    assert {"−1", "0", "1"} <= set(words(drawing))
    assert values(drawing)[0] == pytest.approx(0)


def test_of_too_many_pairs_the_best_and_neighbours_are_drawn():
    """12 systems are 66 pairs: 11 with the best, and 11 neighbours of which one is both: 21."""
    names = [f"s{place}" for place in range(12)]
    wins = [won(name, 80.0 - place) for place, name in enumerate(names)]
    pairs = [
        preferred(names[a], names[b], 55.0, within(45, 65), is_supported=False)
        for a in range(12)
        for b in range(a + 1, 12)
    ]
    figure = drawn("fluency-pairs", *wins, *pairs)
    assert len(signs(figure)) == 21
    assert "21 of 66 pairs" in figure.caption


def test_of_a_hundred_systems_the_pairs_of_those_in_front_are_drawn():
    names = [f"s{99 - place:02d}" for place in range(100)]  # the best has the last name
    wins = [won(name, 90.0 - place / 2) for place, name in enumerate(names)]
    pairs = [
        preferred(a, b, 55.0, within(45, 65), is_supported=False)
        for a, b in combinations(sorted(names), 2)
    ]
    figure = drawn("fluency-pairs", *wins, *pairs)
    assert len(signs(figure)) == 28
    assert "28 of 4,950 pairs: the best system against the next ones" in figure.caption
    assert {"s99", "s98", "s86"} <= set(words(figure))
    assert "s00" not in words(figure)


def test_the_test_that_is_the_headline_decides():
    check = preferred("ash", "beech", 60.0, role="check")
    model = preferred("ash", "beech", 0.4, by="bradley-terry", measure="strength")
    assert headlines(made(check, model), Scope("fluency")) == (model,)
