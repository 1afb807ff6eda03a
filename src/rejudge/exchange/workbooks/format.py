"""Workbooks (.xlsx): one per participant to fill in, checked cell by cell when they come back."""

from __future__ import annotations

import hmac
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from math import ceil
from pathlib import Path
from typing import Any

from rejudge.design import Plan
from rejudge.english import count
from rejudge.errors import FileError, Problem, UsageError
from rejudge.exchange.formats import Exported, Imported, Rejected
from rejudge.exchange.workbooks.answers import CheckedWorkbook, Returned, collect
from rejudge.exchange.workbooks.files import MARK, OpenedWorkbook, is_ours, open_workbook
from rejudge.exchange.workbooks.front import front_lines
from rejudge.exchange.workbooks.layout import Recipient, code_of, lay_out
from rejudge.exchange.workbooks.reading import read_workbook
from rejudge.exchange.workbooks.sheets import FrontLine, WorkbookContent, to_xlsx
from rejudge.fingerprint import canonical, of_bytes
from rejudge.judgments import tabulate
from rejudge.simulate import seats
from rejudge.spreadsheet import csv_text
from rejudge.study import Study

CODES = "codes.csv"
TO_CORRECT = "to-correct"
_SHOWN = 20  # problems in one error message
_SIGNATURE_LENGTH = 32
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_ANOTHER_COPY = "Import the workbook that was exported for this study, or export it anew."


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
        return to_xlsx(book, WorkbookContent(front, _marker(study, plan, recipient)))

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def read(self, files: Sequence[Path], *, study: Study | None, plan: Plan | None) -> Imported:
        """The answers of all workbooks together; what cannot be used goes back to its author."""
        if study is None or plan is None:
            what = "workbooks belong to a study, and none was given."
            raise UsageError(Problem(what, "Write: rejudge import STUDY FILE..."))
        returned, notes = _open_all(files, study, plan)
        results = [collect(each) for each in returned]
        answers = [answer for result in results for answer in result.answers]
        rejected = tuple(each for result in results for each in result.rejected)
        if not answers:
            raise _nothing_usable(rejected)
        return Imported(
            judgments=tabulate(study, plan, answers),
            rejected=rejected,
            unmapped=tuple(each for one in returned for f in one.files for each in f.unmapped),
            notes=(*notes, *(note for result in results for note in result.notes)),
            files=dict(self._corrections(results)),
        )

    def _corrections(self, results: Iterable[CheckedWorkbook]) -> Iterator[tuple[str, bytes]]:
        """For each participant with something to correct: a copy with notes, and a list."""
        taken: set[str] = set()
        for result in results:
            if not result.faults:
                continue
            stem = _unique(_safe(Path(result.file).stem), taken)
            book = result.book
            front = [
                FrontLine(book.words("correct_note"), "note"),
                *front_lines(book, on=self.today()),
            ]
            marker = _marker(book.study, book.plan, book.recipient)
            copy = WorkbookContent(front, marker, result.shown, result.marks)
            yield f"{TO_CORRECT}/{stem}.xlsx", to_xlsx(book, copy)
            yield f"{TO_CORRECT}/{stem}.txt", result.list_for(f"{stem}.xlsx").encode()


FORMAT = WorkbookFormat()


def _nothing_usable(rejected: Sequence[Rejected]) -> FileError:
    what = "the workbooks have no answer that can be used."
    problems = [Problem(r.reason, r.remedy, file=r.file, line=r.row) for r in rejected[:_SHOWN]]
    return FileError(Problem(what, "Correct them and import them again."), *problems)


# ── who gets what ────────────────────────────────────────────────────────────────────────────────


def assign(plan: Plan, people: Sequence[str]) -> tuple[Recipient, ...]:
    """The people in their order, each with the places of one participant of the plan."""
    taken = seats(plan)
    if len(people) > len(taken):  # more people than needed: each gets fewer batches
        fewer = max(1, ceil(plan.places / len(people)))
        taken = seats(replace(plan, batches_per_participant=fewer))
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
            f"Send each person their own workbook. {CODES} says whose answers are under which "
            "number: keep it private."
        )
    else:
        yield "Give each participant one workbook, and note who has which: the number is on it."
    yield "They fill in the yellow cells, save the file and send it back."
    yield "Check and import all workbooks together: rejudge import STUDY FILE..."


def _notes(study: Study, plan: Plan, recipients: Sequence[Recipient]) -> Iterator[str]:
    yield "Consent is not asked in a workbook: obtain it separately."
    main = {batch.id for batch in plan.main}
    given = sum(batch in main for each in recipients for batch, _ in each.seats)
    if given < plan.places:
        yield (
            f"The workbooks cover {given} of {count(plan.places, 'place')}: "
            "list more people for the others."
        )
    if study.spec.site.exit_questions:
        yield "Exit questions are not part of workbooks."


# ── the marker ───────────────────────────────────────────────────────────────────────────────────


def _marker(study: Study, plan: Plan, recipient: Recipient) -> tuple[str, str, str]:
    """What the hidden sheet says: whose workbook it is, for which plan; nothing about systems."""
    said = json.dumps(
        {
            "study": study.spec.id,
            "plan": _public(plan.fingerprint),
            "design": _public(study.design_fingerprint),
            "number": recipient.number,
            "seats": [list(seat) for seat in recipient.seats],
            "name": recipient.name,
        },
        ensure_ascii=True,
    )
    return MARK, said, _signature(plan, said)


def _public(fingerprint: str) -> str:
    """A fingerprint as it can be given away: the plan's own is the key of signatures and rows."""
    return of_bytes(f"workbook {fingerprint}".encode())


def _signature(plan: Plan, said: str) -> str:
    key = plan.fingerprint.encode()
    content = canonical(json.loads(said))
    return hmac.digest(key, content, "sha256").hex()[:_SIGNATURE_LENGTH]


def _recipient(opened: OpenedWorkbook, study: Study, plan: Plan) -> Recipient:
    """Whose workbook it is; a FileError if it is not of this study and plan."""
    said, signature = opened.marker
    content = _parse(said)
    if content is None:
        raise _stranger(opened, "the hidden sheet of the workbook was changed.")
    if content.get("study") != study.spec.id:
        what = f"this is a workbook of the study '{content.get('study')}', not '{study.spec.id}'."
        raise _stranger(opened, what)
    if content.get("plan") != _public(plan.fingerprint):
        raise _stranger(opened, "this workbook was exported for another plan of this study.")
    if content.get("design") != _public(study.design_fingerprint):
        what = "the study's items or questions were changed after this workbook was exported."
        raise _stranger(opened, what)
    if not hmac.compare_digest(signature.encode(), _signature(plan, said).encode()):
        raise _stranger(opened, "the hidden sheet of the workbook was changed.")
    seats_given = tuple((str(batch), int(seat)) for batch, seat in content["seats"])
    return Recipient(int(content["number"]), seats_given, str(content["name"]))


def _parse(said: str) -> Mapping[str, Any] | None:  # JSON values
    """What a marker says; None when it is not an object."""
    try:
        content = json.loads(said)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _stranger(opened: OpenedWorkbook, what: str) -> FileError:
    return FileError(Problem(what, _ANOTHER_COPY, file=opened.file))


def _open_all(
    files: Sequence[Path], study: Study, plan: Plan
) -> tuple[list[Returned], tuple[str, ...]]:
    """The files by participant, or an error that lists every file that cannot be used."""
    problems: list[Problem] = []
    notes: list[str] = []
    seen: dict[str, str] = {}
    mine: dict[Recipient, list[OpenedWorkbook]] = {}
    for path in files:
        try:
            opened = open_workbook(path)
            recipient = _recipient(opened, study, plan)
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
    problems += _clashes(mine)
    if problems:
        raise FileError(*problems)
    ordered = sorted(mine.items(), key=lambda pair: pair[0].number)
    return [_returned(study, plan, *pair) for pair in ordered], tuple(notes)


def _returned(
    study: Study, plan: Plan, recipient: Recipient, opened: Sequence[OpenedWorkbook]
) -> Returned:
    book = lay_out(study, plan, recipient)
    return Returned(book, tuple(read_workbook(each, book) for each in opened))


def _clashes(mine: Mapping[Recipient, Sequence[OpenedWorkbook]]) -> Iterator[Problem]:
    """Two exports with different lists of people give one number to two of them."""
    first: dict[int, str] = {}
    for recipient, opened in mine.items():
        file = opened[0].file
        if recipient.number in first:
            what = f"this workbook and {first[recipient.number]} have the same participant number."
            remedy = "They are from two exports. Keep the workbooks of one of them."
            yield Problem(what, remedy, file=file)
        first.setdefault(recipient.number, file)
