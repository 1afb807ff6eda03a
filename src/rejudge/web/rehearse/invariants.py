"""What must be true of a store, whatever people do to the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.collect import FINISHED, TAKES_PLACE, Assignment
from rejudge.web.rehearse.ledger import Told

if TYPE_CHECKING:
    from rejudge.design import Plan
    from rejudge.store import Store

_COUNTED = frozenset({"submitted", "accepted"})


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise that was not kept."""

    promise: str
    detail: str


def broken_promises(store: Store, people: Sequence[Told]) -> tuple[Broken, ...]:
    """Everything that is not as it must be; nothing, if all is well."""
    assignments = store.assignments()
    names = {told.person: store.pseudonym_of(told.person) for told in people}
    return (
        *_places(store, assignments),
        *_twice(store.plan, assignments),
        *_kept(store, people, names),
        *_codes(store, people),
        *(
            Broken("every page makes sense", f"{told.character}: {complaint}")
            for told in people
            for complaint in told.complaints
        ),
    )


def _places(store: Store, assignments: Iterable[Assignment]) -> Iterator[Broken]:
    """No batch has more people than places; whoever finished beyond them is marked as surplus."""
    listed = list(assignments)
    taken = Counter(each.batch for each in listed if each.status in TAKES_PLACE)
    counted = Counter(each.batch for each in listed if each.status in _COUNTED)
    for batch in store.occupancies():
        if store.plan.batch[batch.batch].is_calibration:
            continue
        if taken[batch.batch] > batch.places:
            detail = (
                f"{batch.batch}: {taken[batch.batch]} at work or done for {batch.places} places"
            )
            yield Broken("no batch goes to more people than planned", detail)
        if counted[batch.batch] > batch.places:
            detail = f"{batch.batch}: {counted[batch.batch]} count for {batch.places} places"
            yield Broken("surplus work is marked", detail)


def _twice(plan: Plan, assignments: Iterable[Assignment]) -> Iterator[Broken]:
    """Nobody gets a batch twice, or more batches than the plan allows."""
    by_person: dict[str, list[Assignment]] = {}
    for each in assignments:
        by_person.setdefault(each.participant, []).append(each)
    for person, own in by_person.items():
        batches = Counter(each.batch for each in own)
        for batch, times in batches.items():
            if times > 1:
                yield Broken("nobody gets a batch twice", f"{person} got {batch} {times} times")
        main = [
            each
            for each in own
            if not plan.batch[each.batch].is_calibration and each.status != "expired"
        ]
        if len(main) > plan.batches_per_participant:
            yield Broken("nobody gets more than their share", f"{person} got {len(main)} batches")


def _kept(
    store: Store, people: Iterable[Told], names: Mapping[str, str | None]
) -> Iterator[Broken]:
    """What somebody was told is saved is stored as they gave it; what is handed in is whole."""
    stored: dict[str, dict[tuple[str, str], str]] = {}
    for answer in store.all_answers():
        stored.setdefault(answer.participant, {})[answer.task, answer.question] = answer.raw
    finished = {(a.participant, a.batch) for a in store.assignments() if a.status in FINISHED}
    for told in people:
        own = stored.get(names[told.person] or "", {})
        for place, raw in told.saved.items():
            if place not in own:
                yield Broken("no saved answer is lost", f"{told.character}: {'/'.join(place)}")
            elif own[place] != raw:
                detail = f"{told.character}: {'/'.join(place)} was {raw}, is {own[place]}"
                yield Broken("no saved answer is changed", detail)
        for batch in told.submitted:
            if (names[told.person], batch) not in finished:
                detail = f"{told.character}: {batch}"
                yield Broken("what is handed in stays handed in", detail)


def _codes(store: Store, people: Iterable[Told]) -> Iterator[Broken]:
    """Whoever comes to an end reads the code of that end, and always the same one."""
    codes = store.codes
    wanted = {"thanks": codes.completed, "declined": codes.declined, "full": codes.full}
    for told in people:
        if told.end in wanted and wanted[told.end] not in told.codes:
            yield Broken("every end has its code", f"{told.character} saw none at '{told.end}'")
        if told.end == "stuck":
            yield Broken("everybody comes to an end", f"{told.character} got stuck")
