"""What the official form does not notice, such as answers that contradict each other.

`lint(sheet)` looks at the sheet alone. `lint(sheet, facts)` also compares its numbers with those
of the study.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from rejudge.english import count
from rejudge.heds.answers import describe_answer
from rejudge.heds.check import SheetFinding, finding
from rejudge.heds.convert import convert, misread_answers
from rejudge.heds.lint_answers import ANSWER_RULES, CRITERION_RULES
from rejudge.heds.mapping import OLDER_NUMBER
from rejudge.heds.provenance import extra, provenance_of
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
    newer = sheet if sheet.version == "3.0" else convert(sheet).sheet
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
        said = re.match(r"\s*(\d{1,15})(?!\d)", sheet.answer(number).text)
        if value is not None and said and int(said[1]) != value:
            says = f"The answer is {said[1]}, but in the study {value} {what}."
            yield _study_finding(sheet, number, says)


def _wrong_checks(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    ticked = sheet.answer("3.3.3.1").options
    if _PEOPLE_EXCLUDED in ticked and facts.excluded_participants == 0:
        yield _study_finding(sheet, "3.3.3.1", "No evaluator was excluded in the study.")
    if _RESPONSES_EXCLUDED in ticked and facts.excluded_judgments == 0:
        yield _study_finding(sheet, "3.3.3.1", "No judgment was excluded in the study.")
    if facts.has_attention_checks and ticked and _AUTOMATIC not in ticked:
        says = "The study has attention checks, but automatic checks are not ticked."
        yield _study_finding(sheet, "3.3.3.1", says)


def _wrong_scales(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    for name, size in facts.scale_sizes.items():
        if name not in sheet.criteria:
            continue
        said = re.match(r"\s*(\d{1,15})\b", sheet.answer("4.3.3", name).text)
        if said and int(said[1]) != size:
            says = f"The size is {said[1]}, but the scale of the study has {size} values."
            yield _study_finding(sheet, "4.3.3", says, name)


def _study_finding(
    sheet: Sheet, number: str, says: str, criterion: str | None = None
) -> SheetFinding:
    cell = SheetCell(sheet.schema.question(number), criterion)
    return finding("study", "warning", says, "Correct the answer, or explain it.", at=cell)


def mixed_version(sheet: Sheet) -> Iterator[SheetFinding]:
    """A 2.x sheet that was opened and saved in the form of 3.0, which misreads it."""
    if not sheet.is_mixed:
        return
    doubtful = "; ".join(
        f"{cell} {describe_answer(cell.question, answer)}"
        for cell, answer in misread_answers(sheet)
    )
    says = (
        f"A 2.x sheet was opened in the form of 3.0, which misreads it: {doubtful or 'no answer'}."
    )
    yield finding("mixed-version", "error", says, "Run `rejudge heds convert --repair`.")


def several_options(sheet: Sheet) -> Iterator[SheetFinding]:
    """Two ticks where one is allowed."""
    for cell in sheet.cells():
        if cell.question.kind == "single" and len(sheet.stored(cell).options) > 1:
            says = "Two options are ticked where one is allowed; the form of 3.0 keeps the last."
            yield finding("two-options", "error", says, "Choose one.", at=cell)


def leftovers(sheet: Sheet) -> Iterator[SheetFinding]:
    """What the file holds beside its answers."""
    for name in sheet.orphans:
        says = f"Answers on the deleted criterion '{name}' are still stored."
        remedy = (
            f"Remove them with `rejudge heds convert --prune`, or restore the criterion '{name}'."
        )
        yield finding("orphan", "warning", says, remedy)
    for hidden in sheet.hidden_texts:
        cell = SheetCell(hidden.question, hidden.criterion)
        says = f"An explanation is stored that the form hides: '{_shorten(hidden.text)}'."
        remedy = "Tick the option that it belongs to, or delete it."
        yield finding("hidden-text", "warning", says, remedy, at=cell)


def unreadable_provenance(sheet: Sheet) -> Iterator[SheetFinding]:
    """Records of where answers come from that cannot be read."""
    listed = extra(sheet).get("answers")
    if listed is None:
        return
    lost = len(listed) - len(provenance_of(sheet)) if isinstance(listed, list) else 1
    if lost:
        says = f"{count(lost, 'record')} of where answers come from cannot be read."
        yield finding("provenance", "warning", says, "Fill the sheet again, or delete the records.")


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


_LONGEST: Final = 60
FILE_RULES: Final[tuple[_Rule, ...]] = (
    mixed_version,
    several_options,
    leftovers,
    unreadable_provenance,
)
