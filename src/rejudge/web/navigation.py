"""Who sent a request, and which page comes next; used by all handlers."""

from __future__ import annotations

from rejudge.collect.assignment import Assignment
from rejudge.collect.qualification import QUALIFICATION, open_gold_task
from rejudge.collect.visit import Origin, Visit, first_open, step_of
from rejudge.web.http import Call, Reply, redirect
from rejudge.web.rendering import SitePages
from rejudge.web.session import Stamp


class ReplyInstead(Exception):  # noqa: N818 - it is a reply, not a fault
    """Raised by a handler that cannot do what was asked; carries the reply to send instead."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


def message(pages: SitePages, kind: str, *, status: int = 200, leads_on: bool = False) -> Reply:
    """A page with a single message."""
    return Reply(pages.render("message.html", kind=kind, leads_on=leads_on), status=status)


def visitor(pages: SitePages, call: Call) -> Visit:
    """The visit that a request belongs to; without one, people are asked to reopen their link."""
    number = pages.seal.visit(call.cookie)
    visit = None if number is None else pages.site.store.visit(number)
    if visit is None:
        raise ReplyInstead(message(pages, "gone", status=403))
    return visit


def sender(pages: SitePages, call: Call) -> Stamp:
    """The stamp of a form, if one of our pages sent it for the person it was shown to."""
    number = pages.seal.visit(call.cookie)
    if number is None:
        raise ReplyInstead(message(pages, "gone", status=403))
    if not pages.seal.is_csrf(call.form.get("csrf", ""), number):
        raise ReplyInstead(message(pages, "refused", status=403, leads_on=True))
    stamp = pages.seal.read_stamp(call.form.get("stamp", ""), number)
    if stamp is None:
        raise ReplyInstead(message(pages, "refused", status=403, leads_on=True))
    return stamp


def require_sender(pages: SitePages, call: Call) -> Visit:
    """The visit that a valid form was sent from."""
    visit = pages.site.store.visit(sender(pages, call).visit)
    if visit is None:
        raise ReplyInstead(message(pages, "gone", status=403))
    return visit


def redirect_onward(
    pages: SitePages, visit: Visit, *, cookie: str | None = None, origin: Origin | None = None
) -> Reply:
    """Redirect a participant to the page that comes next for them."""
    return redirect(pages.at(path_for(pages, visit, origin=origin)), cookie=cookie)


def redirect_to_start(pages: SitePages) -> Reply:
    """Redirect a participant who is on the wrong page to the start, which finds the right one."""
    return redirect(pages.at("/"))


def path_for(
    pages: SitePages, visit: Visit, *, may_claim: bool = True, origin: Origin | None = None
) -> str:
    """The page that is somebody's now; a batch is claimed for them when they are to have one.

    Looking at a page claims nothing: people are redirected to the start, which claims a batch.
    """
    store, study, now = pages.site.store, pages.study, pages.site.now()
    is_waiting = visit.consented_at is not None and store.is_waiting(visit)
    # after the last page nobody asks for another batch just by looking at it again
    may_begin = not _main_assignments(pages, visit) and (may_claim or not visit.is_turned_away)
    step = step_of(study, visit, has_next_batch=may_begin, is_waiting=is_waiting)
    if step == "task" and visit.current is None:
        if not may_claim:
            return "/"
        visit = store.claim(visit, now=now, origin=origin)
        step = step_of(study, visit, has_next_batch=False)
    if step == "full" and visit.consented_at is not None and not store.is_open:
        return "/paused"
    if step == "task":
        return task_path(pages, visit)
    if step == "qualification":
        return _qualification_path(pages, visit)
    is_between = step in {"exit", "thanks"} and visit.left_at is None
    if is_between and may_have_more(pages, visit) and store.has_next_batch(visit, now=now):
        return "/more"
    return f"/{step}"


def _qualification_path(pages: SitePages, visit: Visit) -> str:
    """The start of an attempt, or the first unanswered task of one that was begun."""
    asked, attempt = pages.study.spec.qualification, visit.attempts + 1
    answers = pages.site.store.answers(visit)
    begun = any(task.startswith(f"{QUALIFICATION}{attempt}-") for task, _ in answers)
    if asked is None or not begun:
        return "/qualification"
    position = open_gold_task(pages.study, asked, attempt, answers)
    return f"/qualification/{position or len(asked.places(attempt))}"


def task_path(pages: SitePages, visit: Visit) -> str:
    """The first unanswered task; if the rest is optional, the one after the last answer."""
    held = visit.current
    if held is None:
        return "/"
    if pages.study.spec.site.show == "list":
        return "/task/all"
    order = pages.site.store.order(held)
    answered = pages.site.store.answers(held)
    place = first_open(pages.study, order, answered)
    if place is None:
        done = {task for task, _ in answered}
        last = max((at for at, task in enumerate(order, start=1) if task.id in done), default=0)
        place = min(last + 1, len(order))
    return f"/task/{place}"


def may_have_more(pages: SitePages, visit: Visit) -> bool:
    """Whether a participant who has done a batch may do another."""
    return 0 < len(_main_assignments(pages, visit)) < pages.site.plan.batches_per_participant


def may_come_back(pages: SitePages, visit: Visit) -> bool:
    """Whether somebody who has stopped has batches left on a list of their own."""
    has_stopped = visit.left_at is not None and visit.own is not None and visit.current is None
    return has_stopped and pages.site.store.has_next_batch(visit, now=pages.site.now())


def _main_assignments(pages: SitePages, visit: Visit) -> list[Assignment]:
    """The batches a participant has had, without calibration."""
    batches = pages.site.plan.batch
    return [
        each
        for each in visit.assignments
        if not batches[each.batch].is_calibration and each.status != "withdrawn"
    ]
