"""Does a second study say the same as the first? Orders of pairs, and what was significant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError
from rejudge.stats.clusters import Numbers


@dataclass(frozen=True, slots=True)
class Matching:
    """The share of pairs that both studies order alike. Undefined is None; see `note`."""

    value: float | None
    matches: int
    n: int  # pairs
    matched: tuple[bool, ...] = ()  # pair by pair
    note: str = ""


@dataclass(frozen=True, slots=True)
class SignificanceF1:
    """How well a second study finds what the first called significant."""

    value: float | None
    n: int  # comparisons
    both: int  # significant in both studies
    original: int  # in the first
    reproduction: int  # in the second
    precision: float | None = None  # both / reproduction
    recall: float | None = None  # both / original
    note: str = ""


def matching_accuracy(
    original: Numbers,
    reproduction: Numbers,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    tolerance: float = 0.0,
) -> Matching:
    """Share of pairs of scores that are lower, equal or higher in both studies (Ito et al. 2023).

    Scores stand at the same place in both lists. All pairs count unless some are named.
    Differences up to `tolerance` are equal. Scores rounded for print make pairs equal that were
    not; prefer unrounded ones.
    """
    one = np.asarray(original, dtype=np.float64)
    two = np.asarray(reproduction, dtype=np.float64)
    _require_same_length(len(one), len(two))
    chosen = list(combinations(range(len(one)), 2)) if pairs is None else list(pairs)
    if not chosen:
        return Matching(None, 0, 0, note="Undefined: there are no pairs to compare.")
    first, second = np.array(chosen, dtype=np.int64).T
    same = _order(one[first] - one[second], tolerance) == _order(
        two[first] - two[second], tolerance
    )
    matches = int(same.sum())
    return Matching(matches / len(chosen), matches, len(chosen), tuple(same.tolist()))


def significance_f1(
    original: Sequence[bool] | NDArray[np.bool_], reproduction: Sequence[bool] | NDArray[np.bool_]
) -> SignificanceF1:
    """F1 of the significance labels of a second study, those of the first taken as right.

    2·both / (original + reproduction). Where neither study found anything significant there is
    nothing to be found again, and F1 is undefined, not 0.
    """
    one, two = np.asarray(original, dtype=np.bool_), np.asarray(reproduction, dtype=np.bool_)
    _require_same_length(len(one), len(two))
    both, first, second = int((one & two).sum()), int(one.sum()), int(two.sum())
    if not first + second:
        reason = "Undefined: nothing is significant in either study."
        return SignificanceF1(None, len(one), 0, 0, 0, note=reason)
    return SignificanceF1(
        2 * both / (first + second),
        len(one),
        both,
        first,
        second,
        precision=both / second if second else None,
        recall=both / first if first else None,
    )


def _order(difference: Numbers, tolerance: float) -> Numbers:
    return np.where(np.abs(difference) <= tolerance, 0.0, np.sign(difference))


def _require_same_length(one: int, two: int) -> None:
    if one != two:
        raise DataError(
            f"Two studies are compared entry by entry, but one has {one} and the other {two}. "
            "Join them by what was scored first."
        )
