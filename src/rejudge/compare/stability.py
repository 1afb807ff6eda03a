"""How probable it is that a repetition of a run puts the systems in the same order."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from rejudge.compare.aligned import Aligned
from rejudge.compare.comparison import RankStability
from rejudge.compare.differences import Gap, Pair, gaps, ordered
from rejudge.compare.run import RunCriterion
from rejudge.stats import order_stability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

_UNKNOWN = "Undefined: it needs an interval, or the SD and the number of judgments, of each score."

_INDEPENDENT = "Judgments were taken as independent, so the probability is rather too high."


def stability(aligned: Aligned, *, seed: int = 1) -> tuple[RankStability, ...]:
    """Each run's order of systems on each criterion, and how likely it is to come out again.

    Normal errors of the differences: from raw judgments with clusters, from stored intervals, or
    from SDs and numbers of judgments; a repetition misses the truth as the run did
    (`order_stability`).
    """
    return tuple(
        _of_run(aligned, criterion, run.id, seed)
        for criterion in aligned.criteria
        for run in aligned.runs
        if len(aligned.shared(criterion.id, [run.id])) > 1
    )


def _of_run(aligned: Aligned, criterion: RunCriterion, run: str, seed: int) -> RankStability:
    import numpy as np

    order = ordered(aligned, criterion, run)
    pairs = tuple(combinations(order, 2))
    known = gaps(aligned, criterion, run, pairs)
    if len(known) < len(pairs):
        return RankStability(criterion.id, run, order, None, {}, "normal approximation", _UNKNOWN)
    rng = np.random.default_rng([seed, zlib.crc32(f"{run}.{criterion.id}".encode())])
    score, variance = _tables(order, known)
    found = order_stability(score, variance, rng=rng)
    ways = dict.fromkeys(each.how for each in known.values())
    notes = dict.fromkeys(_note(each) for each in known.values() if _note(each))
    return RankStability(
        criterion=criterion.id,
        run=run,
        order=tuple(order[place] for place in found.order),
        probability=found.probability,
        by_pair={
            f"{order[each.first]} > {order[each.second]}": each.probability for each in found.pairs
        },
        method="normal approximation, differences with twice their variance, errors from "
        + "; ".join(ways),
        note=" ".join(notes),
    )


def _note(found: Gap) -> str:
    return _INDEPENDENT if found.basis == "summaries" else found.note


def _tables(order: tuple[str, ...], known: Mapping[Pair, Gap]) -> tuple[Numbers, Numbers]:
    """Scores above that of the last system, and the variance of every difference."""
    import numpy as np

    last = order[-1]
    score = np.array([known[name, last].value if name != last else 0.0 for name in order])
    variance = np.zeros((len(order), len(order)))
    for one, two in combinations(range(len(order)), 2):
        variance[one, two] = variance[two, one] = known[order[one], order[two]].variance
    return score, variance
