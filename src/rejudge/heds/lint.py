"""What the official form does not notice: files it cannot load, answers that contradict each other.

`lint(sheet)` looks at the sheet alone. `lint(sheet, facts)` also compares its numbers with those
of the study.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from rejudge.heds.check import SheetFinding, finding
from rejudge.heds.convert import convert
from rejudge.heds.lint_answers import ANSWER_RULES, CRITERION_RULES
from rejudge.heds.lint_file import FILE_RULES
from rejudge.heds.mapping import OLDER_NUMBER
from rejudge.heds.sheet import Sheet, SheetCell
from rejudge.rules import SEVERITIES

_Rule: TypeAlias = Callable[[Sheet], Iterator[SheetFinding]]
_CONTENT: Final[tuple[_Rule, ...]] = (*ANSWER_RULES, *CRITERION_RULES)
_AUTOMATIC, _PEOPLE_EXCLUDED, _RESPONSES_EXCLUDED = 2, 4, 5  # options of 3.3.3.1
_NONE: Final[Mapping[str, int]] = MappingProxyType({})


def lint(sheet: Sheet, facts: StudyFacts | None = None) -> tuple[SheetFinding, ...]:
    """Everything that is wrong or doubtful, the gravest first."""
    found = [each for rule in FILE_RULES for each in rule(sheet)]
    found += _content_findings(sheet, facts)
    order = {severity: place for place, severity in enumerate(SEVERITIES)}
    return tuple(sorted(found, key=lambda each: order[each.severity]))


def _content_findings(sheet: Sheet, facts: StudyFacts | None) -> list[SheetFinding]:
    """Rules are written for 3.0; of a 2.x sheet its conversion is read, under its own numbers."""
    newer = sheet if sheet.version == "3.0" else convert(sheet, "3.0").sheet
    found = [each for rule in _CONTENT for each in rule(newer)]
    found += study_findings(newer, facts) if facts else ()
    if sheet.version == "3.0":
        return found
    known = [each for each in found if each.rule != "conditions" and each.question != "4.3.1.2"]
    return [
        replace(each, question=OLDER_NUMBER.get(each.question, each.question)) for each in known
    ]


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
    return (
        *_wrong_numbers(sheet, facts),
        *_wrong_checks(sheet, facts),
        *_wrong_scales(sheet, facts),
    )


def _wrong_numbers(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    known = {
        "3.1.1": (facts.outputs_per_system, "outputs per system were judged"),
        "3.2.1": (facts.evaluators, "evaluators have judgments in the results"),
    }
    for number, (value, what) in known.items():
        said = re.match(r"\s*(\d+)", sheet.answer(number).text)
        if value is not None and said and int(said[1]) != value:
            says = f"The answer is {said[1]}, but in the study {value} {what}."
            yield _study_finding(sheet, number, says)


def _wrong_checks(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    ticked = sheet.answer("3.3.3.1").options
    if _PEOPLE_EXCLUDED in ticked and facts.excluded_participants == 0:
        yield _study_finding(sheet, "3.3.3.1", "The study has excluded no evaluator.")
    if _RESPONSES_EXCLUDED in ticked and facts.excluded_judgments == 0:
        yield _study_finding(sheet, "3.3.3.1", "The study has excluded no judgment.")
    if facts.has_attention_checks and ticked and _AUTOMATIC not in ticked:
        says = "The study has attention checks, but automatic checks are not ticked."
        yield _study_finding(sheet, "3.3.3.1", says)


def _wrong_scales(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    for name, size in facts.scale_sizes.items():
        if name not in sheet.criteria:
            continue
        said = re.match(r"\s*(\d+)\b", sheet.answer("4.3.3", name).text)
        if said and int(said[1]) != size:
            says = f"The size is {said[1]}, but the scale of the study has {size} values."
            yield _study_finding(sheet, "4.3.3", says, name)


def _study_finding(
    sheet: Sheet, number: str, says: str, criterion: str | None = None
) -> SheetFinding:
    cell = SheetCell(sheet.schema.question(number), criterion)
    return finding("study", "warning", says, "Correct the answer, or explain it.", at=cell)
