"""Who asks, and where they are to go: what all handlers begin and end with."""

from __future__ import annotations

from rejudge.collect import Assignment, Origin, Visit, first_open, step_of
from rejudge.web.http import Call, Reply, redirect
from rejudge.web.rendering import SitePages
from rejudge.web.session import Stamp


class ReplyInstead(Exception):  # noqa: N818 - it is a reply, not a fault
    """A handler cannot do what was asked; this is the reply instead."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


def message(pages: SitePages, kind: str, *, status: int = 200, leads_on: bool = False) -> Reply:
    """A page that says one thing."""
    return Reply(pages.render("message.html", kind=kind, leads_on=leads_on), status=status)


def visitor(pages: SitePages, call: Call) -> Visit:
    """The visit of whoever asks; without one they are asked to come in again."""
    number = pages.seal.visit(call.cookie)
    visit = None if number is None else pages.site.store.visit(number)
    if visit is None:
        raise ReplyInstead(message(pages, "gone", status=403))
    return visit


def sender(pages: SitePages, call: Call) -> Stamp:
    """The stamp of a form that was really sent from a page of ours, by whom it was shown to."""
    number = pages.seal.visit(call.cookie)
    if number is None:
        raise ReplyInstead(message(pages, "gone", status=403))
    if not pages.seal.is_csrf(call.form.get("csrf", ""), number):
        raise ReplyInstead(message(pages, "refused", status=403, leads_on=True))
    stamp = pages.seal.read_stamp(call.form.get("stamp", ""), number)
    if stamp is None:
        raise ReplyInstead(message(pages, "refused", status=403, leads_on=True))
    return stamp


def posted_by(pages: SitePages, call: Call) -> Visit:
    """The visit of whoever really sent a form from a page of ours."""
    visit = pages.site.store.visit(sender(pages, call).visit)
    if visit is None:
        raise ReplyInstead(message(pages, "gone", status=403))
    return visit


def onward(
    pages: SitePages, visit: Visit, *, cookie: str | None = None, origin: Origin | None = None
) -> Reply:
    """Send somebody to the page that is theirs now."""
    return redirect(pages.at(path_for(pages, visit, origin=origin)), cookie=cookie)


def redirect_to_start(pages: SitePages) -> Reply:
    """Send somebody who looks at a page that is not theirs to where it is found out which is."""
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
    may_begin = not _own(pages, visit) and (may_claim or not visit.is_turned_away)
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
    is_between = step in {"exit", "thanks"} and visit.left_at is None
    if is_between and may_have_more(pages, visit) and store.has_next_batch(visit, now=now):
        return "/more"
    return f"/{step}"


def task_path(pages: SitePages, visit: Visit) -> str:
    """The first task that is still open; when none must be answered, the first after the last."""
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
    """Whether somebody who has done a batch may ask for another."""
    return 0 < len(_own(pages, visit)) < pages.site.plan.batches_per_participant


def _own(pages: SitePages, visit: Visit) -> list[Assignment]:
    """What somebody has had that was not calibration."""
    batches = pages.site.plan.batch
    return [
        each
        for each in visit.assignments
        if not batches[each.batch].is_calibration and each.status != "withdrawn"
    ]
