"""Conditions of measurement side by side: what differs, why, and how similar runs were."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from rejudge.compare.alignment import pairs_of
from rejudge.compare.comparison import Condition, Deviation, Known, Similarity
from rejudge.compare.run import Run
from rejudge.english import count
from rejudge.paper import PROPERTIES, PropertyValue, property_of

_SHOWN = 8  # changed sentences of one page
_LONGEST = 200  # characters of a changed passage
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])")
_DECIDED_WITH = {"pay-per-batch": "pay-per-hour", "pay-per-hour": "pay-per-batch"}
_ORDER = {each.key: place for place, each in enumerate(PROPERTIES)}


def conditions(runs: Sequence[Run]) -> tuple[Condition, ...]:
    """Every condition that a run states, in the standard order, with its value in every run."""
    told = dict.fromkeys(key for run in runs for key in run.conditions)
    return tuple(
        Condition(
            property=key,
            title=title_of(key),
            group=found.group if (found := property_of(key)) else "other",
            values={run.id: run.conditions.get(key) for run in runs},
        )
        for key in _in_order(told)
    )


def deviations(original: Run, others: Sequence[Run]) -> tuple[Deviation, ...]:
    """What each run did differently: computed from the conditions, with its stated reasons."""
    return tuple(each for run in others for each in _of_run(original, run))


def similarities(runs: Sequence[Run]) -> tuple[Similarity, ...]:
    """For every pair of runs: conditions known in both, and how many of them are equal."""
    by_id = {run.id: run for run in runs}
    return tuple(_similarity(by_id[one], by_id[two]) for one, two in pairs_of(runs))


def title_of(key: str) -> str:
    """A condition as it is shown."""
    found = property_of(key)
    return found.title if found else key


def are_equal(one: PropertyValue, two: PropertyValue) -> bool:
    """Whether two conditions say the same: lists in any order, words in any case."""
    return _plain(one) == _plain(two)


def _of_run(original: Run, run: Run) -> Iterator[Deviation]:
    stated = {each.property: each for each in run.deviations}
    shown = [
        key
        for key, value in original.conditions.items()
        if key in run.conditions and not are_equal(value, run.conditions[key])
    ]
    for key in [*_in_order(shown), *(key for key in stated if key not in shown)]:
        told = stated.get(key) or stated.get(_DECIDED_WITH.get(key, ""))
        here: Known = run.conditions.get(key)
        yield Deviation(
            run=run.id,
            property=key,
            title=title_of(key),
            original=original.conditions.get(key),
            here=here,
            reason=told.reason if told else "",
            impact=told.impact if told else "unknown",
            note=_note(key, original, run, told.note if told else ""),
            is_computed=key in shown,
        )


def _note(key: str, original: Run, run: Run, told: str) -> str:
    """What exactly differs: for a page the changed sentences, for anything else the stated note."""
    if key not in original.pages and key not in run.pages:
        return told
    changed = text_changes(original.pages.get(key, ""), run.pages.get(key, ""))
    shown = changed[:_SHOWN]
    more = len(changed) - len(shown)
    return "; ".join((*shown, *((f"and {count(more, 'more change')}",) if more else ())))


def text_changes(before: str, after: str) -> tuple[str, ...]:
    """What differs between two texts, sentence by sentence: removed, added or reworded."""
    old, new = _sentences(before), _sentences(after)
    found = []
    for how, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = (_quoted(part) for part in (old[i:j], new[k:m]))
        if how == "replace" and j - i == m - k:
            found += [
                f"{_quoted([was])} → {_quoted([now])}"
                for was, now in zip(old[i:j], new[k:m], strict=True)
            ]
        elif how == "replace":
            found.append(f"{gone} → {come}")
        elif how == "delete":
            found.append(f"removed {gone}")
        elif how == "insert":
            found.append(f"added {come}")
    return tuple(found)


def _sentences(text: str) -> list[str]:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [part for line in lines if line for part in _SENTENCE_END.split(line)]


def _quoted(sentences: Sequence[str]) -> str:
    whole = " ".join(sentences)
    return f"“{whole if len(whole) <= _LONGEST else whole[: _LONGEST - 1] + '…'}”"


def _in_order(keys: Iterable[str]) -> list[str]:
    """The standard ones first, in their order; then the rest as they come."""
    return sorted(keys, key=lambda key: _ORDER.get(key, len(_ORDER)))


def _similarity(one: Run, two: Run) -> Similarity:
    both = [key for key in one.conditions if key in two.conditions]
    equal = sum(are_equal(one.conditions[key], two.conditions[key]) for key in both)
    return Similarity(one.id, two.id, equal, len(both))


def _plain(value: PropertyValue) -> object:
    if isinstance(value, tuple | list):
        return frozenset(_plain(each) for each in value)
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    return ("truth", value) if isinstance(value, bool) else float(value)
