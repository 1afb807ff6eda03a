"""Judgments that are there twice: within the files of one import, and in an earlier import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.english import count, verb
from rejudge.judgments.table import Judgment, Judgments

_SHOWN = 5  # participants in a message


def keep_last(judgments: Sequence[Judgment]) -> list[Judgment]:
    """Of what somebody judged twice the last judgment counts; earlier ones become `dropped`."""
    places: dict[tuple[object, ...], list[int]] = {}
    for place, judgment in enumerate(judgments):
        if judgment.kind == "real" and judgment.participant is not None:
            places.setdefault(what_was_judged(judgment), []).append(place)
    earlier = {place for group in places.values() for place in _earlier(judgments, group)}
    return [
        replace(judgment, kind="dropped") if place in earlier else judgment
        for place, judgment in enumerate(judgments)
    ]


def what_was_judged(row: Judgment) -> tuple[object, ...]:
    """By whom what was judged in which respect; sides and kind of a row do not matter."""
    pair = frozenset((row.system_a, row.system_b))
    return (row.participant, row.dataset, row.item, row.segment, row.question, row.system, pair)


def _earlier(judgments: Sequence[Judgment], places: Sequence[int]) -> Sequence[int]:
    """All but the last, by the time of submission where each has one, else by place."""
    times = [judgments[place].submitted_at for place in places]
    if None in times:
        return places[:-1]
    return [place for _, place in sorted(zip(times, places, strict=True))][:-1]


def changed_rows(earlier: Judgments, later: Judgments) -> tuple[str, ...]:
    """Rows of the earlier table that are missing or different in the later one."""
    old, new = _values(earlier), _values(later)
    lost = Counter(key[0] or "nobody" for key in old if key not in new)
    changed = Counter(
        key[0] or "nobody" for key, values in old.items() if key in new and new[key] != values
    )
    return (
        *_described(lost, ("is not", "are not"), "in these files."),
        *_described(changed, ("has", "have"), "another value in these files."),
    )


def _values(table: Judgments) -> dict[tuple[str | None, ...], tuple[str, ...]]:
    found: dict[tuple[str | None, ...], list[str]] = {}
    for row in table.rows():
        found.setdefault(_key(row), []).append(str(row.value))
    return {key: tuple(sorted(values)) for key, values in found.items()}


def _key(row: Judgment) -> tuple[str | None, ...]:
    segment = None if row.segment is None else str(row.segment)
    return (row.participant, row.kind, row.dataset, row.item, segment, row.question, row.task,
            row.system, row.system_a, row.system_b)  # fmt: skip


def _described(counts: Counter[str], verbs: tuple[str, str], rest: str) -> Iterator[str]:
    if counts:
        names = sorted(counts)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        listed = ", ".join(names[:_SHOWN]) + more
        what = count(counts.total(), "judgment")
        yield f"{what} by {listed} {verb(counts.total(), *verbs)} {rest}"
