"""The pages to look at; nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import HTMLResponse, Response

from rejudge.collect import Assignment, Event
from rejudge.design import Batch
from rejudge.store import Person
from rejudge.web.dashboard import figures, view
from rejudge.web.dashboard.auth import Ask, Refused
from rejudge.web.dashboard.context import Desk
from rejudge.web.dashboard.downloads import FILES
from rejudge.web.dashboard.rendering import rendered

PEOPLE_ON_OVERVIEW = 40
LINES_OF_LOG = 500
SAID: Mapping[str, str] = {  # what a page says after something was done
    "accept": "Accepted.",
    "exclude": "Excluded; the place is free for somebody else.",
    "return": "Marked as returned; the place is free.",
    "expire": "The place was taken back.",
    "open": "The study is open: batches are handed out.",
    "paused": "The study is paused: those at work can finish, nobody new gets a batch.",
    "closed": "The study is closed: those at work can finish, nobody new gets a batch.",
    "place": "One more place was added.",
    "released": "The places without an answer were released; see the log for how many.",
    "revoked": "The token was revoked; whoever came in with it is out.",
    "withdrawn": "Everything of this person was removed from the database.",
}
_SHOWN = {
    "all": "Everybody",
    "now": "Here now",
    "attention": "With flags or failed checks",
    "decide": "To be decided",
}


@dataclass(frozen=True, slots=True)
class Work:
    """One batch of a person, with what can be done about it."""

    assignment: Assignment
    decisions: tuple[Event, ...]


def overview(desk: Desk, ask: Ask) -> Response:
    """Everything at a glance."""
    shown = desk.overview(PEOPLE_ON_OVERVIEW)
    return _page(desk, ask, "overview.html", title="Overview", current="", view=shown)


def live(desk: Desk, ask: Ask) -> Response:
    """The same without the frame, for the script that keeps it fresh."""
    return _page(desk, ask, "live.html", view=desk.overview(PEOPLE_ON_OVERVIEW))


def people(desk: Desk, ask: Ask) -> Response:
    """Everybody, or those somebody looks for."""
    standing = desk.standing()
    known, _ = desk.snapshot(standing)
    rows = view.rows(standing.people, figures.flags(known) if known else None)
    chosen = ask.query.get("show", "all")
    shown = [row for row in rows if _is_shown(row, chosen)]
    counts = {name: sum(_is_shown(row, name) for row in rows) for name in _SHOWN}
    return _page(
        desk, ask, "people.html", title="People", current="people",
        rows=shown, chosen=chosen, choices=_SHOWN, counts=counts, at=standing.now,
    )  # fmt: skip


def person(desk: Desk, ask: Ask) -> Response:
    """One participant: every batch, what can be decided, what happened."""
    standing = desk.standing()
    known, _ = desk.snapshot(standing)
    found = find_person(desk, ask)
    own = [each for each in standing.assignments if each.participant == found.participant]
    flags = figures.flags(known).get(found.participant, ()) if known else ()
    return _page(
        desk, ask, "person.html", title=found.participant, current="people",
        person=found,
        row=view.row(found, flags),
        works=[Work(each, view.decisions_on(each)) for each in own],
        events=[e for e in desk.site.store.events() if e.participant == found.participant],
    )  # fmt: skip


def batch(desk: Desk, ask: Ask) -> Response:
    """One batch: its places, who has them, its tasks."""
    standing = desk.standing()
    found = find_batch(desk, ask)
    cell = next(cell for cell in view.cells(standing, desk.site.plan) if cell.batch == found.id)
    occupancy = next(occupancy for occupancy in standing.occupancies if occupancy.batch == found.id)
    own = [each for each in standing.assignments if each.batch == found.id]
    return _page(
        desk, ask, "batch.html", title=f"Batch {found.id}", current="",
        batch=found, cell=cell, occupancy=occupancy, assignments=own,
    )  # fmt: skip


def log(desk: Desk, ask: Ask) -> Response:
    """The audit log, the latest first."""
    entries = desk.site.store.log()
    shown = entries[::-1][:LINES_OF_LOG]
    return _page(
        desk, ask, "log.html", title="Log", current="log", entries=shown, total=len(entries)
    )


def downloads(desk: Desk, ask: Ask) -> Response:
    """What can be taken home."""
    told = {name: (made.__doc__ or "").strip() for name, made in FILES.items()}
    return _page(desk, ask, "downloads.html", title="Downloads", current="downloads", files=told)


def access(desk: Desk, ask: Ask) -> Response:
    """Who can come in."""
    return access_page(desk, ask)


def access_page(desk: Desk, ask: Ask, *, secret: str = "", role: str = "") -> Response:
    """The tokens; and a new one's secret, this once."""
    return _page(
        desk, ask, "access.html", title="Access", current="access",
        tokens=desk.site.store.tokens(), secret=secret, role=role,
    )  # fmt: skip


def find_person(desk: Desk, ask: Ask) -> Person:
    """The participant whom the address names."""
    wanted = ask.path["participant"]
    for each in desk.standing().people:
        if each.participant == wanted:
            return each
    raise Refused(404, "There is nobody of this name", "They may have withdrawn.")


def find_batch(desk: Desk, ask: Ask) -> Batch:
    """The batch that the address names."""
    found = desk.site.plan.batch.get(ask.path["batch"])
    if found is None:
        raise Refused(404, "There is no such batch", "The plan does not know it.")
    return found


def _is_shown(row: view.Row, chosen: str) -> bool:
    if chosen == "now":
        return row.is_now
    if chosen == "attention":
        return bool(row.flags or row.failed_checks)
    return row.state == "submitted" if chosen == "decide" else True


def _page(desk: Desk, ask: Ask, template: str, **values: object) -> HTMLResponse:
    said = SAID.get(ask.query.get("done", ""), "")
    return HTMLResponse(rendered(desk, ask, template, said=said, **values))
