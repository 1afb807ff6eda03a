"""The files for a participant who asks for their data."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rejudge.english import count
from rejudge.spreadsheet import csv_text

if TYPE_CHECKING:
    from rejudge.store import PersonRecord
    from rejudge.study import Study

_OLDEST = (1980, 1, 1, 0, 0, 0)  # what a zip archive can date; the same data make the same file


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


_ANSWER_COLUMNS = (
    "batch", "task", "question", "asked", "raw", "position", "shown_at", "saved_at",
    "active_seconds", "changes", "blurs",
)  # fmt: skip
_EVENT_COLUMNS = ("at", "what", "batch", "detail")


def _with_prompt(study: Study, row: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with the question as it was asked."""
    from rejudge.collect import COMMENT

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
