"""Pages before and after the tasks: arrival, consent, instructions, exit questions, the end."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from rejudge.collect.qualification import count_right
from rejudge.collect.visit import (
    COMMENT,
    CONSENT,
    EXIT,
    SessionOutcome,
    Visit,
    asks_at_exit,
    session_outcome,
)
from rejudge.errors import StoreUnavailable
from rejudge.store.records import PageAnswers
from rejudge.web.forms import LONGEST_TEXT, FormAnswers, answers_key, read_exit
from rejudge.web.http import Call, Reply, redirect
from rejudge.web.navigation import (
    may_come_back,
    message,
    path_for,
    redirect_onward,
    redirect_to_start,
    require_sender,
    sender,
    visitor,
)
from rejudge.web.rendering import SitePages, headings
from rejudge.web.session import RESUME, Stamp

_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
_LONGEST_ZONE = 64
_MOST_MINUTES = 14 * 60  # from UTC
EndStep: TypeAlias = Literal["thanks", "declined", "screened-out", "full", "not-qualified"]
_DEVICES = {"phone", "tablet", "desktop"}
_RETRY_SECONDS = 10


def enter(pages: SitePages, call: Call) -> Reply:
    """Let a participant in, by their link or by the cookie of an earlier visit."""
    arrivals = pages.arrivals
    found = arrivals.arrival(call.query)
    if found == "missing" or arrivals.is_open or RESUME in call.query:
        known = _find_visit(pages, call)
        if known is not None:
            return _return_to(pages, call, known)
    if RESUME in call.query:
        found = "odd"
    if isinstance(found, str):
        is_preview = found == "preview"
        kind = "preview" if is_preview else "link"
        return message(pages, kind, status=200 if is_preview else 400)
    store, now = pages.site.store, pages.site.now()
    if not call.is_proven and store.find(found) is None:  # a link that is opened again has expired
        return message(pages, "link", status=400)
    visit = store.arrive(found, now=now, device=call.device)
    cookie = pages.seal.cookie(visit.id, before=call.cookie)
    if visit.consented_at is None and not visit.is_turned_away and not store.is_open:
        return redirect(pages.at("/paused"), cookie=cookie)
    if may_come_back(pages, visit):
        return redirect(pages.at("/more"), cookie=cookie)
    visit = _claim_again(pages, call, visit)
    return redirect_onward(pages, visit, cookie=cookie, origin=arrivals.origin(call))


def _return_to(pages: SitePages, call: Call, known: Visit) -> Reply:
    """Go on with a visit, after a question where another one in this browser is unfinished."""
    other = _unfinished_visit(pages, call, beside=known)
    if other is not None:
        return Reply(pages.form("switch.html", other.id, link=call.query[RESUME].strip()))
    moved = pages.seal.cookie(known.id, before=call.cookie)
    return redirect_onward(
        pages,
        _claim_again(pages, call, known),
        cookie=moved if RESUME in call.query else None,
        origin=pages.arrivals.origin(call),
    )


def _find_visit(pages: SitePages, call: Call) -> Visit | None:
    """The visit named by a resume link, or else by the cookie."""
    if pages.site.is_preview and "new" in call.query:
        return None
    number = pages.arrivals.resume_visit(call.query)
    if number is None and RESUME not in call.query:
        number = pages.seal.visit(call.cookie)
    return None if number is None else pages.site.store.visit(number)


def _unfinished_visit(pages: SitePages, call: Call, *, beside: Visit) -> Visit | None:
    """Somebody else's visit in this browser that a resume link would replace."""
    number = pages.seal.visit(call.cookie) if RESUME in call.query else None
    visit = None if number is None else pages.site.store.visit(number)
    if visit is None or visit.participant == beside.participant:
        return None
    return visit if visit.consented_at is not None and visit.left_at is None else None


def switch_visit(pages: SitePages, call: Call) -> Reply:
    """Go on with the visit of a resume link after the person has confirmed it."""
    require_sender(pages, call)
    number = pages.arrivals.resume_visit(call.form)
    visit = None if number is None else pages.site.store.visit(number)
    if visit is None:
        return message(pages, "link", status=400)
    return redirect_onward(
        pages,
        _claim_again(pages, call, visit),
        cookie=pages.seal.cookie(visit.id, before=call.cookie),
        origin=pages.arrivals.origin(call),
    )


def _claim_again(pages: SitePages, call: Call, visit: Visit) -> Visit:
    """Try to claim a batch for a participant who found none earlier."""
    if visit.is_turned_away and visit.consented_at is not None and not visit.assignments:
        origin = pages.arrivals.origin(call)
        return pages.site.store.claim(visit, now=pages.site.now(), origin=origin)
    return visit


def elsewhere(pages: SitePages, call: Call) -> Reply:  # noqa: ARG001 - everybody reads the same
    """The page for people whose batch is open in another session; it shows nothing of the batch."""
    return message(pages, "elsewhere", status=409)


def show_paused(pages: SitePages, call: Call) -> Reply:
    """The page for people who arrive while the study is paused."""
    if pages.site.store.is_open and pages.seal.visit(call.cookie) is not None:
        return redirect(pages.at("/"))
    return message(pages, "paused", leads_on=True)


def about(pages: SitePages, call: Call) -> Reply:
    """The information page again, with the participant number of people who consented."""
    number = pages.seal.visit(call.cookie)
    visit = None if number is None else pages.site.store.visit(number)
    person = visit.participant if visit is not None and visit.consented_at is not None else None
    return Reply(
        pages.render(
            "about.html",
            study_texts=pages.texts_for(None if visit is None else visit.own),
            has_heading=_has_heading(pages, "information"),
            participant=person,
            receipt=pages.site.store.receipt(person) if person else None,
        )
    )


# ── consent ──────────────────────────────────────────────────────────────────────────────────────


def consent(pages: SitePages, call: Call) -> Reply:
    """The information and consent page."""
    visit = visitor(pages, call)
    if _has_decided(visit):
        return redirect_to_start(pages)
    return _consent_page(pages, visit.id)


def _has_decided(visit: Visit) -> bool:
    return visit.consented_at is not None or visit.declined_at is not None or visit.is_turned_away


def _consent_page(
    pages: SitePages, visit: int, *, ticked: frozenset[str] = frozenset(), is_complete: bool = True
) -> Reply:
    """The page, or the page again with what was ticked and what is missing."""
    statements = pages.statements(visit)
    untouched = (each for each in statements if each.required and each.field not in ticked)
    missing = () if is_complete else tuple(each.field for each in untouched)
    body = pages.sheet(
        "consent.html",
        visit,
        has_heading=_has_heading(pages, "information"),
        statements=statements,
        ticked=ticked,
        missing=missing,
        faults=tuple(
            (each.field, each.text.rstrip(" .。"), pages.words("fault_tick"))
            for each in statements
            if each.field in missing
        ),
    )
    return Reply(body, status=200 if is_complete else 422)


def save_consent(pages: SitePages, call: Call) -> Reply:
    """Store the decision and reserve a place, so that nobody reads the instructions in vain."""
    stamp = sender(pages, call)
    store, now = pages.site.store, pages.site.now()
    version = store.consent_version
    if call.form.get("agree") != "yes":
        declined = store.consent(stamp.visit, agreed=False, version=version, now=now)
        return redirect_onward(pages, declined)
    boxes = pages.statements(stamp.visit)
    ticked = frozenset(each.field for each in boxes if call.form.get(each.field))
    if any(each.required and each.field not in ticked for each in boxes):
        if _has_decided(require_sender(pages, call)):
            return redirect_to_start(pages)
        return _consent_page(pages, stamp.visit, ticked=ticked, is_complete=False)
    visit = store.agree(
        stamp.visit,
        version=version,
        now=now,
        origin=pages.arrivals.origin(call),
        ticks=_ticks(pages, stamp, ticked),
    )
    _note_client(pages, visit, call)
    return redirect_onward(pages, visit)


def _ticks(pages: SitePages, stamp: Stamp, ticked: frozenset[str]) -> PageAnswers | None:
    """Every statement with whether it was ticked; None where there are none."""
    statements = pages.study.spec.site.consent_statements
    if not statements:
        return None
    answers = {
        each.id: "yes" if box.field in ticked else "no"
        for each, box in zip(statements, pages.statements(stamp.visit), strict=True)
    }
    return PageAnswers(
        visit=stamp.visit, assignment=None, task=CONSENT, position=1, answers=answers,
        key=answers_key(stamp.key, answers), shown_at=stamp.shown_at,
    )  # fmt: skip


def _note_client(pages: SitePages, visit: Visit, call: Call) -> None:
    """Store what the script reports about the browser, if there is a script."""
    zone, offset = call.form.get("zone", ""), call.form.get("offset", "")
    device = call.form.get("device", "")
    if not (zone or offset or device):
        return
    is_zone = len(zone) <= _LONGEST_ZONE and _ZONE.fullmatch(zone) is not None
    is_offset = re.fullmatch(r"-?\d{1,4}", offset) is not None
    pages.site.store.note_client(
        visit,
        time_zone=zone if is_zone else None,
        offset_minutes=int(offset) if is_offset and abs(int(offset)) <= _MOST_MINUTES else None,
        device=device if device in _DEVICES else None,
        language=call.language,
    )


# ── instructions ─────────────────────────────────────────────────────────────────────────────────


def instructions(pages: SitePages, call: Call) -> Reply:
    """The instructions, shown before the first task and available at any time."""
    visit = visitor(pages, call)
    if visit.consented_at is None:
        return redirect_to_start(pages)
    return Reply(
        pages.sheet(
            "instructions.html",
            visit.id,
            has_heading=_has_heading(pages, "instructions"),
            is_read=visit.instructed_at is not None,
            can_resume=pages.arrivals.recruiter == "open",
        )
    )


def save_instructions_read(pages: SitePages, call: Call) -> Reply:
    """Record that the instructions were read, and go on."""
    number = sender(pages, call).visit
    return redirect_onward(
        pages, pages.site.store.pass_step(number, "instructions", now=pages.site.now())
    )


# ── another part, and the last questions ─────────────────────────────────────────────────────────


def more(pages: SitePages, call: Call) -> Reply:
    """The page between two batches: do another one, or finish."""
    visit = visitor(pages, call)
    path = path_for(pages, visit, may_claim=False)
    if path != "/more" and not may_come_back(pages, visit):
        return redirect(pages.at(path))
    tasks = max(len(batch.tasks) for batch in pages.site.plan.main)
    return Reply(pages.sheet("more.html", visit.id, tasks=tasks, progress=_progress(pages, visit)))


def _progress(pages: SitePages, visit: Visit) -> str:
    """How many parts of their own somebody has done; empty for people without a list."""
    if visit.own is None:
        return ""
    return pages.words("parts_done", done=visit.own_done, all=len(visit.own))


def choose_more_or_finish(pages: SitePages, call: Call) -> Reply:
    """Store whether a participant does another batch."""
    visit = require_sender(pages, call)
    store, now = pages.site.store, pages.site.now()
    if path_for(pages, visit) != "/more" and not may_come_back(pages, visit):
        return redirect_onward(pages, visit)
    if call.form.get("go") == "more":
        return redirect_onward(pages, store.claim(visit, now=now))
    if asks_at_exit(pages.study) and visit.left_at is None:
        return redirect(pages.at("/exit"))
    return redirect_onward(pages, store.pass_step(visit, "exit", now=now))


def show_exit(pages: SitePages, call: Call) -> Reply:
    """Show the exit questions."""
    visit = visitor(pages, call)
    if not _may_leave(pages, visit):
        return redirect_to_start(pages)
    return _exit_page(pages, visit.id, FormAnswers(), {})


def save_exit(pages: SitePages, call: Call) -> Reply:
    """Store the answers to the exit questions, and finish the visit."""
    stamp = sender(pages, call)
    given = read_exit(call.form, pages.study.spec.site.exit_questions)
    is_asked = pages.study.spec.site.comment  # what was not asked is not stored
    comment = call.form.get("comment", "").strip()[:LONGEST_TEXT] if is_asked else ""
    answers = {**given.answers, **({COMMENT: comment} if comment else {})}
    store, now = pages.site.store, pages.site.now()
    try:
        visit = require_sender(pages, call)
        if not _may_leave(pages, visit):
            return redirect_onward(pages, visit)
        if answers:
            page = PageAnswers(
                visit=visit.id, assignment=None, task=EXIT, position=1, answers=answers,
                key=answers_key(stamp.key, answers), shown_at=stamp.shown_at,
            )  # fmt: skip
            store.record(page, now=now)
        if given.faults:
            return _exit_page(pages, stamp.visit, given, call.form, status=422)
        return redirect_onward(pages, store.pass_step(visit, "exit", now=now))
    except StoreUnavailable:
        return _exit_page(pages, stamp.visit, given, call.form, status=503, notice="not_saved_form")


def _may_leave(pages: SitePages, visit: Visit) -> bool:
    has_done = any(each.is_finished for each in visit.assignments) and visit.current is None
    return has_done and visit.left_at is None and asks_at_exit(pages.study)


def _exit_page(
    pages: SitePages,
    visit: int,
    given: FormAnswers,
    values: dict[str, str] | object,
    *,
    status: int = 200,
    notice: str = "",
) -> Reply:
    prompts = {f"exit:{q.id}": q.prompt for q in pages.study.spec.site.exit_questions}
    messages = {fault.field: pages.words(fault.words) for fault in given.faults}
    body = pages.form(
        "exit.html",
        visit,
        values=values,
        messages=messages,
        faults=[(name, prompts[name], words) for name, words in messages.items()],
        notice=notice,
    )
    return Reply(body, status=status, retry_seconds=_RETRY_SECONDS if notice else None)


# ── the ends ─────────────────────────────────────────────────────────────────────────────────────


def thanks(pages: SitePages, call: Call) -> Reply:
    """The thanks page with the code, whatever the state of the work."""
    return _end(pages, call, "thanks")


def show_declined(pages: SitePages, call: Call) -> Reply:
    """The page for people who declined."""
    return _end(pages, call, "declined")


def show_screened_out(pages: SitePages, call: Call) -> Reply:
    """The page for people who are screened out."""
    return _end(pages, call, "screened-out")


def full(pages: SitePages, call: Call) -> Reply:
    """The page for people who found no free place."""
    return _end(pages, call, "full")


def show_not_qualified(pages: SitePages, call: Call) -> Reply:
    """The page for people who did not pass the qualification."""
    return _end(pages, call, "not-qualified")


def try_again(pages: SitePages, call: Call) -> Reply:
    """Try once more to find a batch for someone who found none."""
    return redirect_onward(pages, _claim_again(pages, call, require_sender(pages, call)))


def _end(pages: SitePages, call: Call, step: EndStep) -> Reply:
    visit = visitor(pages, call)
    path = path_for(pages, visit, may_claim=False)
    if path != f"/{step}":
        return redirect(pages.at(path))
    outcome = session_outcome(step, visit) or "full"
    code = _code_for(pages, visit, outcome)
    kind = step.replace("-", "_")
    body = pages.sheet(
        "end.html",
        visit.id,
        kind=kind,
        text=_end_text(pages, visit, kind, outcome),
        pay=_pay_in_words(pages) if outcome == "not_qualified" else "",
        code=code,
        link=pages.return_link(code or ""),
        follows=kind == "thanks" and not (pages.site.is_rehearsal or pages.site.is_preview),
        has_heading=_has_heading(pages, "thanks"),
        progress=_progress(pages, visit) if may_come_back(pages, visit) else "",
        may_try=visit.consented_at is not None,
        participant=visit.participant,
        receipt=pages.site.store.receipt(visit.participant),
    )
    return Reply(body)


def _code_for(pages: SitePages, visit: Visit, outcome: SessionOutcome) -> str | None:
    """The code that tells the platform how a visit ended."""
    codes = pages.site.store.codes
    is_complete = outcome == "completed"
    if is_complete and codes.failed_checks and pages.site.store.may_be_rejected(visit):
        return codes.failed_checks
    code: str | None = getattr(codes, outcome)
    return code


def _end_text(pages: SitePages, visit: Visit, kind: str, outcome: SessionOutcome) -> str:
    """What happened, in one or two sentences."""
    asked = pages.study.spec.qualification
    if kind == "not_qualified" and asked is not None:
        answers = pages.site.store.answers(visit)
        return pages.words(
            "not_qualified_text",
            right=count_right(pages.study, asked, visit.attempts, answers),
            of=asked.gold_answers(visit.attempts),
            mark=asked.pass_mark,
        )
    if kind == "full" and outcome == "not_qualified":
        return pages.words("full_qualified_text")
    return pages.words("thanks_saved" if kind == "thanks" else f"{kind}_text")


def _pay_in_words(pages: SitePages) -> str:
    """That somebody is paid who does not go on, and how much where that is known."""
    payment = pages.study.spec.payment
    if payment is None or payment.kind not in {"paid", "voucher"}:
        return ""
    reward = pages.qualification_reward
    if reward is None:
        return pages.words("not_qualified_paid")
    return pages.words("not_qualified_pay", amount=reward)


def _has_heading(pages: SitePages, role: str) -> bool:
    return headings(pages.texts[role])
