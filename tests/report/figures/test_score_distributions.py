"""How often each score was given."""

from __future__ import annotations

import pytest

from pictured import found, made, picture, words
from rejudge.analysis import (
    DatasetScores,
    Details,
    ScoreCounts,
    SystemScores,
)
from rejudge.report.drawing.marks import RectangleMark, TextMark
from rejudge.report.figures import study_pictures

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}


def drawn(name, results):
    return picture(study_pictures(None, results, NAMES), name)


def boxes(drawing):
    return [mark for mark in drawing.marks if isinstance(mark, RectangleMark)]


def words_in(drawing, rectangle):
    """What is written inside a rectangle."""
    box = rectangle.box
    return [
        mark.words
        for mark in drawing.marks
        if isinstance(mark, TextMark)
        and box.x <= mark.x <= box.x + box.width
        and box.y <= mark.y <= box.y + box.height
    ]


def scored(*systems: SystemScores):
    means = [found((each.system,), 3.0) for each in systems]
    scores = ScoreCounts("points", (1, 2, 3, 4), systems)
    return made(*means, details=(Details("fluency", scores),))


def test_parts_of_a_bar_are_as_long_as_their_shares():
    bar = SystemScores("ash", 20, (2, 4, 4, 10), (10, 20, 20, 50))
    drawing = drawn("fluency-scores", scored(bar)).drawing
    widths = [part.box.width for part in boxes(drawing)]
    whole = sum(widths)
    assert [100 * width / whole for width in widths] == pytest.approx([10, 20, 20, 50])
    assert [words_in(drawing, part) for part in boxes(drawing)] == [["10"], ["20"], ["20"], ["50"]]


def test_higher_scores_have_the_stronger_colour():
    bar = SystemScores("ash", 4, (1, 1, 1, 1), (25, 25, 25, 25))
    strengths = [part.look.strength for part in boxes(drawn("fluency-scores", scored(bar)).drawing)]
    assert strengths == sorted(strengths)
    assert strengths[-1] <= 0.55


def test_every_score_is_named_though_nobody_gave_it():
    bar = SystemScores("ash", 4, (0, 0, 0, 4), (0, 0, 0, 100))
    drawing = drawn("fluency-scores", scored(bar)).drawing
    assert {"1", "2", "3", "4"} <= set(words(drawing))
    assert len(boxes(drawing)) == 1


def test_scores_off_the_scale_and_systems_without_any_are_told():
    results = scored(
        SystemScores("ash", 4, (1, 1, 1, 0), (25, 25, 25, 0), off_scale=1),
        SystemScores("beech", 0, (0, 0, 0, 0), ()),
    )
    caption = drawn("fluency-scores", results).caption
    assert "1 score is not on the scale and not shown. 1 system has no scores." in caption


def test_datasets_have_bars_of_their_own():
    parts = tuple(
        DatasetScores(
            name,
            ScoreCounts("points", (1, 2, 3, 4), (SystemScores("ash", n, counts, shares),)),
        )
        for name, n, counts, shares in (
            ("news", 4, (1, 1, 1, 1), (25, 25, 25, 25)),
            ("web", 2, (0, 1, 1, 0), (0, 50, 50, 0)),
        )
    )
    results = made(found(("ash",), 3.0), details=(Details("fluency", scores_by_dataset=parts),))
    figure = drawn("fluency-scores-by-dataset", results)
    assert [part.box.width > 0 for part in boxes(figure.drawing)] == [True] * 6
    assert {"news", "web", "n = 4", "n = 2"} <= set(words(figure.drawing))
    assert "web: Ash, 2 scores: 1 0\u202f%, 2 50\u202f%" in figure.drawing.description
