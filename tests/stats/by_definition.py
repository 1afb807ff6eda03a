"""Factors and degrees of freedom of clusters, from their definition with whole matrices.

The covariance of cluster sums is B = a · Σ_s D_s (I − 1qᵀ)(I − 1qᵀ)ᵀ D_s + b · diag(noise). Here it
is written out as the product that it is, and in `rejudge.stats` as what follows from its expansion.
"""

from __future__ import annotations

import numpy as np


def tables(cluster, side, weight):
    """Weights by cluster (rows) and system (columns)."""
    systems = np.unique(side)
    rows = [
        [weight[(cluster == g) & (side == s)].sum() for s in systems] for g in np.unique(cluster)
    ]
    return np.array(rows)


def factor(cluster, side, weight):
    w = tables(cluster, side, weight)
    return float((w**2).sum() / sum(np.trace(_shown(w[:, s])) for s in range(w.shape[1])))


def _shown(w: np.ndarray) -> np.ndarray:
    """The covariance of cluster sums when effects of variance 1 are measured from their mean."""
    q = np.abs(w) / np.abs(w).sum()
    centred = np.eye(len(w)) - np.outer(np.ones(len(w)), q)
    return np.diag(w) @ centred @ centred.T @ np.diag(w)


def degrees(cluster, cell, side, weight, influence):
    w = tables(cluster, side, weight)
    squares = sum(influence[cluster == g].sum() ** 2 for g in np.unique(cluster))
    by_cell = sum(influence[cell == c].sum() ** 2 for c in np.unique(cell))
    shown = sum(_shown(w[:, s]) for s in range(w.shape[1]))
    noise = np.zeros(len(w))
    for place, g in enumerate(np.unique(cluster)):
        inside = cluster == g
        noise[place] = (tables(cell[inside], side[inside], weight[inside]) ** 2).sum()
    b = max(0.0, squares - by_cell) / np.trace(shown) * shown + by_cell / noise.sum() * np.diag(
        noise
    )
    return min(float(np.trace(b) ** 2 / np.sum(b * b)), len(w) - 1.0)
