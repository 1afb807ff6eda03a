"""Scores of two systems that differ by the same everywhere."""

from __future__ import annotations

import pytest

from judged_study import RATING, of_rows, scored, small_study
from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgments


def rows_of(items, people, *, apart=1, more=()):
    return [
        scored(f"p{p}", f"i{i}", system, 3 + apart * (system == "beech"))
        for p in range(people)
        for i in range(items)
        for system in ("ash", "beech")
    ] + list(more)


def headline(rows):
    results = analyse(Judgments.from_rows(rows), scale=(1, 5))
    return next(f for f in results.findings if f.role == "headline")


@pytest.mark.parametrize(
    ("items", "people", "p", "population"),
    [
        (10, 6, 2 / 2**10, "items"),  # all items one way: 2 of 2¹⁰ patterns of signs
        (4, 6, 2 / 2**6, "participants"),  # too few items: 2 of 2⁶ patterns of six people
        (10, 3, 2 / 2**10, "items"),
    ],
)
def test_the_clearest_difference_is_tested_by_flipping_signs(items, people, p, population):
    found = headline(rows_of(items, people))
    assert (found.by, found.value, found.population) == ("sign-flip", -1, population)
    assert found.p == pytest.approx(p)
    assert found.is_supported
    assert found.interval is None


def test_no_difference_anywhere_is_no_evidence_of_one():
    found = headline(rows_of(10, 6, apart=0))
    assert (found.by, found.value, found.p) == ("sign-flip", 0, 1)


def test_scores_that_vary_are_tested_as_usual():
    rows = rows_of(10, 6)
    rows[0] = scored("p0", "i0", "ash", 1)
    assert headline(rows).by == "mixed-model"


def test_people_who_judged_one_system_each_are_not_compared_by_flipping_signs():
    """Everybody who judged beech may just be more lenient."""
    rows = [
        scored(f"{system}{p}", f"i{i}", system, 3 + (system == "beech"))
        for p in range(6)
        for i in range(10)
        for system in ("ash", "beech")
    ]
    assert headline(rows).p is None


def test_a_planned_test_is_not_replaced():
    results = of_rows(small_study(RATING), rows_of(10, 6))
    assert {f.by for f in results.findings if len(f.systems) == 2} == {"cluster-robust"}
