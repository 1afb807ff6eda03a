"""How two imports differ, so that answers are never replaced silently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rejudge.english import count, verb
from rejudge.judgments import Judgment, Judgments

_SHOWN = 5  # participants in a message


def differences(earlier: Judgments, later: Judgments) -> tuple[str, ...]:
    """What is in the earlier table and not, or not so, in the later one; additions are no loss."""
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
