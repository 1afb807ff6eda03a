"""Who goes on to the tasks: screening questions, the qualification, and the wait after calibration.

Of the qualification people are told only how many answers were right. Answers are kept with each
page; an attempt that is handed in cannot be changed. The attempt travels in the page, signed, so an
old tab or a second click changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from rejudge.collect.qualification import attempt_order, count_right, gold_task_id, open_gold_task
from rejudge.collect.visit import SCREENING, Visit, asks_at_exit, asks_first, needs_qualification
from rejudge.errors import StoreUnavailable, Unfinished
from rejudge.store.records import PageAnswers
from rejudge.study.conduct import ScreeningQuestion
from rejudge.study.qualification import Qualification
from rejudge.web.forms import FormAnswers, answers_key, field_name, read_task
from rejudge.web.http import Call, InvalidRequest, Reply, redirect
from rejudge.web.navigation import (
    ReplyInstead,
    path_for,
    redirect_onward,
    redirect_to_start,
    require_sender,
    sender,
    visitor,
)
from rejudge.web.rendering import SitePages
from rejudge.web.session import Stamp

_RETRY_SECONDS = 10
_PLACE = "0"  # of the task among the tasks of its page
_PAID = frozenset({"paid", "voucher"})


@dataclass(frozen=True, slots=True)
class _GoldPage:
    """One task of an attempt."""

    attempt: int
    position: int  # from 1, in the order of the attempt

    def encode(self) -> str:
        return f"{self.attempt}.{self.position}"

    @classmethod
    def read(cls, text: str) -> _GoldPage:
        attempt, _, position = text.partition(".")
        return cls(int(attempt or 0), int(position or 0))


def show_start(pages: SitePages, call: Call) -> Reply:
    """What comes, before an attempt; after one that was not enough, how it went."""
    visit = _at_qualification(pages, visitor(pages, call))
    asked = _asked(pages)
    attempt = visit.attempts + 1
    answers = pages.site.store.answers(visit)
    position = open_gold_task(pages.study, asked, attempt, answers)
    payment = pages.study.spec.payment
    tried = visit.attempts
    body = pages.render(
        "qualification_start.html",
        tasks=len(asked.places(attempt)),
        right=count_right(pages.study, asked, tried, answers) if tried else None,
        of=asked.gold_answers(attempt),
        mark=asked.pass_mark,
        left=asked.attempts - tried,
        has_other_tasks=asked.tasks_per_attempt is not None,
        is_paid=payment is not None and payment.kind in _PAID,
        path=f"/qualification/{position or len(asked.places(attempt))}",
    )
    return Reply(body)


def show_task(pages: SitePages, call: Call) -> Reply:
    """One task of the attempt, by its position."""
    visit = _at_qualification(pages, visitor(pages, call))
    page = _GoldPage(visit.attempts + 1, _position(pages, call.place))
    first = open_gold_task(
        pages.study, _asked(pages), page.attempt, pages.site.store.answers(visit)
    )
    if first is not None and page.position > first:
        return redirect(pages.at(f"/qualification/{first}"))
    if first is not None and page.position < first and not pages.study.spec.site.back:
        return redirect(pages.at(f"/qualification/{first}"))
    return Reply(_task_page(pages, visit.id, page, _values(pages, visit, page)))


def submit_task(pages: SitePages, call: Call) -> Reply:
    """Keep the answers to a task; after the last one, hand in the attempt."""
    stamp = sender(pages, call)
    page = _GoldPage.read(stamp.step)
    try:
        visit = _at_qualification(pages, require_sender(pages, call))
        if page.attempt != visit.attempts + 1 or not 1 <= page.position <= _count(pages):
            return redirect_onward(pages, visit)
        given = _save(pages, call, stamp, page)
        if call.form.get("go") == "back" and pages.study.spec.site.back:
            return redirect(pages.at(f"/qualification/{max(1, page.position - 1)}"))
        if given.faults:
            body = _task_page(pages, visit.id, page, call.form, given=given)
            return Reply(body, status=422)
        if page.position < _count(pages):
            return redirect(pages.at(f"/qualification/{page.position + 1}"))
        return _hand_in(pages, visit, page.attempt)
    except StoreUnavailable:
        body = _task_page(pages, stamp.visit, page, call.form, notice="not_saved_form")
        return Reply(body, status=503, retry_seconds=_RETRY_SECONDS)


def show_passed(pages: SitePages, call: Call) -> Reply:
    """That somebody has passed, before the tasks begin."""
    visit = visitor(pages, call)
    if visit.qualified_at is None or not visit.attempts or visit.current is None:
        return redirect_to_start(pages)
    asked = _asked(pages)
    right = count_right(pages.study, asked, visit.attempts, pages.site.store.answers(visit))
    body = pages.render("qualified.html", right=right, of=asked.gold_answers(visit.attempts))
    return Reply(body)


def _hand_in(pages: SitePages, visit: Visit, attempt: int) -> Reply:
    store, now = pages.site.store, pages.site.now()
    try:
        done = store.finish_attempt(visit, attempt, now=now)
    except Unfinished:
        position = open_gold_task(pages.study, _asked(pages), attempt, store.answers(visit)) or 1
        return redirect(pages.at(f"/qualification/{position}"))
    if done.qualified_at is not None and done.current is not None:
        return redirect(pages.at("/qualified"))
    return redirect_onward(pages, done)


def _save(pages: SitePages, call: Call, stamp: Stamp, page: _GoldPage) -> FormAnswers:
    place = _place(pages, page)
    given = read_task(call.form, _PLACE, pages.fragments.gold(place).asked)
    if given.answers:
        answers = PageAnswers(
            visit=stamp.visit,
            assignment=None,
            task=gold_task_id(page.attempt, place),
            position=page.position,
            answers=given.answers,
            key=answers_key(stamp.key, given.answers),
            shown_at=stamp.shown_at,
        )
        pages.site.store.record(answers, now=pages.site.now())
    return given


def _task_page(
    pages: SitePages,
    visit: int,
    page: _GoldPage,
    values: Mapping[str, str],
    *,
    given: FormAnswers | None = None,
    notice: str = "",
) -> str:
    fragment = pages.fragments.gold(_place(pages, page))
    faults = () if given is None else given.faults
    heading = pages.heading(page.position, _count(pages))
    prompts = {question.id: question.prompt for question, _ in fragment.asked}
    return pages.form(
        "qualification.html",
        visit,
        step=page.encode(),
        body=Markup(fragment.fill(values, faults, heading, pages.words)),  # noqa: S704 - escaped
        place=page.position,
        all_tasks=_count(pages),
        may_go_back=pages.study.spec.site.back,
        faults=[
            (fault.field, prompts[fault.field.split(":")[1]], pages.words(fault.words))
            for fault in faults
        ],
        notice=notice,
    )


def _values(pages: SitePages, visit: Visit, page: _GoldPage) -> dict[str, str]:
    """What somebody answered to a task before, as values of form controls."""
    place = _place(pages, page)
    name = gold_task_id(page.attempt, place)
    stored = pages.site.store.answers(visit)
    shown: dict[str, str] = {}
    for question, _ in pages.fragments.gold(place).asked:
        raw = stored.get((name, question.id))
        if raw is not None:
            shown |= question.controls(field_name(_PLACE, question.id), raw)
    return shown


def _asked(pages: SitePages) -> Qualification:
    asked = pages.study.spec.qualification
    if asked is None:
        raise ReplyInstead(redirect_to_start(pages))
    return asked


def _count(pages: SitePages) -> int:
    return len(_asked(pages).places(1))


def _place(pages: SitePages, page: _GoldPage) -> int:
    """The place of a task in study.yaml."""
    return attempt_order(pages.study, _asked(pages), page.attempt)[page.position - 1]


def _position(pages: SitePages, text: str) -> int:
    count = _count(pages)
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(count))
    if not is_number or not 1 <= int(text) <= count:
        raise InvalidRequest(404)
    return int(text)


def _at_qualification(pages: SitePages, visit: Visit) -> Visit:
    """Require a participant who is through with the pages before, and has an attempt left."""
    has_read = visit.instructed_at is not None and (
        pages.study.spec.practice is None or visit.practised_at is not None
    )
    is_here = needs_qualification(pages.study, visit) and visit.unqualified_at is None
    if not has_read or not is_here or visit.is_turned_away or visit.left_at is not None:
        raise ReplyInstead(redirect_to_start(pages))
    return visit


def show_screening(pages: SitePages, call: Call) -> Reply:
    """Ask the questions, of people who have agreed and were not asked yet."""
    visit = visitor(pages, call)
    if not _is_screened(pages, visit):
        return redirect_to_start(pages)
    return _screening_page(pages, visit.id, {})


def submit_screening(pages: SitePages, call: Call) -> Reply:
    """Admit people or let them go, by their first complete answers."""
    stamp = sender(pages, call)
    given = {
        each.id: call.form.get(field_name("screening", each.id), "")
        for each in _screening_questions(pages)
    }
    missing = [each for each in _screening_questions(pages) if given[each.id] not in each.options]
    if missing:
        return _screening_page(pages, stamp.visit, call.form, missing=missing)
    answers = PageAnswers(
        visit=stamp.visit, assignment=None, task=SCREENING, position=1, answers=given,
        key=answers_key(stamp.key, given), shown_at=stamp.shown_at,
    )  # fmt: skip
    try:
        visit = require_sender(pages, call)
        if not _is_screened(pages, visit):
            return redirect_onward(pages, visit)
        visit = pages.site.store.screen(
            visit,
            answers,
            admit=all(given[each.id] in each.admit for each in _screening_questions(pages)),
            now=pages.site.now(),
            origin=pages.arrivals.origin(call),
        )
        return redirect_onward(pages, visit)
    except StoreUnavailable:
        again = _screening_page(pages, stamp.visit, call.form, notice="not_saved_form")
        return Reply(again.body, status=503, retry_seconds=_RETRY_SECONDS)


def _screening_page(
    pages: SitePages,
    visit: int,
    values: Mapping[str, str],
    *,
    missing: list[ScreeningQuestion] | None = None,
    notice: str = "",
) -> Reply:
    words = pages.words("fault_choose")
    faults = [(field_name("screening", each.id), each.prompt, words) for each in missing or ()]
    body = pages.form(
        "screening.html",
        visit,
        questions=_screening_questions(pages),
        values=values,
        messages={name: words for name, _, _ in faults},
        faults=faults,
        notice=notice,
    )
    return Reply(body, status=422 if missing else 200)


def _is_screened(pages: SitePages, visit: Visit) -> bool:
    has_agreed = visit.consented_at is not None and visit.screened_out_at is None
    return asks_first(pages.study) and has_agreed and visit.admitted_at is None


def _screening_questions(pages: SitePages) -> tuple[ScreeningQuestion, ...]:
    screening = pages.study.spec.recruitment.screening
    return () if screening is None else screening.questions


def show_waiting(pages: SitePages, call: Call) -> Reply:
    """What happens now, that the first part is paid, and how to come back or to stop here."""
    visit = visitor(pages, call)
    path = path_for(pages, visit, may_claim=False)
    if path != "/waiting":
        return redirect(pages.at(path))
    payment = pages.study.spec.payment
    return Reply(
        pages.sheet(
            "waiting.html",
            visit.id,
            is_paid=payment is not None and payment.kind in _PAID,
            participant=visit.participant,
            receipt=pages.site.store.receipt(visit.participant),
        )
    )


def finish_instead(pages: SitePages, call: Call) -> Reply:
    """Somebody does not want to wait: they finish with the first part and get their code."""
    visit = require_sender(pages, call)
    if path_for(pages, visit) != "/waiting" or call.form.get("go") != "finish":
        return redirect_onward(pages, visit)
    if asks_at_exit(pages.study):
        return redirect(pages.at("/exit"))
    return redirect_onward(pages, pages.site.store.pass_step(visit, "exit", now=pages.site.now()))
