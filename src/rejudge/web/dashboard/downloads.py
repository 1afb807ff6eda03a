"""What can be taken home: files of pseudonyms; platform ids only for owners, and on the record."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from starlette.responses import Response

from rejudge.judgments import exclude, excluded_csv, to_csv
from rejudge.spreadsheet import csv_text
from rejudge.store import AnswerRow, EventRow, LogEntry, Tombstone
from rejudge.web.context import SiteContext
from rejudge.web.dashboard.auth import DashboardRequest, RequestRefused
from rejudge.web.dashboard.context import Dashboard, collected

_PEOPLE = (
    "participant", "arrived_at", "last_seen_at", "step", "batch", "answered", "tasks",
    "active_minutes", "wall_minutes", "failed_checks", "changes", "blurs", "device", "language",
    "time_zone", "flags",
)  # fmt: skip


def judgments_csv(site: SiteContext) -> str:
    """Every judgment, including those that will be excluded."""
    return to_csv(collected(site))


def excluded_sheet(site: SiteContext) -> str:
    """The excluded judgments, each with the rule that excluded it."""
    return excluded_csv(exclude(site.study, site.plan, collected(site)))


def events_csv(site: SiteContext) -> str:
    """Events of participants: arrivals, consent, batches, submissions."""
    return _sheet(EventRow, site.store.events())


def answers_csv(site: SiteContext) -> str:
    """Every answer as it was given, including changes, practice, exit questions and comments."""
    return _sheet(AnswerRow, site.store.answer_rows())


def people_csv(site: SiteContext) -> str:
    """Participants, without platform IDs."""
    people = site.store.people(now=site.now())
    return _lined(_PEOPLE, ([getattr(each, name) for name in _PEOPLE] for each in people))


def log_csv(site: SiteContext) -> str:
    """The log: who did what on this dashboard, and why."""
    return _sheet(LogEntry, site.store.log())


def withdrawn_csv(site: SiteContext) -> str:
    """Participants who withdrew, and how much was removed."""
    return _sheet(Tombstone, site.store.tombstones())


FILES: dict[str, Callable[[SiteContext], str]] = {
    "judgments.csv": judgments_csv,
    "excluded.csv": excluded_sheet,
    "events.csv": events_csv,
    "answers.csv": answers_csv,
    "people.csv": people_csv,
    "log.csv": log_csv,
    "withdrawn.csv": withdrawn_csv,
}


def everything(site: SiteContext) -> bytes:
    """All files in one archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, made in FILES.items():
            archive.writestr(f"{site.study.spec.id}/{name}", made(site))
    return content.getvalue()


def download(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """One file, or all of them."""
    name, site = request.path["name"], dashboard.site
    if name == "everything.zip":
        content, kind = everything(site), "application/zip"
    elif name in FILES:
        content, kind = FILES[name](site).encode("utf-8"), "text/csv; charset=utf-8"
    else:
        raise RequestRefused(404, "No such file", f"Available files: {', '.join(FILES)}.")
    site.store.note(f"downloaded {name}", who=request.name, now=request.now)
    return _file(content, kind, f"{site.study.spec.id}-{name}")


def identities(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Which platform id is behind which pseudonym: for payment, never for analysis."""
    reason = request.field("reason")
    if not reason:
        raise RequestRefused(
            422,
            "Give a reason",
            "Platform IDs can only be downloaded with a reason, which is kept in the log.",
        )
    site = dashboard.site
    head = ("participant", "recruiter", "person", "session")
    rows = [[getattr(each, name) for name in head] for each in site.store.identities()]
    site.store.note("downloaded platform ids", who=request.name, now=request.now, reason=reason)
    name = f"{site.study.spec.id}-identities.csv"
    return _file(_lined(head, rows).encode("utf-8"), "text/csv; charset=utf-8", name)


def _file(content: bytes, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(content, media_type=kind, headers=headers)


def _sheet(kind: type[Any], rows: Iterable[Any]) -> str:  # of one of the store's records
    names = [each.name for each in fields(kind)]
    return _lined(names, ([getattr(row, name) for name in names] for row in rows))


def _lined(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return csv_text((head, *([_cell(each) for each in row] for row in rows)))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    return f"{value:.3f}" if isinstance(value, float) else str(value)
