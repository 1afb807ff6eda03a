"""The likelihood of a mixed model at given variance ratios, from sums.

The largest nest is solved first: V₀ = I + τ_f Z_f Z_fᵀ + τ_c Z_c Z_cᵀ, with f its fine grouping of
sizes n_j and c the coarse one around it. With g_j = 1 + τ_f n_j, a_i = Σ_{j in i} n_j / g_j and
h_i = 1 + τ_c a_i, and for any columns Y with sums y_j by level of f and e_i = Σ_{j in i} y_j / g_j,

    log |V₀| = Σ log g_j + Σ log h_i
    Yᵀ V₀⁻¹ Y = Yᵀ Y − Σ_j (τ_f / g_j) y_j y_jᵀ − Σ_i (τ_c / h_i) e_i e_iᵀ

(Woodbury's formula twice). The other nests have offsets with covariance G, of which each coarse
level is a block τ_f I + τ_c J; its root is Γ. With S = Zᵀ V₀⁻¹ Z over their fine levels,
K = I + Γ S Γ and N = Γ K⁻¹ Γ, log |V| = log |V₀| + log |K| and V⁻¹ = V₀⁻¹ − V₀⁻¹ Z N Zᵀ V₀⁻¹.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rejudge.stats.clusters import Numbers
from rejudge.stats.mixed_nests import Nest
from rejudge.stats.mixed_sums import Rest, Sums, in_full

_TINY = 1e-6
_STRIP = 128


@dataclass(frozen=True, slots=True)
class Evaluation:
    """V at one τ: log |V|, Wᵀ V⁻¹ W, and how both change with each τ_k (in the caller's order)."""

    log_determinant: float
    cross: Numbers
    traces: Numbers  # ∂ log |V| / ∂ τ_k
    falls: Numbers  # −∂ Wᵀ V⁻¹ W / ∂ τ_k, one matrix each
    work: _Work


@dataclass(frozen=True, slots=True)
class _Work:
    """What was solved on the way, for `turned`."""

    sums: Sums
    first: _First
    inverse: Numbers | None  # N
    seen: tuple[Numbers, ...]  # Z_kᵀ V⁻¹ W


@dataclass(frozen=True, slots=True)
class _Slope:
    """What changes with the τ of one grouping."""

    place: int
    trace: float
    seen: Numbers  # Z_kᵀ V⁻¹ W


def evaluate(sums: Sums, ratios: Numbers) -> Evaluation:
    """log |V|, Wᵀ V⁻¹ W and their slopes at the variance ratios τ, none of which is negative."""
    first = _First.at(sums, ratios)
    cross = sums.cross - first.taken(sums.sums)
    block = None
    if sums.rest is None:
        slopes = first.slopes(sums.sums)
    else:
        block = _Block.at(sums, sums.rest, first, ratios)
        right = first.seen_by_rest(sums.rest, sums.sums, sums.rest.sums)
        solved = block.inverse @ right
        cross -= right.T @ solved
        slopes = first.slopes(sums.sums - sums.rest.crossing @ solved)
        lost = first.lost_traces(sums, sums.rest, block.inverse)
        slopes = [
            _Slope(each.place, each.trace - less, each.seen)
            for each, less in zip(slopes, lost, strict=True)
        ]
        slopes += block.slopes(sums.rest, ratios, right - block.schur @ solved)
    in_order = sorted(slopes, key=lambda each: each.place)
    return Evaluation(
        log_determinant=first.log_determinant + (block.log_determinant if block else 0.0),
        cross=cross,
        traces=np.array([each.trace for each in in_order]),
        falls=np.stack([each.seen.T @ each.seen for each in in_order]),
        work=_Work(
            sums, first, block.inverse if block else None, tuple(each.seen for each in in_order)
        ),
    )


def turned(seen: Evaluation, column: Numbers) -> tuple[Numbers, Numbers]:
    """Uᵀ V⁻¹ U and Uᵀ V⁻¹ W, where U_k = Z_k Z_kᵀ V⁻¹ W `column` is how V⁻¹ turns with τ_k.

    No new inverse is needed: U is constant within levels, so its sums follow from the tables.
    """
    work, sums = seen.work, seen.work.sums
    offsets = [rows @ column for rows in work.seen]
    inner = _by_fine_level(sums.nest, sums.members, offsets)
    rows = inner * sums.sizes[:, None]
    if sums.rest is None or work.inverse is None:
        rows = np.hstack([rows, sums.sums])
        cross = inner.T @ rows - (work.first.taken(rows))[: len(offsets)]
        return cross[:, : len(offsets)], cross[:, len(offsets) :]
    rest = sums.rest
    others = np.vstack([
        _by_fine_level(nest, rest.members[around][:, span], offsets)
        for nest, span, around in zip(rest.nests, rest.spans, rest.coarse_spans, strict=True)
    ])  # fmt: skip
    rows = np.hstack([rows + rest.crossing @ others, sums.sums])
    rest_rows = np.hstack([rest.crossing.T @ inner + rest.meetings @ others, rest.sums])
    right = work.first.seen_by_rest(rest, rows, rest_rows)
    lost = work.first.taken(rows) + right.T @ (work.inverse @ right)
    cross = inner.T @ rows + others.T @ rest_rows - lost[: len(offsets)]
    return cross[:, : len(offsets)], cross[:, len(offsets) :]


def _by_fine_level(nest: Nest, members: Any, offsets: Sequence[Numbers]) -> Numbers:
    """The offsets of a nest's groupings at its fine levels, one column for each grouping there is;
    0 for those of other nests."""
    found = np.zeros((nest.levels, len(offsets)))
    found[:, nest.fine] = offsets[nest.fine]
    if nest.coarse is not None:
        found[:, nest.coarse] = members.T @ offsets[nest.coarse]
    return found


def _ratios_of(nest: Nest, ratios: Numbers) -> tuple[float, float]:
    return float(ratios[nest.fine]), 0.0 if nest.coarse is None else float(ratios[nest.coarse])


# ── the largest nest ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _First:
    """V₀ in parts. Without a coarse grouping `members` has no rows, nor has anything by i."""

    nest: Nest
    fine: float  # τ_f
    coarse: float  # τ_c
    sizes: Numbers  # n_j
    growth: Numbers  # g_j
    within: Numbers  # a_i
    outer_growth: Numbers  # h_i
    members: Any

    @classmethod
    def at(cls, sums: Sums, ratios: Numbers) -> _First:
        fine, coarse = _ratios_of(sums.nest, ratios)
        growth = 1 + fine * sums.sizes
        within = sums.members @ (sums.sizes / growth)
        outer = 1 + coarse * within
        return cls(sums.nest, fine, coarse, sums.sizes, growth, within, outer, sums.members)

    @property
    def log_determinant(self) -> float:
        return float(np.log(self.growth).sum() + np.log(self.outer_growth).sum())

    @property
    def pull(self) -> Numbers:
        """How far e_i moves level j: n_j τ_c / (g_j h_i)."""
        return np.asarray(
            self.sizes / self.growth * (self.members.T @ (self.coarse / self.outer_growth))
        )

    def by_coarse(self, rows: Any) -> Any:
        """e_i of sums by level."""
        return self.members @ _scaled(rows, 1 / self.growth)

    def taken(self, rows: Numbers) -> Numbers:
        """Yᵀ Y − Yᵀ V₀⁻¹ Y of columns with these sums by level."""
        outer = self.by_coarse(rows)
        return np.asarray(
            rows.T @ _scaled(rows, self.fine / self.growth)
            + outer.T @ _scaled(outer, self.coarse / self.outer_growth)
        )

    def slopes(self, rows: Numbers) -> list[_Slope]:
        """With V₀ alone, of columns with these sums by level."""
        share = self.sizes / self.growth
        outer = self.by_coarse(rows)
        seen = _scaled(rows, 1 / self.growth) - _scaled(self.members.T @ outer, self.pull)
        found = [_Slope(self.nest.fine, float(share @ (1 - self.pull)), seen)]
        if self.nest.coarse is not None:
            outer = _scaled(outer, 1 / self.outer_growth)
            trace = float(np.sum(self.within / self.outer_growth))
            found.append(_Slope(self.nest.coarse, trace, outer))
        return found

    def seen_by_rest(self, rest: Rest, rows: Numbers, rest_rows: Numbers) -> Numbers:
        """Zᵀ V₀⁻¹ Y of columns with these sums by level of the nest, and by level of the rest."""
        found = rest_rows - rest.crossing.T @ _scaled(rows, self.fine / self.growth)
        if self.nest.coarse is None:
            return np.asarray(found)
        share = _scaled(self.by_coarse(rows), self.coarse / self.outer_growth)
        return np.asarray(found - self.by_coarse(rest.crossing).T @ share)

    def lost_traces(self, sums: Sums, rest: Rest, inverse: Numbers) -> list[float]:
        """tr N B Bᵀ of the fine grouping and of the coarse one, B = Zᵀ V₀⁻¹ Z_f or Zᵀ V₀⁻¹ Z_c."""
        fine = float(np.vdot(inverse, _by_size(sums, rest, self.size_growth(sums) ** -2.0)))
        if self.nest.coarse is None:
            return [fine]
        outer, pull = self.by_coarse(rest.crossing), self.pull
        pulled = self.members @ _scaled(rest.crossing, pull / self.growth)
        mixed = _scaled(outer, self.members @ pull**2) - 2 * pulled
        fine += float(np.vdot(inverse, in_full(outer.T @ mixed)))
        outer = _scaled(outer, 1 / self.outer_growth)
        return [fine, float(np.vdot(inverse, in_full(outer.T @ outer)))]

    def size_growth(self, sums: Sums) -> Numbers:
        return 1 + self.fine * sums.distinct_sizes


def _inner(table: Any, rows: Numbers) -> Numbers:
    """Row by row, the sum of products with another table."""
    if isinstance(table, np.ndarray):
        return np.asarray(np.sum(table * rows, axis=1))
    return np.asarray(table.multiply(rows).sum(axis=1)).reshape(-1)


def _scaled(rows: Any, weight: Numbers) -> Any:
    """Each row times its weight."""
    if isinstance(rows, np.ndarray):
        return rows * weight[:, None]
    return rows.multiply(weight[:, None]).tocsr()


def _by_size(sums: Sums, rest: Rest, weight_by_size: Numbers) -> Numbers:
    """Σ_j weight · (row j of the crossing)ᵀ (row j)."""
    if rest.products is not None:
        return np.asarray(np.tensordot(weight_by_size, rest.products, axes=1))
    return in_full(rest.crossing.T @ _scaled(rest.crossing, weight_by_size[sums.size_of]))


# ── the other nests ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Block:
    """What the other nests have left when the largest is solved for."""

    schur: Numbers  # S
    log_determinant: float  # log |K|
    core_inverse: Numbers  # K⁻¹
    inverse: Numbers  # N

    @classmethod
    def at(cls, sums: Sums, rest: Rest, first: _First, ratios: Numbers) -> _Block:
        schur = rest.meetings - _by_size(sums, rest, first.fine / first.size_growth(sums))
        if first.nest.coarse is not None:
            outer = first.by_coarse(rest.crossing)
            schur -= in_full(outer.T @ _scaled(outer, first.coarse / first.outer_growth))
        root = _Root.at(rest, ratios)
        core = root.on_both_sides(schur)
        core[np.diag_indices_from(core)] += 1
        log_determinant, core_inverse = positive_inverse(core)
        return cls(schur, log_determinant, core_inverse, root.on_both_sides(core_inverse))

    def slopes(self, rest: Rest, ratios: Numbers, seen: Numbers) -> list[_Slope]:
        """`seen` is Zᵀ V⁻¹ W."""
        outer = rest.members @ seen
        rows = rest.members @ self.core_inverse
        sizes = rest.member_counts
        kept = 1 - np.diag(self.core_inverse)
        outer_kept = sizes - _inner(rest.members, rows)
        found = []
        for nest, span, around in zip(rest.nests, rest.spans, rest.coarse_spans, strict=True):
            ratio = _ratios_of(nest, ratios)
            parts = (kept[span], outer_kept[around], sizes[around])
            trace = self._fine_trace(span, ratio, parts)
            found.append(_Slope(nest.fine, trace, seen[span]))
            if nest.coarse is not None:
                trace = self._coarse_trace(rest.members[around], ratio, parts)
                found.append(_Slope(nest.coarse, trace, outer[around]))
        return found

    def _fine_trace(
        self, span: slice, ratios: tuple[float, float], parts: tuple[Numbers, Numbers, Numbers]
    ) -> float:
        """tr Z_fᵀ V⁻¹ Z_f = tr G⁻¹ (I − K⁻¹); where τ_f is 0 the short way would divide by it."""
        fine, coarse = ratios
        kept, outer_kept, sizes = parts
        if fine > _TINY:
            common = coarse / (fine + coarse * sizes)
            return float(kept.sum() - common @ outer_kept) / fine
        return self._plain_trace(self.schur[span], np.diag(self.schur)[span])

    def _coarse_trace(
        self, members: Any, ratios: tuple[float, float], parts: tuple[Numbers, Numbers, Numbers]
    ) -> float:
        """〃 of the coarse grouping, of which Γ² has the eigenvalue τ_f + τ_c · size."""
        fine, coarse = ratios
        _, outer_kept, sizes = parts
        if fine + coarse > _TINY:
            return float(np.sum(outer_kept / (fine + coarse * sizes)))
        rows = members @ self.schur
        return self._plain_trace(rows, _inner(members, rows))

    def _plain_trace(self, rows: Numbers, diagonal: Numbers) -> float:
        return float(diagonal.sum() - np.vdot(rows @ self.inverse, rows))


@dataclass(frozen=True, slots=True)
class _Root:
    """Γ, the root of G: a number for each level, and one more for all pairs within a coarse
    level. It may be singular."""

    alone: Numbers
    together: Numbers  # by coarse level
    members: Any

    @classmethod
    def at(cls, rest: Rest, ratios: Numbers) -> _Root:
        alone = np.empty(rest.spans[-1].stop)
        together = np.empty(rest.members.shape[0])
        sizes = rest.member_counts
        for nest, span, around in zip(rest.nests, rest.spans, rest.coarse_spans, strict=True):
            fine, coarse = _ratios_of(nest, ratios)
            alone[span] = math.sqrt(fine)
            whole = np.sqrt(fine + coarse * sizes[around])
            together[around] = (whole - math.sqrt(fine)) / sizes[around]
        return cls(alone, together, rest.members)

    def on_both_sides(self, matrix: Numbers) -> Numbers:
        """Γ A Γ of a symmetric matrix, with as few new matrices as can be."""
        found = matrix * self.alone[:, None]
        found *= self.alone
        if len(self.together):
            weight = self.together[:, None]
            rows = (self.members @ matrix) * weight
            rest = (rows @ self.members.T) * self.together / 2
            half = self.members.T @ (rows * self.alone + rest @ self.members)
            found += half
            found += half.T
        return np.asarray(found)


def positive_inverse(matrix: Numbers) -> tuple[float, Numbers]:
    """The logarithm of the determinant, and the inverse, of a positive definite matrix.

    By LAPACK's routines for such matrices, a third of the work of NumPy's; `matrix` is lost.
    """
    from scipy.linalg.lapack import dpotrf, dpotri

    if not len(matrix):
        return 0.0, matrix
    factor, _ = dpotrf(matrix.T, lower=True, overwrite_a=True)
    log_determinant = 2 * float(np.log(np.diag(factor)).sum())
    half, _ = dpotri(factor, lower=True, overwrite_c=True)
    return log_determinant, _mirrored(half.T)


def _mirrored(upper: Numbers) -> Numbers:
    """The lower half filled from the upper, in place, by strips that fit the cache."""
    for start in range(0, len(upper), _STRIP):
        stop = start + _STRIP
        upper[start:stop, :start] = upper[:start, start:stop].T
        square = np.triu(upper[start:stop, start:stop])
        upper[start:stop, start:stop] = square + np.triu(square, 1).T
    return upper
