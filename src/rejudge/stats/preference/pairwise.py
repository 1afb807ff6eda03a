"""Pairwise comparisons: win rates with intervals, and a sign-flip test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem, require_known
from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.clusters import JudgmentWeights, clustered_estimate, t_test_of
from rejudge.stats.estimate import Alternative, Contrast, Estimate, Interval, Test
from rejudge.stats.item_weights import ItemWeights, weighted_mean
from rejudge.stats.means import NO_JUDGMENTS, NOT_JUDGED
from rejudge.stats.reasons import Why

_PERCENT = (0.0, 100.0)
_LARGEST = 100.0  # percentage or best–worst score of one comparison
_EXACT_REACH = 10_000  # up to this sum of item totals all sign flips are counted, not drawn
_DRAWS = 9_999


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Judgments between two systems, by column; `preference` is 1 for the first, ½ for a tie, 0
    for the second, or a share between 0 and 1."""

    first: Codes
    second: Codes
    preference: Numbers
    item: Codes
    participant: Codes
    systems: int
    answer: Codes | None = None  # which comparisons one answer decided, such as a ranking
    weights: ItemWeights | None = None  # where items were not equally likely to be selected

    def __post_init__(self) -> None:
        preference = np.asarray(self.preference)
        outside = preference[~((preference >= 0) & (preference <= 1))]
        if len(outside):
            raise DataError(
                Problem(
                    f"a preference of {outside[0]:g} is not between 0 and 1: 1 is for the first "
                    "system, 0.5 for a tie, and 0 for the second.",
                    "Recode the values; −1, 0 and 1 become (value + 1) / 2.",
                )
            )

    def of(self, first: int, second: int) -> Comparisons:
        """The comparisons of two systems, turned so that `first` comes first."""
        as_is = (self.first == first) & (self.second == second)
        turned = (self.first == second) & (self.second == first)
        rows = as_is | turned
        shape = int(rows.sum())
        return Comparisons(
            np.full(shape, first),
            np.full(shape, second),
            np.where(turned[rows], 1 - self.preference[rows], self.preference[rows]),
            self.item[rows],
            self.participant[rows],
            self.systems,
            None if self.answer is None else self.answer[rows],
            None if self.weights is None else self.weights.take(rows),
        )

    def shares(self, system: int) -> Numbers:
        """How much each comparison counts for a system: together, those of one answer count 1."""
        shown = (self.first == system) | (self.second == system)
        if self.answer is None:
            return np.asarray(shown, dtype=np.float64)
        code = np.unique(self.answer, return_inverse=True)[1]
        times = np.bincount(code, shown)[code]
        return np.asarray(np.divide(shown, times, out=np.zeros(len(shown)), where=shown))


@dataclass(frozen=True, slots=True)
class Standing(Estimate):
    """One system's win percentage, (wins + ½ ties) / n, against all that it was compared with."""

    system: int = 0
    wins: int = 0
    losses: int = 0
    ties: int = 0
    score: float | None = None  # −100 to 100: (wins − losses) / n, whatever answers they come from


@dataclass(frozen=True, slots=True)
class PairRate(Contrast):
    """How often the first of two systems was preferred, in percent; its test is against 50."""

    wins: int = 0
    losses: int = 0
    ties: int = 0


@dataclass(frozen=True, slots=True)
class WinMatrix:
    """Who beat whom how often: rows won over columns. Ties are in both cells of a pair."""

    wins: NDArray[np.int64]
    ties: NDArray[np.int64]

    @property
    def n(self) -> NDArray[np.int64]:
        """How often each pair was compared."""
        return self.wins + self.wins.T + self.ties

    @property
    def win_percent(self) -> tuple[tuple[float | None, ...], ...]:
        """(wins + ½ ties) / n in percent, row against column; None where a pair never met."""
        counts = zip(self.wins.tolist(), self.ties.tolist(), self.n.tolist(), strict=True)
        return tuple(
            tuple(
                100 * (won + tied / 2) / n if n else None for won, tied, n in zip(*row, strict=True)
            )
            for row in counts
        )


def win_table(comparisons: Comparisons, *, level: float = 0.95) -> tuple[Standing, ...]:
    """Wins, losses, ties, best–worst score and win percentage of each system."""
    return tuple(
        _standing(comparisons, system, level=level) for system in range(comparisons.systems)
    )


def relative_preference(comparisons: Comparisons, *, level: float = 0.95) -> tuple[Estimate, ...]:
    """The best–worst score of each system with its interval, −100 to 100; p is against 0.

    100 · (wins − losses) / n, which is twice the win percentage minus 100. Where one answer decided
    several comparisons, it counts once, with the mean of them: the usual (times best − times worst)
    / times shown. n is then the number of answers.
    """
    if comparisons.answer is None:
        return tuple(preference_of(rate) for rate in win_table(comparisons, level=level))
    return tuple(_score(comparisons, system, level=level) for system in range(comparisons.systems))


def score_difference(
    comparisons: Comparisons, pair: tuple[int, int], *, level: float = 0.95
) -> Estimate:
    """The best–worst score of the first system minus that of the second, −200 to 200; p against 0.

    Over all that each of the two was compared with. A comparison of the two pulls both scores, in
    opposite directions, and the clusters run across both, so what they share counts rightly.
    Comparisons that one answer decided count once together, as in `relative_preference`.
    """
    total = 0.0
    influence, weight = np.zeros(len(comparisons.preference)), np.zeros(len(comparisons.preference))
    outcome = 100 * (2 * comparisons.preference - 1)
    for system, sign in zip(pair, (1.0, -1.0), strict=True):
        turn = comparisons.shares(system) * np.where(comparisons.first == system, 1.0, -1.0)
        n = float(np.abs(turn).sum())
        if not n:
            return Estimate(None, 0, 0, 0, reasons=(NOT_JUDGED,))
        score = float(outcome @ turn) / n
        total += sign * score
        influence += sign * (turn * outcome - score * np.abs(turn)) / n
        weight += sign * turn / n
    used = np.isin(comparisons.first, pair) | np.isin(comparisons.second, pair)
    return clustered_estimate(
        total,
        influence[used],
        item=comparisons.item[used],
        participant=comparisons.participant[used],
        weights=JudgmentWeights(weight[used], comparisons.first[used], comparisons.second[used]),
        scale=_LARGEST,
        level=level,
        null=0.0,
    )


def win_matrix(comparisons: Comparisons) -> WinMatrix:
    """Wins and ties of every system against every other."""
    size = comparisons.systems
    first, second = comparisons.first.astype(np.int64), comparisons.second.astype(np.int64)
    pair = first * size + second
    outcomes = np.bincount(
        3 * pair + (2 * comparisons.preference).astype(np.int64), minlength=3 * size * size
    )
    lost, tied, won = outcomes.reshape(size, size, 3).transpose(2, 0, 1)
    return WinMatrix(won + lost.T, tied + tied.T)


def pair_rates(comparisons: Comparisons, *, level: float = 0.95) -> tuple[PairRate, ...]:
    """The win percentage in each pair that was compared."""
    pairs = combinations(range(comparisons.systems), 2)
    met = ((pair, comparisons.of(*pair)) for pair in pairs)
    return tuple(
        PairRate.of(
            _percent(rows, level=level, null=50.0),
            first=pair[0],
            second=pair[1],
            **_counts(rows.preference),
        )
        for pair, rows in met
        if len(rows.preference)
    )


def scores_by_block(comparisons: Comparisons, block: Codes | None = None) -> Numbers:
    """Wins minus losses of each system (columns) in each block that has all of them (rows).

    Blocks are items unless others are given. The scores of a row sum to 0, so tests of systems must
    be made within blocks (`friedman`, `repeated_measures`, `hotelling`).
    """
    names, row = np.unique(comparisons.item if block is None else block, return_inverse=True)
    shape = (len(names), comparisons.systems)
    score = 2 * comparisons.preference - 1
    sums, counts = np.zeros(shape), np.zeros(shape)
    for system, gained in ((comparisons.first, score), (comparisons.second, -score)):
        cell = row * comparisons.systems + system
        sums += np.bincount(cell, gained, sums.size).reshape(shape)
        counts += np.bincount(cell, minlength=sums.size).reshape(shape)
    return np.asarray(sums[(counts > 0).all(axis=1)])


def sign_flip(
    preference: Numbers,
    item: Codes,
    *,
    rng: np.random.Generator | None = None,
    alternative: Alternative = "two-sided",
) -> Test:
    """Whether the first system's advantage could be due to chance, without a model.

    Were the systems equal, each item could as well point the other way. The test generalises to
    new items, judged by these participants; `n` counts the items that are not tied.

    Each item's total (wins minus losses) keeps its size and gets either sign. All sign patterns
    are counted exactly; beyond 10,000 in sum they are drawn with `rng`, and the observed pattern
    counts as one of the draws, so that p is never 0 (Phipson & Smyth 2010).
    """
    require_known(alternative, get_args(Alternative), option="alternative")
    totals = np.bincount(item, weights=2 * preference - 1) if len(item) else np.zeros(0)
    sizes, counts = np.unique(np.abs(totals[totals != 0]).astype(np.int64), return_counts=True)
    items = int(counts.sum())
    if not items:
        return Test(1.0, n=0, is_exact=True, reasons=(Why.ALL_TIED(what="item"),))
    # Signs are tossed evenly, so that a total is as likely to lie below 0 as above.
    observed = int(totals.sum()) * (-1 if alternative == "less" else 1)
    is_two_sided = alternative == "two-sided"
    if int(sizes @ counts) <= _EXACT_REACH:
        sums, chances = _sign_flip_distribution(sizes, counts)
        as_far = np.abs(sums) >= abs(observed) if is_two_sided else sums >= observed
        p = min(1.0, float(chances[as_far].sum()))
        return Test(p, n=items, alternative=alternative, is_exact=True)
    if rng is None:
        reason = Why.NO_BOUND("p", cause="so many items cannot be counted without `rng`")
        return Test(None, n=items, alternative=alternative, reasons=(reason,))
    drawn = (2 * rng.binomial(counts, 0.5, size=(_DRAWS, len(counts))) - counts) @ sizes
    as_far = np.abs(drawn) >= abs(observed) if is_two_sided else drawn >= observed
    p = (int(np.count_nonzero(as_far)) + 1) / (_DRAWS + 1)
    return Test(p, n=items, alternative=alternative)


def share_of_first(
    shown_first: Numbers, *, item: Codes, participant: Codes, level: float = 0.95
) -> Estimate:
    """How often the option shown first was chosen, in percent, a tie as half; 50 means no bias."""
    return _rate(shown_first, item=item, participant=participant, level=level, null=50.0)


def _sign_flip_distribution(sizes: Codes, counts: Codes) -> tuple[Codes, Numbers]:
    """The sums that sign patterns can have, and how likely each is."""
    chances = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        steps = np.zeros(2 * size * count + 1)
        steps[:: 2 * size] = _coin_tosses(count)
        chances = np.convolve(chances, steps)
    return np.arange(len(chances)) - len(chances) // 2, chances


def _coin_tosses(count: int) -> Numbers:
    """How likely 0, 1, … `count` heads are."""
    from scipy.special import gammaln

    heads = np.arange(count + 1)
    logs = gammaln(count + 1) - gammaln(heads + 1) - gammaln(count - heads + 1)
    return np.asarray(np.exp(logs - count * np.log(2)), dtype=np.float64)


def _standing(comparisons: Comparisons, system: int, *, level: float) -> Standing:
    is_first = comparisons.first == system
    rows = is_first | (comparisons.second == system)
    preference = np.where(is_first, comparisons.preference, 1 - comparisons.preference)[rows]
    counts = _counts(preference)
    n = len(preference)
    rate = _rate(
        preference,
        item=comparisons.item[rows],
        participant=comparisons.participant[rows],
        level=level,
        weights=None if comparisons.weights is None else comparisons.weights.take(rows),
    )
    score = 100 * (counts["wins"] - counts["losses"]) / n if n else None
    return Standing.of(rate, system=system, score=score, **counts)


def _score(comparisons: Comparisons, system: int, *, level: float) -> Estimate:
    """The mean over answers of what each says of a system, from −100 to 100."""
    share = comparisons.shares(system)
    rows = share > 0
    n = round(float(share.sum()))
    if not n:
        return Estimate(None, 0, 0, 0, reasons=(NO_JUDGMENTS,))
    turn = np.where(comparisons.first == system, 1.0, -1.0)[rows]
    outcome = 100 * (2 * comparisons.preference[rows] - 1) * turn
    weight = share[rows] / n
    if comparisons.weights is not None:
        return replace(
            weighted_mean(
                outcome,
                weights=comparisons.weights.take(rows),
                item=comparisons.item[rows],
                participant=comparisons.participant[rows],
                base=weight,
                level=level,
                null=0.0,
                bounds=(-_LARGEST, _LARGEST),
                scale=_LARGEST,
            ),
            n=n,
        )
    value = float(weight @ outcome)
    found = clustered_estimate(
        value,
        weight * (outcome - value),
        item=comparisons.item[rows],
        participant=comparisons.participant[rows],
        weights=JudgmentWeights(weight, np.zeros(len(weight), dtype=np.int64)),
        scale=_LARGEST,
        level=level,
        null=0.0,
        bounds=(-_LARGEST, _LARGEST),
    )
    return replace(found, n=n)


def preference_of(rate: Estimate) -> Estimate:
    """A win percentage on the scale from −100 to 100, tested against 0."""
    if rate.value is None:
        return rate
    value = 2 * rate.value - 100
    if rate.interval is None or rate.standard_error is None or rate.df is None:
        return replace(rate, value=value)
    ends = rate.interval
    return replace(
        rate,
        value=value,
        interval=Interval(2 * ends.low - 100, 2 * ends.high - 100, ends.level),
        standard_error=2 * rate.standard_error,
        test=t_test_of(value, 2 * rate.standard_error, rate.df),
    )


def _percent(rows: Comparisons, *, level: float, null: float) -> Estimate:
    return _rate(
        rows.preference,
        item=rows.item,
        participant=rows.participant,
        level=level,
        null=null,
        weights=rows.weights,
    )


def _rate(
    preference: Numbers,
    *,
    item: Codes,
    participant: Codes,
    level: float,
    null: float | None = None,
    weights: ItemWeights | None = None,
) -> Estimate:
    n = len(preference)
    if not n:
        return Estimate(None, 0, 0, 0, reasons=(NO_JUDGMENTS,))
    if weights is not None:
        return weighted_mean(
            100 * preference,
            weights=weights,
            item=item,
            participant=participant,
            level=level,
            null=null,
            bounds=_PERCENT,
            scale=_LARGEST,
        )
    value = 100 * float(preference.mean())
    return clustered_estimate(
        value,
        (100 * preference - value) / n,
        item=item,
        participant=participant,
        scale=_LARGEST,
        level=level,
        null=null,
        bounds=_PERCENT,
    )


def _counts(preference: Numbers) -> dict[str, int]:
    wins, losses = int((preference == 1).sum()), int((preference == 0).sum())
    return {"wins": wins, "losses": losses, "ties": len(preference) - wins - losses}
