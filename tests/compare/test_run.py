"""One run: its tests of two systems, and their direction."""

from __future__ import annotations

from dataclasses import replace

from fluency_runs import FLUENCY, ORIGINAL, contrast, printed
from rejudge.compare.run import contrast_of, contrasts_on, deciding_contrasts, differences_on
from rejudge.findings.model import EffectSize, Key
from rejudge.stats import Interval

FIRST_TEST = contrast("svm", "gedi", 0.5, p=0.01, interval=Interval(0.1, 0.9, 0.95))
SECOND_TEST = replace(FIRST_TEST, by="wilcoxon", value=0.4, role="further")
RUN = printed("original", ORIGINAL, further=(FIRST_TEST, SECOND_TEST))


def test_the_first_test_of_a_pair_decides():
    assert deciding_contrasts(RUN) == ((FLUENCY, FIRST_TEST),)


def test_a_test_is_turned_to_the_order_asked_for():
    found = contrast_of(RUN, "fluency", "gedi", "svm")
    assert found is not None
    assert (found.systems, found.value) == (("gedi", "svm"), -0.5)
    assert found.interval == Interval(-0.9, -0.1, 0.95)


def test_a_share_of_wins_is_turned_to_the_other_share():
    wins = replace(
        FIRST_TEST,
        key=Key("fluency", "win-percent", "mixed-model", ("svm", "gedi")),
        value=60.0,
        interval=Interval(52.0, 68.0, 0.95),
    )
    run = replace(printed("lab", ORIGINAL, further=(wins,)), source="results")
    found = contrast_of(run, "fluency", "gedi", "svm")
    assert found is not None
    assert (found.value, found.interval) == (40.0, Interval(32.0, 48.0, 0.95))


def test_where_lower_is_better_differences_and_effects_are_turned_and_wins_are_not():
    errors = replace(FLUENCY, is_higher_better=False)
    sized = replace(FIRST_TEST, effect=EffectSize("d", 0.6, Interval(0.2, 1.0, 0.95)))
    (found,) = contrasts_on(printed("original", ORIGINAL, further=(sized,)), errors)
    assert (found.value, found.interval) == (-0.5, Interval(-0.9, -0.1, 0.95))
    assert found.effect == EffectSize("d", -0.6, Interval(-1.0, -0.2, 0.95))
    wins = replace(FIRST_TEST, key=replace(FIRST_TEST.key, measure="win-percent"), value=60.0)
    (same,) = differences_on(printed("original", ORIGINAL, further=(wins,)), errors)
    assert same.value == 60.0


def test_a_pair_that_was_not_tested_has_no_test():
    assert contrast_of(RUN, "fluency", "svm", "dexpert") is None
    assert contrast_of(RUN, "meaning", "svm", "gedi") is None
