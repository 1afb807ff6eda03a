"""Who judged what, and which comparisons that allows.

Systems that were judged on the same items by the same people can be compared directly. Where they
were not, differences between items and people must be separated from those between systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Codes, Numbers, count_cells, dense_codes

Kind: TypeAlias = Literal["item", "participant"]

_SAME_ITEMS = 0.9  # of the information: means of systems can be put in order from here on
_SAME_PEOPLE = 0.5  # 〃: people who judge at random differ less than items do
_BY_CHANCE = 0.9  # of the share that chance leaves within people who judge a system by lot
_ADDS = 1e-10  # of a column's square: less than this is rounding, and the column adds nothing


@dataclass(frozen=True, slots=True)
class SystemCoverage:
    """How many judgments, items and participants one system has."""

    system: int
    judgments: int
    items: int
    participants: int
    item_share: float  # of all items that were judged
    participant_share: float  # of all participants


@dataclass(frozen=True, slots=True)
class PairCoverage:
    """What two systems have in common."""

    first: int
    second: int
    shared_items: int
    shared_participants: int
    participants: int  # who judged either
    information_share: float  # how much of a comparison of their means is within items
    participant_information_share: float  # 〃 within participants
    is_within_items: bool  # shared items lead from one to the other, directly or over others
    is_within_participants: bool  # 〃 participants


@dataclass(frozen=True, slots=True)
class Coverage:
    """Who judged what, by system and by pair of systems."""

    systems: tuple[SystemCoverage, ...]
    pairs: tuple[PairCoverage, ...]
    items: int
    participants: int
    is_even_by_item: bool  # each system has the same share of every item's judgments
    is_even_by_participant: bool
    linked_by_items: tuple[tuple[int, ...], ...]  # groups of systems that shared items link

    @property
    def is_even(self) -> bool:
        """Whether means of systems are based on the same items and participants."""
        return self.is_even_by_item and self.is_even_by_participant

    @property
    def has_comparable_means(self) -> bool:
        """Whether means of systems are over nearly the same items and mostly the same people."""
        judged = {each.system for each in self.systems if each.judgments}
        return all(
            each.information_share >= _SAME_ITEMS
            and each.participant_information_share >= self._enough(each)
            for each in self.pairs
            if {each.first, each.second} <= judged
        )

    def _enough(self, pair: PairCoverage) -> float:
        """The least share within participants of systems that were judged by the same people.

        People who judge whichever system comes next do not judge each equally often: of N judgments
        by P people, (N − P)/(N − 1) of the information is then expected within people.
        """
        judgments = sum(self.systems[each].judgments for each in (pair.first, pair.second))
        expected = (judgments - pair.participants) / max(judgments - 1, 1)
        return max(_SAME_PEOPLE, _BY_CHANCE * expected)

    def pair(self, first: int, second: int) -> PairCoverage:
        """What two systems have in common, in either order."""
        wanted = {first, second}
        return next(each for each in self.pairs if {each.first, each.second} == wanted)


@dataclass(frozen=True, slots=True)
class CoverageTerm:
    """A covariate of a model: a system's share of the judgments of each item or participant."""

    name: str
    kind: Kind
    system: int
    shares: Numbers  # by item or participant, minus the mean over all judgments
    codes: Codes  # the item or participant of each judgment

    @property
    def column(self) -> Numbers:
        """One value for each judgment. It is computed on demand: ten million rows are 80 MB."""
        return np.asarray(self.shares[self.codes])


def coverage_table(system: Codes, item: Codes, participant: Codes, *, systems: int) -> Coverage:
    """Count who judged what, in one pass over the judgments."""
    by_item, by_person = _counts(item, system, systems), _counts(participant, system, systems)
    judgments = by_item.sum(axis=0)
    seen_items, seen_people = by_item > 0, by_person > 0
    items, people = seen_items.sum(axis=0), seen_people.sum(axis=0)
    groups = _groups(_together(by_item)), _groups(_together(by_person))
    return Coverage(
        systems=tuple(
            SystemCoverage(
                each,
                int(judgments[each]),
                int(items[each]),
                int(people[each]),
                _share(items[each], len(by_item)),
                _share(people[each], len(by_person)),
            )
            for each in range(systems)
        ),
        pairs=_pairs(by_item, by_person, groups),
        items=len(by_item),
        participants=len(by_person),
        is_even_by_item=_is_even(by_item),
        is_even_by_participant=_is_even(by_person),
        linked_by_items=tuple(
            tuple(np.flatnonzero(groups[0] == group).tolist()) for group in np.unique(groups[0])
        ),
    )


def coverage_terms(
    system: Codes, item: Codes, participant: Codes, *, systems: int
) -> tuple[CoverageTerm, ...]:
    """Covariates with which a mixed model compares systems within items and participants.

    A system's share of the judgments of the item, and of the participant, minus the mean share
    (Mundlak 1978). A share that follows from the systems and the shares before it is left out: all
    of a table in which everybody judged everything, one in each group of systems that are linked,
    and all those of participants if each saw one system. The model stays defined; systems that
    shared items do not link, `Coverage.linked_by_items`, cannot be compared by it.
    """
    if not len(system):
        return ()
    shares = [
        _Shares(kind, dense_codes(codes)[0], system, systems)
        for kind, codes in _kinds(item, participant)
    ]
    n = np.bincount(system, minlength=systems)
    scale = np.sqrt(np.concatenate([np.maximum(n, 1), np.full(2 * systems, len(system))]))
    found = _independent(_products(n, shares), scale)
    kept = found[found >= systems] - systems
    return tuple(shares[place // systems].term(place % systems) for place in kept.tolist())


def _kinds(item: Codes, participant: Codes) -> tuple[tuple[Kind, Codes], ...]:
    return ("item", item), ("participant", participant)


class _Shares:
    """Shares of systems in the judgments of the clusters of one kind."""

    def __init__(self, kind: Kind, codes: Codes, system: Codes, systems: int) -> None:
        self.kind, self.codes = kind, codes
        height = int(codes.max()) + 1
        self.counts = count_cells(codes, system, height=height, width=systems).astype(np.float64)
        self.sizes = self.counts.sum(axis=1)
        self.share = self.counts / np.maximum(self.sizes, 1)[:, np.newaxis]
        self.share -= self.sizes @ self.share / self.sizes.sum()

    def term(self, system: int) -> CoverageTerm:
        name = f"share of system {system} in the {self.kind}"
        return CoverageTerm(name, self.kind, system, self.share[:, system], self.codes)


def _products(n: Codes, shares: list[_Shares]) -> Numbers:
    """XᵀX of the columns system by system, then shares in items, then shares in participants."""
    items, people = shares
    height = len(people.sizes)
    crossed = np.column_stack(
        [np.bincount(people.codes, column[items.codes], height) for column in items.share.T]
    )
    own = [each.share.T @ (each.sizes[:, np.newaxis] * each.share) for each in shares]
    on_system = [each.counts.T @ each.share for each in shares]
    return np.block(
        [
            [np.diag(n.astype(np.float64)), *on_system],
            [on_system[0].T, own[0], crossed.T @ people.share],
            [on_system[1].T, people.share.T @ crossed, own[1]],
        ]
    )


def _independent(products: Numbers, scale: Numbers) -> NDArray[np.int64]:
    """The columns that do not follow from those before them (Cholesky, leaving out the others)."""
    size = len(products)
    scaled = products / np.outer(scale, scale)
    rows, kept = np.zeros((size, size)), []
    for column in range(size):
        left = scaled[column] - rows[:, column] @ rows
        if left[column] > _ADDS:
            rows[column] = left / left[column] ** 0.5
            kept.append(column)
    return np.array(kept, dtype=np.int64)


def _counts(cluster: Codes, system: Codes, systems: int) -> NDArray[np.int64]:
    """Judgments of each cluster that has any, by system."""
    row, height = dense_codes(cluster)
    counts = count_cells(row, system, height=height, width=systems)
    return np.asarray(counts[counts.any(axis=1)])


def _pairs(
    by_item: NDArray[np.int64], by_person: NDArray[np.int64], groups: tuple[Codes, Codes]
) -> tuple[PairCoverage, ...]:
    items, people = _together(by_item), _together(by_person)
    return tuple(
        PairCoverage(
            one,
            other,
            int(items[one, other]),
            int(people[one, other]),
            int(np.count_nonzero(by_person[:, one] + by_person[:, other])),
            _information(by_item[:, one], by_item[:, other]),
            _information(by_person[:, one], by_person[:, other]),
            bool(groups[0][one] == groups[0][other]),
            bool(groups[1][one] == groups[1][other]),
        )
        for one, other in combinations(range(by_item.shape[1]), 2)
    )


def _together(counts: NDArray[np.int64]) -> Numbers:
    """How many clusters each two systems share."""
    seen = (counts > 0).astype(np.float64)
    return np.asarray(seen.T @ seen)


def _information(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Σᵢ aᵢbᵢ/(aᵢ + bᵢ) over AB/(A + B), the information within items over that of means."""
    total = int(first.sum()), int(second.sum())
    if 0 in total:
        return 0.0
    within = float(np.sum(first * second / np.maximum(first + second, 1)))
    return within / (total[0] * total[1] / sum(total))


def _groups(shared: Numbers) -> Codes:
    """A number for each system, the same for systems that are linked."""
    linked = (shared > 0) | np.eye(len(shared), dtype=bool)
    group, last = np.arange(len(shared)), None
    while last is None or (group != last).any():  # the lowest number of all neighbours spreads
        last, group = group, np.where(linked, group, len(group)).min(axis=1, initial=len(group))
    return np.asarray(np.unique(group, return_inverse=True)[1])


def _is_even(counts: NDArray[np.int64]) -> bool:
    """Whether each cluster has judgments of the systems in the same proportions."""
    sizes, totals = counts.sum(axis=1), counts.sum(axis=0)
    return bool((counts * counts.sum() == sizes[:, np.newaxis] * totals).all())


def _share(part: int, whole: int) -> float:
    return float(part / whole) if whole else 0.0
