"""Rules that compare a sheet with the study it describes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from rejudge.heds.findings import SheetFinding, finding
from rejudge.heds.sheet import Sheet, SheetCell

_AUTOMATIC, _PEOPLE_EXCLUDED, _RESPONSES_EXCLUDED = 2, 4, 5  # options of 3.3.3.1
_NONE: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """What a study's files show; None: they do not show it."""

    evaluators: int | None = None  # whose judgments are in the results
    outputs_per_system: int | None = None
    excluded_participants: int | None = None
    excluded_judgments: int | None = None
    has_attention_checks: bool | None = None
    scale_sizes: Mapping[str, int] = field(default_factory=lambda: _NONE)  # by criterion


def study_findings(sheet: Sheet, facts: StudyFacts) -> tuple[SheetFinding, ...]:
    """Answers that contradict the study; the sheet is one of 3.0."""
    return (*_numbers(sheet, facts), *_checks(sheet, facts), *_scales(sheet, facts))


def _numbers(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    known = {
        "3.1.1": (facts.outputs_per_system, "outputs per system were judged"),
        "3.2.1": (facts.evaluators, "evaluators have judgments in the results"),
    }
    for number, (value, what) in known.items():
        said = re.match(r"\s*(\d+)", sheet.answer(number).text)
        if value is not None and said and int(said[1]) != value:
            says = f"The answer is {said[1]}, but in the study {value} {what}."
            yield _finding(sheet, number, says)


def _checks(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    ticked = sheet.answer("3.3.3.1").options
    if _PEOPLE_EXCLUDED in ticked and facts.excluded_participants == 0:
        yield _finding(sheet, "3.3.3.1", "The study has excluded no evaluator.")
    if _RESPONSES_EXCLUDED in ticked and facts.excluded_judgments == 0:
        yield _finding(sheet, "3.3.3.1", "The study has excluded no judgment.")
    if facts.has_attention_checks and ticked and _AUTOMATIC not in ticked:
        says = "The study has attention checks, but automatic checks are not ticked."
        yield _finding(sheet, "3.3.3.1", says)


def _scales(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    for name, size in facts.scale_sizes.items():
        if name not in sheet.criteria:
            continue
        said = re.match(r"\s*(\d+)\b", sheet.answer("4.3.3", name).text)
        if said and int(said[1]) != size:
            says = f"The size is {said[1]}, but the scale of the study has {size} values."
            yield _finding(sheet, "4.3.3", says, name)


def _finding(sheet: Sheet, number: str, says: str, criterion: str | None = None) -> SheetFinding:
    cell = SheetCell(sheet.schema.question(number), criterion)
    return finding("study", "warning", says, "Correct the answer, or explain it.", at=cell)
