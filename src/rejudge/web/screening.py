"""The screening questions: asked once, after consent and before a place is taken."""

from __future__ import annotations

from collections.abc import Mapping

from rejudge.collect import SCREENING, Visit, asks_first
from rejudge.errors import StoreUnavailable
from rejudge.store import PageAnswers
from rejudge.study import ScreeningQuestion
from rejudge.web.forms import answers_key, field_name
from rejudge.web.http import Call, Reply
from rejudge.web.navigation import (
    redirect_onward,
    redirect_to_start,
    require_sender,
    sender,
    visitor,
)
from rejudge.web.rendering import SitePages

_RETRY_SECONDS = 10


def show(pages: SitePages, call: Call) -> Reply:
    """Ask the questions, of people who have agreed and were not asked yet."""
    visit = visitor(pages, call)
    if not _is_asked(pages, visit):
        return redirect_to_start(pages)
    return _page(pages, visit.id, {})


def submit(pages: SitePages, call: Call) -> Reply:
    """Admit people or let them go, by their first complete answers."""
    stamp = sender(pages, call)
    given = {
        each.id: call.form.get(field_name("screening", each.id), "") for each in _questions(pages)
    }
    missing = [each for each in _questions(pages) if given[each.id] not in each.options]
    if missing:
        return _page(pages, stamp.visit, call.form, missing=missing)
    answers = PageAnswers(
        visit=stamp.visit, assignment=None, task=SCREENING, position=1, answers=given,
        key=answers_key(stamp.key, given), shown_at=stamp.shown_at,
    )  # fmt: skip
    try:
        visit = require_sender(pages, call)
        if not _is_asked(pages, visit):
            return redirect_onward(pages, visit)
        visit = pages.site.store.screen(
            visit,
            answers,
            admit=all(given[each.id] in each.admit for each in _questions(pages)),
            now=pages.site.now(),
            origin=pages.arrivals.origin(call),
        )
        return redirect_onward(pages, visit)
    except StoreUnavailable:
        again = _page(pages, stamp.visit, call.form, notice="not_saved_form")
        return Reply(again.body, status=503, retry_seconds=_RETRY_SECONDS)


def _page(
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
        questions=_questions(pages),
        values=values,
        messages={name: words for name, _, _ in faults},
        faults=faults,
        notice=notice,
    )
    return Reply(body, status=422 if missing else 200)


def _is_asked(pages: SitePages, visit: Visit) -> bool:
    has_agreed = visit.consented_at is not None and visit.screened_out_at is None
    return asks_first(pages.study) and has_agreed and visit.admitted_at is None


def _questions(pages: SitePages) -> tuple[ScreeningQuestion, ...]:
    screening = pages.study.spec.recruitment.screening
    return () if screening is None else screening.questions
