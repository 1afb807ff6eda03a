"""Times of pages, and of tasks by their position."""

from __future__ import annotations

import pytest

from pictured import boxes, drawn, made, page_frames_of, panels, signs, words
from rejudge.report.figures.style import COLOURS


def timed(*pages: tuple[str, list[float]]):
    return made(frames=page_frames_of(*((name, None, seconds) for name, seconds in pages)))


def test_a_histogram_counts_what_lies_in_each_bin_and_what_is_longer():
    """20 times: 0.5, 1.5 … 18.5 and 100. 95 % lie up to 18.5: bins of 2, the last ends at 20."""
    seconds = [place + 0.5 for place in range(19)] + [100]
    drawing = drawn("times", timed(("task", seconds)))
    columns = boxes(drawing)
    heights = [column.get_height() for column in columns]
    assert len(columns) == 11
    assert [height / heights[0] for height in heights] == pytest.approx([1] * 9 + [0.5, 0.5])
    assert "over 20" in words(drawing)


def test_times_of_equal_length_are_one_bin():
    drawing = drawn("times", timed(("task", [7.0] * 5)))
    assert len(boxes(drawing)) == 1


def test_a_histogram_shows_only_times_that_were_measured():
    """56 pages took 40 seconds and 4 took 6: two columns, fourteen to one, in the right bins."""
    drawing = drawn("times", timed(("task", [40.0] * 56 + [6.0] * 4)))
    short, long = boxes(drawing)
    assert long.get_height() / short.get_height() == pytest.approx(14)
    assert "over 40" in words(drawing)


def test_every_kind_of_page_has_a_panel():
    results = timed(("consent", [5.0, 9.0]), ("task", [3.0, 4.0, 8.0]))
    for name in ("times", "times-shares"):
        figure = drawn(name, results)
        assert {"Information and consent", "n = 2", "Tasks", "n = 3"} <= set(words(figure))
        assert figure.numbers_in == "table-times-pages"


def test_a_curve_goes_through_its_points_with_a_band_around_it():
    """Up to 8 seconds lie all of the times: the curve ends at the height of 100 %."""
    drawing = drawn("times-shares", timed(("task", [2.0, 4.0, 8.0])))
    curve = next(line for line in panels(drawing)[0].lines if line.get_color() == COLOURS["s1"])
    assert curve.get_ydata()[-1] == pytest.approx(100)
    assert 10 ** curve.get_xdata()[-1] == pytest.approx(8)
    assert "100 %" in words(drawing)
    assert "50% within 4.0\u202fs" in drawing.description


def test_seconds_by_place_are_medians_with_their_quarters():
    """Of three tasks, the second takes twice as long as the first and the third."""
    frames = page_frames_of(
        *(
            ("task", place, [middle - 1, middle, middle + 1])
            for place, middle in ((1, 2.0), (2, 4.0), (3, 2.0))
        )
    )
    figure = drawn("times-places", made(frames=frames))
    (medians,) = signs(figure)
    assert list(medians.get_ydata()) == [2, 4, 2]
    assert "task 2: median 4.0, half of them from 3.5 to 4.5" in figure.description
