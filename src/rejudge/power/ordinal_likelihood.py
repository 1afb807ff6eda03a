"""The likelihood of cumulative link mixed models for many balanced tables at once.

The model and Laplace's approximation are those of `stats.ordinal_mixed` (`ordinal_laplace` has the
formulas). In a balanced table, blocks of items and participants share nothing, so the offsets are
solved block by block, and all blocks of all studies side by side. Offsets of an item are those of
its outputs, b = item + system × item, with covariance G = τ₂ I + τ₁ 11ᵀ over systems; those of a
participant are e = participant + system × participant. With W the weights of an item's outputs,

    E = (I + W G)⁻¹,   U = E N,   P = G U,   M = W_e − Nᵀ P,   C_ee = (I + G_e M)⁻¹ G_e

where N holds the weights that an output and a participant share. All stay defined where a variance
is 0. Arrays have the axes study, block, system, place of the participant, and item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rejudge.power.studies import StudyShape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MODE_STEPS = 60
_HALVINGS = 20
_AT_REST = 1e-5  # the last of Newton's steps; what is left is its square
_FARTHEST = 700.0  # log odds; exp() of more overflows
GROUPINGS = ("item", "system × item", "participant", "system × participant")


@dataclass(frozen=True, slots=True)
class OrdinalTables:
    """Points that were given in many studies of one shape, numbered from 0 without gaps."""

    point: NDArray[np.int64]  # study, block, system, place, item
    is_there: NDArray[np.bool_]  # block, item: smaller blocks have empty places at their end
    points: int

    @classmethod
    def of(cls, table: NDArray[np.integer], shape: StudyShape, points: int) -> OrdinalTables:
        """From a table with the axes study, system, place and item."""
        sizes = np.asarray(shape.block_sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        offset = np.arange(sizes.max())
        is_there = offset < sizes[:, None]
        items = np.where(is_there, starts[:, None] + offset, 0)
        blocks = np.moveaxis(table[..., items], 3, 1).astype(np.int64)
        return cls(np.ascontiguousarray(blocks), is_there, points)

    def __len__(self) -> int:
        return len(self.point)

    @property
    def systems(self) -> int:
        return int(self.point.shape[2])

    def some(self, rows: NDArray[np.integer]) -> OrdinalTables:
        """Some of the studies."""
        return OrdinalTables(self.point[rows], self.is_there, self.points)


@dataclass(frozen=True, slots=True)
class OrdinalPlaces:
    """Thresholds, effects of systems (0 for the first), and variances in the order of
    `GROUPINGS`, for each study."""

    thresholds: Floats
    effects: Floats
    variances: Floats


@dataclass(frozen=True, slots=True)
class TableOffsets:
    """v = G q of outputs (study, block, system, item) and of participants (…, system, place)."""

    item: Floats
    person: Floats
    item_q: Floats
    person_q: Floats

    @classmethod
    def zero(cls, tables: OrdinalTables) -> TableOffsets:
        """Where a search without better knowledge starts."""
        n, blocks, systems, places, items = tables.point.shape
        item, person = np.zeros((n, blocks, systems, items)), np.zeros((n, blocks, systems, places))
        return cls(item, person, item, person)

    def some(self, rows: NDArray[np.integer]) -> TableOffsets:
        """Those of some studies."""
        return TableOffsets(*(each[rows] for each in self._parts()))

    def towards(self, other: TableOffsets, share: Floats) -> TableOffsets:
        """A share of the way to others, for each study."""
        by = share[:, None, None, None]
        pairs = zip(self._parts(), other._parts(), strict=True)
        return TableOffsets(*(a + by * (b - a) for a, b in pairs))

    def with_variances(self, variances: Floats) -> TableOffsets:
        """The same q with other variances, and so with another v."""
        tau = variances.T[:, :, None, None, None]
        item, person = (
            own * q + shared * q.sum(axis=2, keepdims=True)
            for q, shared, own in ((self.item_q, *tau[:2]), (self.person_q, *tau[2:]))
        )
        return TableOffsets(item, person, self.item_q, self.person_q)

    def put(self, rows: NDArray[np.integer], others: TableOffsets) -> None:
        """Replace those of some studies."""
        for own, new in zip(self._parts(), others._parts(), strict=True):
            own[rows] = new

    @property
    def penalty(self) -> Floats:
        """vᵀ G⁻¹ v of each study."""
        return np.asarray(
            np.einsum("nbsi,nbsi->n", self.item, self.item_q)
            + np.einsum("nbsk,nbsk->n", self.person, self.person_q)
        )

    def _parts(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.item, self.person, self.item_q, self.person_q


@dataclass(frozen=True, slots=True)
class LikelihoodValues:
    """log L of each study, its slopes, and the offsets at which it was approximated."""

    value: Floats
    thresholds: Floats  # slopes
    effects: Floats
    variances: Floats
    offsets: TableOffsets


def evaluate(
    tables: OrdinalTables, given: OrdinalPlaces, start: TableOffsets | None = None
) -> LikelihoodValues:
    """log L of each study and its exact slope."""
    offsets, rows = _find_mode(tables, given, start or TableOffsets.zero(tables))
    curve = _Curve.of(rows.weight, given.variances)
    value = rows.log_chance - (offsets.penalty + curve.log_determinant) / 2
    leverage, traces = curve.leverage()
    pull = -leverage * (rows.upper_bend + rows.lower_bend)
    moved = _by_judgment(*curve.solve(pull.sum(axis=3), pull.sum(axis=4)))
    by_place = rows.slope - (pull - rows.weight * moved) / 2
    thresholds = _threshold_slopes(tables, rows, leverage, moved)
    gained = [
        np.einsum(
            f"{axes},{axes}->n", rows.slope_by(kind), _sums_by(kind, 2 * by_place - rows.slope)
        )
        for kind, axes in _SUMS.items()
    ]
    return LikelihoodValues(
        value,
        thresholds,
        by_place.sum(axis=(1, 3, 4))[:, 1:],
        (np.stack(gained, axis=1) - traces) / 2,
        offsets,
    )


_SUMS = {"item": "nbi", "output": "nbsi", "person": "nbk", "taste": "nbsk"}
_AXES: dict[str, tuple[int, ...]] = {
    "item": (2, 3),
    "output": (3,),
    "person": (2, 4),
    "taste": (4,),
}


def _sums_by(kind: str, rows: Floats) -> Floats:
    return np.asarray(rows.sum(axis=_AXES[kind]))


# ── what each judgment contributes ───────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Chances:
    """A = F(upper − η), B = F(lower − η) and what follows from them; 0 where nothing is judged."""

    below_upper: Floats
    below_lower: Floats
    is_there: Floats
    log_chance: Floats
    closeness: Floats  # by study and point: how log P falls as the thresholds around it meet

    @property
    def slope(self) -> Floats:
        return np.asarray((self.below_upper + self.below_lower - 1) * self.is_there)

    def slope_by(self, kind: str) -> Floats:
        return _sums_by(kind, self.slope)

    @property
    def upper(self) -> Floats:
        return np.asarray(self.below_upper * (1 - self.below_upper) * self.is_there)

    @property
    def lower(self) -> Floats:
        return np.asarray(self.below_lower * (1 - self.below_lower) * self.is_there)

    @property
    def weight(self) -> Floats:
        return np.asarray(self.upper + self.lower)

    @property
    def upper_bend(self) -> Floats:
        return np.asarray(self.upper * (1 - 2 * self.below_upper))

    @property
    def lower_bend(self) -> Floats:
        return np.asarray(self.lower * (1 - 2 * self.below_lower))


def _rows(tables: OrdinalTables, given: OrdinalPlaces, offsets: TableOffsets) -> _Chances:
    n = len(tables)
    ends = np.full((n, 1), np.inf)
    edges = np.concatenate([-ends, given.thresholds, ends], axis=1)
    flat = tables.point.reshape(n, -1)
    effects = np.concatenate([np.zeros((n, 1)), given.effects], axis=1)
    place = _by_judgment(offsets.item + effects[:, None, :, None], offsets.person)
    upper, lower = (
        np.take_along_axis(edges, flat + above, axis=1).reshape(place.shape) for above in (1, 0)
    )
    below_upper, above_lower = _logistic(upper - place), _logistic(place - lower)
    is_there = tables.is_there[None, :, None, None, :].astype(np.float64)
    gaps = np.maximum(np.diff(edges, axis=1), 1e-100)
    between = np.take_along_axis(np.log(-np.expm1(-gaps)), flat, axis=1).reshape(place.shape)
    chance = (np.log(below_upper * above_lower) + between) * is_there
    close = 1 / np.expm1(np.minimum(gaps, _FARTHEST))
    return _Chances(below_upper, 1 - above_lower, is_there, chance.sum(axis=(1, 2, 3, 4)), close)


def _logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.maximum(x, -_FARTHEST))))


def _by_judgment(item: Floats, person: Floats) -> Floats:
    """What offsets add to each judgment."""
    return np.asarray(item[:, :, :, None, :] + person[..., None])


def _threshold_slopes(
    tables: OrdinalTables, rows: _Chances, leverage: Floats, moved: Floats
) -> Floats:
    by_upper = (
        rows.is_there * (1 - rows.below_upper)
        - (leverage * rows.upper_bend + moved * rows.upper) / 2
    )
    by_lower = (
        -rows.is_there * rows.below_lower - (leverage * rows.lower_bend + moved * rows.lower) / 2
    )
    found = np.zeros((len(tables), tables.points + 1))
    for point in range(tables.points):
        is_given = (tables.point == point) * rows.is_there
        close = rows.closeness[:, point] * is_given.sum(axis=(1, 2, 3, 4))
        found[:, point + 1] += np.einsum("nbski,nbski->n", by_upper, is_given) + close
        found[:, point] += np.einsum("nbski,nbski->n", by_lower, is_given) - close
    return found[:, 1:-1]


# ── the offsets ──────────────────────────────────────────────────────────────────────────────────


def _find_mode(
    tables: OrdinalTables, given: OrdinalPlaces, start: TableOffsets
) -> tuple[TableOffsets, _Chances]:
    """Newton's steps on a concave curve, all studies together."""
    offsets = start.with_variances(given.variances)
    rows = _rows(tables, given, offsets)
    height = rows.log_chance - offsets.penalty / 2
    for _ in range(_MODE_STEPS):
        reached = _newton(rows, given.variances, offsets)
        size = np.abs(reached.item - offsets.item).max(axis=(1, 2, 3))
        size = np.maximum(size, np.abs(reached.person - offsets.person).max(axis=(1, 2, 3)))
        tried = _rows(tables, given, reached)
        gained = tried.log_chance - reached.penalty / 2
        share = np.ones(len(tables))
        for _ in range(_HALVINGS):
            is_worse = gained < height - 1e-9 * np.abs(height) - 1e-9
            if not is_worse.any():
                break
            share = np.where(is_worse, share / 2, share)
            halfway = offsets.towards(reached, share)
            tried = _rows(tables, given, halfway)
            gained = tried.log_chance - halfway.penalty / 2
        offsets = offsets.towards(reached, share) if (share < 1).any() else reached
        rows, height = tried, gained
        if (size < _AT_REST).all():
            break
    return offsets, rows


def _newton(rows: _Chances, variances: Floats, offsets: TableOffsets) -> TableOffsets:
    """v = C (D v + Zᵀ slope), and q with v = G q."""
    weight = rows.weight
    curve = _Curve.of(weight, variances)
    felt = rows.slope + weight * _by_judgment(offsets.item, offsets.person)
    own, stacked = felt.sum(axis=3), felt.sum(axis=4)
    item, person = curve.solve(own, stacked)
    taken = weight * _by_judgment(item, person)
    return TableOffsets(item, person, own - taken.sum(axis=3), stacked - taken.sum(axis=4))


@dataclass(frozen=True, slots=True)
class _Curve:
    """C = (G⁻¹ + D)⁻¹ and log |I + G D|, for weights and variances."""

    weight: Floats
    item_weight: Floats  # study, block, system, item
    variances: Floats  # study, 4, with axes to broadcast
    growth: Floats  # 1 + τ₂ w
    outer_growth: Floats  # 1 + τ₁ Σ w / growth
    spread: Floats  # U: study, block, system, (system, place), item
    schur: Floats  # M
    solved: Floats  # (I + G_e M)⁻¹
    inverse: Floats  # C_ee
    log_determinant: Floats

    @classmethod
    def of(cls, weight: Floats, variances: Floats) -> _Curve:
        n, blocks, systems, places, items = weight.shape
        tau = variances.T[:, :, None, None, None]
        by_item = weight.sum(axis=3)
        growth = 1 + tau[1] * by_item
        share = by_item / growth
        outer = 1 + tau[0] * share.sum(axis=2, keepdims=True)
        cross = -(tau[0] / outer * share)[:, :, :, None] / growth[:, :, None]  # E, s × t
        each = np.arange(systems)
        cross[:, :, each, each] += 1 / growth
        spread = cross[:, :, :, :, None] * weight[:, :, None]
        width = systems * places
        spread = spread.reshape(n, blocks, systems, width, items)
        pulled = tau[1, ..., None] * spread + tau[0, ..., None] * spread.sum(axis=2, keepdims=True)
        schur = -np.matmul(weight, pulled.swapaxes(3, 4)).reshape(n, blocks, width, width)
        every = np.arange(width)
        schur[:, :, every, every] += weight.sum(axis=4).reshape(n, blocks, width)
        inflated = _with_people(schur, tau, systems)
        inflated[:, :, every, every] += 1
        solved = np.asarray(np.linalg.inv(inflated), dtype=np.float64)
        inverse = _with_people(solved.swapaxes(2, 3), tau, systems).swapaxes(2, 3)
        log_determinant = (
            np.log(growth).sum(axis=(1, 2, 3))
            + np.log(outer).sum(axis=(1, 2, 3))
            + np.linalg.slogdet(inflated)[1].sum(axis=1)
        )
        return cls(weight, by_item, tau, growth, outer, spread, schur, solved, inverse,
                   log_determinant)  # fmt: skip

    def solve(self, own: Floats, stacked: Floats) -> tuple[Floats, Floats]:
        """C @ sums by output and by participant and system."""
        taken = self._take(own)
        left = stacked - np.einsum("nbski,nbsi->nbsk", self.weight, taken)
        flat = left.reshape(*left.shape[:2], -1, 1)
        found = np.matmul(self.inverse, flat).reshape(left.shape)
        return self._take(own - np.einsum("nbski,nbsk->nbsi", self.weight, found)), found

    def _take(self, own: Floats) -> Floats:
        """A own = G E own, item by item."""
        scaled = own / self.growth
        share = self.variances[0] / self.outer_growth * scaled.sum(axis=2, keepdims=True)
        solved = scaled - share * self.item_weight / self.growth
        return np.asarray(
            self.variances[1] * solved + self.variances[0] * solved.sum(axis=2, keepdims=True)
        )

    def leverage(self) -> tuple[Floats, Floats]:
        """zᵀ C z of each judgment, and ∂ log |I + G D| / ∂ τ in the order of `GROUPINGS`."""
        n, blocks, systems, places, items = self.weight.shape
        width, tau = systems * places, self.variances
        spread = self.spread.swapaxes(3, 4)  # study, block, system, item, (system, place)
        met = np.matmul(spread.reshape(n, blocks, systems * items, width), self.inverse)
        met = met.reshape(n, blocks, systems, items, width)
        both, all_met = spread.sum(axis=2), met.sum(axis=2)
        lost = np.einsum("nbsiw,nbsiw->nbsi", met, spread)
        across = tau[1, ..., None] * met + tau[0, ..., None] * all_met[:, :, None]
        pulled = tau[1, ..., None] * spread + tau[0, ..., None] * both[:, :, None]
        own = (tau[1] + tau[0] / self.outer_growth / self.growth) / self.growth
        own = own + np.einsum("nbsiw,nbsiw->nbsi", across, pulled)
        between = np.einsum(
            "nbsisk->nbski", across.reshape(n, blocks, systems, items, systems, places)
        )
        person = np.einsum("nbww->nbw", self.inverse).reshape(n, blocks, systems, places)
        leverage = _by_judgment(own, person) - 2 * between
        share = self.item_weight / self.growth
        output = (share - tau[0] / self.outer_growth * share**2).sum(axis=(1, 2, 3))
        item = (share.sum(axis=2, keepdims=True) / self.outer_growth).sum(axis=(1, 2, 3))
        item = item - np.einsum("nbiw,nbiw->n", all_met, both)
        final = np.matmul(self.schur, self.solved)
        taste = np.einsum("nbww->n", final)
        person_trace = np.einsum(
            "nbsktk->n", final.reshape(n, blocks, systems, places, systems, places)
        )
        return leverage, np.stack([item, output - lost.sum(axis=(1, 2, 3)), person_trace, taste], 1)


def _with_people(matrix: Floats, tau: Floats, systems: int) -> Floats:
    """G_e @ matrix."""
    n, blocks, width, _ = matrix.shape
    parts = matrix.reshape(n, blocks, systems, width // systems, width)
    summed = tau[2, ..., None] * parts.sum(axis=2, keepdims=True)
    return np.asarray(tau[3, ..., None] * parts + summed).reshape(matrix.shape)
