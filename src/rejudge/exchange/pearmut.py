"""Pearmut: the log of a campaign, one line of JSON for each submitted page.

A page is a document with several segments, each with the outputs of one or more systems. A page
that is submitted again replaces the earlier one; a reset removes what came before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document, Record
from rejudge.exchange.spans import Span, offset
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, mappings, moment, number
from rejudge.judgments.table import Kind

_KEYS: Final = ("user_id", "item_i", "annotation")
_RESET: Final = "__RESET__"
_SCORE: Final = "score"


def _is_own(found: Beginning) -> bool:
    record = found.record or {}
    is_page = all(name in record for name in _KEYS) and not found.is_list
    return is_page and (record["annotation"] == _RESET or isinstance(record.get("item"), list))


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    for document in documents:
        pages: list[tuple[int, Record]] = []
        for row, page in document.records():
            if not isinstance(page, dict) or not all(name in page for name in _KEYS):
                into.reject_record(document.shown, row, "this is not a page of Pearmut's log.")
            elif page["annotation"] == _RESET:
                pages = [each for each in pages if not _is_reset(each[1], page)]
                into.note("Pages that were reset in Pearmut were not read.")
            else:
                pages.append((row, page))
        positions: dict[object, int] = {}
        for row, page in pages:
            who = str(page["user_id"])
            positions[who] = positions.get(who, 0) + 1
            blank = ItemAnswers(
                document.name, row, into.participant(who), clean(page["item_i"]) or "?"
            )
            _read_page(into, page, replace(blank, task=blank.item, position=positions[who]))


def _is_reset(page: Record, reset: Record) -> bool:
    same_item = reset.get("item_i") in (None, page.get("item_i"))
    return bool(same_item and page.get("user_id") == reset.get("user_id"))


def _read_page(into: Gathering, page: Record, submission: ItemAnswers) -> None:
    shown, answers = page.get("item"), page["annotation"]
    if not isinstance(shown, list) or not isinstance(answers, list):
        into.reject(submission, "the page has no segments.")
        return
    times = [moment(each.get("time")) for each in mappings(page.get("actions"))]
    known = [each for each in times if each is not None]
    if known:
        seconds = (known[-1] - known[0]).total_seconds()
        submission = replace(submission, seconds=seconds, submitted_at=known[-1])
    for place, (segment, answer) in enumerate(zip(shown, answers, strict=False), start=1):
        if not isinstance(segment, dict):
            into.reject(submission, "the segment is not an object.")
        elif "form" in segment:
            into.leave_out("answers to forms about participants")
        else:
            name, data = into.item(
                segment.get("item_id") or f"{page['item_i']}/{place}", {"segment": segment}
            )
            given = replace(submission, item=name, data=data, kind=_kind(page["item_i"], segment))
            _read_segment(into, given, segment, answer)


def _kind(page: object, segment: Record) -> Kind:
    """Tutorials come first or can be skipped; checks are drawn at random or have an answer."""
    name = str(page)
    if name.startswith("welcome_") or segment.get("skippable"):
        return "practice"
    return "check" if name.startswith("random_") or segment.get("validation") else "real"


def _read_segment(into: Gathering, submission: ItemAnswers, segment: Record, answer: Any) -> None:
    if not isinstance(answer, dict):
        into.reject(submission, "the segment was skipped.")
        return
    for system, given in answer.items():
        name = clean(system)
        if name is None or not isinstance(given, dict):
            into.reject(submission, "the answer names no system.")
            continue
        if given.get(_SCORE) is None and not given.get("sliders"):
            into.leave_out("outputs without a score")
        for question, value in _scores(given):
            passed = _passes_check(segment, system, value) if submission.kind == "check" else None
            into.rate(replace(submission, passed=passed), question, value, system=name)
        if isinstance(given.get("error_spans"), list):
            outputs = segment.get("tgt")
            output = outputs.get(system) if isinstance(outputs, dict) else outputs
            spans = [_span(each, output) for each in mappings(given["error_spans"])]
            into.mark(submission, "spans", spans, system=name, texts=[output])
        if given.get("textfield"):
            into.leave_out("texts written for outputs")


def _span(span: Record, output: object) -> Span:
    """A span; its offsets count no line breaks, and the place after the text means omission."""
    start, unbroken = offset(span.get("start_i")), str(output).replace("\n", "")
    is_after = start is not None and start >= len(unbroken.encode("utf-16-le", "replace")) // 2
    return Span(
        start,
        offset(span.get("end_i")),
        is_missing=isinstance(output, str) and is_after,
        unit="UTF-16 units without line breaks",
        is_end_included=True,
        severity=clean(span.get("severity")),
        category=clean(span.get("category")),
    )


def _scores(given: Record) -> Iterator[tuple[str, Any]]:
    if given.get(_SCORE) is not None:
        yield _SCORE, given[_SCORE]
    sliders = given.get("sliders")
    if isinstance(sliders, dict):
        yield from ((str(name), value) for name, value in sliders.items() if value is not None)
    for slider in mappings(sliders):
        yield clean(slider.get("name")) or "slider", slider.get("value")


def _passes_check(segment: Record, system: str, score: Any) -> bool | None:
    """Whether a check was passed, as far as its rule is about the score alone."""
    rules = segment.get("validation")
    rule = rules.get(system) if isinstance(rules, dict) else None
    rule = rule[0] if isinstance(rule, list) and rule else rule
    bounds = rule.get(_SCORE) if isinstance(rule, dict) else None
    given = number(score)
    if not isinstance(bounds, list) or len(bounds) != 2 or given is None:
        return None
    low, high = (number(each) for each in bounds)
    return None if low is None or high is None else low <= given <= high


FORMAT = ToolReader("pearmut", "Pearmut", _is_own, _gather, suffixes=(".jsonl",))
