"""Raw judgments of one or several runs in one table, on the original's scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rejudge.analysis.columns import systems_shown
from rejudge.compare.alignment import Alignment, criterion_of, stretch
from rejudge.compare.run import Run, RunCriterion
from rejudge.judgments.table import Judgments
from rejudge.stats import (
    Comparisons,
    Estimate,
    adjusted_difference,
    average_within,
    mean_difference,
)


@dataclass(frozen=True, eq=False, slots=True)
class Labs:
    """Who judged what in which run. Two runs have no person in common, but may share items.

    A score is on the original's scale. A comparison says how far the system with the lower code is
    preferred: 1, ½ or 0; the other system is `against`, which is −1 for a score.
    """

    runs: tuple[str, ...]
    systems: tuple[str, ...]
    lab: NDArray[np.int64]  # place among the runs
    system: NDArray[np.int64]
    against: NDArray[np.int64]
    item: NDArray[np.int64]
    segment: NDArray[np.int64]
    company: NDArray[np.int64]  # which systems stood in the task, −1 for a score
    participant: NDArray[np.int64]
    value: NDArray[np.float64]
    task: NDArray[np.int64]  # −1 where it is not known
    # by run: whether chance decided which items each system was judged on
    dealt_at_random: tuple[bool, ...] = field(default=(), kw_only=True)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def are_comparisons(self) -> bool:
        """Whether systems were compared rather than scored."""
        return bool((self.against >= 0).any())

    @property
    def unit(self) -> NDArray[np.int64]:
        """What was judged, numbered the same in every run.

        The best and the worst of several systems say something of each pair of them. Which pairs
        these are and how they end depends on the other systems, so the whole task counts.
        """
        keys = np.stack([self.item, self.system, self.against, self.segment, self.company], axis=1)
        if not len(keys):
            return np.zeros(0, dtype=np.int64)
        return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)

    @property
    def comparisons(self) -> Comparisons:
        """The rows of a question that compares."""
        return Comparisons(
            first=self.system,
            second=self.against,
            preference=self.value,
            item=self.item,
            participant=self.participant,
            systems=len(self.systems),
            answer=self._answer,
        )

    @property
    def _answer(self) -> NDArray[np.int64]:
        """Which rows one answer decided: a ranking implies several comparisons."""
        alone = np.where(self.task < 0, np.arange(len(self)), -1)
        keys = np.stack([self.lab, self.participant, self.item, self.task, alone], axis=1)
        return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)

    def of(self, rows: NDArray[np.bool_]) -> Labs:
        """Some of the rows."""
        return replace(self, **{name: getattr(self, name)[rows] for name in _COLUMNS})

    def by_output(self) -> Labs:
        """One score for each output and person: segments as their mean."""
        if len(self) == 0 or (self.segment < 0).all():
            return self
        keys = (self.lab, self.system, self.against, self.item, self.participant)
        value, codes = average_within(self.value, *keys)
        lab, system, against, item, participant = (code.astype("int64") for code in codes)
        whole = 0 * lab - 1
        columns = (lab, system, against, item, whole, whole, participant, value, whole)
        return Labs(self.runs, self.systems, *columns, dealt_at_random=self.dealt_at_random)

    def difference(self, first: int, second: int, *, level: float = 0.95) -> Estimate:
        """First system minus second, as `analyse` compares them: within items.

        Means are compared instead where chance decided which items each system was judged on.
        """
        is_random = bool(self.dealt_at_random) and all(self.dealt_at_random)
        compare = mean_difference if is_random else adjusted_difference
        return compare(
            self.value,
            self.system,
            (first, second),
            item=self.item,
            participant=self.participant,
            level=level,
        )

    def has_shared_items(self, first: int, second: int) -> bool:
        """Whether two scored systems can be compared: over shared items, or dealt at random."""
        if self.are_comparisons or (self.dealt_at_random and all(self.dealt_at_random)):
            return True
        one, two = (self.item[self.system == each] for each in (first, second))
        return not len(one) or not len(two) or bool(np.isin(one, two).any())

    def once_each(self) -> Labs:
        """The first judgment of each unit by each person: nobody agrees with themselves."""
        keys = np.stack([self.unit, self.participant], axis=1)
        first = np.unique(keys, axis=0, return_index=True)[1]
        rows = np.zeros(len(self), dtype=np.bool_)
        rows[first] = True
        return self.of(rows)


_COLUMNS = (
    "lab",
    "system",
    "against",
    "item",
    "segment",
    "company",
    "participant",
    "value",
    "task",
)


def labs_of(aligned: Alignment, criterion: RunCriterion, runs: Sequence[str]) -> Labs | None:
    """The judgments of these runs on a criterion; None if one of them has none."""
    about = ("judgments", criterion.id, *runs)
    return aligned.once(about, lambda: _labs(aligned, criterion, runs))


def _labs(aligned: Alignment, criterion: RunCriterion, runs: Sequence[str]) -> Labs | None:
    systems = tuple(aligned.original.systems)
    chosen = [run for run in aligned.runs if run.id in runs]
    tables = [_rows(aligned, run, criterion) for run in chosen]
    known = [table for table in tables if table is not None]
    if len(known) < len(chosen):
        return None
    items = tuple(dict.fromkeys(name for table in known for name in table.item.labels))
    parts: list[dict[str, NDArray[np.generic]]] = []
    companies: dict[frozenset[str], int] = {}
    people = 0
    for place, (run, table) in enumerate(zip(chosen, known, strict=True)):
        part = _part(table, systems, items, _scorer(run, criterion))
        part["company"] = _company(table, companies)
        part["lab"] = np.full(len(table), place, dtype=np.int64)
        who = table.participant.codes.astype(np.int64)
        is_known = bool((who >= 0).any())
        part["participant"] = (who if is_known else part["item"]) + people  # else items alone
        people += len(table.participant.labels if is_known else items)
        parts.append(part)
    columns = [np.concatenate([part[name] for part in parts]) for name in _COLUMNS]
    dealt = tuple(run.items_dealt_at_random for run in chosen)
    labs = Labs(tuple(run.id for run in chosen), systems, *columns, dealt_at_random=dealt)
    return labs.of(labs.system >= 0)


def judged_by(aligned: Alignment, criterion: RunCriterion, runs: Sequence[str]) -> tuple[str, ...]:
    """Those of the runs that have judgments on a criterion."""
    found = {run.id for run in aligned.runs if _rows(aligned, run, criterion) is not None}
    return tuple(run for run in runs if run in found)


def _rows(aligned: Alignment, run: Run, criterion: RunCriterion) -> Judgments | None:
    if run.judgments is None or not aligned.having(criterion.id, [run.id]):
        return None
    here = criterion_of(run, criterion.id) or criterion
    rows = run.judgments.of_kind("real").of_question(here.question)
    for group in here.group:
        grouping = next((each for each in run.groupings if each.column == group.column), None)
        if grouping is None:
            return None
        rows = rows.take(grouping.codes(rows) == grouping.names.index(group.name))
    return rows if len(rows) else None


def _scorer(
    run: Run, criterion: RunCriterion
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """From the run's own scores to those on the original's scale."""
    here = criterion_of(run, criterion.id) or criterion
    is_turned = here.is_higher_better != criterion.is_higher_better
    low, start = here.low, criterion.high if is_turned else criterion.low
    factor = stretch(here, criterion)
    if factor is None or low is None or start is None:
        return lambda value: value
    slope = -factor if is_turned else factor
    return lambda value: start + (value - low) * slope


def _part(
    table: Judgments,
    systems: tuple[str, ...],
    items: tuple[str, ...],
    scored: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> dict[str, NDArray[np.generic]]:
    """The columns of one run in the codes of all; a system that is not among them is −1."""
    a, b = (c.recode(systems).astype(np.int64) for c in (table.system_a, table.system_b))
    compares = table.is_comparison
    is_known = np.where(compares, (a >= 0) & (b >= 0), table.system.recode(systems) >= 0)
    lower = np.where(compares, np.minimum(a, b), table.system.recode(systems))
    preference = np.where(a > b, 1 - table.value, table.value)
    return {
        "system": np.where(is_known, lower, -1).astype(np.int64),
        "against": np.where(compares, np.maximum(a, b), -1).astype(np.int64),
        "item": table.item.recode(items).astype(np.int64),
        "segment": table.segment.astype(np.int64),
        "value": np.where(compares, preference, scored(table.value)),
        "task": table.task.codes.astype(np.int64),
    }


def _company(table: Judgments, known: dict[frozenset[str], int]) -> NDArray[np.int64]:
    """Which systems were compared in the task of each row, by number; new ones join `known`."""
    which, sets = systems_shown(table)
    codes = np.array([*(known.setdefault(each, len(known)) for each in sets), -1], dtype=np.int64)
    return codes[which]  # −1 stays −1
