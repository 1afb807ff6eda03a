"""What can be done: each with a reason and a line in the log. The store does it."""

from __future__ import annotations

from typing import get_args

from starlette.responses import RedirectResponse, Response

from rejudge.collect import Event
from rejudge.store import Role, State
from rejudge.web.dashboard import view
from rejudge.web.dashboard.auth import DashboardRequest, RequestRefused
from rejudge.web.dashboard.context import Dashboard
from rejudge.web.dashboard.pages import access_page, find_batch, find_person

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
    """Let one more person do a batch."""
    batch = find_batch(dashboard, request)
    dashboard.site.store.add_place(
        batch.id, who=request.name, reason=_reason(request), now=request.now
    )
    return _back(dashboard, f"batches/{batch.id}", "place")


def release(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Take back all places that have been held for a while without any answer, once confirmed."""
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
    """Remove everything of a person, once their pseudonym was typed."""
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
