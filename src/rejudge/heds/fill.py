"""Fill in a datasheet from a study; answers that somebody edited are never overwritten.

    facts = KnownStudy(study, plan, profile=read_profile(path), results=results, kept=kept)
    filled = fill_sheet(blank_sheet("3.0"), facts, time="2026-11-17T10:00:00Z")
    filled.sheet.write()

Before data collection there are no results: the sheet then says what is planned. The difference
between that sheet and the one after data collection is what was done differently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from rejudge.errors import DataError, Problem
from rejudge.heds.answers import ANSWERS, Given, question_source
from rejudge.heds.facts import KnownStudy
from rejudge.heds.sheet import (
    Sheet,
    SheetAnswer,
    SheetCell,
    add_criterion,
    find_provenance,
    forget_answer,
    is_edited,
    record_answer,
    safe_criterion_name,
    written_form,
)

FillState: TypeAlias = Literal[
    "filled",  # written now
    "unchanged",  # the sheet said the same before
    "edited",  # somebody changed it; the study says something else
    "missing",  # only a person can answer it
    "answered",  # by a person, and the study has nothing to say
]
_VERBATIM: Final = "4.3.7"  # the question as participants read it: names the criterion's question


@dataclass(frozen=True, slots=True)
class Proposal:
    """An answer that the study gives to one question of the sheet."""

    number: str  # of the question
    given: Given
    criterion: str | None = None


@dataclass(frozen=True, slots=True)
class FilledCell:
    """What became of one answer."""

    cell: SheetCell
    state: FillState
    source: str = ""  # where the study says it
    proposed: SheetAnswer | None = None  # what the study says, where somebody said otherwise


@dataclass(frozen=True, slots=True)
class FilledSheet:
    """A sheet with what the study knows, and what became of each of its answers."""

    sheet: Sheet
    cells: tuple[FilledCell, ...]

    def of(self, *states: FillState) -> tuple[FilledCell, ...]:
        """The answers in one of these states."""
        return tuple(each for each in self.cells if each.state in states)

    @property
    def drafts(self) -> tuple[FilledCell, ...]:
        """Answers that a person should confirm: they were drafted, and nobody has edited them."""
        written = self.of("filled", "unchanged")
        return tuple(each for each in written if each.cell.question.fill == "draft")


def fill_sheet(sheet: Sheet, facts: KnownStudy, *, time: str) -> FilledSheet:
    """The sheet with every answer that the study can give."""
    _refuse_old_version(sheet)
    names: dict[str, str] = {}
    for question in facts.study.spec.questions:
        sheet, names[question.id] = _with_criterion(sheet, question.id)
    return _apply(sheet, tuple(_proposals(facts, names)), time=time)


def _proposals(facts: KnownStudy, names: Mapping[str, str]) -> Iterator[Proposal]:
    """All that the study answers; `names`: the criterion of each question."""
    for number, answer in ANSWERS.items():
        if not number.startswith("4."):
            found = answer(facts)
            if found is not None:
                yield Proposal(number, found)
            continue
        for question in facts.study.spec.questions:
            found = answer(facts, question)
            if found is not None:
                yield Proposal(number, found, names[question.id])


def _refuse_old_version(sheet: Sheet) -> None:
    if sheet.version != "3.0":
        what = f"this is a datasheet of version {sheet.version}; only version 3.0 is filled in."
        raise DataError(Problem(what, "Convert it first: `rejudge heds convert FILE --out NEW`."))


def _with_criterion(sheet: Sheet, question: str) -> tuple[Sheet, str]:
    """The sheet with a criterion for a question of the study, and the criterion's name.

    A criterion that somebody renamed is recognised by where its answers came from.
    """
    for record in sheet.records:
        is_same = record.question == _VERBATIM and record.source == question_source(question)
        if is_same and record.criterion in sheet.criteria:
            return sheet, record.criterion
    for name in sheet.criteria:
        if name.casefold() == question.casefold():
            return sheet, name
    name = safe_criterion_name(question, sheet.criteria)
    return add_criterion(sheet, name), name


def _apply(sheet: Sheet, proposals: Sequence[Proposal], *, time: str) -> FilledSheet:
    sheet = _without_outdated(sheet, {(each.number, each.criterion) for each in proposals})
    found: dict[tuple[str, str | None], FilledCell] = {}
    for each in proposals:
        sheet, cell = _propose(sheet, each, time=time)
        found[cell.cell.question.number, cell.cell.criterion] = cell
    cells = tuple(
        found.get((cell.question.number, cell.criterion)) or _unproposed(sheet, cell)
        for cell in sheet.cells()
    )
    return FilledSheet(sheet, cells)


def _without_outdated(sheet: Sheet, answered: Collection[tuple[str, str | None]]) -> Sheet:
    """The sheet without answers that were filled in and that the study no longer gives.

    A channel that was planned was not used after all, or a line of the profile was removed.
    """
    for record in sheet.records:
        is_known = record.criterion is None or record.criterion in sheet.criteria
        if (record.question, record.criterion) in answered or not is_known:
            continue
        if not is_edited(sheet, record):
            sheet = sheet.with_answer(record.question, SheetAnswer(), criterion=record.criterion)
        sheet = forget_answer(sheet, record.question, record.criterion)
    return sheet


def _propose(sheet: Sheet, proposal: Proposal, *, time: str) -> tuple[Sheet, FilledCell]:
    cell, source = sheet.cell(proposal.number, proposal.criterion), proposal.given.source
    new = written_form(cell.question, proposal.given.answer)
    now = sheet.answer(cell.question, cell.criterion)
    record = find_provenance(sheet, cell.question.number, cell.criterion)
    if now.state != "blank" and now != new and (record is None or is_edited(sheet, record)):
        return sheet, FilledCell(cell, "edited", source, new)
    if now == new and record is not None and record.source == source:
        return sheet, FilledCell(cell, "unchanged", source)
    state: FillState = "unchanged" if now == new else "filled"
    written = sheet.with_answer(cell.question, new, criterion=cell.criterion)
    noted = record_answer(
        written, cell.question.number, criterion=cell.criterion, source=source, time=time
    )
    return noted, FilledCell(cell, state, source)


def _unproposed(sheet: Sheet, cell: SheetCell) -> FilledCell:
    answer = sheet.answer(cell.question, cell.criterion)
    return FilledCell(cell, "missing" if answer.state == "blank" else "answered")
