"""How far the collection of judgments has come: places that the plan has, and those filled."""

from __future__ import annotations

from dataclasses import dataclass

from rejudge.collect import TAKES_PLACE
from rejudge.design import Plan
from rejudge.judgments import Cleaned, Rule

_GIVEN_AGAIN: frozenset[Rule] = frozenset({"returned", "incomplete"})


@dataclass(frozen=True, slots=True)
class Places:
    """How many finished batches the plan asks for, and how many there are."""

    planned: int
    filled: int


def places_of(plan: Plan, cleaned: Cleaned) -> Places | None:
    """A place is one participant's batch; None where judgments do not say their batch.

    Where our site knows what became of a batch, that decides, as on the dashboard: a batch that
    was excluded while the study ran has its place opened again, whatever rule of the analysis
    leaves it out too. Elsewhere whoever was left out by a rule of the analysis, such as failed
    checks, has filled a place; a batch that was returned or not finished has not.
    """
    import numpy as np

    table = cleaned.collected
    if (table.batch.codes < 0).any():
        return None
    given_again = [n for n, each in enumerate(cleaned.exclusions) if each.rule in _GIVEN_AGAIN]
    ruled = cleaned.ruled
    counts = np.ones(len(table), dtype=np.bool_) if ruled is None else ~np.isin(ruled, given_again)
    takes_place = [table.state.code(status) for status in sorted(TAKES_PLACE - {"held"})]
    is_known = table.state.codes >= 0
    counts[is_known] = np.isin(table.state.codes[is_known], takes_place)
    pairs = np.stack([table.batch.codes[counts], table.participant.codes[counts]], axis=1)
    batches, people = np.unique(np.unique(pairs, axis=0)[:, 0], return_counts=True)
    done = {
        table.batch.labels[batch]: int(n) for batch, n in zip(batches.tolist(), people, strict=True)
    }
    filled = sum(min(batch.participants, done.get(batch.id, 0)) for batch in plan.main)
    return Places(plan.places, filled)
