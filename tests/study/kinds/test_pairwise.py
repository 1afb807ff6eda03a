"""Which of two outputs is better."""

from __future__ import annotations

import pytest
from opinions import Liking

from rejudge.errors import DataError
from rejudge.study.kinds.pairwise import Pairwise
from rejudge.study.kinds.question import DecidedPair

STRICT = Pairwise(kind="pairwise", id="q", prompt="?")
TIED = Pairwise(kind="pairwise", id="q", prompt="?", tie=True)


def test_an_answer_decides_one_pair():
    assert STRICT.decided_pairs("b", 2) == (DecidedPair(1, 0),)
    assert TIED.decided_pairs("tie", 2) == (DecidedPair(0, 1, is_tie=True),)


def test_a_tie_is_an_answer_only_where_it_is_allowed():
    assert TIED.parse("tie") == "tie"
    with pytest.raises(DataError, match="one of a, b"):
        STRICT.parse("tie")
    assert (STRICT.scale_in_words, TIED.scale_in_words) == ("A or B", "A, B or a tie")
    assert (STRICT.has_neutral_answer, TIED.has_neutral_answer) == (False, True)


@pytest.mark.parametrize(("seen", "strict", "tied"), [((1, 0), "a", "a"), ((0, 0.4), "b", "tie")])
def test_a_simulated_participant_takes_the_better_or_calls_it_a_tie(seen, strict, tied):
    assert STRICT.simulated_answer(Liking(*seen), 2) == strict
    assert TIED.simulated_answer(Liking(*seen), 2) == tied


def test_an_answer_is_written_in_the_words_of_the_site():
    assert TIED.answer_in_words("tie", str.upper) == "ABOUT_SAME"
    assert TIED.answer_in_words("a", str.upper) == "A"
    assert (STRICT.other_answer("a"), STRICT.other_answer("b")) == ("b", "a")
