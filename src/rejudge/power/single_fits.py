"""Planned tests without a closed form, computed study by study from tables of simulated answers.

Each is the function that the analysis uses, on the same judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rejudge import stats
from rejudge.power.choices import ranking_scores
from rejudge.power.moments import pairs_of
from rejudge.power.ordinal_fits import binary_tests, ordinal_tests
from rejudge.power.pair_tests import PairTests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.power.answers import Table
    from rejudge.power.studies import StudyShape

ScoreFit: TypeAlias = "Callable[[Table, StudyShape, str], PairTests]"
ChoiceFit: TypeAlias = "Callable[[Table, StudyShape], PairTests]"


def wilcoxon(table: Table, shape: StudyShape, unit: str) -> PairTests:
    """Wilcoxon's signed ranks of the mean scores of units."""
    return _rank_tests(stats.wilcoxon, _unit_scores(table, shape, unit), shape.systems)


def mann_whitney(table: Table, shape: StudyShape, unit: str) -> PairTests:
    """Mann and Whitney's rank sums of the mean scores of units."""
    return _rank_tests(stats.mann_whitney, _unit_scores(table, shape, unit), shape.systems)


def _unit_scores(table: Table, shape: StudyShape, unit: str) -> Table:
    """The mean score of each unit: studies × systems × units."""
    if unit == "item":
        return np.asarray(table.mean(axis=2))
    if unit != "participant":
        return np.asarray(table.reshape(*table.shape[:2], -1))
    starts = np.concatenate([[0], np.cumsum(shape.block_sizes)[:-1]])
    sums = np.add.reduceat(table, starts, axis=3)
    return np.asarray((sums / np.asarray(shape.block_sizes)).reshape(*table.shape[:2], -1))


def _rank_tests(test: Callable[..., stats.Contrast], scores: Table, systems: int) -> PairTests:
    pairs = list(zip(*pairs_of(systems), strict=True))
    found = [
        [test(study[one], study[other]) for one, other in pairs]
        for study in scores.astype(np.float64)
    ]
    return _without_errors(*(_numbers(found, name) for name in ("value", "p")))


def sign_flip(table: Table, _: StudyShape) -> PairTests:
    """The exact permutation test of each item's wins minus losses."""
    totals = table.sum(axis=2).astype(np.float64)
    item = np.arange(totals.shape[2])
    p = [[stats.sign_flip((pair + 1) / 2, item).p for pair in study] for study in totals]
    value = 50 * table.mean(axis=(2, 3), dtype=np.float64)
    return _without_errors(value, np.array(p, dtype=np.float64))


def bradley_terry(table: Table, shape: StudyShape) -> PairTests:
    """Bradley–Terry strengths, with errors of two-way clusters."""
    first, second = pairs_of(shape.systems)
    pair, place, item = _axes(len(first), shape)
    person = _people(place, item, shape)
    return _strengths(
        (
            stats.bradley_terry(
                stats.Comparisons(
                    first[pair], second[pair], (study.ravel() + 1) / 2, item, person, shape.systems
                )
            )
            for study in table.astype(np.float64)
        ),
        len(first),
    )


def plackett_luce(table: Table, shape: StudyShape) -> PairTests:
    """Plackett–Luce worths of whole rankings, with errors of two-way clusters."""
    system, place, item = _axes(shape.systems, shape)
    person, judgment = _people(place, item, shape), place * shape.items + item
    order = np.lexsort((system, judgment))
    return _strengths(
        (
            stats.plackett_luce(
                stats.JudgedSets(
                    judgment[order], system[order], score.ravel()[order].astype(np.float64),
                    item[order], person[order], shape.systems,
                )
            )
            for score in ranking_scores(table, shape.systems)
        ),
        len(pairs_of(shape.systems)[0]),
    )  # fmt: skip


def _axes(columns: int, shape: StudyShape) -> tuple[NDArray[np.int64], ...]:
    sizes = (columns, shape.participants_per_item, shape.items)
    return tuple(each.ravel() for each in np.meshgrid(*map(np.arange, sizes), indexing="ij"))


def _people(
    place: NDArray[np.int64], item: NDArray[np.int64], shape: StudyShape
) -> NDArray[np.int64]:
    block = np.repeat(np.arange(shape.blocks), shape.block_sizes)
    return np.asarray(block[item] * shape.participants_per_item + place)


def _strengths(fits: Iterable[stats.BradleyTerry | stats.PlackettLuce], pairs: int) -> PairTests:
    found: list[list[Any]] = [list(fit.differences) or [None] * pairs for fit in fits]
    names = ("value", "standard_error", "df", "p")
    return PairTests(*(_numbers(found, name) for name in names))


def _numbers(found: list[list[Any]], name: str) -> NDArray[np.float64]:
    """One number of each result; None becomes NaN."""
    rows = [[None if each is None else getattr(each, name) for each in row] for row in found]
    return np.array(rows, dtype=np.float64)


def _without_errors(value: NDArray[np.float64], p: NDArray[np.float64]) -> PairTests:
    none = np.full(value.shape, np.nan)
    return PairTests(value, none, none, p)


SCORE_FITS: dict[str, ScoreFit] = {
    "wilcoxon": wilcoxon,
    "mann-whitney": mann_whitney,
    "ordinal-mixed-model": lambda table, shape, _: ordinal_tests(table, shape),
    "binary-mixed-model": lambda table, shape, _: binary_tests(table, shape),
}
CHOICE_FITS: dict[str, ChoiceFit] = {
    "sign-flip": sign_flip,
    "bradley-terry": bradley_terry,
    "plackett-luce": plackett_luce,
}
