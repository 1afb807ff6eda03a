"""Which figures a comparison has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fluency_runs import FIRST, ORIGINAL, SECOND, printed
from rejudge.compare.compare import compare
from rejudge.report.figures.comparison import comparison_pictures


@pytest.fixture(scope="module")
def three():
    runs = (printed("original", ORIGINAL), printed("first", FIRST), printed("second", SECOND))
    return compare(*runs)


def test_scores_and_their_order_are_drawn_for_each_criterion(three):
    names = [picture.name for picture in comparison_pictures(three)]
    assert "scores-fluency" in names
    assert "order-fluency" in names


def test_every_figure_says_where_its_numbers_are(three):
    assert all(picture.numbers_in.startswith("table-") for picture in comparison_pictures(three))


def test_scores_have_a_drawing_for_phones(three):
    narrow = {picture.name for picture in comparison_pictures(three) if picture.narrow_svg}
    assert {"scores-fluency", "order-fluency", "cv-star"} <= narrow


def test_runs_without_scores_have_no_figures_of_scores(three):
    empty = replace(three, findings=())
    assert not [
        each for each in comparison_pictures(empty) if each.name.startswith(("scores", "order"))
    ]
