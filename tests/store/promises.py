"""What must hold in any store at any moment."""

from __future__ import annotations

from collections import Counter

from rejudge.collect.assignment import TAKES_PLACE
from rejudge.store.store import Store


def broken(store: Store, *, over_assignment_only: bool = False) -> list[str]:
    """Every promise that is not kept, in words."""
    rows = store.assignments()
    found = [f"{batch}: {n} of {places}" for batch, n, places in _over(store)]
    if over_assignment_only:
        return found
    taken = Counter(each.batch for each in rows if each.status in TAKES_PLACE)
    held = Counter(each.batch for each in rows if each.status == "held")
    found += [
        f"{batch}: counters differ from {taken[batch.batch]} rows"
        for batch in store.occupancies()
        if (batch.held, batch.done + batch.held) != (held[batch.batch], taken[batch.batch])
    ]
    found += [
        f"{who} has {batch} {n} times"
        for (who, batch), n in Counter((each.participant, each.batch) for each in rows).items()
        if n > 1
    ]
    in_hands = Counter(each.participant for each in rows if each.status == "held")
    found += [f"{who} holds {n}" for who, n in in_hands.items() if n > 1]
    main = {batch.id for batch in store.plan.main}
    worked = Counter(e.participant for e in rows if e.status in TAKES_PLACE and e.batch in main)
    cap = store.plan.batches_per_participant
    found += [f"{who}: {n} batches, cap {cap}" for who, n in worked.items() if n > cap]
    return found


def _over(store: Store) -> list[tuple[str, int, int]]:
    """Batches in which more people count or work than there are places."""
    places = {batch.batch: batch.places for batch in store.occupancies()}
    main = {batch.id for batch in store.plan.main}
    taken = Counter(e.batch for e in store.assignments() if e.status in TAKES_PLACE)
    return [(b, n, places[b]) for b, n in taken.items() if b in main and n > places[b]]
