"""The pages of the dashboard; nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from rejudge.collect import Assignment, Event
from rejudge.design import Batch
from rejudge.store import Person
from rejudge.web.context import SiteContext
from rejudge.web.dashboard import figures, view
from rejudge.web.dashboard.auth import DashboardRequest, RequestRefused
from rejudge.web.dashboard.context import Dashboard, render
from rejudge.web.dashboard.downloads import FILES
from rejudge.web.rendering import SitePages

PEOPLE_ON_OVERVIEW = 40
LINES_OF_LOG = 500
SAID: Mapping[str, str] = {  # what a page says after something was done
    "accept": "Accepted.",
    "exclude": "Excluded. The place is free for somebody else.",
    "return": "Marked as returned. The place is free.",
    "expire": "The place was taken back.",
    "open": "The study is open. Batches are handed out.",
    "paused": "The study is paused. People who have started can finish; nobody new gets a batch.",
    "closed": "The study is closed. People who have started can finish; nobody new gets a batch.",
    "place": "One more place was added.",
    "released": "The places without answers were released. The log says how many.",
    "revoked": "The token was revoked, and everybody logged in with it was logged out.",
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
    """One batch of a person, with what can be done about it."""

    assignment: Assignment
    decisions: tuple[Event, ...]


def overview(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Everything at a glance."""
    shown = dashboard.overview(PEOPLE_ON_OVERVIEW)
    return _page(dashboard, request, "overview.html", title="Overview", current="", view=shown)


def live(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """The same without the frame, for the script that keeps it fresh."""
    return _page(dashboard, request, "live.html", view=dashboard.overview(PEOPLE_ON_OVERVIEW))


def people(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Everybody, or those somebody looks for."""
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
    """One participant: every batch, what can be decided, what happened."""
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
    """One batch: its places, who has them, its tasks."""
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
    """What can be taken home."""
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
    """Who can come in."""
    return access_page(dashboard, request)


def access_page(
    dashboard: Dashboard, request: DashboardRequest, *, secret: str = "", role: str = ""
) -> Response:
    """The tokens; and a new one's secret, this once."""
    return _page(
        dashboard, request, "access.html", title="Access", current="access",
        tokens=dashboard.site.store.tokens(), secret=secret, role=role,
    )  # fmt: skip


def find_person(dashboard: Dashboard, request: DashboardRequest) -> Person:
    """The participant whom the address names."""
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
    """One task of a batch, by its place in the order of the first seat, counted from 1."""
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
