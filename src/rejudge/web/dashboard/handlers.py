"""What the dashboard answers: its pages, what can be done there, and what can be downloaded.

Pages change nothing. Every action has a reason and a line in the log, and the store does it. Files
have pseudonyms; platform ids are only for owners, and on the record.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from typing import Any, get_args

from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rejudge.collect.assignment import Assignment, Event
from rejudge.collect.visit import CONSENT
from rejudge.design.plan import Batch
from rejudge.judgments.exclusions import exclude, excluded_csv
from rejudge.judgments.judgments_csv import to_csv
from rejudge.spreadsheet import csv_text
from rejudge.store.records import (
    AnswerRow,
    EventRow,
    LogEntry,
    ParticipantStatus,
    Role,
    State,
    Tombstone,
)
from rejudge.web.dashboard import figures, view
from rejudge.web.dashboard.auth import DashboardRequest, RequestRefused
from rejudge.web.dashboard.context import Dashboard, collect_judgments_so_far, render
from rejudge.web.rendering import SiteContext, SitePages

PEOPLE_ON_OVERVIEW = 40
LINES_OF_LOG = 500
SAID: Mapping[str, str] = {  # what a page says after something was done
    "accept": "Accepted.",
    "exclude": "Excluded. The place is free for someone else.",
    "return": "Marked as returned. The place is free.",
    "expire": "The place was released.",
    "open": "The study is open. Batches are handed out.",
    "paused": "The study is paused. People who have started can finish; nobody new gets a batch.",
    "closed": "The study is closed. People who have started can finish; nobody new gets a batch.",
    "place": "One more place was added.",
    "released": "Places without answers were released. The log records how many.",
    "revoked": "The token was revoked, and everyone logged in with it was logged out.",
    "withdrawn": "Everything about this person was removed from the database.",
}
_SHOWN = {
    "all": "Everybody",
    "now": "Here now",
    "attention": "With flags or failed checks",
    "decide": "Awaiting a decision",
}


@dataclass(frozen=True, slots=True)
class AssignmentDecisions:
    """One batch of a participant, with the decisions that are possible."""

    assignment: Assignment
    decisions: tuple[Event, ...]


def overview(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Everything at a glance."""
    shown = dashboard.overview(PEOPLE_ON_OVERVIEW)
    return _page(dashboard, request, "overview.html", title="Overview", current="", view=shown)


def live(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """The overview without its frame, for the script that updates it."""
    return _page(dashboard, request, "live.html", view=dashboard.overview(PEOPLE_ON_OVERVIEW))


def people(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """All participants, or those of one filter."""
    standing = dashboard.standing()
    known, _ = dashboard.snapshot(standing)
    rows = view.rows(standing.people, figures.flags(known) if known else None)
    chosen = request.query.get("show", "all")
    shown = [row for row in rows if _is_shown(row, chosen)]
    counts = {name: sum(_is_shown(row, name) for row in rows) for name in _SHOWN}
    return _page(
        dashboard, request, "people.html", title="People", current="people",
        rows=shown, chosen=chosen, choices=_SHOWN, counts=counts, at=standing.now,
    )  # fmt: skip


def person(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """One participant: every batch, possible decisions and events."""
    standing = dashboard.standing()
    known, _ = dashboard.snapshot(standing)
    found = find_person(dashboard, request)
    own = [each for each in standing.assignments if each.participant == found.participant]
    flags = figures.flags(known).get(found.participant, ()) if known else ()
    return _page(
        dashboard, request, "person.html", title=found.participant, current="people",
        person=found,
        row=view.row(found, flags),
        works=[AssignmentDecisions(each, view.decisions_on(each)) for each in own],
        events=[e for e in dashboard.site.store.events() if e.participant == found.participant],
    )  # fmt: skip


def batch(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """One batch: its places, its participants and its tasks."""
    standing = dashboard.standing()
    found = find_batch(dashboard, request)
    cell = next(
        cell for cell in view.cells(standing, dashboard.site.plan) if cell.batch == found.id
    )
    occupancy = next(occupancy for occupancy in standing.occupancies if occupancy.batch == found.id)
    own = [each for each in standing.assignments if each.batch == found.id]
    return _page(
        dashboard, request, "batch.html", title=f"Batch {found.id}", current="",
        batch=found, cell=cell, occupancy=occupancy, assignments=own,
    )  # fmt: skip


def log(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """The audit log, the latest first."""
    entries = dashboard.site.store.log()
    shown = entries[::-1][:LINES_OF_LOG]
    return _page(
        dashboard,
        request,
        "log.html",
        title="Log",
        current="log",
        entries=shown,
        total=len(entries),
    )


def downloads(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """The files that can be downloaded."""
    described = {name: (made.__doc__ or "").strip() for name, made in FILES.items()}
    return _page(
        dashboard,
        request,
        "downloads.html",
        title="Downloads",
        current="downloads",
        files=described,
    )


def access(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Who has access."""
    return access_page(dashboard, request)


def access_page(
    dashboard: Dashboard, request: DashboardRequest, *, secret: str = "", role: str = ""
) -> Response:
    """All tokens, and the secret of a new one, which is shown once."""
    return _page(
        dashboard, request, "access.html", title="Access", current="access",
        tokens=dashboard.site.store.tokens(), secret=secret, role=role,
    )  # fmt: skip


def find_person(dashboard: Dashboard, request: DashboardRequest) -> ParticipantStatus:
    """The participant that the address names."""
    wanted = request.path["participant"]
    for each in dashboard.standing().people:
        if each.participant == wanted:
            return each
    raise RequestRefused(404, "No such participant", "They may have withdrawn.")


def find_batch(dashboard: Dashboard, request: DashboardRequest) -> Batch:
    """The batch that the address names."""
    found = dashboard.site.plan.batch.get(request.path["batch"])
    if found is None:
        raise RequestRefused(404, "No such batch", "It is not in the plan.")
    return found


def _is_shown(row: view.PersonRow, chosen: str) -> bool:
    if chosen == "now":
        return row.is_now
    if chosen == "attention":
        return bool(row.flags or row.failed_checks)
    return row.state == "submitted" if chosen == "decide" else True


def _page(
    dashboard: Dashboard, request: DashboardRequest, template: str, **values: object
) -> HTMLResponse:
    said = SAID.get(request.query.get("done", ""), "")
    return HTMLResponse(render(dashboard, request, template, said=said, **values))


def preview(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """One task of a batch, by its position (from 1) in the order of the first seat."""
    batch, place = find_batch(dashboard, request), request.number("number")
    pages = _pages(dashboard.site)
    order = pages.order(batch.id, 0)
    if not 1 <= place <= len(order):
        raise RequestRefused(404, "No such task", f"The batch has {len(order)}.")
    task = pages.task_at(batch.id, order[place - 1])
    heading = pages.heading(place, len(order))
    body = pages.fragments.blank(batch.id, order[place - 1], heading)
    return HTMLResponse(
        pages.render(
            "dashboard/preview.html",
            body=Markup(body),  # noqa: S704 - rendered, escaped
            place=place,
            all_tasks=len(order),
            batch=batch,
            task=task,
            root=f"{dashboard.site.prefix}/dashboard",
        )
    )


@lru_cache(maxsize=8)
def _pages(site: SiteContext) -> SitePages:
    return SitePages(site)


_LONGEST_REASON = 1000
_MOST_DIGITS = 5  # of minutes


def decide(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Accept, exclude, return or expire one assignment."""
    found = dashboard.site.store.assignment(request.number("assignment"))
    event = _event(request)
    if found is None:
        raise RequestRefused(404, "No such assignment", "Its participant may have withdrawn.")
    dashboard.site.store.change(
        found.id, event, who=request.name, reason=_reason(request), now=request.now
    )
    return _back(dashboard, f"people/{found.participant}", event)


def set_state(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Open, pause or close the study."""
    wanted = request.field("state")
    state = next((each for each in get_args(State) if each == wanted), None)
    if state is None:
        raise RequestRefused(422, "Choose one", "The study can be open, paused or closed.")
    reason = request.field("reason")[:_LONGEST_REASON]
    dashboard.site.store.set_state(state, who=request.name, now=request.now, reason=reason)
    return _back(dashboard, "", state)


def add_place(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Add one place to a batch."""
    batch = find_batch(dashboard, request)
    dashboard.site.store.add_place(
        batch.id, who=request.name, reason=_reason(request), now=request.now
    )
    return _back(dashboard, f"batches/{batch.id}", "place")


def release(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Release all places that have been held for a while without an answer, after confirmation."""
    minutes = request.field("minutes")
    if not (minutes.isascii() and minutes.isdigit() and len(minutes) <= _MOST_DIGITS):
        raise RequestRefused(
            422, "Enter a number of minutes", "Use a whole number of minutes, such as 5."
        )
    if request.field("confirm") != "release":
        raise RequestRefused(422, "Not confirmed", "To confirm, type release. Nothing was changed.")
    dashboard.site.store.release_unanswered(
        who=request.name, reason=_reason(request), now=request.now, minutes=float(minutes)
    )
    return _back(dashboard, "", "released")


def withdraw(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Remove all data of a participant, after their pseudonym was typed."""
    person = find_person(dashboard, request)
    if request.field("confirm") != person.participant:
        words = f"Type {person.participant} to confirm. Nothing was removed."
        raise RequestRefused(422, "Not confirmed", words)
    dashboard.site.store.withdraw(person.participant, who=request.name, now=request.now)
    dashboard.watch.forget()
    return _back(dashboard, "people", "withdrawn")


def grant(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """A new token; its secret is shown on the next page and never again."""
    wanted = request.field("role")
    role = next((each for each in get_args(Role) if each == wanted), None)
    if role is None:
        raise RequestRefused(422, "Choose one", "A token is either for an owner or for a viewer.")
    secret = dashboard.site.store.grant(role, now=request.now)
    dashboard.site.store.note(f"granted {role} access", who=request.name, now=request.now)
    return access_page(dashboard, request, secret=secret, role=role)


def revoke(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Revoke a token, but not one's own: the last owner would be locked out."""
    token = request.number("token")
    if token == request.who.id:
        words = "You are logged in with it. Ask another owner to revoke it, or log out."
        raise RequestRefused(409, "This is your own token", words)
    dashboard.site.store.revoke(token, who=request.name, now=request.now)
    return _back(dashboard, "access", "revoked")


def _event(request: DashboardRequest) -> Event:
    wanted = request.field("event")
    for event in view.DECISIONS:
        if event == wanted:
            return event
    raise RequestRefused(422, "Choose one", f"Choose one of: {', '.join(view.DECISIONS)}.")


def _reason(request: DashboardRequest) -> str:
    reason = request.field("reason")[:_LONGEST_REASON]
    if not reason:
        raise RequestRefused(
            422, "Give a reason", "The reason is kept in the log. Nothing was changed."
        )
    return reason


def _back(dashboard: Dashboard, path: str, done: str) -> RedirectResponse:
    dashboard.forget()
    return RedirectResponse(f"{dashboard.site.prefix}/dashboard/{path}?done={done}", 303)


_PEOPLE = (
    "participant", "arrived_at", "last_seen_at", "step", "batch", "answered", "tasks",
    "active_minutes", "wall_minutes", "failed_checks", "changes", "blurs", "device", "language",
    "time_zone", "flags",
)  # fmt: skip


def judgments_csv(site: SiteContext) -> str:
    """Every judgment, including those that will be excluded."""
    return to_csv(collect_judgments_so_far(site))


def excluded_sheet(site: SiteContext) -> str:
    """The excluded judgments, each with the rule that excluded it."""
    return excluded_csv(exclude(site.study, site.plan, collect_judgments_so_far(site)))


def events_csv(site: SiteContext) -> str:
    """Events of participants: arrivals, consent, batches, submissions."""
    return _sheet(EventRow, site.store.events())


def answers_csv(site: SiteContext) -> str:
    """Every answer as it was given, including changes, practice, exit questions and comments."""
    return _sheet(AnswerRow, site.store.answer_rows())


def consent_csv(site: SiteContext) -> str:
    """The statements of the consent page that each participant ticked or left."""
    rows = (row for row in site.store.answer_rows() if row.task == CONSENT)
    return _csv_text(
        ("participant", "statement", "ticked", "at"),
        ([row.participant, row.question, row.raw, row.saved_at] for row in rows),
    )


def people_csv(site: SiteContext) -> str:
    """Participants, without platform IDs."""
    people = site.store.people(now=site.now())
    return _csv_text(_PEOPLE, ([getattr(each, name) for name in _PEOPLE] for each in people))


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
    "consent.csv": consent_csv,
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
    """The platform id of each pseudonym: for payment, never for analysis."""
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
    return _file(_csv_text(head, rows).encode("utf-8"), "text/csv; charset=utf-8", name)


def _file(content: bytes, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(content, media_type=kind, headers=headers)


def _sheet(kind: type[Any], rows: Iterable[Any]) -> str:  # of one of the store's records
    names = [each.name for each in fields(kind)]
    return _csv_text(names, ([getattr(row, name) for name in names] for row in rows))


def _csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return csv_text((head, *([_cell(each) for each in row] for row in rows)))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    return f"{value:.3f}" if isinstance(value, float) else str(value)
