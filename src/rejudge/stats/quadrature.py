"""Integrals over an estimated standard deviation, by fixed Gauss–Legendre nodes."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from rejudge.stats.clusters import Numbers

_NODES, _NODES_FOR_SMALL_DF = 128, 384  # four times as many change nothing above 1e-12
_SMALL_DF = 20
_DROP = 40.0  # a part of an integrand below e^−40 of its peak is left out


def estimated_sd(df: float, q: float = 0.0) -> tuple[Numbers, Numbers]:
    """Values s of an SD estimated on `df` when the true one is 1, and their weights.

    The sum of weight · g(s) is the mean of g over χ_df/√df. In v = log s its density is
    proportional to s^df · exp(−df s²/2). Where g falls like exp(−q² s²/4), the peak of the product
    lies between s² = df / (df + q²/2) and s = 1, and the nodes reach from there.
    """
    width = math.sqrt(_DROP / df)
    low = 0.5 * math.log(df / (df + q * q / 2)) - width - _DROP / df
    v, weight = legendre(_NODES_FOR_SMALL_DF if df < _SMALL_DF else _NODES, low, width)
    s = np.exp(v)
    share = weight * np.exp(df * (v + (1 - s * s) / 2))
    return s, share / share.sum()  # by the formula, Γ(df/2) would cost digits at large df


def legendre(count: int, low: float, high: float) -> tuple[Numbers, Numbers]:
    """Nodes and weights for an integral from low to high."""
    node, weight = _unit(count)
    half = (high - low) / 2
    return half * node + (high + low) / 2, half * weight


@cache
def _unit(count: int) -> tuple[Numbers, Numbers]:
    return np.polynomial.legendre.leggauss(count)
