"""Datasheets as conditions of measurement, so that `compare` reports what they show.

A question becomes a condition `x-heds-3.2.1`, in section 4 `x-heds-4.3.4-Fluency`. Two answers that
say the same are given the same words; what is expected to differ, or is known from the studies
themselves, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rejudge import fingerprint
from rejudge.errors import Problem, UsageError
from rejudge.heds.answers import describe_answer
from rejudge.heds.convert import as_newer
from rejudge.heds.diff import SheetDiff, SheetDifference, diff, difference_class
from rejudge.heds.schema import schema
from rejudge.heds.sheet import Sheet

if TYPE_CHECKING:  # heavy, and only `compare` needs them
    from rejudge.compare.comparison import Comparison
    from rejudge.compare.run import Run
    from rejudge.paper.model import StatedDeviation

_PREFIX: Final = "x-heds-"
_LONGEST: Final = 160  # letters of an answer in a table
_KNOWN: Final[Mapping[str, tuple[str, ...]]] = {  # conditions that studies and papers state
    "2.4": ("language",),
    "2.5": ("language",),
    "3.1.1": ("items", "units"),
    "3.1.2": ("sampling",),
    "3.2.1": ("participants",),
    "3.2.2.1": ("expertise",),
    "3.2.2.2": ("pay-per-hour", "pay-per-batch"),
    "3.2.2.4": ("includes-authors",),
    "3.2.3": ("platform", "recruitment"),
    "3.2.4": ("training",),
    "3.3.2": ("platform", "interface"),
    "4.3.2": ("definitions",),
    "4.3.4": ("scale",),
    "4.3.8": ("elicitation",),
    "4.3.10": ("test",),
}


def with_sheets(runs: Sequence[Run], sheets: Sequence[Sheet]) -> tuple[Run, ...]:
    """The runs with what their datasheets say; the original and its sheet come first.

    One sheet is enough for all cases of a study.
    """
    from rejudge.compare.alignment import study_of

    studies = list(dict.fromkeys(study_of(run) for run in runs))
    if len(sheets) == len(studies):
        sheets = [sheets[studies.index(study_of(run))] for run in runs]
    if len(runs) != len(sheets):
        what = f"There are {len(runs)} runs, but {len(sheets)} datasheets."
        raise UsageError(Problem(what, "Give one for each run, in the same order."))
    original, *others = runs
    first, *rest = (as_newer(sheet) for sheet in sheets)
    told: dict[str, str] = {}
    described = []
    for run, sheet in zip(others, rest, strict=True):
        found = diff(first, sheet)
        ours, theirs = _conditions(first, sheet, found, (original, run))
        told |= ours
        stated = [
            _stated(each)
            for each in found.deviations
            if _key(each.question, each.criterion) in theirs
        ]
        described.append(
            replace(
                run,
                conditions={**run.conditions, **theirs},
                deviations=(*run.deviations, *stated),
            )
        )
    return replace(original, conditions={**original.conditions, **told}), *described


def title_conditions(comparison: Comparison) -> Comparison:
    """The comparison with conditions from datasheets under the names of their questions."""
    return replace(
        comparison,
        conditions=tuple(
            replace(each, title=_title(each.property, each.title)) for each in comparison.conditions
        ),
        deviations=tuple(
            replace(each, title=_title(each.property, each.title)) for each in comparison.deviations
        ),
    )


def _conditions(
    first: Sheet, second: Sheet, found: SheetDiff, runs: tuple[Run, Run]
) -> tuple[dict[str, str], dict[str, str]]:
    """What both sheets say, by condition; the same words where they say the same."""
    ours: dict[str, str] = {}
    theirs: dict[str, str] = {}
    differing = {each.key: each for each in found.differences}
    for number, criterion in _compared(first, second, found):
        if any(all(name in run.conditions for run in runs) for name in _KNOWN.get(number, ())):
            continue
        key = _key(number, criterion)
        one = first.answer(number, criterion)
        ours[key] = theirs[key] = _shorten(describe_answer(first.schema.question(number), one))
        difference = differing.get((number, criterion or ""))
        if difference is not None:
            theirs[key] = _shorten(difference.other)
    return ours, theirs


def _compared(first: Sheet, second: Sheet, found: SheetDiff) -> Iterator[tuple[str, str | None]]:
    for question in first.schema.questions:
        if difference_class(question.number) == "expected":
            continue
        names = found.criteria.items() if question.per_criterion else ((None, None),)
        for name, other in names:
            answers = first.answer(question, name), second.answer(question, other)
            if all(answer.state != "blank" for answer in answers):
                yield question.number, name


def _stated(difference: SheetDifference) -> StatedDeviation:
    from rejudge.paper.model import StatedDeviation

    return StatedDeviation(
        property=_key(difference.question, difference.criterion),
        reason=difference.reason,
        note=difference.note,
    )


def _key(number: str, criterion: str | None) -> str:
    return f"{_PREFIX}{number}" + (f"-{criterion}" if criterion else "")


def _title(key: str, title: str) -> str:
    if not key.startswith(_PREFIX):
        return title
    number, _, criterion = key.removeprefix(_PREFIX).partition("-")
    label = schema("3.0").question(number).label
    return f"HEDS {number} {label}" + (f" ({criterion})" if criterion else "")


def _shorten(text: str) -> str:
    """An answer for a table; what is cut off is distinguished by a fingerprint."""
    words = " ".join(text.split())
    if len(words) <= _LONGEST:
        return words
    mark = fingerprint.of_bytes(words.encode("utf-8", "replace"))[:6]
    return f"{words[:_LONGEST]}… ({mark})"
