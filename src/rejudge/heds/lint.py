"""What the official form does not notice: files it cannot load, answers that contradict each other.

`lint(sheet)` looks at the sheet alone. `lint(sheet, facts)` also compares its numbers with those
of the study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from rejudge.heds.convert import convert
from rejudge.heds.findings import SheetFinding
from rejudge.heds.lint_answers import ANSWER_RULES
from rejudge.heds.lint_criteria import CRITERION_RULES
from rejudge.heds.lint_file import FILE_RULES
from rejudge.heds.lint_study import StudyFacts, study_findings
from rejudge.heds.mapping import OLDER_NUMBER
from rejudge.heds.sheet import Sheet
from rejudge.rules import SEVERITIES

_Rule: TypeAlias = Callable[[Sheet], Iterator[SheetFinding]]
_CONTENT: Final[tuple[_Rule, ...]] = (*ANSWER_RULES, *CRITERION_RULES)


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
