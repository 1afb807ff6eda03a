"""Tests of single simulated tables, held to the functions of the analysis on written-out rows."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge import stats
from rejudge.power.single_fits import (
    bradley_terry,
    mann_whitney,
    plackett_luce,
    sign_flip,
    wilcoxon,
)
from rejudge.power.studies import StudyShape

THREE = StudyShape(4, 2, 4, 3)  # two blocks of two items, two people each
CHOICES = np.random.default_rng(2).choice([-1.0, 0.0, 1.0], (1, 3, 2, 4)).astype(np.float32)


def test_bradley_terry_knows_who_judged_what():
    """Rows written out: person 2·block + place; items 0 and 1 in the first block."""
    rows = [
        (one, other, (CHOICES[0, pair, place, item] + 1) / 2, item, 2 * (item // 2) + place)
        for pair, (one, other) in enumerate([(0, 1), (0, 2), (1, 2)])
        for place in range(2)
        for item in range(4)
    ]
    columns = (np.array(each) for each in zip(*rows, strict=True))
    expected = stats.bradley_terry(stats.Comparisons(*columns, systems=3)).differences
    found = bradley_terry(CHOICES, THREE)

    assert found.value[0] == pytest.approx([each.value for each in expected])
    assert found.p is not None
    assert found.p[0] == pytest.approx([each.p for each in expected])


def test_strengths_that_do_not_exist_are_undefined():
    always = np.ones((1, 3, 2, 4), dtype=np.float32)

    assert np.isnan(bradley_terry(always, THREE).value).all()
    assert np.isnan(plackett_luce(always, THREE).value).all()


def test_plackett_luce_of_two_systems_is_bradley_terry():
    """Hunter (2004): a ranking of two is a choice between them."""
    shape = StudyShape(6, 2, 4)
    table = np.random.default_rng(5).choice([-1.0, 1.0], (1, 1, 2, 6)).astype(np.float32)

    assert plackett_luce(table, shape).value == pytest.approx(bradley_terry(table, shape).value)


def test_tests_by_ranks_use_the_means_of_units():
    shape = StudyShape(4, 2, 2)
    table = np.random.default_rng(1).integers(-2, 3, (1, 2, 2, 4)).astype(np.float32)
    first, second = table[0].mean(axis=1)

    assert wilcoxon(table, shape, "item").p == pytest.approx(stats.wilcoxon(first, second).p)
    people = table[0].mean(axis=2)
    assert mann_whitney(table, shape, "participant").p == pytest.approx(
        stats.mann_whitney(*people).p
    )


def test_the_sign_flip_test_goes_by_item():
    """Four items, all for the first: two of the sixteen patterns of signs are as extreme."""
    table = np.ones((1, 1, 2, 4), dtype=np.float32)
    found = sign_flip(table, StudyShape(4, 2, 2))

    assert found.p is not None
    assert found.p[0, 0] == pytest.approx(2 / 16)
    assert found.value[0, 0] == 50
