"""Several outputs in order."""

from __future__ import annotations

import pytest
from opinions import Liking

from rejudge.errors import DataError
from rejudge.study.kinds.question import DecidedPair
from rejudge.study.kinds.ranking import Ranking

ALL = Ranking(kind="ranking", id="q", prompt="?")
TWO = Ranking(kind="ranking", id="q", prompt="?", of=2)


def test_an_order_decides_every_pair():
    assert ALL.decided_pairs("c,a,b", 3) == (
        DecidedPair(2, 0),
        DecidedPair(2, 1),
        DecidedPair(0, 1),
    )


@pytest.mark.parametrize("raw", ["a,b", "a,a,b", "a,b,d", "", "a,b,c,d"])
def test_every_output_has_one_place(raw):
    with pytest.raises(DataError, match="each of a, b, c once"):
        ALL.parse(raw, 3)


def test_all_systems_are_ranked_unless_the_question_states_how_many():
    assert (ALL.shows(6), TWO.shows(6)) == (6, 2)
    assert (ALL.stated_outputs, TWO.stated_outputs) == (None, 2)


def test_the_form_has_a_place_for_each_output_and_gives_the_order_back():
    controls = ALL.controls("q", "c,a,b")
    assert controls == {"q:c": "1", "q:a": "2", "q:b": "3"}
    assert ALL.raw_answer(controls, "q", 3) == "c,a,b"
    assert ALL.raw_answer({}, "q", 3) is None


def test_places_given_twice_are_kept_to_be_refused():
    raw = ALL.raw_answer({"q:a": "1", "q:b": "1", "q:c": "2"}, "q", 3)
    assert raw == "1,1,2"
    with pytest.raises(DataError):
        ALL.parse(raw, 3)


def test_a_simulated_participant_puts_what_seems_best_first():
    assert ALL.simulated_answer(Liking(0, 3, 1), 3) == "b,c,a"
    assert ALL.answer_in_words("b,c,a", str) == "B > C > A"
