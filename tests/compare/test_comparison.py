"""The result of a comparison."""

from __future__ import annotations

import pytest

from fluency_runs import FIRST, ORIGINAL, SECOND, printed
from rejudge.compare.compare import compare
from rejudge.compare.comparison import Similarity


@pytest.fixture(scope="module")
def two():
    return compare(printed("original", ORIGINAL), printed("first", FIRST))


@pytest.fixture(scope="module")
def three():
    runs = (printed("original", ORIGINAL), printed("first", FIRST), printed("second", SECOND))
    return compare(*runs)


def test_the_share_of_equal_conditions_is_of_those_known_in_both():
    assert Similarity("a", "b", 15, 30).share == 0.5
    assert Similarity("a", "b", 0, 0).share is None


def test_two_runs_are_a_pair_and_three_are_all_studies_together(two, three):
    assert two.together == ()
    assert three.together == ("original", "first", "second")


def test_the_spread_is_that_of_all_runs_that_have_a_score(three):
    found = three.spread("fluency", "svm", ("original", "first", "second"))
    pair = three.spread("fluency", "svm", ("original", "first"))
    assert (found.n, pair.n) == (3, 2)
    assert pair.runs == ("original", "first")


def test_one_run_alone_has_no_spread(three):
    assert three.spread("fluency", "svm", ("original",)) is None


def test_a_mean_says_how_many_systems_it_covers(two):
    mean = two.spread("fluency", None, ("original", "first"))
    assert mean.covers == "3 of 3 systems"
