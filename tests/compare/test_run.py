"""One run: its tests of two systems, and their direction."""

from __future__ import annotations

from dataclasses import replace

from fluency_runs import ORIGINAL, printed
from rejudge.compare.run import RunContrast, contrast_of, deciding_contrasts, pair_test
from rejudge.stats import Interval

FIRST_TEST = RunContrast(
    "fluency", "svm", "gedi", "t-test", 0.5, 0.01, None, True, interval=Interval(0.1, 0.9, 0.95)
)
SECOND_TEST = replace(FIRST_TEST, test="wilcoxon", difference=0.4)
RUN = printed("original", ORIGINAL, contrasts=(FIRST_TEST, SECOND_TEST))


def test_the_first_test_of_a_pair_decides():
    assert deciding_contrasts(RUN) == (FIRST_TEST,)


def test_a_test_is_turned_to_the_order_asked_for():
    found = contrast_of(RUN, "fluency", "gedi", "svm")
    assert found is not None
    assert (found.first, found.second, found.difference) == ("gedi", "svm", -0.5)
    assert found.interval == Interval(-0.9, -0.1, 0.95)


def test_a_pair_that_was_not_tested_has_no_test():
    assert contrast_of(RUN, "fluency", "svm", "dexpert") is None
    assert contrast_of(RUN, "meaning", "svm", "gedi") is None


def test_verdicts_are_given_the_same_test():
    test = pair_test(FIRST_TEST)
    assert (test.first, test.second, test.test, test.difference) == ("svm", "gedi", "t-test", 0.5)
