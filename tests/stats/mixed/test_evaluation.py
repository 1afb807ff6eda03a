"""The likelihood of a mixed model from sums, against the whole matrix V; and what lies in what."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import favoured

from rejudge.stats.mixed.evaluation import Exact, evaluate, information_products
from rejudge.stats.mixed.sums import tally

_, _, GROUPS = favoured(3, items=7, people=5)
PARTICIPANT, ITEM, OUTPUT, LIKING = GROUPS.values()
N = len(ITEM)
TOPIC = ITEM // 3
COLUMNS = np.column_stack([np.ones(N), np.random.default_rng(1).normal(size=(N, 2))])

LAYOUTS = {
    "one": [ITEM],
    "one in another": [ITEM, OUTPUT],
    "crossed": [PARTICIPANT, ITEM],
    "crossed, one in another": [PARTICIPANT, ITEM, OUTPUT],
    "crossed, another in the other": [PARTICIPANT, ITEM, LIKING],
    "both in others": [PARTICIPANT, ITEM, OUTPUT, LIKING],
    "three deep": [TOPIC, PARTICIPANT, ITEM, OUTPUT],
}


def evaluated(groups, ratios):
    sums = tally(COLUMNS[:, :-1], COLUMNS[:, -1], groups)
    return sums, evaluate(sums, ratios, Exact(sums, sums.stack) if sums.stack else None)


def whole(groups, ratios) -> tuple[list[np.ndarray], np.ndarray]:
    """Z of each grouping and V, written out."""
    tables = [(np.unique(g)[None] == g[:, None]).astype(float) for g in groups]
    return tables, np.eye(N) + sum(r * z @ z.T for r, z in zip(ratios, tables, strict=True))


RATIOS = {
    "all": [0.7, 0.4, 0.2, 0.3],
    "first none": [0.0, 0.4, 0.2, 0.3],
    "second none": [0.7, 0.0, 0.2, 0.3],
    "third none": [0.7, 0.4, 0.0, 0.3],
    "last none": [0.7, 0.4, 0.2, 0.0],
    "only the last": [0.0, 0.0, 0.0, 0.3],
    "hardly any": [0.7, 1e-7, 1e-5, 1e-6],
    "none": [0.0, 0.0, 0.0, 0.0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("which", RATIOS)
def test_what_is_solved_in_parts_is_what_the_whole_matrix_gives(layout, which):
    """log |V|, Wᵀ V⁻¹ W, tr Zᵀ V⁻¹ Z and Wᵀ V⁻¹ Z Zᵀ V⁻¹ W by their definitions."""
    groups = LAYOUTS[layout]
    ratios = np.array(RATIOS[which][: len(groups)])
    tables, matrix = whole(groups, ratios)
    inverse = np.linalg.inv(matrix)
    _, found = evaluated(groups, ratios)
    assert found.log_determinant == pytest.approx(np.linalg.slogdet(matrix)[1], abs=1e-10)
    assert found.cross == pytest.approx(COLUMNS.T @ inverse @ COLUMNS, abs=1e-9)
    assert found.traces == pytest.approx([np.trace(z.T @ inverse @ z) for z in tables], rel=1e-7)
    seen = [z.T @ inverse @ COLUMNS for z in tables]
    assert found.falls == pytest.approx(np.stack([s.T @ s for s in seen]), abs=1e-8)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_how_the_inverse_turns_is_what_the_whole_matrix_gives(layout):
    groups = LAYOUTS[layout]
    ratios = np.array(RATIOS["all"][: len(groups)])
    tables, matrix = whole(groups, ratios)
    inverse, column = np.linalg.inv(matrix), np.array([0.3, -1.0, 0.5])
    moved = np.stack([z @ z.T @ inverse @ COLUMNS @ column for z in tables], axis=1)
    inner, across = information_products(*evaluated(groups, ratios), column)
    assert inner == pytest.approx(moved.T @ inverse @ moved, rel=1e-9)
    assert across == pytest.approx(moved.T @ inverse @ COLUMNS, abs=1e-8)


def test_large_tables_are_kept_sparse_and_give_the_same(monkeypatch):
    groups, ratios = LAYOUTS["both in others"], np.array(RATIOS["all"])
    _, dense = evaluated(groups, ratios)
    monkeypatch.setattr("rejudge.stats.mixed.sums._SMALL", 0)
    monkeypatch.setattr("rejudge.stats.mixed.sums._SPARSE", 0)
    monkeypatch.setattr("rejudge.stats.mixed.evaluation._MOST_PRODUCTS", 0)
    _, sparse = evaluated(groups, ratios)
    assert sparse.log_determinant == pytest.approx(dense.log_determinant, rel=1e-12)
    assert sparse.cross == pytest.approx(dense.cross, rel=1e-9, abs=1e-10)
    assert sparse.traces == pytest.approx(dense.traces, rel=1e-10)
    assert sparse.falls == pytest.approx(dense.falls, rel=1e-9, abs=1e-10)
