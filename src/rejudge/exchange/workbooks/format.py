"""Workbooks (.xlsx): one per participant to fill in, checked cell by cell when they come back."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from math import ceil
from pathlib import Path

from rejudge.design.plan import Plan
from rejudge.english import count
from rejudge.errors import FileError, Problem, UsageError
from rejudge.exchange.formats import Exported, Imported, Rejected
from rejudge.exchange.workbooks.answers import CheckedWorkbook, Returned, collect
from rejudge.exchange.workbooks.consent import (
    CONSENT_FILE,
    ConsentReading,
    consent_csv,
    form_cells,
    read_consent,
)
from rejudge.exchange.workbooks.files import (
    OpenedWorkbook,
    consent_text,
    is_ours,
    marker,
    open_workbook,
    owner_of,
    parse_marker,
    recipient_of,
)
from rejudge.exchange.workbooks.layout import ParticipantWorkbook, Recipient, code_of, lay_out
from rejudge.exchange.workbooks.pages import FrontLine, consent_lines, front_lines
from rejudge.exchange.workbooks.reading import read_workbook
from rejudge.exchange.workbooks.sheets import WorkbookContent, to_xlsx
from rejudge.incoming import follow_links
from rejudge.judgments.answers import tabulate
from rejudge.simulate.people import participant_seats
from rejudge.spreadsheet import csv_text
from rejudge.study.model import Study

CODES = "codes.csv"
TO_CORRECT = "to-correct"
_SHOWN = 20  # problems in one error message
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')


def _today() -> date:
    return datetime.now(UTC).date()


@dataclass(frozen=True)
class WorkbookFormat:
    """Writes and reads workbooks."""

    name: str = "xlsx"
    title: str = "Workbooks"
    today: Callable[[], date] = _today  # for the rates of pay on the first sheet

    def recognises(self, file: Path) -> bool:
        """Whether a file has the marker of our workbooks."""
        return is_ours(file)

    # ── writing ──────────────────────────────────────────────────────────────────────────────────

    def write(self, study: Study, plan: Plan, *, people: Sequence[str]) -> Exported:
        """One workbook for each person, or for each participant that the plan needs."""
        recipients = assign(plan, people)
        names = _file_names(recipients)
        files = {
            name: self._workbook(study, plan, recipient)
            for name, recipient in zip(names, recipients, strict=True)
        }
        if any(each.name for each in recipients):
            rows = [
                (each.name, each.code, name) for each, name in zip(recipients, names, strict=True)
            ]
            files[CODES] = csv_text([("name", "participant", "file"), *rows]).encode()
        return Exported(files, tuple(_steps(people)), tuple(_notes(study, plan, recipients)))

    def _workbook(self, study: Study, plan: Plan, recipient: Recipient) -> bytes:
        book = lay_out(study, plan, recipient)
        front = front_lines(book, on=self.today())
        content = WorkbookContent(front, marker(study, plan, recipient))
        if book.asks_consent:
            lines = consent_lines(book, on=self.today())
            content = replace(content, consent=lines, form=form_cells(book.words))
        return to_xlsx(book, content)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def read(self, files: Sequence[Path], *, study: Study | None, plan: Plan | None) -> Imported:
        """The answers of all workbooks together; what cannot be used goes back to its author."""
        if study is None or plan is None:
            what = "workbooks belong to a study, and none was given."
            raise UsageError(Problem(what, "Write: rejudge import STUDY FILE..."))
        opened = _open_all(files, study, plan)
        results = [collect(each) for each in opened.returned]
        answers = [answer for result in results for answer in result.answers]
        unusable = (Rejected(each.what, each.remedy, each.file) for each in opened.problems)
        rejected = (*unusable, *(each for result in results for each in result.rejected))
        if not answers:
            raise _nothing_usable(rejected)
        consents = [(each.book.recipient.code, each.consent) for each in results]
        is_asked = any(consent.is_asked for _, consent in consents)
        return Imported(
            judgments=tabulate(study, plan, answers),
            rejected=rejected,
            unmapped=tuple(
                each for one in opened.returned for f in one.files for each in f.unmapped
            ),
            notes=(*opened.notes, *(note for result in results for note in result.notes)),
            files={
                **dict(self._corrections(results)),
                **({CONSENT_FILE: consent_csv(consents)} if is_asked else {}),
            },
        )

    def outdated_files(
        self, folder: Path, imported: Imported, *, given: Sequence[Path]
    ) -> Iterator[Path]:
        """Copies of earlier imports that went out to people whose answers are in this one.

        A copy that was edited since, or was given to be imported, may hold answers and stays.
        """
        people = {*imported.judgments.participant.labels}
        people |= {each.participant for each in imported.rejected if each.participant}
        inputs = {follow_links(path) for path in given}
        for copy in sorted((folder / TO_CORRECT).glob("*.xlsx")):
            is_new = f"{TO_CORRECT}/{copy.name}" in imported.files
            if is_new or follow_links(copy) in inputs or owner_of(copy) not in people:
                continue
            yield copy
            if copy.with_suffix(".txt").is_file():
                yield copy.with_suffix(".txt")

    def _corrections(self, results: Iterable[CheckedWorkbook]) -> Iterator[tuple[str, bytes]]:
        """For each participant with something to correct: a copy with notes, and a list."""
        taken: set[str] = set()
        for result in results:
            if not result.is_to_correct:
                continue
            stem = _unique(_safe(Path(result.file).stem), taken)
            book = result.book
            front = [
                FrontLine(book.words("correct_note"), "note"),
                *front_lines(book, on=self.today()),
            ]
            mark = marker(book.study, book.plan, book.recipient)
            copy = WorkbookContent(front, mark, result.shown, result.marks)
            if book.asks_consent:
                form = form_cells(book.words, result.consent, result.form_faults)
                lines = consent_lines(book, on=self.today())
                copy = replace(copy, consent=lines, form=form)
            yield f"{TO_CORRECT}/{stem}.xlsx", to_xlsx(book, copy)
            yield f"{TO_CORRECT}/{stem}.txt", result.list_for(f"{stem}.xlsx").encode()


FORMAT = WorkbookFormat()


def _nothing_usable(rejected: Sequence[Rejected]) -> FileError:
    if not any(each.participant for each in rejected):  # no file could be opened
        return FileError(*(Problem(r.reason, r.remedy, file=r.file) for r in rejected))
    what = "the workbooks have no answer that can be used."
    problems = [Problem(r.reason, r.remedy, file=r.file, line=r.row) for r in rejected[:_SHOWN]]
    return FileError(Problem(what, "Correct them and import them again."), *problems)


# ── who gets what ────────────────────────────────────────────────────────────────────────────────


def assign(plan: Plan, people: Sequence[str]) -> tuple[Recipient, ...]:
    """The people in their order, each with the places of one participant of the plan."""
    taken = participant_seats(plan)
    if len(people) > len(taken):  # more people than needed: each gets fewer batches
        fewer = max(1, ceil(plan.places / len(people)))
        taken = participant_seats(replace(plan, batches_per_participant=fewer))
    if len(people) > len(taken):
        what = (
            f"{count(len(people), 'person')} were given, but the plan has places for {len(taken)}."
        )
        raise UsageError(Problem(what, "List fewer people, or plan more participants per batch."))
    numbers = _numbers(people, len(taken))
    return tuple(
        Recipient(
            number,
            tuple((seat.batch.id, seat.number) for seat in taken[number - 1]),
            "" if name == code_of(number) else name,
        )
        for name, number in numbers.items()
    )


def _numbers(people: Sequence[str], places: int) -> dict[str, int]:
    """The number of each person; whoever is listed by a number, such as `p0003`, keeps it."""
    known = {code_of(number): number for number in range(1, places + 1)}
    if not people:
        return known
    kept = {name: known[name] for name in people if name in known}
    free = (number for number in known.values() if number not in kept.values())
    return {name: kept.get(name) or next(free) for name in people}


def _file_names(recipients: Sequence[Recipient]) -> list[str]:
    taken: set[str] = set()
    return [f"{_unique(_safe(each.name) or each.code, taken)}.xlsx" for each in recipients]


def _safe(name: str) -> str:
    """A name that every system takes for a file."""
    plain = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", name)).strip(" .-")
    return plain[:80]


def _unique(stem: str, taken: set[str]) -> str:
    name, number = stem or "workbook", 2
    while name.casefold() in taken:
        name, number = f"{stem}-{number}", number + 1
    taken.add(name.casefold())
    return name


def _steps(people: Sequence[str]) -> Iterator[str]:
    if people:
        yield (
            f"Send each person their own workbook. {CODES} maps participant numbers "
            "to names: keep it private."
        )
    else:
        yield "Give each participant one workbook, and note who has which: the number is on it."
    yield "They fill in the yellow cells, save the file and send it back."
    yield "Check and import all workbooks together: rejudge import STUDY FILE..."


def _notes(study: Study, plan: Plan, recipients: Sequence[Recipient]) -> Iterator[str]:
    if not study.pages.get("consent", "").strip():
        yield "The study has no consent page, so the workbooks ask for none: obtain it separately."
    main = {batch.id for batch in plan.main}
    given = sum(batch in main for each in recipients for batch, _ in each.seats)
    if given < plan.places:
        yield (
            f"The workbooks cover {given} of {count(plan.places, 'place')}: "
            "list more people for the others."
        )
    if study.spec.site.exit_questions:
        yield "Exit questions are not part of workbooks."


@dataclass(frozen=True, slots=True)
class _OpenedFiles:
    """The files by participant, what was decided, and what is wrong with files of no use."""

    returned: tuple[Returned, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]


def _open_all(files: Sequence[Path], study: Study, plan: Plan) -> _OpenedFiles:
    problems: list[Problem] = []
    notes: list[str] = []
    seen: dict[str, str] = {}
    mine: dict[Recipient, list[OpenedWorkbook]] = {}
    for path in files:
        try:
            opened = open_workbook(path)
            recipient = recipient_of(opened, study, plan)
        except FileError as error:
            problems += error.problems
            continue
        if opened.content in seen:
            notes.append(
                f"{opened.file} is the same file as {seen[opened.content]}; it was read once."
            )
            continue
        seen[opened.content] = opened.file
        mine.setdefault(recipient, []).append(opened)
    shared = [
        number for number, times in Counter(each.number for each in mine).items() if times > 1
    ]
    problems += _clashes({each: mine[each] for each in mine if each.number in shared})
    ordered = sorted((each for each in mine if each.number not in shared), key=lambda x: x.number)
    returned = tuple(_returned(study, plan, each, mine[each]) for each in ordered)
    return _OpenedFiles(returned, tuple(notes), tuple(problems))


def _returned(
    study: Study, plan: Plan, recipient: Recipient, opened: Sequence[OpenedWorkbook]
) -> Returned:
    book = lay_out(study, plan, recipient)
    return Returned(book, tuple(read_workbook(x, book, _consent(x, book)) for x in opened))


def _consent(opened: OpenedWorkbook, book: ParticipantWorkbook) -> ConsentReading:
    marked = (parse_marker(opened.marker[0]) or {}).get("consent")
    if not marked:
        return ConsentReading(is_asked=False)
    found = read_consent(opened.book.worksheets, book.words)
    return replace(found, has_same_text=marked == consent_text(book.study))


def _clashes(mine: Mapping[Recipient, Sequence[OpenedWorkbook]]) -> Iterator[Problem]:
    """Two exports with different lists of people give one number to two of them."""
    for recipient, opened in mine.items():
        same = [each for each in mine if each.number == recipient.number and each != recipient]
        other = mine[same[0]][0].file
        for each in opened:
            what = f"this workbook and {other} have the same participant number."
            remedy = "They are from two exports. Keep the workbooks of one of them."
            yield Problem(what, remedy, file=each.file)
