"""Rows and columns are large enough for their texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filled_workbooks import layouts, opened, with_texts
from judged_study import (
    PAIRWISE,
    SEGMENTS,
    SLIDER,
    drawn,
    small_study,
)
from rejudge.exchange.workbooks.sheets import FIRST_ROW
from rejudge.exchange.workbooks.sizes import TALLEST, column_widths, lines_of, row_heights


def test_a_long_text_gets_as_many_rows_as_it_needs():
    long = "A sentence that goes on for a while. " * 400
    _, _, tab = opened(with_texts(small_study(SLIDER), long, "Short.", "Shorter."))
    heights = [row.height for row in tab.row_dimensions.values() if row.height]
    assert max(heights) <= TALLEST
    assert any(each.max_row > each.min_row >= FIRST_ROW for each in tab.merged_cells.ranges)


@given(st.text(max_size=300), st.floats(5, 80))
def test_a_wider_column_never_needs_more_lines(text, width):
    assert 1 <= lines_of(text, width + 4) <= lines_of(text, width)


def test_ideographs_take_twice_the_width():
    assert lines_of("漢" * 50, 40) > lines_of("x" * 50, 40)


@pytest.mark.parametrize("length", [0, 40, 4_000, 30_000])
def test_the_rows_of_a_task_hold_its_longest_text(length):
    study = with_texts(small_study(SLIDER, SEGMENTS), "word " * (length // 5) + ".", "Short.")
    sheet = layouts(study, drawn(study))[0].sheets[0]
    widths = column_widths(sheet)
    for block in sheet.blocks():
        heights = row_heights(block, widths)
        assert len(heights) >= len(block)
        assert max(heights) <= TALLEST
        needed = max(16.5 * lines_of(t, widths[c]) for c, t in block[0].texts.items())
        assert sum(heights) >= min(needed, TALLEST)


def test_texts_share_the_screen():
    study = with_texts(
        small_study(PAIRWISE), "A rather long sentence of some words. " * 9, "Short."
    )
    widths = column_widths(layouts(study, drawn(study))[0].sheets[0])
    texts = [width for column, width in widths.items() if column.startswith("text:")]
    assert max(texts) <= 76
    assert sum(texts) <= 200
