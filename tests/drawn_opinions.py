"""Judgments drawn directly from the model of opinions, for tests of what is estimated from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from rejudge.simulate.components import Components, ScoreRows, components_behind, moments_of_scores
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.stats import Comparisons

TRUE = {
    "item_difficulty": 0.4,
    "system_by_item": 0.6,
    "severity": 0.5,
    "system_by_participant": 0.3,
    "noise": 0.7,
}


def drawn_scores(
    seed: int,
    quality: Sequence[float],
    scale: HiddenScale,
    *,
    items: int = 60,
    people: int = 30,
    keep: float = 1.0,
    spreads: Mapping[str, float] = TRUE,
) -> ScoreRows:
    """Every participant scores each output, or as many of them as are kept at random."""
    rng = np.random.default_rng(seed)
    grid = np.meshgrid(range(len(quality)), range(items), range(people), indexing="ij")
    s, i, p = (codes.ravel() for codes in grid)
    kept = rng.random(len(s)) < keep
    s, i, p = s[kept], i[kept], p[kept]
    shape = (len(quality), items), (len(quality), people)
    opinion = np.array(quality)[s]
    opinion = opinion + spreads["item_difficulty"] * rng.standard_normal(items)[i]
    opinion = opinion + spreads["system_by_item"] * rng.standard_normal(shape[0])[s, i]
    opinion = opinion + spreads["system_by_participant"] * rng.standard_normal(shape[1])[s, p]
    opinion = opinion + spreads["noise"] * rng.standard_normal(len(s))
    seen = opinion + spreads["severity"] * rng.standard_normal(people)[p]
    return ScoreRows(scale.values[np.searchsorted(scale.thresholds, seen)], s, i, p)


def drawn_choices(
    seed: int,
    quality: Sequence[float],
    *,
    items: int = 60,
    people: int = 30,
    keep: float = 0.3,
    tie_width: float = 0.0,
    position_bias: float = 0.0,
) -> tuple[Comparisons, np.ndarray]:
    """Choices between all pairs, and which of the two was shown first."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(len(quality)), 2)))
    grid = np.meshgrid(range(len(pairs)), range(items), range(people), indexing="ij")
    c, i, p = (codes.ravel() for codes in grid)
    kept = rng.random(len(c)) < keep
    c, i, p = c[kept], i[kept], p[kept]
    a, b = pairs[c].T
    own = TRUE["system_by_item"] * rng.standard_normal((len(quality), items))
    taste = TRUE["system_by_participant"] * rng.standard_normal((len(quality), people))
    side = rng.choice([-1, 1], len(a))
    noise = TRUE["noise"] * (rng.standard_normal(len(a)) - rng.standard_normal(len(a)))
    true = np.array(quality)
    apart = true[a] - true[b] + own[a, i] - own[b, i] + taste[a, p] - taste[b, p] + noise
    apart = apart + side * position_bias
    preference = np.where(np.abs(apart) < tie_width, 0.5, (apart > 0).astype(float))
    return Comparisons(a, b, preference, i, p, len(quality)), side


def estimated(rows: ScoreRows, scale: HiddenScale) -> Components | str:
    """What scores show; or why they show nothing."""
    moments = moments_of_scores(rows)
    return moments if isinstance(moments, str) else components_behind(moments, scale)


def recovered(estimates: Sequence[Sequence[float]], truth: Sequence[float]) -> bool:
    """Whether means of estimates are within four standard errors, and 3 %, of the truth."""
    found, true = np.array(estimates), np.array(truth)
    error = found.std(axis=0, ddof=1) / len(found) ** 0.5
    return bool((np.abs(found.mean(axis=0) - true) <= 4 * error + 0.03 * np.abs(true)).all())
