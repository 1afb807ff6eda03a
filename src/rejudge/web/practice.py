"""Practice: examples with feedback. After enough wrong attempts the correct answer is shown.

Where the study has a pass mark, people who stay below it are screened out.

The number of the example and of the attempt travel in the page, signed. People who come back later
begin with the first example that they have not answered correctly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from markupsafe import Markup

from rejudge.collect.visit import PRACTICE, Visit
from rejudge.errors import DataError, StoreUnavailable
from rejudge.store.records import PageAnswers
from rejudge.study.kinds.question import Question
from rejudge.study.qualification import Example, Practice
from rejudge.web.forms import FormAnswers, answers_key, field_name, read_task
from rejudge.web.http import Call, Reply
from rejudge.web.navigation import (
    ReplyInstead,
    redirect_onward,
    redirect_to_start,
    require_sender,
    sender,
    visitor,
)
from rejudge.web.rendering import SitePages
from rejudge.web.session import Stamp

Outcome: TypeAlias = Literal["", "wrong", "right", "shown"]
_RETRY_SECONDS = 10
_PLACE = "0"  # of the example among the tasks of its page


@dataclass(frozen=True, slots=True)
class _Step:
    """A participant's position in practice."""

    number: int  # of the example, from 1
    tries: int = 0
    is_done: bool = False  # may go on from here

    def encode(self) -> str:
        return f"{self.number}.{self.tries}.{int(self.is_done)}"

    @classmethod
    def read(cls, text: str) -> _Step:
        number, tries, is_done = (int(part) for part in (text or "1.0.0").split("."))
        return cls(number, tries, bool(is_done))


def show(pages: SitePages, call: Call) -> Reply:
    """Show the first example that has not been answered correctly."""
    visit = _at_practice(pages, visitor(pages, call))
    number = _first_open(pages, visit)
    return _page(pages, visit.id, _Step(number), {})


def submit_answer(pages: SitePages, call: Call) -> Reply:
    """Check the answer, or go on to the next example or to the tasks."""
    stamp = sender(pages, call)
    step = _Step.read(stamp.step)
    try:
        visit = _at_practice(pages, require_sender(pages, call))
        if not step.is_done:
            return _check_answer(pages, call, stamp, step)
        if step.number < len(_practice(pages).examples):
            return _page(pages, visit.id, _Step(step.number + 1), {})
        return redirect_onward(pages, _finish(pages, visit))
    except StoreUnavailable:
        again = _page(pages, stamp.visit, step, call.form, notice="not_saved_form")
        return Reply(again.body, status=503, retry_seconds=_RETRY_SECONDS)


def _finish(pages: SitePages, visit: Visit) -> Visit:
    """Go on to the tasks; people below the pass mark are let go."""
    store, now = pages.site.store, pages.site.now()
    mark = _practice(pages).pass_mark
    if mark is not None and _count_passed(pages, visit) < mark:
        return store.screen_out(visit, now=now)
    return store.pass_step(visit, "practice", now=now)


def _count_passed(pages: SitePages, visit: Visit) -> int:
    """How many examples were answered correctly within the attempts that count.

    All answers are kept, so somebody who loads the page again gets no further attempts.
    """
    practice = _practice(pages)
    passed = 0
    for number, example in enumerate(practice.examples, start=1):
        asked = pages.fragments.example(number).asked
        given = pages.site.store.attempts(visit, f"{PRACTICE}{number}")
        complete = [each for each in given if all(q.id in each for q, _ in asked if q.required)]
        tries = complete[: practice.attempts]
        passed += any(not _wrong(asked, example, each) for each in tries)
    return passed


def _check_answer(pages: SitePages, call: Call, stamp: Stamp, step: _Step) -> Reply:
    asked = pages.fragments.example(step.number).asked
    given = read_task(call.form, _PLACE, asked)
    if given.answers:
        page = PageAnswers(
            visit=stamp.visit,
            assignment=None,
            task=f"{PRACTICE}{step.number}",
            position=step.number,
            answers=given.answers,
            key=answers_key(f"{stamp.key}-{step.tries}", given.answers),
            shown_at=stamp.shown_at,
        )
        pages.site.store.record(page, now=pages.site.now())
    if given.faults:
        incomplete = _page(pages, stamp.visit, step, call.form, given=given)
        return Reply(incomplete.body, status=422)
    example = _practice(pages).examples[step.number - 1]
    wrong = _wrong(asked, example, given.answers)
    if not wrong:
        done = _Step(step.number, step.tries, is_done=True)
        return _page(pages, stamp.visit, done, call.form, outcome="right")
    tries = step.tries + 1
    if tries >= _practice(pages).attempts:
        done = _Step(step.number, tries, is_done=True)
        return _page(pages, stamp.visit, done, call.form, outcome="shown")
    again = _Step(step.number, tries)
    return _page(pages, stamp.visit, again, call.form, outcome="wrong", wrong=wrong)


def _page(
    pages: SitePages,
    visit: int,
    step: _Step,
    values: Mapping[str, str],
    *,
    given: FormAnswers | None = None,
    outcome: Outcome = "",
    wrong: Sequence[str] = (),
    notice: str = "",
) -> Reply:
    example = _practice(pages).examples[step.number - 1]
    fragment = pages.fragments.example(step.number)
    faults = () if given is None else given.faults
    heading = pages.words("practice_number", number=step.number, all=len(_practice(pages).examples))
    prompts = {question.id: question.prompt for question, _ in fragment.asked}
    body = pages.form(
        "practice.html",
        visit,
        step=step.encode(),
        body=Markup(fragment.fill(values, faults, heading, pages.words)),  # noqa: S704 - escaped
        number=step.number,
        all_examples=len(_practice(pages).examples),
        pass_mark=_practice(pages).pass_mark,
        attempts=_practice(pages).attempts,
        outcome=outcome,
        wrong=[(field_name(_PLACE, question), prompts[question]) for question in wrong]
        if len(fragment.asked) > 1
        else [],
        explanation=example.explanation,
        right_answers=[
            (prompts[question], asked.answer_in_words(raw, pages.words))
            for question, raw in example.answers.items()
            for asked, _ in fragment.asked
            if asked.id == question
        ],
        faults=[
            (fault.field, prompts[fault.field.split(":")[1]], pages.words(fault.words))
            for fault in faults
        ],
        notice=notice,
    )
    return Reply(body)


def _wrong(
    asked: tuple[tuple[Question, int], ...], example: Example, given: Mapping[str, str]
) -> tuple[str, ...]:
    """The questions answered incorrectly; a skipped optional question is not wrong."""
    return tuple(
        question.id
        for question, parts in asked
        if question.id in given
        and not question.is_right(example.answers[question.id], given[question.id], parts=parts)
    )


def _first_open(pages: SitePages, visit: Visit) -> int:
    examples = _practice(pages).examples
    stored = pages.site.store.answers(visit)
    for number, example in enumerate(examples, start=1):
        given = {q: raw for (task, q), raw in stored.items() if task == f"{PRACTICE}{number}"}
        asked = pages.fragments.example(number).asked
        has_all = all(q.id in given for q, _ in asked if q.required)
        try:
            if not has_all or _wrong(asked, example, given):
                return number
        except DataError:  # the example was changed since
            return number
    return len(examples)


def _practice(pages: SitePages) -> Practice:
    practice = pages.study.spec.practice
    if practice is None:
        raise LookupError("no practice")
    return practice


def _at_practice(pages: SitePages, visit: Visit) -> Visit:
    is_here = visit.instructed_at is not None and visit.practised_at is None
    if pages.study.spec.practice is None or not is_here or visit.left_at is not None:
        raise ReplyInstead(redirect_to_start(pages))
    return visit
