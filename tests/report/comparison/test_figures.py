"""Which figures a comparison has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fluency_runs import FIRST, ORIGINAL, SECOND, printed
from rejudge.compare.compare import compare
from rejudge.report.comparison.figures import pictures
from rejudge.report.drawing.marks import PHONE


@pytest.fixture(scope="module")
def three():
    runs = (printed("original", ORIGINAL), printed("first", FIRST), printed("second", SECOND))
    return compare(*runs)


def test_scores_and_their_order_are_drawn_for_each_criterion(three):
    names = [picture.name for picture in pictures(three)]
    assert "scores-fluency" in names
    assert "order-fluency" in names


def test_every_figure_says_where_its_numbers_are(three):
    assert all(picture.numbers_in.startswith("table-") for picture in pictures(three))


def test_a_phone_has_the_same_figures(three):
    wide = {picture.name for picture in pictures(three)}
    assert {picture.name for picture in pictures(three, PHONE)} == wide


def test_runs_without_scores_have_no_figures_of_scores(three):
    empty = replace(three, scores=(), variations=(), effects=(), pooled=())
    assert not [each for each in pictures(empty) if each.name.startswith(("scores", "order"))]
