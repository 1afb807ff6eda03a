"""Classical tests in the units of the plan."""

from __future__ import annotations

import pytest

from judged_study import RATING, SEGMENTS, analysed, by_id, found_in, planned, rated
from rejudge.judgments.table import Judgment


def in_segments(copies):
    """Two batches of two items by one person each; the first output of ash has more sentences."""
    scores = {("i0", "ash"): 0, ("i1", "ash"): 2, ("i0", "beech"): 1, ("i1", "beech"): 2}
    scores |= {("i2", "ash"): 2, ("i3", "ash"): 1, ("i2", "beech"): 2, ("i3", "beech"): 0}
    return [
        Judgment(
            "p1" if item in {"i0", "i1"} else "p2",
            item,
            "facts",
            float(score),
            system=system,
            segment=place + 1,
            batch="b1" if item in {"i0", "i1"} else "b2",
        )
        for (item, system), score in scores.items()
        for place in range(copies if (item, system) == ("i0", "ash") else 1)
    ]


@pytest.mark.parametrize("unit", ["judgment", "item", "batch"])
@pytest.mark.parametrize(
    "test", ["t-test", "welch", "paired-t", "wilcoxon", "mann-whitney", "one-way-anova"]
)
def test_an_output_counts_once_however_many_segments_it_has(test, unit):
    study = planned(SEGMENTS, {"test": test, "unit": unit})
    name = f"facts.{test}-by-{unit}.ash.beech"
    once, often = (found_in(study, in_segments(copies))[name] for copies in (1, 9))
    assert (often.value, often.p, often.n) == (once.value, once.p, once.n)


def test_segments_by_batch_are_means_of_outputs():
    """ash 0 and 2 | 2 and 1, beech 1 and 2 | 2 and 0: means 1 1.5 and 1.5 1, difference 0."""
    study = planned(SEGMENTS, {"test": "paired-t", "unit": "batch"})
    found = found_in(study, in_segments(9))["facts.paired-t-by-batch.ash.beech"]
    assert found.value == pytest.approx(0)
    assert found.n == 2


def test_tukey_is_not_corrected_again():
    study = planned(RATING, {"test": "one-way-anova"})
    found = by_id(analysed(study))
    pair = found["fluency.one-way-anova.ash.beech"]
    assert pair.p_adjusted == pair.p
    assert "all pairs" in pair.method


def test_the_unit_of_a_classical_test_is_what_the_plan_says():
    """ash 5 4 | 2 1 and beech 3 2 | 2 1 on two items by two people.

    By judgment: means 3 and 2, n 4 + 4. By item: item means 4.5 1.5 and 2.5 1.5, n 2 + 2; as pairs
    the differences are 2 and 0, mean 1, sd √2, t = 1 / (√2/√2) = 1 on 1 df.
    """
    rows = rated(
        *(("p1", "i0", "ash", 5), ("p2", "i0", "ash", 4)),
        *(("p1", "i1", "ash", 2), ("p2", "i1", "ash", 1)),
        *(("p1", "i0", "beech", 3), ("p2", "i0", "beech", 2)),
        *(("p1", "i1", "beech", 2), ("p2", "i1", "beech", 1)),
    )
    study = planned(
        RATING, {"test": "t-test"}, {"test": "t-test", "unit": "item"}, {"test": "paired-t"}
    )
    found = found_in(study, rows)
    pooled, by_item, pairs = (
        found[f"fluency.{name}.ash.beech"] for name in ("t-test", "t-test-by-item", "paired-t")
    )
    assert (pooled.value, pooled.n, pooled.n_of) == (1, 8, "judgments")
    assert (by_item.value, by_item.n, by_item.n_of) == (1, 4, "items")
    assert (pairs.value, pairs.n, pairs.n_of) == (1, 2, "pairs")
    assert pairs.statistic.value == pytest.approx(1)
    assert pairs.statistic.df == (1,)
    assert "independent" in pooled.note


def test_a_batch_can_be_the_unit():
    rows = rated(("p1", "i0", "ash", 5), ("p1", "i1", "beech", 1), batch="b1")
    rows += rated(("p2", "i2", "ash", 3), ("p2", "i3", "beech", 2), batch="b2")
    study = planned(RATING, {"test": "paired-t", "unit": "batch"})
    finding = found_in(study, rows)["fluency.paired-t-by-batch.ash.beech"]
    assert (finding.value, finding.n) == (2.5, 2)


def test_items_that_lack_a_system_are_left_out_of_tests_within_items_and_counted():
    rows = rated(
        *(("p1", f"i{n}", s, (n * 2 + len(s)) % 5 + 1) for n in range(4) for s in ("ash", "beech")),
        ("p1", "i5", "ash", 2),
    )
    finding = found_in(planned(RATING, {"test": "friedman"}), rows)["fluency.friedman"]
    assert finding.n == 4
    assert "1 of 5 items lack a system" in finding.note
