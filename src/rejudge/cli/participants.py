"""Participants at the command line: who is meant, the files they get, and their invitations."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rejudge.english import count
from rejudge.errors import DataError, Problem
from rejudge.spreadsheet import csv_text

if TYPE_CHECKING:
    from rejudge.store.person import PersonRecord
    from rejudge.store.store import Store
    from rejudge.study.model import Study


_PSEUDONYM = re.compile(r"p\d{4,}")
_OLDEST = (1980, 1, 1, 0, 0, 0)  # what a zip archive can date; the same data make the same file
_ANSWER_COLUMNS = (
    "batch", "task", "question", "asked", "raw", "position", "shown_at", "saved_at",
    "active_seconds", "changes", "blurs",
)  # fmt: skip
_EVENT_COLUMNS = ("at", "what", "batch", "detail")
FOLDER: Final = "invitations"
MERGE: Final = "invitations.csv"


def find_pseudonym(store: Store, given: str) -> str:
    """The participant number of somebody; what was given is never repeated if it may be an id."""
    from rejudge.collect.receipts import is_like_receipt

    given = given.strip()
    found = store.pseudonyms_of(given)
    if not found and is_like_receipt(given):
        return _of_receipt(store, given)
    typed = given.lower()
    given = typed if not found and _PSEUDONYM.fullmatch(typed) else given  # as people copy it
    if _PSEUDONYM.fullmatch(given):
        others = ", ".join(name for name in found if name != given)
        if others:
            what = f"'{given}' is a pseudonym, and the platform id of someone else ({others})."
            raise DataError(Problem(what, "Give their receipt code, or use the dashboard."))
        return given
    if not found:
        what = "nobody with this id has taken part."
        raise DataError(Problem(what, "Look for the participant number in `rejudge status`."))
    if len(found) > 1:
        what = f"this id was used with several kinds of links, as {' and '.join(sorted(found))}."
        raise DataError(Problem(what, "Give the participant number of each of them."))
    return found[0]


def _of_receipt(store: Store, given: str) -> str:
    from rejudge.collect.receipts import read_receipt

    if read_receipt(given) is None:
        what = "this receipt code was mistyped: its last character does not fit the others."
        raise DataError(Problem(what, "Ask for it again; it is on the participant's last page."))
    found = store.participant_of_receipt(given)
    if found is None:
        what = "no participant of this study has this receipt code."
        raise DataError(Problem(what, "Check that it is from this study and this database."))
    return found


def person_files(
    study: Study, record: PersonRecord, *, told: Mapping[str, str | None], now: datetime
) -> dict[str, bytes]:
    """Everything stored about somebody; `told`: what they told the platform about themselves."""
    answers = [_with_prompt(study, row) for row in record.answers]
    document = {
        "study": {"id": study.spec.id, "title": study.spec.title},
        "participant": record.participant,
        "exported_at": now,
        "platform_id": {
            "is_stored": bool(record.recruiters),
            "platforms": record.recruiters,
            "hashes": record.hashes,
            "note": "The id itself is left out of this file.",
        },
        "told_platform": dict(told),
        "visits": record.visits,
        "batches": record.assignments,
        "answers": answers,
        "events": record.events,
        "reported_by_platform": record.submissions,
        "decisions_of_researchers": record.decisions,
        "consent_texts": record.consent_texts,
    }
    text = json.dumps(document, ensure_ascii=False, indent=2, default=_as_text)
    files = {
        "README.md": _readme(study, record, told, now=now),
        "person.json": text + "\n",
        "answers.csv": _table(answers, _ANSWER_COLUMNS),
        "events.csv": _table(record.events, _EVENT_COLUMNS),
        "visits.csv": _table(record.visits, None),
    }
    for number, body in enumerate(record.consent_texts.values(), start=1):
        files[f"consent-{number}.md"] = body + "\n"
    return {name: content.encode("utf-8", "replace") for name, content in files.items()}


def as_zip(files: Mapping[str, bytes], folder: str) -> bytes:
    """The files as one archive with one folder in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}", _OLDEST), content)
    return buffer.getvalue()


def _with_prompt(study: Study, row: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with the question as it was asked."""
    from rejudge.collect.visit import COMMENT

    prompts = {each.id: each.prompt for each in study.spec.questions}
    prompts |= {each.id: each.prompt for each in study.spec.site.exit_questions}
    prompts[COMMENT] = "Remarks about the study"
    return {**row, "asked": prompts.get(str(row["question"]))}


def _table(rows: Sequence[Mapping[str, Any]], columns: Iterable[str] | None) -> str:
    head = tuple(columns) if columns is not None else tuple(rows[0]) if rows else ()
    cells = ([_cell(row.get(name)) for name in head] for row in rows)
    return csv_text((head, *cells)) if head else ""


def _cell(value: Any) -> str | int | float | None:  # of a row of the store
    if isinstance(value, bool):
        return "true" if value else "false"
    return _as_text(value) if isinstance(value, datetime) else value


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _readme(
    study: Study, record: PersonRecord, told: Mapping[str, str | None], *, now: datetime
) -> str:
    spec = study.spec
    contact = f"{spec.contact.name}, {spec.contact.email}" if spec.contact else "not stated"
    platforms = ", ".join(record.recruiters)
    stored = (
        f"Your id ({platforms}) is stored as well; it is left out of these files so that they do "
        "not connect you with your answers if somebody else reads them."
        if record.recruiters
        else "No id of a platform is stored any more."
    )
    lines = [
        f"# Your data in the study “{' '.join(spec.title.split())}”",
        (
            "These files contain all that the database of this study holds about participant "
            f"{record.participant}, as of {now:%Y-%m-%d %H:%M} UTC. All times are in UTC."
        ),
        (
            "| file | what is in it |\n| --- | --- |\n"
            f"| `answers.csv` | {count(len(record.answers), 'answer')} as you gave them, earlier "
            "versions of changed answers, practice, remarks and closing questions included |\n"
            f"| `events.csv` | {count(len(record.events), 'event')}, such as arriving and "
            "consenting |\n"
            f"| `visits.csv` | {count(len(record.visits), 'visit')}: times, and what your browser "
            "said about itself |\n"
            "| `consent-1.md`, … | what you read before you agreed |\n"
            "| `person.json` | all of this, and what the researchers decided about your work |"
        ),
        f"You told the platform: {', '.join(sorted(told))}; see `told_platform` in `person.json`."
        if told
        else "What you told a platform about yourself was not fetched.",
        stored,
        "Network addresses are not stored.",
        f"Contact: {contact}",
    ]
    return "\n\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class InvitationFiles:
    """What names one person: texts of their own, and the table for the mail merge without them."""

    texts: tuple[Path, ...] = ()
    table: Path | None = None
    rest: str = ""  # of the table

    @property
    def paths(self) -> list[Path]:
        """All files that name them."""
        return [*self.texts, *([] if self.table is None else [self.table])]

    def remove(self) -> None:
        """Delete the texts, and the person's rows of the table."""
        from rejudge.files.disk import write_bytes

        for path in self.texts:
            path.unlink()
        if self.table is not None:
            write_bytes(self.table, self.rest.encode("utf-8-sig"), force=True)


def find_invitations(folder: Path, names: Collection[str]) -> InvitationFiles:
    """What is left of people by the names in their links; nothing where nobody was invited."""
    from rejudge.collect.visit import PERSONAL_NAME
    from rejudge.incoming import decode, read_bytes
    from rejudge.spreadsheet import csv_rows, csv_text

    home = folder / FOLDER
    usable = [name for name in names if PERSONAL_NAME.fullmatch(name)]  # never a path
    texts = tuple(path for name in usable if (path := home / f"{name}.txt").is_file())
    table = home / MERGE
    if not usable or not table.is_file():
        return InvitationFiles(texts)
    head, *rows = csv_rows(decode(read_bytes(table, remedy=""), file=str(table))) or ([],)
    if "participant" not in head:
        return InvitationFiles(texts)
    at = head.index("participant")
    kept = [row for row in rows if not set(row[at : at + 1]) & set(usable)]
    if len(kept) == len(rows):
        return InvitationFiles(texts)
    return InvitationFiles(texts, table, csv_text((head, *kept)))
