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

from rejudge.english import count
from rejudge.fingerprint import Json
from rejudge.heds.answers import describe_answer
from rejudge.heds.check import SheetFinding, finding
from rejudge.heds.convert import convert, misread_answers
from rejudge.heds.criteria import criterion_name_problem
from rejudge.heds.lint_answers import ANSWER_RULES, CRITERION_RULES
from rejudge.heds.mapping import OLDER_NUMBER
from rejudge.heds.provenance import extra, provenance_of
from rejudge.heds.schema import CRITERION_LIST
from rejudge.heds.sheet import Sheet, SheetCell, as_text, is_true
from rejudge.rules import SEVERITIES

_Rule: TypeAlias = Callable[[Sheet], Iterator[SheetFinding]]
_CONTENT: Final[tuple[_Rule, ...]] = (*ANSWER_RULES, *CRITERION_RULES)
_AUTOMATIC, _PEOPLE_EXCLUDED, _RESPONSES_EXCLUDED = 2, 4, 5  # options of 3.3.3.1
_NONE: Final[Mapping[str, int]] = MappingProxyType({})
_REWRITE: Final = "`rejudge heds convert` writes it as the form needs it."


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


def unloadable_entries(sheet: Sheet) -> Iterator[SheetFinding]:
    """Entries on which the official form stops working."""
    for question in sheet.schema.questions:
        cell = SheetCell(question)
        for id_ in question.storage_ids:
            entry = sheet.entries.get(id_)
            if not isinstance(entry, dict):
                continue
            needed = ["data", "text"] if id_ != question.text_id else ["data"]
            missing = [name for name in needed if name not in entry]
            if missing:
                says = f"The entry {id_} has no '{missing[0]}', so the form stops working."
                yield finding("unloadable", "error", says, _REWRITE, at=cell)


def criterion_list(sheet: Sheet) -> Iterator[SheetFinding]:
    """A list of criteria that leaves section 4 of the form dead or without an open tab."""
    entry = sheet.entries.get(CRITERION_LIST)
    if not isinstance(entry, dict):
        return
    control = entry.get("control")
    if not isinstance(control, dict):
        says = "The list of criteria has no 'control', so section 4 of the form stops working."
        yield finding("unloadable", "error", says, _REWRITE)
        return
    opened = [name for name, value in control.items() if is_true(value)]
    if sheet.criteria and not opened:
        says = "No criterion is open, so the form shows no tab and loses what is entered."
        yield finding("open-criterion", "error", says, _REWRITE)
    if len(opened) > 1:
        says = f"{len(opened)} criteria are marked as open; the form opens the first."
        yield finding("open-criterion", "warning", says, _REWRITE)


def criterion_names(sheet: Sheet) -> Iterator[SheetFinding]:
    """Names of criteria that the form turns into something else."""
    for name in sheet.criteria:
        problem = criterion_name_problem(name)
        if problem:
            says = f"The criterion name '{name}' {problem}."
            yield finding(
                "criterion-name", "error", says, "Run `rejudge heds convert`, which renames it."
            )


def stored_options(sheet: Sheet) -> Iterator[SheetFinding]:
    """Ticks that are stored in another way than the form stores them."""
    for cell in sheet.cells():
        if cell.question.kind == "single" and len(sheet.stored(cell).options) > 1:
            says = "Two options are ticked where one is allowed; the form of 3.0 keeps the last."
            yield finding("two-options", "error", says, "Choose one.", at=cell)
        for option in cell.question.options:
            id_ = cell.question.option_id(option.key)
            value = sheet.value_at(id_, cell)
            if value is not None and not isinstance(value, bool):
                says = f"Option {option.key} is stored as {value!r} instead of true or false"
                says += ", so the form shows it as ticked." if value else "."
                yield finding("stored-type", "error", says, _REWRITE, at=cell)
            said = _option_text(sheet, id_, cell.key)
            if is_true(value) and said is not None and said != option.value:
                says = f"Option {option.key} is ticked, but stored with the text '{said}'."
                remedy = "Check which option is meant. " + _REWRITE
                yield finding("option-text", "error", says, remedy, at=cell)


def stored_texts(sheet: Sheet) -> Iterator[SheetFinding]:
    """Texts that the form cuts, cannot handle or takes for blank."""
    for cell in sheet.cells():
        value = sheet.value_at(cell.question.text_id, cell)
        text = as_text(value)
        if isinstance(value, str) and value and not value.strip():
            says = f"The answer consists of {count(len(value), 'blank')}; long ones stall the form."
            yield finding("blanks-only", "error", says, "Remove them, or answer.", at=cell)
        elif isinstance(value, int | float):
            says = (
                f"{text} is stored as a number" + ("" if value else ", which counts as blank") + "."
            )
            yield finding("stored-type", "warning", says, _REWRITE, at=cell)
        elif _is_cut(sheet, cell, text):
            says = "The form of 3.0 deletes the line breaks of this field and joins the words."
            yield finding("line-break", "error", says, "Write the answer on one line.", at=cell)


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
    for key in sheet.unknown_keys:
        if not sheet.is_mixed:
            says = f"The key '{key}' belongs to no question of {sheet.version}; it is kept."
            yield finding("unknown-key", "warning", says, "Check where it comes from.")
    for key in sheet.repeated_keys:
        says = f"The key '{key}' occurs twice; the last one counts."
        yield finding("repeated-key", "warning", says, "Remove one of the two.")


def stray_blanks(sheet: Sheet) -> Iterator[SheetFinding]:
    """What the form stores in section 4 before the first criterion exists."""
    stray = [
        id_
        for id_, entry in sheet.entries.items()
        if id_.startswith(f"{CRITERION_LIST}-") and isinstance(entry, dict)
        if isinstance(data := entry.get("data"), dict) and "" in data
    ]
    if stray:
        says = f"Section 4 has answers without a criterion, in {len(stray)} places."
        remedy = "The form ignores them; `rejudge heds convert --prune` removes them."
        yield finding("stray-blank", "note", says, remedy)


def unreadable_provenance(sheet: Sheet) -> Iterator[SheetFinding]:
    """Records of where answers come from that cannot be read."""
    listed = extra(sheet).get("answers")
    if listed is None:
        return
    lost = len(listed) - len(provenance_of(sheet)) if isinstance(listed, list) else 1
    if lost:
        says = f"{count(lost, 'record')} of where answers come from cannot be read."
        yield finding("provenance", "warning", says, "Fill the sheet again, or delete the records.")


def _option_text(sheet: Sheet, id_: str, key: str) -> str | None:
    entry = sheet.entries.get(id_)
    texts: Json = entry.get("text") if isinstance(entry, dict) else None
    return as_text(texts.get(key)) if isinstance(texts, dict) else None


def _is_cut(sheet: Sheet, cell: SheetCell, text: str) -> bool:
    question = cell.question
    one_line = not question.multiline and not question.is_choice
    return sheet.version == "3.0" and one_line and "\n" in text.replace("\r", "\n")


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


_LONGEST: Final = 60
FILE_RULES: Final[tuple[_Rule, ...]] = (
    mixed_version,
    unloadable_entries,
    criterion_list,
    criterion_names,
    stored_options,
    stored_texts,
    leftovers,
    stray_blanks,
    unreadable_provenance,
)
