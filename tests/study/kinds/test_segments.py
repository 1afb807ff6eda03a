"""Each sentence of a text on a scale."""

from __future__ import annotations

import pytest
from opinions import Liking

from rejudge.errors import DataError
from rejudge.study.kinds.question import Segmentation
from rejudge.study.kinds.segments import Segments

BINARY = Segments(kind="segments", id="q", prompt="?", points=2, lowest=0)


def test_each_segment_has_its_score():
    assert BINARY.scores("1,0,1", 3) == (1, 0, 1)


@pytest.mark.parametrize(("raw", "words"), [("1,0", "3 segments"), ("1,0,2", "'q'"), ("", "3")])
def test_there_are_as_many_scores_as_segments_all_on_the_scale(raw, words):
    with pytest.raises(DataError, match=words):
        BINARY.parse(raw, 3)


def test_the_form_has_a_control_for_each_segment_and_gives_the_answer_back():
    controls = BINARY.controls("q", "1,0")
    assert controls == {"q:0": "1", "q:1": "0"}
    assert BINARY.raw_answer(controls, "q", 2) == "1,0"
    assert BINARY.raw_answer({}, "q", 2) is None


def test_sentences_of_the_reference_can_be_scored():
    asked = Segments(kind="segments", id="q", prompt="?", unit="reference", split="lines")
    assert asked.segmentation == Segmentation("reference", "lines", "‖")
    assert asked.needs_reference
    assert not BINARY.needs_reference


def test_simulated_answers_and_time_grow_with_the_segments():
    assert BINARY.simulated_answer(Liking(), 3) == "1,1,1"
    assert BINARY.first_answer(2) == "1,1"
    assert BINARY.expected_seconds(1, 3) == 3 * BINARY.expected_seconds(1, 1)
