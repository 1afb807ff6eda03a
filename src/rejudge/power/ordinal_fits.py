"""Fit cumulative link mixed models to many balanced tables at once.

The estimates, errors and degrees of freedom are those that `rejudge analyse` computes from the same
scores, one table after the other. All studies take a quasi-Newton step together; those that have
arrived drop out. The first few studies are searched from a plain start, the others from where these
ended. What does not arrive at a clear maximum, such as a table in which a system has one point
only, is left to `stats.ordinal_mixed`, which decides whether there is an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from rejudge import stats
from rejudge.analysis.formula import with_crossings
from rejudge.power.moments import pairs_of
from rejudge.power.ordinal_likelihood import OrdinalPlaces, OrdinalTables, evaluate
from rejudge.power.pair_tests import PairTests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.power.answers import Table
    from rejudge.power.ordinal_likelihood import TableOffsets
    from rejudge.power.studies import StudyShape

    Floats = NDArray[np.float64]

_VARIANCES: Final = 4
_SCOUTS: Final = 24  # studies that show the others where to start
_WORTH_BATCHING: Final = 12  # studies; fewer are quicker one by one
_USUAL: Final = 0.7  # deviation of a plain start
_SMALLEST: Final = 1e-3  # a deviation below this counts as 0
_INSIDE: Final = (0.3, 0.1, 0.03, 0.01)  # where a deviation of 0 is tried again
_NEAR: Final = 1e-9  # gain that a step promises
_FAR: Final = 12.0  # log odds beyond which the estimate may run away
_STEPS: Final = 60
_SHORTENINGS: Final = 12
_LONGEST: Final = 2.0
_LEAST_BEND: Final = 1e-3  # of the strongest, where a direction leads down
_MEASUREMENTS: Final = 4
_MOVED: Final = 1e-3  # after which the curvature is measured again
_BESIDE: Final = 5e-5
_FLAT: Final = 1e-3
_LEAST: Final = 2
_MOST_POINTS: Final = 50


def ordinal_tests(table: Table, shape: StudyShape, *, most_points: int = _MOST_POINTS) -> PairTests:
    """The difference of each pair of systems in log odds, in each study of a table of scores.

    t with one degree of freedom less than there are participants (or items, if they are fewer), and
    errors multiplied by √(G/(G−1)), as in the analysis. Undefined where more points were given than
    the model is for.
    """
    studies, systems = table.shape[:2]
    first, _ = pairs_of(systems)
    clusters = min(shape.items, shape.judging)
    value, error = (np.full((studies, len(first)), np.nan) for _ in range(2))
    if clusters >= _LEAST:
        for rows, tables in _by_points(table, shape):
            if tables.points <= most_points:
                value[rows], error[rows] = _fit(tables, table[rows], shape)
    wider = np.sqrt(clusters / max(1, clusters - 1))
    df = np.where(np.isnan(value), np.nan, clusters - 1.0)
    return PairTests(value, wider * error, df)


def binary_tests(table: Table, shape: StudyShape) -> PairTests:
    """The same for two points; undefined where there are more."""
    return ordinal_tests(table, shape, most_points=_LEAST)


def _by_points(
    table: Table, shape: StudyShape
) -> Iterator[tuple[NDArray[np.int64], OrdinalTables]]:
    """Studies by how many points were given in them, numbered from 0; none that have one only."""
    flat = table.reshape(len(table), -1)
    seen = np.unique(flat)
    is_given = np.stack([(flat == point).any(axis=1) for point in seen], axis=1)
    number = is_given.cumsum(axis=1) - 1
    code = np.searchsorted(seen, flat)
    counts = is_given.sum(axis=1)
    for points in np.unique(counts[counts >= _LEAST]).tolist():
        rows = np.flatnonzero(counts == points)
        own = np.take_along_axis(number[rows], code[rows], axis=1)
        yield rows, OrdinalTables.of(own.reshape(-1, *table.shape[1:]), shape, points)


def _fit(tables: OrdinalTables, scores: Table, shape: StudyShape) -> tuple[Floats, Floats]:
    """Differences of pairs and their errors."""
    if len(tables) < _WORTH_BATCHING:
        alone = [_fit_alone(each, shape) for each in scores]
        return np.array([value for value, _ in alone]), np.array([error for _, error in alone])
    free = _shown(shape)
    start = _Start.plain(tables, free)
    search = _TableSearch.begin(tables.some(np.arange(min(_SCOUTS, len(tables)))), start, free)
    search.run()
    if len(tables) > _SCOUTS:
        rest = tables.some(np.arange(_SCOUTS, len(tables)))
        later = _TableSearch.begin(rest, search.lesson(start), free)
        later.run()
        found = [np.concatenate(both) for both in zip(search.pairs(), later.pairs(), strict=True)]
    else:
        found = list(search.pairs())
    value, error = found
    for row in np.flatnonzero(np.isnan(value).any(axis=1)):
        value[row], error[row] = _fit_alone(scores[row], shape)
    return value, error


def _shown(shape: StudyShape) -> NDArray[np.bool_]:
    """Which variances a table of this shape can show, in the order of `GROUPINGS`."""
    _, groups = _groups(shape)
    return np.array([name in groups for name in _NAMES])


_NAMES = ("item", "system × item", "participant", "system × participant")


def _groups(shape: StudyShape) -> tuple[NDArray[np.int64], dict[str, NDArray[np.integer]]]:
    """Systems and what judgments share, as in the analysis, in the order of a table of scores."""
    s, k, items = shape.systems, shape.participants_per_item, shape.items
    system, place, item = (
        each.ravel() for each in np.meshgrid(*map(np.arange, (s, k, items)), indexing="ij")
    )
    block = np.repeat(np.arange(shape.blocks), shape.block_sizes)
    person = block[item] * k + place
    return system, with_crossings(system, {"participant": person, "item": item})


def _fit_alone(scores: Table, shape: StudyShape) -> tuple[Floats, Floats]:
    """Differences of one study; NaN where a system has the highest or the lowest point only, or
    where there is no maximum for another reason."""
    by_system = scores.reshape(len(scores), -1)
    if (by_system.min(axis=1) == scores.max()).any() or (
        by_system.max(axis=1) == scores.min()
    ).any():
        return (np.full(len(pairs_of(shape.systems)[0]), np.nan),) * 2
    system, groups = _groups(shape)
    fit = stats.ordinal_mixed(scores.ravel().astype(np.float64), {"system": system}, groups)
    found = stats.level_contrasts(fit, "system", adjust="none")
    pairs = len(pairs_of(shape.systems)[0])
    if len(found) != pairs or any(each.value is None for each in found):
        return np.full(pairs, np.nan), np.full(pairs, np.nan)
    numbers = [(each.value or 0.0, each.standard_error or np.nan) for each in found]
    value, error = np.array(numbers, dtype=np.float64).T
    return value, error


# ── the search ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a search begins: first threshold, log gaps, effects, deviations; and how it curves."""

    place: Floats
    bend: Floats | None = None  # of −log L, the same for all studies; None: to be measured

    @classmethod
    def plain(cls, tables: OrdinalTables, free: NDArray[np.bool_]) -> _Start:
        deviations = np.where(free, _USUAL, 0.0)
        wider = float(np.sqrt(1 + deviations @ deviations / (np.pi**2 / 3)))
        effects = np.zeros((len(tables), tables.systems - 1))
        thresholds = _share_thresholds(tables, wider)
        return cls(
            np.concatenate([thresholds, effects, np.tile(deviations, (len(tables), 1))], axis=1)
        )


def _share_thresholds(tables: OrdinalTables, wider: float) -> Floats:
    """The first threshold and the logarithms of the gaps, from the shares of the points."""
    there = np.broadcast_to(tables.is_there[None, :, None, None, :], tables.point.shape)
    counts = np.stack(
        [
            ((tables.point == point) & there).sum(axis=(1, 2, 3, 4))
            for point in range(tables.points)
        ],
        axis=1,
    )
    below = counts.cumsum(axis=1)
    odds = wider * np.log(below[:, :-1] / (below[:, -1:] - below[:, :-1]))
    return np.concatenate([odds[:, :1], np.log(np.diff(odds, axis=1))], axis=1)


@dataclass(slots=True)
class _TableSearch:
    """The places of all studies on their way to the maximum."""

    tables: OrdinalTables
    place: Floats
    bend: Floats  # what is known of the curvature
    measured: Floats  # the curvature itself, where the search has arrived
    value: Floats  # −log L
    slope: Floats
    rises: Floats  # by variance
    offsets: TableOffsets
    shown: NDArray[np.bool_]
    is_lost: NDArray[np.bool_]

    @classmethod
    def begin(cls, tables: OrdinalTables, start: _Start, shown: NDArray[np.bool_]) -> _TableSearch:
        place = start.place[: len(tables)] if start.bend is None else start.place[-len(tables) :]
        seen = _EvaluatedTables.at(tables, place, None)
        n, width = place.shape
        search = cls(
            tables, place.copy(), np.zeros((n, width, width)), np.zeros((n, width, width)),
            seen.value, seen.slope, seen.rises, seen.offsets, shown, np.zeros(n, dtype=bool),
        )  # fmt: skip
        every = np.arange(n)
        known = start.bend
        search.bend = (
            _upward(search.curvature(every)) if known is None else np.tile(known, (n, 1, 1))
        )
        return search

    def run(self) -> None:
        """Step until no step promises a gain, then measure the curvature and take a last step."""
        self._descend()
        for _ in range(_VARIANCES):
            self._leave_zero()
        open_ = np.flatnonzero(~self.is_lost)
        for _ in range(_MEASUREMENTS):
            before = self.place.copy()
            self.measured[open_] = self.curvature(open_)
            self.bend[open_] = _upward(self.measured[open_])
            self._descend(open_)
            is_moved = np.abs(self.place - before).max(axis=1) > _MOVED
            open_ = np.flatnonzero(is_moved & ~self.is_lost)
            if not len(open_):
                break
        self.is_lost[open_] = True
        self.is_lost |= ~self._is_upward() | (np.abs(self.slope * self._free()).max(axis=1) > _FLAT)

    def _descend(self, rows: NDArray[np.int64] | None = None) -> None:
        open_ = np.flatnonzero(~self.is_lost) if rows is None else rows
        for _ in range(_STEPS):
            step, gain = self._steps(open_)
            is_going = gain > _NEAR
            open_, step = open_[is_going], step[is_going]
            if not len(open_):
                return
            open_ = open_[self._move(open_, step)]
            self.is_lost |= np.abs(self.place).max(axis=1) > _FAR
            open_ = open_[~self.is_lost[open_]]
        self.is_lost[open_] = True

    def _free(self) -> NDArray[np.bool_]:
        free = np.ones(self.place.shape, dtype=bool)
        free[:, -_VARIANCES:] = self.place[:, -_VARIANCES:] > 0
        return free

    def _steps(self, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        free = self._free()[rows]
        bend = _reduced(self.bend[rows], free)
        slope = np.where(free, self.slope[rows], 0.0)
        step = -np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        gain = -(slope * step).sum(axis=1) / 2
        longest = np.abs(step).max(axis=1, keepdims=True)
        return step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300)), gain

    def _move(self, rows: NDArray[np.int64], step: Floats) -> NDArray[np.bool_]:
        """Take each step, or as much of it as leads down; false where none does."""
        share = np.ones(len(rows))
        waiting = np.arange(len(rows))
        is_moved = np.zeros(len(rows), dtype=bool)
        for _ in range(_SHORTENINGS):
            at = rows[waiting]
            place = self.place[at] + share[waiting, None] * step[waiting]
            deviations = place[:, -_VARIANCES:]
            place[:, -_VARIANCES:] = np.where(deviations < _SMALLEST, 0.0, deviations)
            seen = _EvaluatedTables.at(self.tables.some(at), place, self.offsets.some(at))
            promised = (self.slope[at] * (place - self.place[at])).sum(axis=1)
            is_lower = seen.value <= self.value[at] + 1e-4 * np.minimum(promised, 0.0) + 1e-10
            self._accept(at[is_lower], place[is_lower], seen.some(np.flatnonzero(is_lower)))
            is_moved[waiting[is_lower]] = True
            waiting = waiting[~is_lower]
            if not len(waiting):
                break
            share[waiting] /= 3
        return is_moved

    def _accept(self, rows: NDArray[np.int64], place: Floats, seen: _EvaluatedTables) -> None:
        step, change = place - self.place[rows], seen.slope - self.slope[rows]
        self.bend[rows] = _bfgs(self.bend[rows], step, change)
        self.place[rows], self.value[rows], self.slope[rows] = place, seen.value, seen.slope
        self.rises[rows] = seen.rises
        self.offsets.put(rows, seen.offsets)

    def _leave_zero(self) -> None:
        """A deviation of 0 whose likelihood rises is tried inside, and kept if it is better."""
        zero = (self.place[:, -_VARIANCES:] == 0) & self.shown & (self.rises > 0)
        first = np.where(zero.any(axis=1), zero.argmax(axis=1), -1)
        waiting = np.flatnonzero((first >= 0) & ~self.is_lost)
        moved = [np.zeros(0, dtype=np.int64)]
        for inside in _INSIDE:
            if not len(waiting):
                break
            place = self.place[waiting].copy()
            place[np.arange(len(waiting)), first[waiting] - _VARIANCES] = inside
            seen = _EvaluatedTables.at(self.tables.some(waiting), place, self.offsets.some(waiting))
            is_lower = seen.value < self.value[waiting]
            self._accept(waiting[is_lower], place[is_lower], seen.some(np.flatnonzero(is_lower)))
            moved.append(waiting[is_lower])
            waiting = waiting[~is_lower]
        rows = np.concatenate(moved)
        if len(rows):
            self.bend[rows] = _upward(self.curvature(rows))
            self._descend(rows)

    def curvature(self, rows: NDArray[np.int64]) -> Floats:
        """How −log L curves, from its slope a little beside."""
        width = self.place.shape[1]
        found = np.zeros((len(rows), width, width))
        tables, offsets = self.tables.some(rows), self.offsets.some(rows)
        free = self._free()[rows]
        for k in np.flatnonzero(free.any(axis=0)):
            place = self.place[rows].copy()
            place[:, k] += np.where(free[:, k], _BESIDE, 0.0)
            found[:, k] = (
                _EvaluatedTables.at(tables, place, offsets).slope - self.slope[rows]
            ) / _BESIDE
        return (found + found.swapaxes(1, 2)) / 2

    def _is_upward(self) -> NDArray[np.bool_]:
        least = np.linalg.eigvalsh(_reduced(self.measured, self._free()))[:, 0]
        return np.asarray(least > 0)

    def lesson(self, start: _Start) -> _Start:
        """The plain start with the effects, deviations and curvature that were found."""
        good = np.flatnonzero(~self.is_lost & (self.place[:, -_VARIANCES:] > 0).any(axis=1))
        if not len(good):
            return replace(start, bend=None)
        place = start.place.copy()
        cut = self.tables.points - 1
        effects = self.place[good][:, cut:].mean(axis=0)
        place[:, cut:] = effects
        place[:, -_VARIANCES:] = np.where(self.shown, np.maximum(effects[-_VARIANCES:], 0.1), 0.0)
        usual = [_reduced(self.measured[[row]], self._free()[[row]])[0] for row in good]
        return _Start(place, np.mean(usual, axis=0))

    def pairs(self) -> tuple[Floats, Floats]:
        """Differences of each pair of systems, and their errors; NaN where there is no maximum."""
        cut, systems = self.tables.points - 1, self.tables.systems
        free = self._free()
        reduced = np.where(
            self.is_lost[:, None, None], np.eye(free.shape[1]), _reduced(self.measured, free)
        )
        covariance = np.linalg.inv(reduced)[:, cut : cut + systems - 1, cut : cut + systems - 1]
        effects = self.place[:, cut : cut + systems - 1]
        rows = np.concatenate([np.zeros((1, systems - 1)), np.eye(systems - 1)])
        first, second = pairs_of(systems)
        contrasts = rows[first] - rows[second]
        value = effects @ contrasts.T
        variance = np.einsum("pa,nab,pb->np", contrasts, covariance, contrasts)
        is_lost = self.is_lost[:, None] | (variance <= 0)
        error = np.sqrt(np.maximum(variance, 0.0))
        return np.where(is_lost, np.nan, value), np.where(is_lost, np.nan, error)


@dataclass(frozen=True, slots=True)
class _EvaluatedTables:
    """−log L at one place of each study."""

    value: Floats
    slope: Floats
    rises: Floats
    offsets: TableOffsets

    @classmethod
    def at(
        cls, tables: OrdinalTables, place: Floats, start: TableOffsets | None
    ) -> _EvaluatedTables:
        cut, systems = tables.points - 1, tables.systems
        gaps = np.exp(place[:, 1:cut])
        steps = np.concatenate([np.zeros((len(place), 1)), gaps.cumsum(axis=1)], axis=1)
        deviations = place[:, -_VARIANCES:]
        given = OrdinalPlaces(
            place[:, :1] + steps, place[:, cut : cut + systems - 1], deviations**2
        )
        found = evaluate(tables, given, start)
        later = found.thresholds[:, ::-1].cumsum(axis=1)[:, ::-1]
        slope = np.concatenate(
            [later[:, :1], later[:, 1:] * gaps, found.effects, 2 * deviations * found.variances],
            axis=1,
        )
        return cls(-found.value, -slope, found.variances, found.offsets)

    def some(self, rows: NDArray[np.integer]) -> _EvaluatedTables:
        return _EvaluatedTables(
            self.value[rows], self.slope[rows], self.rises[rows], self.offsets.some(rows)
        )


def _reduced(bend: Floats, free: NDArray[np.bool_]) -> Floats:
    """Curvature of what is free; the identity for the rest."""
    kept = np.where(free[:, :, None] & free[:, None, :], bend, 0.0)
    each = np.arange(bend.shape[1])
    kept[:, each, each] = np.where(free, bend[:, each, each], 1.0)
    return kept


def _upward(bend: Floats) -> Floats:
    """The same curvature with every direction leading up, so that a step leads down."""
    values, vectors = np.linalg.eigh(bend)
    least = np.maximum(_LEAST_BEND * np.abs(values).max(axis=1, keepdims=True), 1e-8)
    up = np.maximum(np.abs(values), least)
    return np.asarray(np.einsum("nab,nb,ncb->nac", vectors, up, vectors))


def _bfgs(bend: Floats, step: Floats, change: Floats) -> Floats:
    """BFGS with Powell's damping: the curvature stays positive."""
    pushed = np.einsum("nab,nb->na", bend, step)
    whole, along = (step * pushed).sum(axis=1), (step * change).sum(axis=1)
    is_damped = along < 0.2 * whole
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(is_damped, 0.8 * whole / (whole - along), 1.0)[:, None]
        change = share * change + (1 - share) * pushed
        along = (step * change).sum(axis=1)
        grown = change[:, :, None] * change[:, None, :] / along[:, None, None]
        lost = pushed[:, :, None] * pushed[:, None, :] / whole[:, None, None]
    is_useful = (whole > 0)[:, None, None]
    return np.asarray(np.where(is_useful, bend + grown - lost, bend))
