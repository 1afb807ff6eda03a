"""The best and the worst of several outputs."""

from __future__ import annotations

import pytest
from opinions import Liking

from rejudge.errors import DataError
from rejudge.study.kinds.best_worst import BestWorst
from rejudge.study.kinds.question import DecidedPair

FOUR = BestWorst(kind="best-worst", id="q", prompt="?", of=4)


def test_all_pairs_are_decided_but_those_in_the_middle():
    assert FOUR.decided_pairs("b,d", 4) == (
        DecidedPair(1, 3),
        DecidedPair(1, 0),
        DecidedPair(1, 2),
        DecidedPair(0, 3),
        DecidedPair(2, 3),
    )


@pytest.mark.parametrize("raw", ["a", "a,a", "a,b,c", "a,e", ",a", ""])
def test_best_and_worst_are_two_of_the_outputs_shown(raw):
    with pytest.raises(DataError, match="such as 'a,c'"):
        FOUR.parse(raw, 4)


def test_the_form_has_a_control_for_each_and_gives_the_answer_back():
    controls = FOUR.controls("q", "c,a")
    assert controls == {"q:best": "c", "q:worst": "a"}
    assert FOUR.raw_answer(controls, "q", 4) == "c,a"
    assert FOUR.raw_answer({}, "q", 4) is None


def test_a_simulated_participant_names_the_ends_of_their_order():
    assert FOUR.simulated_answer(Liking(0, 3, 1, 2), 4) == "b,a"
    assert FOUR.answer_in_words("b,a", str) == "best: B, worst: A"


def test_it_takes_longer_the_more_outputs_are_shown():
    assert FOUR.expected_seconds(4, 0) == 2 * FOUR.expected_seconds(2, 0)
    assert (FOUR.shows(9), FOUR.stated_outputs) == (4, 4)
