"""Cluster-robust intervals: several judgments of one item, several by one participant.

Judgments of one item resemble each other, and so do judgments by one participant. An interval that
treats them as independent is too narrow, often by half. Here both kinds of dependence count.

Residuals are measured from means that the clusters themselves have influenced. Cluster sums are
therefore too small, more so the fewer clusters carry the weight. A factor for each kind of cluster
corrects this, and the degrees of freedom fall with the weight of the largest clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rejudge.stats.arrays import Codes, Numbers, is_negligible
from rejudge.stats.estimate import Estimate, Interval, Test, t_half_width, t_test_p
from rejudge.stats.reasons import Reason, Why

ONE_CLUSTER = Why.NEEDS("interval", least="two", what="items and two participants")
FEW_PARTICIPANTS = 5  # below this, what holds for these people need not hold for others

UNSEEN = 1e-9  # of the variance: less than this share shows in the residuals, so it is unknown
_FEW = 5  # clusters of one kind
_ROUNDING = 1e-9  # relative: sums in another order
_SPARSE = 4  # so many possible cells for each judgment are counted; more are sorted


def clustered_estimate(
    value: float,
    influence: Numbers,
    *,
    item: Codes,
    participant: Codes,
    weights: JudgmentWeights | None = None,
    scale: float | None = None,
    level: float = 0.95,
    null: float | None = None,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """An estimate with an interval that allows for clusters of items and of participants.

    `influence` holds how much each judgment pulls the estimate, so that their sum is its error;
    `weights` holds how much its score counts and for which system (equally and for one, if not
    given, as in a mean).
    Variance: V(items) + V(participants) − V(item × participant), each the sum of squared cluster
    sums (Cameron, Gelbach & Miller 2011), not below the larger of the first two. These two are
    multiplied by factors for few and unequal clusters (G/(G−1) for G equal ones), and Student's t
    has the degrees of freedom that such clusters leave (`ClusterSums`, Bell & McCaffrey 2002).
    The interval is cut at `bounds`, beyond which no value can lie. `scale` is the largest score
    behind the estimate, which tells an error from rounding; without it, the estimate is taken.
    """
    items, participants = _count_clusters(item), _count_clusters(participant)
    n = len(influence)
    if min(items, participants) < 2:
        return Estimate(value, n, items, participants, reasons=(ONE_CLUSTER,))
    if weights is None:
        weights = JudgmentWeights(np.full(n, 1 / n), np.zeros(n, dtype=np.int64))
    sums = Clusters.of(item, participant).sums(influence, weights)
    return estimate_of_sums(
        Estimate(value, n, items, participants),
        sums,
        scale=scale,
        level=level,
        null=null,
        bounds=bounds,
    )


def estimate_of_sums(
    bare: Estimate,
    sums: ClusterSums,
    *,
    scale: float | None,
    level: float,
    null: float | None = None,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """An estimate with the interval that its cluster sums give, or the reason why it has none."""
    value = bare.value
    if value is None or not sums.is_known:
        return replace(bare, reasons=(Why.ONE_CLUSTER_EACH(),))
    error = math.sqrt(sums.variance)
    if is_negligible(error, value if scale is None else scale):
        return replace(bare, reasons=(Why.NO_CLUSTER_VARIATION(),))
    return replace(
        bare,
        interval=_t_interval(value, error, df=sums.df, level=level, bounds=bounds),
        standard_error=error,
        df=sums.df,
        test=None if null is None else t_test_of(value, error, sums.df, null=null),
        sums=sums,
        reasons=few_people(bare.participants or 0),
    )


def t_test_of(value: float, error: float, df: float, *, null: float = 0.0) -> Test:
    """Student's t test that the value is the null value."""
    distance = value - null
    return Test(t_test_p(distance, error, df), "t", distance / error, (df,), null=null)


def few_people(participants: int) -> tuple[Reason, ...]:
    """A warning where the number of people is what limits a result."""
    return () if participants >= FEW_PARTICIPANTS else (Why.FEW_PEOPLE(n=participants),)


def _count_clusters(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes))) if len(codes) else 0


def _t_interval(
    value: float, error: float, *, df: float, level: float, bounds: tuple[float, float] | None
) -> Interval:
    reach = t_half_width(error, df, level)
    low, high = bounds or (-math.inf, math.inf)
    return Interval(max(value - reach, low), min(value + reach, high), level)


@dataclass(frozen=True, slots=True)
class ClusterPart:
    """What clusters of one kind contribute to the variance of an estimate."""

    squares: float  # the sum of squared cluster sums
    factor: float  # makes up for what residuals lose; G/(G − 1) for G equal clusters
    df: float
    clusters: int
    pairs: int  # the sum of squared numbers of cells

    @property
    def variance(self) -> float:
        """The variance if there were no other kind of clusters."""
        return self.factor * self.squares


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """What the variance of an estimate is made of; a cell is one item judged by one participant."""

    by_item: ClusterPart
    by_participant: ClusterPart
    by_cell: float  # the sum of squared cell sums
    cells: int

    @property
    def is_known(self) -> bool:
        """Whether the variation between clusters of each kind is known."""
        return math.isfinite(self.by_item.factor) and math.isfinite(self.by_participant.factor)

    @property
    def variance(self) -> float:
        """Of the estimate, never below that of one kind of clusters alone."""
        return max(self._together, self.by_item.variance, self.by_participant.variance)

    @property
    def df(self) -> float:
        """Of the variance, by Satterthwaite; where it is one part alone, those of that part.

        With fewer than five items or participants they are one fewer at most: how far so few
        differ is estimated imprecisely, and Satterthwaite's rejected up to 13 % instead of 5 %.
        """
        parts = (self.by_item, self.by_participant)
        fewest = min(part.clusters for part in parts)
        limit = math.inf if fewest >= _FEW else fewest - 1.0
        largest = max(parts, key=lambda part: part.variance)
        if self._together <= largest.variance * (1 + _ROUNDING):  # equal where cells are clusters
            return max(1.0, min(largest.df, limit))
        spread = sum(part.variance**2 / part.df for part in parts)
        return max(1.0, min(self._together**2 / spread, limit))

    @property
    def _together(self) -> float:
        parts = (self.by_item, self.by_participant)
        # Where everybody judged one item, or each item was judged once, cells are those clusters.
        same = [part.factor for part in parts if part.clusters == self.cells]
        return sum(part.variance for part in parts) - (same[0] if same else 1.0) * self.by_cell


@dataclass(frozen=True, slots=True)
class JudgmentWeights:
    """How much each judgment's score counts in an estimate, and for which systems."""

    weight: Numbers
    side: Codes  # the system judged
    against: Codes | None = None  # the system it was compared with, for which it counts negatively


@dataclass(frozen=True, slots=True)
class Clusters:
    """The clusters of judgments. Cells are the smallest; items and participants are
    sums of them."""

    cell: Codes  # of each judgment
    item: Codes  # of each cell
    participant: Codes  # of each cell

    @classmethod
    def of(cls, item: Codes, participant: Codes) -> Clusters:
        """The clusters of judgments of these items by these participants."""
        return cls(*_cells(item, participant))

    def sums(self, influence: Numbers, weights: JudgmentWeights) -> ClusterSums:
        """The parts of the variance of an estimate, which each judgment moves by its influence."""
        return CellSystems.of(self, weights.side, weights.against).sums(influence, weights.weight)


@dataclass(frozen=True, slots=True)
class CellSystems:
    """Which systems the judgments of each cell are of: made once for many estimates.

    An entry is a cell and a system that occurs in it.
    """

    clusters: Clusters
    entries: tuple[tuple[Codes, int], ...]  # of each judgment, with the sign of its weight
    cell: Codes  # of each entry
    system: Codes  # 〃
    width: int  # systems

    @classmethod
    def of(cls, clusters: Clusters, side: Codes, against: Codes | None = None) -> CellSystems:
        """The sides of judgments of one system, or of one against another."""
        sides = (side,) if against is None else (side, against)
        width = 1 + max(int(each.max()) for each in sides)
        keys = np.concatenate([clusters.cell * np.int64(width) + each for each in sides])
        seen, entry = _number_codes(keys, len(clusters.item) * width)
        split = np.split(entry, len(sides))
        signs = (1, -1)[: len(sides)]
        return cls(
            clusters, tuple(zip(split, signs, strict=True)), seen // width, seen % width, width
        )

    def sums(self, influence: Numbers, weight: Numbers) -> ClusterSums:
        """The parts of the variance of an estimate with these weights and influences."""
        clusters = self.clusters
        pull = np.bincount(clusters.cell, influence, len(clusters.item)).astype(np.float64)
        load = np.zeros(len(self.cell))
        for entry, sign in self.entries:
            load += sign * np.bincount(entry, weight, len(load))
        return ClusterSums(
            by_item=_part(clusters.item, pull, self, load),
            by_participant=_part(clusters.participant, pull, self, load),
            by_cell=float(pull @ pull),
            cells=len(clusters.item),
        )


def _part(cluster: Codes, pull: Numbers, sides: CellSystems, load: Numbers) -> ClusterPart:
    """What clusters of one kind contribute.

    Working model: each cluster g has an effect on each system s, of variance a, and each cell one
    of variance b. With w_gs the sum of weights, q_gs = |w_gs| / Σ_g |w_gs| and Q_s = Σ_g q_gs², the
    effects add a · Σ w_gs² to the variance of the estimate, of which the residuals, taken from
    weighted means, show a · Σ w_gs² (1 − 2 q_gs + Q_s). The factor is the ratio of the two. The
    degrees of freedom are (tr B)² / tr B², where B is the covariance of the cluster sums in this
    model, with a and b estimated from the judgments (Bell & McCaffrey 2002; Pustejovsky & Tipton
    2018), and at most one fewer than clusters; two fewer where no cluster has both of two systems.
    """
    sizes = np.bincount(cluster)
    sums = np.bincount(cluster, pull)
    squares, cell_squares = float(sums @ sums), float(pull @ pull)
    owner = cluster[sides.cell]
    table = np.bincount(owner * sides.width + sides.system, load, len(sizes) * sides.width)
    carried = _ClusterWeights(table.reshape(len(sizes), sides.width).astype(np.float64))
    clusters, pairs = int(np.count_nonzero(sizes)), int(sizes @ sizes)
    whole, seen = float(carried.whole.sum()), float((carried.whole - carried.lost).sum())
    if seen <= UNSEEN * whole:
        return ClusterPart(squares, math.inf, 1.0, clusters, pairs)
    noise = np.bincount(owner, load**2, len(sizes)).astype(np.float64)
    effect = max(0.0, squares - cell_squares) / seen
    df = carried.df(effect, noise * (cell_squares / float(noise.sum())))
    return ClusterPart(squares, whole / seen, df, clusters, pairs)


class _ClusterWeights:
    """The weights of clusters for systems, w_gs, with what follows from them."""

    def __init__(self, weight: Numbers) -> None:
        self.weight = weight
        total = np.abs(weight).sum(axis=0)
        self.share = np.abs(weight) / np.where(total > 0, total, 1.0)
        self.crowding = np.einsum("gs,gs->s", self.share, self.share)
        self.whole = np.einsum("gs,gs->g", weight, weight)
        self.lost = np.einsum("gs,gs->g", weight**2, 2 * self.share - self.crowding)

    def df(self, effect: float, noise: Numbers) -> float:
        """(tr B)² / tr B² of

            B = diag(effect · whole + noise) + effect · Σ_s D_s(Q_s 11ᵀ − 1q_sᵀ − q_s1ᵀ)D_s

        with D_s = diag(w_s): a diagonal plus a matrix of low rank, U M Uᵀ with U = [w, q∘w], so
        that its traces need no table of clusters by clusters.
        """
        width = self.weight.shape[1]
        columns = np.hstack([self.weight, self.share * self.weight])
        inner = np.zeros((2 * width, 2 * width))
        inner[:width, :width] = np.diag(effect * self.crowding)
        inner[:width, width:] = inner[width:, :width] = -effect * np.eye(width)
        low = inner @ (columns.T @ columns)
        own, less = effect * self.whole + noise, effect * self.lost
        trace = float((own - less).sum())
        squares = float(own @ own - 2 * own @ less + np.sum(low * low.T))
        most = float(np.count_nonzero(self.weight.any(axis=1)) - self._separate_parts())
        return min(trace**2 / squares, most) if squares > 0 else most

    def _separate_parts(self) -> int:
        """Into how many parts systems fall that share no cluster: each has a mean of its own.

        1 where some participants judged both of two systems, 2 where each judged one.
        """
        is_there = (self.weight != 0).astype(np.int64)
        linked = is_there.T @ is_there > 0
        left = set(np.flatnonzero(linked.diagonal()).tolist())
        parts = 0
        while left:
            found = {left.pop()}
            parts += 1
            while found:
                near = set(np.flatnonzero(linked[found.pop()]).tolist()) & left
                left -= near
                found |= near
        return parts


def _cells(item: Codes, participant: Codes) -> tuple[Codes, Codes, Codes]:
    """The cell of each judgment, and the item and the participant of each cell."""
    width = int(participant.max()) + 1
    key = item.astype(np.int64) * width + participant
    seen, cell = _number_codes(key, int(item.max() + 1) * width)
    return cell, seen // width, seen % width


def _number_codes(key: Codes, highest: int) -> tuple[Codes, Codes]:
    """The keys that occur, in order, and which of them each is."""
    if highest > _SPARSE * len(key) + 1000:
        return np.unique(key, return_inverse=True)
    occurs = np.bincount(key) > 0
    return np.flatnonzero(occurs), np.asarray((np.cumsum(occurs) - 1)[key])
