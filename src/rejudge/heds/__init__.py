"""The Human Evaluation Datasheet (HEDS): read, edit, check, convert, compare and print it.

    sheet = read_sheet(Path("datacard.json"))       # or read(bytes), or blank_sheet("3.0")
    sheet.version                                   # "2.x" or "3.0"; sheet.is_mixed: see convert
    sheet.criteria                                  # ("Fluency", "Adequacy")
    for cell, answer in sheet.answers(): ...        # everything that can be answered
    sheet.answer("3.2.1")                           # SheetAnswer(text="24")
    sheet.answer("4.2.2", "Fluency").options        # (1,): keys of the ticked options
    sheet.answer("5.1").state                       # "value", "absent" or "blank"

Sheets are values: an edit returns a new one, and only the entries of that answer change.

    sheet = sheet.with_answer("3.2.1", "24")
    sheet = sheet.with_answer("3.2.2.2", SheetAnswer(options=(1,)))
    sheet = sheet.with_answer("3.3.1", SheetAnswer("https://…", (1,)))   # with explanation
    sheet = sheet.with_answer("5.1", SheetAnswer(is_absent=True))        # what the form asks for
    sheet = sheet.with_answer("4.3.7", "How fluent is it?", criterion="Fluency")
    sheet = rename_criterion(sheet, "Fluency", "Grammar")  # add_, copy_, remove_, restore_, prune_
    sheet.write()                                   # bytes; those that were read if unedited

Questions are in `schema("3.0").questions`: `number`, `id`, `kind` (text, integer, single, multi),
`label`, `hint`, `fill` (auto, draft, once, human), `options` with `key`, `name`, `needs_text`,
`exclusive`. `schema(version).sections` has the headings, `section_of(question)` the one above.

What was filled in automatically is recorded in the sheet, and hand edits are recognised:

    sheet = record_answer(sheet, "3.2.1", source="judgments", time="2026-11-17T10:00:00Z")
    record = find_provenance(sheet, "3.2.1")
    is_edited(sheet, record)                        # False until somebody changes the answer

    check(sheet)                                    # warnings and errors of the official form
    lint(sheet, StudyFacts(evaluators=24))          # contradictions, also with the study
    convert(sheet, "3.0").changes                   # what became of which answer
    diff(sheet, other).deviations                   # what differs between two studies
    to_latex_sheet(sheet)                           # also to_markdown_sheet, to_csv_sheet

`sheet.orphans`, `hidden_texts`, `unknown_keys` and `repeated_keys` tell what else a file holds;
`complete(sheet)` adds every key that the official form needs (blank_sheet has them).
"""

from rejudge.arguments import explain_arguments
from rejudge.heds.answers import AnswerState, SheetAnswer, answer_hash, describe_answer
from rejudge.heds.check import SheetFinding, check
from rejudge.heds.convert import Conversion, ConvertedAnswer, convert
from rejudge.heds.criteria import (
    add_criterion,
    copy_criterion,
    criterion_name_problem,
    prune_criterion,
    prune_orphans,
    remove_criterion,
    rename_criterion,
    restore_criterion,
    safe_criterion_name,
)
from rejudge.heds.diff import SheetDiff, SheetDifference, diff, difference_table, read_reasons
from rejudge.heds.latex import LatexStyle, to_latex_sheet
from rejudge.heds.lint import StudyFacts, lint
from rejudge.heds.printing import (
    NO_ANSWER,
    AnonymousSheet,
    PrintedAnswer,
    PrintedSection,
    anonymise,
    printed_sections,
    to_csv_sheet,
    to_markdown_sheet,
)
from rejudge.heds.provenance import (
    Provenance,
    find_provenance,
    forget_answer,
    is_edited,
    provenance_of,
    record_answer,
)
from rejudge.heds.runs import title_conditions, with_sheets
from rejudge.heds.schema import (
    Fill,
    SheetOption,
    SheetQuestion,
    SheetSchema,
    SheetSection,
    Version,
    schema,
)
from rejudge.heds.sheet import (
    HiddenText,
    Sheet,
    SheetCell,
    blank_sheet,
    complete_sheet,
    read,
    read_sheet,
)

__all__ = [
    "NO_ANSWER",
    "AnonymousSheet",
    "AnswerState",
    "Conversion",
    "ConvertedAnswer",
    "Fill",
    "HiddenText",
    "LatexStyle",
    "PrintedAnswer",
    "PrintedSection",
    "Provenance",
    "Sheet",
    "SheetAnswer",
    "SheetCell",
    "SheetDiff",
    "SheetDifference",
    "SheetFinding",
    "SheetOption",
    "SheetQuestion",
    "SheetSchema",
    "SheetSection",
    "StudyFacts",
    "Version",
    "add_criterion",
    "anonymise",
    "answer_hash",
    "blank_sheet",
    "check",
    "complete_sheet",
    "convert",
    "copy_criterion",
    "criterion_name_problem",
    "describe_answer",
    "diff",
    "difference_table",
    "find_provenance",
    "forget_answer",
    "is_edited",
    "lint",
    "printed_sections",
    "provenance_of",
    "prune_criterion",
    "prune_orphans",
    "read",
    "read_reasons",
    "read_sheet",
    "record_answer",
    "remove_criterion",
    "rename_criterion",
    "restore_criterion",
    "safe_criterion_name",
    "schema",
    "title_conditions",
    "to_csv_sheet",
    "to_latex_sheet",
    "to_markdown_sheet",
    "with_sheets",
]

explain_arguments(__name__)
