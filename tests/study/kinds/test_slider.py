"""One output on a line from 0 to 100."""

from __future__ import annotations

import pytest
from opinions import Liking

from rejudge.errors import DataError
from rejudge.study.kinds.slider import Slider

LINE = Slider(kind="slider", id="q", prompt="?", low="bad", high="good")


@pytest.mark.parametrize("raw", ["0", "100", "33.5"])
def test_numbers_on_the_line_are_scores(raw):
    assert LINE.scores(raw, 1) == (float(raw),)


@pytest.mark.parametrize("raw", ["-1", "100.1", "inf", "nan", ""])
def test_numbers_off_the_line_are_refused(raw):
    with pytest.raises(DataError, match="from 0 to 100"):
        LINE.parse(raw)


def test_practice_answers_may_be_ten_off():
    assert LINE.is_right("50", "60", parts=1)
    assert not LINE.is_right("50", "60.5", parts=1)


def test_checks_ask_for_the_ends_and_people_may_choose_any_whole_number():
    assert LINE.instructed_scores == (0, 100)
    assert LINE.simulated_answer(Liking(), 1) == "100"
    assert len(LINE.simulated_scores) == 101
    assert LINE.level == "interval"
