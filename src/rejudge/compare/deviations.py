"""What a run did differently from the original: computed, with the reasons that were stated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final

from rejudge.compare.comparison import Deviation, Known
from rejudge.compare.conditions import are_equal, in_order, title_of
from rejudge.compare.run import Run
from rejudge.english import count
from rejudge.paper.model import PropertyValue

OF_CRITERIA: Final = (  # what is said of each criterion, or follows from their number
    "criteria-asked-together", "definitions", "elicitation", "scale", "tie-allowed", "scoring",
    "test", "test-unit", "units", "batch-size",
)  # fmt: skip
OF_CHECKS: Final = ("checks", "checks-per-batch", "failed-check")
_PER_CRITERION = frozenset(("definitions", "elicitation", "scale", "scoring", "test", "test-unit"))
_DECIDED_WITH = {"pay-per-batch": "pay-per-hour", "pay-per-hour": "pay-per-batch"}
_SHOWN = 8  # changed sentences of one page
_LONGEST = 200  # characters of a changed passage
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])")


def deviations(original: Run, others: Sequence[Run]) -> tuple[Deviation, ...]:
    """What each run did differently: computed from the conditions, with its stated reasons."""
    return tuple(each for run in others for each in _of_run(original, run))


def correct_conditions(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs with the conditions that authors state where the computed ones are wrong."""
    original, *others = runs
    of_original: dict[str, PropertyValue] = {}
    corrected = []
    for run in others:
        here = {e.property: e.here for e in run.deviations if e.here is not None}
        for each in run.deviations:
            if each.original is not None:
                of_original.setdefault(each.property, each.original)
        corrected.append(replace(run, conditions={**run.conditions, **here}))
    return replace(original, conditions={**original.conditions, **of_original}), *corrected


def _of_run(original: Run, run: Run) -> Iterator[Deviation]:
    stated = {each.property: each for each in run.deviations}
    shown = [
        key
        for key, value in original.conditions.items()
        if key in run.conditions and not are_equal(value, run.conditions[key])
    ]
    owners = {
        key: each.property
        for each in run.deviations
        for key in each.covers
        if key in shown and key not in stated and _is_part(key, original, run)
    }
    corrected = [key for key, each in stated.items() if each.original is not None or each.here]
    for key in [*in_order(shown), *(k for k in stated if k not in (*shown, *corrected))]:
        if key in owners:
            continue
        also = [title_of(other) for other in in_order(owners) if owners[other] == key]
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
            note=_with(_note(key, original, run, told.note if told else ""), also),
            is_computed=key in shown,
        )


def _is_part(key: str, original: Run, run: Run) -> bool:
    """Whether a condition only lost what belonged to removed criteria.

    A remaining criterion with another definition or scale is a deviation of its own.
    """
    before, here = str(original.conditions[key]), str(run.conditions[key])
    if key == "definitions":
        return _definitions(run, here).items() <= _definitions(original, before).items()
    return key not in _PER_CRITERION or set(here.split(", ")) <= set(before.split(", "))


def _definitions(run: Run, text: str) -> dict[str, str]:
    """What is said of each criterion."""
    asked = run.conditions.get("criteria")
    names = asked if isinstance(asked, tuple | list) else ()
    pattern = "|".join(re.escape(str(name)) for name in names) or "(?!)"
    parts = re.split(f"(?:^|; )({pattern}): ", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _with(note: str, also: Sequence[str]) -> str:
    """A note with the conditions that differ because of the same change."""
    named = f"with it: {', '.join(also)}" if also else ""
    return "; ".join(part for part in (note, named) if part)


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
        gone, come = (_quote(part) for part in (old[i:j], new[k:m]))
        if how == "replace" and j - i == m - k:
            found += [
                f"{_quote([was])} → {_quote([now])}"
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


def _quote(sentences: Sequence[str]) -> str:
    whole = " ".join(sentences)
    return f"“{whole if len(whole) <= _LONGEST else whole[: _LONGEST - 1] + '…'}”"
