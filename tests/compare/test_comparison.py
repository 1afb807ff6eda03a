"""The result of a comparison."""

from __future__ import annotations

import pytest

from compared import select
from fluency_runs import FIRST, ORIGINAL, SECOND, printed
from rejudge.compare.compare import compare
from rejudge.compare.comparison import Similarity
from rejudge.compare.run import run_of_paper
from rejudge.paper.paper_file import open_shipped
from rejudge.tables.comparison import covers, groups_of_runs, spread


@pytest.fixture(scope="module")
def three():
    runs = (printed("original", ORIGINAL), printed("first", FIRST), printed("second", SECOND))
    return compare(*runs)


@pytest.fixture(scope="module")
def cases():
    return compare(*(run_of_paper(open_shipped(name)) for name in ("lin-2022", "ito-2023")))


def test_the_share_of_equal_conditions_is_of_those_known_in_both():
    assert Similarity("a", "b", 15, 30).share == 0.5
    assert Similarity("a", "b", 0, 0).share is None


def test_three_runs_are_compared_together_and_two_by_two(three):
    groups = groups_of_runs(three, three.criteria[0])
    assert [len(each) for each in groups] == [3, 2, 2, 2]


def test_the_spread_is_that_of_all_runs_that_have_a_score(three):
    (criterion,), runs = three.criteria, three.in_cases
    assert spread(three, criterion, "svm", runs).n == 3
    assert spread(three, criterion, "svm", runs[:2]).key.runs == ("original", "first")
    assert spread(three, criterion, "svm", runs[:1]) is None


def test_a_mean_says_how_many_systems_it_covers(three):
    mean = spread(three, three.criteria[0], None, three.in_cases[:2])
    assert covers(three, mean) == "3 of 3 systems"


def test_a_case_is_in_the_key_of_a_number_and_no_run_of_its_own(cases):
    assert [run.id for run in cases.runs] == ["lin-2022", "ito-2023"]
    found = select(cases.findings, "significance-f1", "lin-2022", "ito-2023")
    assert [each.key.case for each in found] == ["case-1", "case-2", "case-3", "case-4"]


def test_what_does_not_depend_on_the_case_is_there_once(cases):
    assert len(cases.similarities) == 1
    properties = [each.property for each in cases.deviations]
    assert len(properties) == len(set(properties))


def test_keys_are_unique(cases, three):
    for comparison in (cases, three):
        keys = [each.key for each in comparison.findings]
        assert len(keys) == len(set(keys))
