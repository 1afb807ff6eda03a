"""What can be done: each with a reason and a line in the log. The store does it."""

from __future__ import annotations

from typing import get_args

from starlette.responses import RedirectResponse, Response

from rejudge.collect import Event
from rejudge.store import Role, State
from rejudge.web.dashboard import view
from rejudge.web.dashboard.auth import Ask, Refused
from rejudge.web.dashboard.context import Desk
from rejudge.web.dashboard.pages import access_page, find_batch, find_person

_LONGEST_REASON = 1000
_MOST_DIGITS = 5  # of minutes


def decide(desk: Desk, ask: Ask) -> Response:
    """Accept, exclude, return or expire one assignment."""
    found = desk.site.store.assignment(ask.number("assignment"))
    event = _event(ask)
    if found is None:
        raise Refused(404, "There is no such work", "Its participant may have withdrawn.")
    desk.site.store.change(found.id, event, who=ask.name, reason=_reason(ask), now=ask.now)
    return _back(desk, f"people/{found.participant}", event)


def set_state(desk: Desk, ask: Ask) -> Response:
    """Open, pause or close the study."""
    wanted = ask.said("state")
    state = next((each for each in get_args(State) if each == wanted), None)
    if state is None:
        raise Refused(422, "Choose one", "The study can be open, paused or closed.")
    reason = ask.said("reason")[:_LONGEST_REASON]
    desk.site.store.set_state(state, who=ask.name, now=ask.now, reason=reason)
    return _back(desk, "", state)


def add_place(desk: Desk, ask: Ask) -> Response:
    """Let one more person do a batch."""
    batch = find_batch(desk, ask)
    desk.site.store.add_place(batch.id, who=ask.name, reason=_reason(ask), now=ask.now)
    return _back(desk, f"batches/{batch.id}", "place")


def release(desk: Desk, ask: Ask) -> Response:
    """Take back all places that have been held for a while without any answer, once confirmed."""
    minutes = ask.said("minutes")
    if not (minutes.isascii() and minutes.isdigit() and len(minutes) <= _MOST_DIGITS):
        raise Refused(422, "Say for how long", "Write a whole number of minutes, such as 5.")
    if ask.said("confirm") != "release":
        raise Refused(422, "Not confirmed", "Type release to confirm. Nothing was changed.")
    desk.site.store.release_unanswered(
        who=ask.name, reason=_reason(ask), now=ask.now, minutes=float(minutes)
    )
    return _back(desk, "", "released")


def withdraw(desk: Desk, ask: Ask) -> Response:
    """Remove everything of a person, once their pseudonym was typed."""
    person = find_person(desk, ask)
    if ask.said("confirm") != person.participant:
        words = f"Type {person.participant} to confirm. Nothing was removed."
        raise Refused(422, "Not confirmed", words)
    desk.site.store.withdraw(person.participant, who=ask.name, now=ask.now)
    desk.watch.forget()
    return _back(desk, "people", "withdrawn")


def grant(desk: Desk, ask: Ask) -> Response:
    """A new token; its secret is shown on the next page and never again."""
    wanted = ask.said("role")
    role = next((each for each in get_args(Role) if each == wanted), None)
    if role is None:
        raise Refused(422, "Choose one", "A token is for an owner or for a viewer.")
    secret = desk.site.store.grant(role, now=ask.now)
    desk.site.store.note(f"granted {role} access", who=ask.name, now=ask.now)
    return access_page(desk, ask, secret=secret, role=role)


def revoke(desk: Desk, ask: Ask) -> Response:
    """Close the door to a token; not to one's own, by which nobody would be left."""
    token = ask.number("token")
    if token == ask.who.id:
        words = "You came in with it. Let another owner revoke it, or log out."
        raise Refused(409, "This is your own token", words)
    desk.site.store.revoke(token, who=ask.name, now=ask.now)
    return _back(desk, "access", "revoked")


def _event(ask: Ask) -> Event:
    wanted = ask.said("event")
    for event in view.DECISIONS:
        if event == wanted:
            return event
    raise Refused(422, "Choose one", f"There are: {', '.join(view.DECISIONS)}.")


def _reason(ask: Ask) -> str:
    reason = ask.said("reason")[:_LONGEST_REASON]
    if not reason:
        raise Refused(422, "Say why", "The reason is kept in the log. Nothing was changed.")
    return reason


def _back(desk: Desk, path: str, done: str) -> RedirectResponse:
    desk.forget()
    return RedirectResponse(f"{desk.site.prefix}/desk/{path}?done={done}", 303)
