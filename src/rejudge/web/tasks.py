"""The tasks: one per screen or all in a list, saved as they are answered, submitted at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import isfinite
from typing import Any

from rejudge.collect.visit import Visit, first_open
from rejudge.errors import DataError, StoreUnavailable, Unfinished
from rejudge.store.records import PageAnswers, Saved
from rejudge.web.forms import FormAnswers, answers_key, read_task
from rejudge.web.http import Call, InvalidRequest, Reply, outcome_reply, redirect
from rejudge.web.navigation import (
    ReplyInstead,
    message,
    redirect_onward,
    redirect_to_start,
    sender,
    task_path,
    visitor,
)
from rejudge.web.rendering import SitePages
from rejudge.web.session import Stamp, new_key

_RETRY_SECONDS = 10
_DAY = 86_400.0
_MOST = 100_000  # changes or blurs; more is no count of a person's doing


def show(pages: SitePages, call: Call) -> Reply:
    """Show one task, by its position in the participant's order."""
    visit = _at_tasks(pages, call)
    stamp = pages.stamp(visit)
    place = _place(pages, stamp, call.place)
    if pages.study.spec.site.show == "list":
        return redirect(pages.at("/task/all"))
    held = visit.current
    answers = {} if held is None else pages.site.store.answers(held)
    values = pages.values(stamp.batch, answers)
    if _is_past(pages, stamp, place, answers):
        return redirect_to_start(pages)
    notice = "open_one" if "open" in call.query else ""
    return Reply(pages.task(stamp, place, values, notice=notice))


def show_all(pages: SitePages, call: Call) -> Reply:
    """Show all tasks as one list."""
    visit = _at_tasks(pages, call)
    if pages.study.spec.site.show != "list":
        return redirect(pages.at(task_path(pages, visit)))
    stamp, values = _with_values(pages, visit)
    notice = "open_one" if "open" in call.query else ""
    return Reply(pages.tasks(stamp, values, notice=notice))


def fetch(pages: SitePages, call: Call) -> Reply:
    """The tasks of the batch without the surrounding page, for the script."""
    stamp, values = _with_values(pages, _at_tasks(pages, call))
    return Reply(pages.bodies(stamp, values))


def show_layout(pages: SitePages, call: Call) -> Reply:
    """The page of the original study, for the frame in the list of tasks."""
    if pages.layouts is None:
        raise InvalidRequest(404)
    stamp = pages.stamp(_at_tasks(pages, call))
    return pages.layouts.reply(stamp.batch, _order(pages, stamp))


def show_break(pages: SitePages, call: Call) -> Reply:
    """Show the break between two tasks."""
    visit = _at_tasks(pages, call)
    stamp = pages.stamp(visit)
    done = _place(pages, stamp, call.query.get("after", ""))
    every, all_tasks = pages.study.spec.design.break_every, len(_order(pages, stamp))
    if not every or done >= all_tasks:
        return redirect(pages.at(task_path(pages, visit)))
    return Reply(pages.render("break.html", done=done, all_tasks=all_tasks))


# ── answers ──────────────────────────────────────────────────────────────────────────────────────


def submit_task(pages: SitePages, call: Call) -> Reply:
    """Read one task from its form: save complete answers, then report what is missing."""
    stamp = _task_stamp(pages, call)
    place = _place(pages, stamp, call.place)
    number = _order(pages, stamp)[place - 1]
    given = read_task(call.form, number, pages.fragments.questions(stamp.batch, number))
    try:
        if _is_behind(pages, stamp, place):
            return redirect_to_start(pages)
        saved = _save(pages, stamp, place, given)
        if saved is not None and not saved.is_stored:
            return redirect(pages.at("/"))
        if call.form.get("go") == "back" and pages.study.spec.site.back:
            return redirect(pages.at(f"/task/{max(1, place - 1)}"))
        if given.faults:
            page = pages.task(stamp, place, call.form, faults=given.faults)
            return Reply(page, status=422)
        return _next(pages, stamp, place)
    except StoreUnavailable:
        page = pages.task(stamp, place, call.form, notice="not_saved_form")
        return Reply(page, status=503, retry_seconds=_RETRY_SECONDS)


def submit_all(pages: SitePages, call: Call) -> Reply:
    """Read the whole list from its form."""
    stamp = _task_stamp(pages, call)
    by_place = {
        place: read_task(call.form, number, pages.fragments.questions(stamp.batch, number))
        for place, number in enumerate(_order(pages, stamp), start=1)
    }
    faults = [fault for given in by_place.values() for fault in given.faults]
    try:
        pages_sent = [
            page
            for place, given in by_place.items()
            if (page := _page(pages, stamp, place, given)) is not None
        ]
        if not faults:
            return _hand_in(pages, stamp, pages_sent)
        saved = pages.site.store.record_all(pages_sent, now=pages.site.now())
        if not saved.is_stored:
            return redirect(pages.at("/"))
        return Reply(pages.tasks(stamp, call.form, faults=faults), status=422)
    except StoreUnavailable:
        page_again = pages.tasks(stamp, call.form, notice="not_saved_form")
        return Reply(page_again, status=503, retry_seconds=_RETRY_SECONDS)


def save_answer(pages: SitePages, call: Call) -> Reply:
    """Save one answer sent by the script, under its own key."""
    stamp = _script_stamp(pages, call)
    sent = call.sent
    number, question_id, raw = sent.get("task"), sent.get("question"), sent.get("raw")
    order = _order(pages, stamp)
    if type(number) is not int or number not in order or not isinstance(raw, str):
        raise InvalidRequest(422)
    asked = {q.id: (q, n) for q, n in pages.fragments.questions(stamp.batch, number)}
    if not isinstance(question_id, str) or question_id not in asked:
        raise InvalidRequest(422)
    question, parts = asked[question_id]
    try:
        question.parse(raw, parts)
    except DataError:
        raise InvalidRequest(422) from None
    place = order.index(number) + 1
    if _is_behind(pages, stamp, place):
        return outcome_reply("closed")
    page = PageAnswers(
        visit=stamp.visit,
        assignment=stamp.assignment,
        task=pages.task_at(stamp.batch, number).id,
        position=place,
        answers={question_id: raw},
        key=answers_key(f"{stamp.key}-{number}-{_count(sent, 'number')}", {question_id: raw}),
        shown_at=_time_shown(pages, stamp, sent),
        active_seconds=_seconds(sent, "active"),
        changes=_count(sent, "changes"),
        blurs=_count(sent, "blurs"),
    )
    try:
        saved = pages.site.store.record(page, now=pages.site.now())
    except StoreUnavailable:
        return outcome_reply("unavailable", status=503)
    return outcome_reply(saved.outcome, at=saved.at.isoformat())


def hand_in(pages: SitePages, call: Call) -> Reply:
    """Submit the batch when the script has saved everything."""
    return _hand_in(pages, _task_stamp(pages, call))


# ── steps of the above ───────────────────────────────────────────────────────────────────────────


def _save(pages: SitePages, stamp: Stamp, place: int, given: FormAnswers) -> Saved | None:
    """Save what a form says. A form that is sent twice is saved once, unless other answers were
    saved in between: the browser has then restored an old form, and its answers are new again."""
    page = _page(pages, stamp, place, given)
    if page is None:
        return None
    store, now = pages.site.store, pages.site.now()
    saved = store.record(page, now=now)
    if saved.outcome == "repeated":
        visit = store.visit(stamp.visit)
        latest = {} if visit is None else store.answers(visit)
        if any(latest.get((page.task, q)) != raw for q, raw in page.answers.items()):
            return store.record(replace(page, key=f"{page.key}-{new_key()}"), now=now)
    return saved


def _page(pages: SitePages, stamp: Stamp, place: int, given: FormAnswers) -> PageAnswers | None:
    """Read what a form says about one task."""
    if not given.answers:
        return None
    number = _order(pages, stamp)[place - 1]
    return PageAnswers(
        visit=stamp.visit,
        assignment=stamp.assignment,
        task=pages.task_at(stamp.batch, number).id,
        position=place,
        answers=given.answers,
        key=answers_key(f"{stamp.key}-{number}", given.answers),
        shown_at=stamp.shown_at,
    )


def _next(pages: SitePages, stamp: Stamp, place: int) -> Reply:
    every = pages.study.spec.design.break_every
    if place == len(_order(pages, stamp)):
        return _hand_in(pages, stamp)
    if every and place % every == 0:
        return redirect(pages.at(f"/break?after={place}"))
    return redirect(pages.at(f"/task/{place + 1}"))


def _hand_in(pages: SitePages, stamp: Stamp, sent: Sequence[PageAnswers] = ()) -> Reply:
    if stamp.assignment is None:
        return redirect_to_start(pages)
    store, now = pages.site.store, pages.site.now()
    try:
        return redirect_onward(pages, store.hand_in(stamp.visit, stamp.assignment, sent, now=now))
    except Unfinished:
        visit = store.visit(stamp.visit)
        path = "/" if visit is None else task_path(pages, visit)
        return redirect(pages.at(f"{path}?open"))


def _at_tasks(pages: SitePages, call: Call) -> Visit:
    """Require a participant who has a batch and has passed practice; redirect others."""
    visit = visitor(pages, call)
    practice = pages.study.spec.practice
    has_begun = visit.instructed_at is not None and (
        practice is None or visit.practised_at is not None
    )
    if visit.current is None or not has_begun:
        raise ReplyInstead(redirect_to_start(pages))
    return visit


def _task_stamp(pages: SitePages, call: Call) -> Stamp:
    stamp = sender(pages, call)
    if stamp.assignment is None or stamp.batch not in pages.site.plan.batch:
        raise ReplyInstead(message(pages, "refused", status=403, leads_on=True))
    return stamp


def _script_stamp(pages: SitePages, call: Call) -> Stamp:
    number = pages.seal.visit(call.cookie)
    if number is None or not pages.seal.is_csrf(call.csrf, number):
        raise ReplyInstead(outcome_reply("gone", status=403))
    stamp = pages.seal.read_stamp(str(call.sent.get("stamp", "")), number)
    if stamp is None or stamp.assignment is None or stamp.batch not in pages.site.plan.batch:
        raise ReplyInstead(outcome_reply("gone", status=403))
    return stamp


def _with_values(pages: SitePages, visit: Visit) -> tuple[Stamp, Mapping[str, str]]:
    held = visit.current
    answers = {} if held is None else pages.site.store.answers(held)
    stamp = pages.stamp(visit)
    return stamp, pages.values(stamp.batch, answers) if answers else {}


def _order(pages: SitePages, stamp: Stamp) -> tuple[int, ...]:
    return pages.order(stamp.batch, stamp.seat)


def _place(pages: SitePages, stamp: Stamp, text: str) -> int:
    count = len(_order(pages, stamp))
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(count))
    if not is_number or not 1 <= int(text) <= count:
        raise InvalidRequest(404)
    return int(text)


def _is_behind(pages: SitePages, stamp: Stamp, place: int) -> bool:
    """Whether going back is off and the participant has already passed this task."""
    if _may_go_back(pages):
        return False
    visit = pages.site.store.visit(stamp.visit)
    held = None if visit is None else visit.current
    return held is not None and _is_past(pages, stamp, place, pages.site.store.answers(held))


def _is_past(
    pages: SitePages, stamp: Stamp, place: int, answers: Mapping[tuple[str, str], str]
) -> bool:
    """Whether this task is closed: a later one is answered, and nothing is missing here."""
    if _may_go_back(pages):
        return False
    tasks = [pages.task_at(stamp.batch, number) for number in _order(pages, stamp)]
    done = {task for task, _ in answers}
    is_passed = any(task.id in done for task in tasks[place:])
    return is_passed and first_open(pages.study, tasks[place - 1 : place], answers) is None


def _may_go_back(pages: SitePages) -> bool:
    """Whether people may go back; in a list they always may."""
    site = pages.study.spec.site
    return site.back or site.show == "list"


def _time_shown(pages: SitePages, stamp: Stamp, sent: Mapping[str, Any]) -> datetime:
    """When the script showed the task: seconds after the server created the page."""
    after = timedelta(seconds=_seconds(sent, "shown") or 0.0)
    return min(stamp.shown_at + after, pages.site.now())


def _seconds(sent: Mapping[str, Any], name: str) -> float | None:
    given = sent.get(name)
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    if isinstance(given, float) and not isfinite(given):
        return None
    return float(min(max(given, 0), _DAY))  # not every int is a float before it is cut


def _count(sent: Mapping[str, Any], name: str) -> int:
    given = sent.get(name)
    is_count = isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= _MOST
    return given if is_count else 0  # type: ignore[return-value]  # a count
