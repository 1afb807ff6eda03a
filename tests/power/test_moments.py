"""Moments split the sum of squares of a table without losing any of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from rejudge.power.balanced import moments_of, transform
from rejudge.power.draw import pairs_of, strength_rows
from rejudge.power.sizes import StudyShape


@settings(max_examples=25)
@given(some.integers(1, 9), some.integers(1, 3), some.integers(1, 4), some.integers(0, 99))
def test_parts_add_up_to_the_squares_around_the_mean(items, each, blocks, seed):
    shape = StudyShape(items, each, each * blocks, 3)
    table = np.random.default_rng(seed).integers(-2, 3, (2, 3, each, items)).astype(np.float32)
    found = moments_of(table, shape)
    flat = table.reshape(2, 3, -1).astype(float)
    apart = flat - flat.mean(axis=2, keepdims=True)
    whole = np.einsum("nsj,ntj->nst", apart, apart)
    parts = found.together(*found.products)
    assert parts == pytest.approx(whole, abs=1e-4)
    assert found.mean == pytest.approx(flat.mean(axis=2), abs=1e-6)
    assert sum(found.df.values()) == items * each - 1


def test_a_combination_of_columns_has_the_moments_of_its_table():
    shape = StudyShape(6, 2, 4, 3)
    table = np.random.default_rng(1).normal(size=(2, 3, 2, 6)).astype(np.float32)
    rows = np.array([[1.0, -1.0, 0.0]])
    direct = moments_of((table[:, :1] - table[:, 1:2]), shape)
    found = transform(moments_of(table, shape), rows)
    assert found.mean == pytest.approx(direct.mean, abs=1e-4)
    for part, products in direct.products.items():
        assert found.products[part] == pytest.approx(products, abs=1e-4)


def test_pairs_are_in_the_order_of_combinations():
    first, second = pairs_of(3)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]


def test_strengths_add_up_to_0():
    assert strength_rows(4).sum(axis=0) == pytest.approx(0)
