"""Kenward and Roger's standard errors and degrees of freedom for linear mixed models.

After Kenward & Roger (1997), as in R's pbkrtest (Halekoh & Højsgaard 2014). The errors allow for
the variances having been estimated, and the degrees of freedom come from the expected information.
With Σ = σ² (I + Σ_k τ_k Z_k Z_kᵀ) and its parts G_k = Z_k Z_kᵀ and G_0 = I,

    Φ = (Xᵀ Σ⁻¹ X)⁻¹,   P_k = −Xᵀ Σ⁻¹ G_k Σ⁻¹ X,   Q_kl = Xᵀ Σ⁻¹ G_k Σ⁻¹ G_l Σ⁻¹ X
    W⁻¹ = ½ [tr Σ⁻¹ G_k Σ⁻¹ G_l − tr Φ (2 Q_kl − P_k Φ P_l)]
    adjusted Φ = Φ + 2 Φ [Σ_kl W_kl (Q_kl − P_k Φ P_l)] Φ

A variance estimated as 0 is still one of the parts, because its uncertainty counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.mixed.search import LikelihoodPoint
from rejudge.stats.mixed.sums import consecutive_codes

MOST_LEVELS = 8_000  # of all groupings together: 0.5 GB for each of a few tables
_SINGULAR = 1e-10


@dataclass(frozen=True, slots=True)
class KenwardRoger:
    """What tests of fixed effects need beside the estimates, in perpendicular columns."""

    adjusted: Numbers  # covariance of the effects that allows for estimated variances
    slopes: Numbers  # ∂ Φ / ∂ variance component, one matrix each; the residual last
    uncertainty: Numbers  # W, the covariance of the estimated components


def kenward_roger(point: LikelihoodPoint, groups: Sequence[Codes], n: int) -> KenwardRoger:
    """The adjustment at the most likely variances."""
    spread = point.variance * point.inverse
    p_parts, q_parts, traces = _parts(point, _blocks(point, groups), n)
    count, width = len(p_parts), len(spread)
    inner = q_parts - np.einsum("kab,bc,lcd->klad", p_parts, spread, p_parts)
    information = traces - np.einsum("ab,klba->kl", spread, q_parts + inner)
    uncertainty = 2 * _inverse((information + information.T) / 2)
    weighted = np.einsum("kl,klab->ab", uncertainty, inner)
    adjusted = spread + 2 * spread @ ((weighted + weighted.T) / 2) @ spread
    slopes = -np.einsum("ab,kbc,cd->kad", spread, p_parts, spread)
    return KenwardRoger(adjusted, slopes.reshape(count, width, width), uncertainty)


def _parts(
    point: LikelihoodPoint, blocks: Sequence[Sequence[Numbers]], n: int
) -> tuple[Numbers, Numbers, Numbers]:
    """P_k, Q_kl and tr Σ⁻¹ G_k Σ⁻¹ G_l, the residual last. What belongs to it follows from
    I = V − Σ_k τ_k V_k."""
    p, ratios, count = len(point.beta), point.ratios, len(blocks)
    seen = [rows[:, :p] for rows, _ in point.seen.seen]
    falls = np.empty((count + 1, p, p))
    falls[:-1] = point.seen.falls[:, :p, :p]
    falls[-1] = point.seen.cross[:p, :p] - np.einsum("k,kab->ab", ratios, falls[:-1])
    q = np.empty((count + 1, count + 1, p, p))
    traces = np.empty((count + 1, count + 1))
    for k in range(count):
        for m in range(count):
            q[k, m] = seen[k].T @ blocks[k][m] @ seen[m]
            traces[k, m] = float(np.vdot(blocks[k][m], blocks[k][m]))
    single = np.append(point.seen.traces, n - ratios @ point.seen.traces)  # tr V⁻¹ V_k
    for k in range(count):
        q[k, -1] = falls[k] - np.einsum("m,mab->ab", ratios, q[k, :-1])
        q[-1, k] = q[k, -1].T
        traces[k, -1] = traces[-1, k] = single[k] - ratios @ traces[k, :-1]
    q[-1, -1] = falls[-1] - np.einsum("m,mab->ab", ratios, q[-1, :-1])
    traces[-1, -1] = single[-1] - ratios @ traces[-1, :-1]
    s = point.variance
    return -falls / s**2, q / s**3, traces / s**2


def _blocks(point: LikelihoodPoint, groups: Sequence[Codes]) -> list[list[Numbers]]:
    """Z_kᵀ V⁻¹ Z_l for each two groupings, by one dense factor over all levels."""
    from scipy.linalg import cholesky, solve_triangular

    codes = [consecutive_codes(each) for each in groups]
    ends = np.cumsum([0, *(int(each.max()) + 1 for each in codes)])
    spans = [slice(a, b) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    met = np.zeros((ends[-1], ends[-1]))
    for one, rows in zip(codes, spans, strict=True):
        for other, columns in zip(codes, spans, strict=True):
            met[rows, columns] = _meetings(one, other)
    root = np.concatenate([
        np.full(part.stop - part.start, np.sqrt(ratio))
        for part, ratio in zip(spans, point.ratios.tolist(), strict=True)
    ])  # fmt: skip
    core = met * root[:, None] * root
    core[np.diag_indices_from(core)] += 1
    factor = cholesky(core, lower=True, overwrite_a=True, check_finite=False)
    half = solve_triangular(factor, root[:, None] * met, lower=True, check_finite=False)
    whole = met - half.T @ half
    return [[whole[rows, columns] for columns in spans] for rows in spans]


def _meetings(one: Codes, other: Codes) -> Numbers:
    """How many judgments each two levels share."""
    height, width = int(one.max()) + 1, int(other.max()) + 1
    place = one.astype(np.int64) * width + other
    return np.bincount(place, minlength=height * width).reshape(height, width).astype(np.float64)


def _inverse(information: Numbers) -> Numbers:
    """The inverse, or where two components cannot be separated the generalised one."""
    scale = 1 / np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
    scaled = information * scale[:, None] * scale
    if np.linalg.eigvalsh(scaled)[0] > _SINGULAR:
        return np.asarray(np.linalg.inv(scaled) * scale[:, None] * scale)
    return np.asarray(np.linalg.pinv(information))


def scaled_f(
    statistic: float, rows: Numbers, *, spread: Numbers, slopes: Numbers, uncertainty: Numbers
) -> tuple[float, float]:
    """F of several sums of effects at once, and the degrees of freedom of its denominator.

    `statistic` is Wald's with the adjusted errors, divided by the number of sums; `rows` are these
    sums, `spread` is Φ, and `slopes` and `uncertainty` are those of `KenwardRoger`. After Kenward
    & Roger (1997), section 3.
    """
    q = len(rows)
    turned = rows.T @ np.linalg.inv(rows @ spread @ rows.T) @ rows
    parts = np.einsum("ab,kbc->kac", turned, slopes)
    single = np.einsum("kaa->k", parts)
    pairs = np.einsum("kab,lba->kl", parts, parts)
    a1 = float(single @ uncertainty @ single)
    a2 = float(np.sum(uncertainty * pairs))
    b = (a1 + 6 * a2) / (2 * q)
    g = ((q + 1) * a1 - (q + 4) * a2) / ((q + 2) * a2)
    below = 3 * q + 2 * (1 - g)
    c1, c2, c3 = g / below, (q - g) / below, (q + 2 - g) / below
    mean = 1 / (1 - a2 / q)
    ratio = (1 + c1 * b) / ((1 - c2 * b) ** 2 * (1 - c3 * b)) / (q * mean**2)
    df = 4 + (q + 2) / (q * ratio - 1)
    return statistic * df / (mean * (df - 2)), df
