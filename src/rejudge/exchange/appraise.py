"""Appraise: the scores of a campaign as CSV, without a header or with one.

Without a header (`ExportSystemScoresToCSV`) the columns are login, system, segment, type, source
and target language, score, then document and whether it is complete, then error spans as JSON, then
start and end in seconds since 1970, each group only in some kinds of campaign. The files with a
header (`DumpAllResults`) do not quote the spans, which come last.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document
from rejudge.exchange.spans import Span, offset
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, mappings, moment, number
from rejudge.judgments.table import Kind
from rejudge.tables_in import Row

_KINDS: Final[Mapping[str, Kind]] = {
    "TGT": "real", "CHK": "repeat", "BAD": "check", "REF": "check", "SRC": "check",
}  # fmt: skip
_LEAST: Final = 7  # columns
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]+)*")
_UNQUOTED: Final = re.compile(
    r"([{,])([a-z_]+):"
)  # names in files with a header, as CSV reads them
_HEADS: Final = ("username", "segmentID", "itemType")
_LOGINS: Final = (
    "Participants are Appraise's logins. Often a login is one batch, not one person: someone "
    "who did two batches then counts as two participants."
)
_POSITIONS: Final = (
    "Segments are numbered by their place in a batch, so they were counted within each document "
    "instead, from 1."
)
_PADDING: Final = "#duplicate"  # documents shown again to fill up a batch
_TIMES: Final = (
    "Appraise's clock starts at the first click on a segment, so seconds do not include reading; "
    "where it measured nothing, seconds are left empty."
)


@dataclass(frozen=True, slots=True)
class _Score:
    """One row: a score of one system's output."""

    login: str
    system: str
    segment: str
    kind: str
    languages: str
    score: str
    document: str = ""
    spans: str = ""
    start: str = ""
    end: str = ""


def _is_own(found: Beginning) -> bool:
    if not found.rows:
        return False
    head, *_ = found.rows
    if all(name in head for name in _HEADS):
        return True
    return all(_is_score(row) for row in found.rows[:-1] or found.rows)  # the last may be cut off


def _is_score(row: Sequence[str]) -> bool:
    return (
        len(row) >= _LEAST
        and row[3] in _KINDS
        and all(_LANGUAGE.fullmatch(each) for each in row[4:6])
        and number(row[6]) is not None
    )


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    found: list[tuple[str, int, _Score]] = []
    for document in documents:
        for line, score in _scores(document.rows(",")):
            if score is None:
                into.reject_record(document.shown, line, "this is not a row of Appraise's scores.")
            else:
                found.append((document.shown, line, score))
    pairs = {score.languages for _, _, score in found if score.languages}
    into.note(_LOGINS)
    scores = [score for _, _, score in found]
    first = _first_positions(scores) if _are_positions(scores) else {}
    if first:
        into.note(_POSITIONS)
    for file, line, score in found:
        start = first.get((score.login, score.document))
        segment = score.segment if start is None else str(int(score.segment) - start + 1)
        named = replace(score, segment=segment)
        _read_score(into, file, line, named, several_languages=len(pairs) > 1)


def _are_positions(scores: Sequence[_Score]) -> bool:
    """Whether segments are numbered by their place in the batch, which says nothing about texts.

    Then few documents begin with the lowest number, and a number is of other texts elsewhere.
    Numbers within a document begin anew with the next one; those of a test set always belong to the
    same document.
    """
    documents: defaultdict[str, set[str]] = defaultdict(set)  # by number
    numbers: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for each in scores:
        if not each.document or not each.segment.isdecimal():
            return False
        base = _base(each.document)
        documents[each.segment].add(base)
        numbers[base][each.system].add(each.segment)
    starts = list(_first_positions(scores).values())
    if 2 * starts.count(min(starts, default=0)) > len(starts):
        return False
    if any(len(found) > 1 for found in documents.values()):
        return True
    several = [list(found.values()) for found in numbers.values() if len(found) > 1]
    return bool(several) and all(not set.intersection(*found) for found in several)


def _first_positions(scores: Iterable[_Score]) -> dict[tuple[str, str], int]:
    """Where each document begins in a batch; its segments follow one another."""
    first: dict[tuple[str, str], int] = {}
    for each in scores:
        key, place = (each.login, each.document), int(each.segment)
        first[key] = min(place, first.get(key, place))
    return first


def _base(document: str) -> str:
    return document.partition("#")[0]  # `#bad` and so on mark copies of it


def _scores(rows: Sequence[Row]) -> Iterator[tuple[int, _Score | None]]:
    head = rows[0].cells if rows else []
    has_head = all(name in head for name in _HEADS)
    for line, row, _ in rows[1:] if has_head else rows:
        if has_head:
            yield from ((line, score) for score in _by_head(head, row))
        else:
            yield line, _by_place(row) if _is_score(row) else None


def _by_place(row: Sequence[str]) -> _Score:
    login, system, segment, kind, source, target, score, *rest = row
    document = spans = start = end = ""
    if len(rest) > 1 and rest[1] in {"True", "False"}:
        document, rest = rest[0], rest[2:]
    if rest and (rest[0][:1] in {"[", "{"} or rest[0] in {"None", ""}):
        spans, rest = rest[0], rest[1:]
    if len(rest) > 1 and moment(rest[0]) and moment(rest[1]):
        start, end = rest[:2]
    return _Score(login, system, segment, kind, f"{source}-{target}", score, document, spans,
                  start, end)  # fmt: skip


def _by_head(head: Sequence[str], row: Sequence[str]) -> Iterator[_Score | None]:
    """One or two scores; what is longer than the head are commas in the spans."""
    cells = dict(zip(head, row, strict=False))
    if not all(cells.get(name) for name in _HEADS):
        yield None
        return
    spans = ",".join(row[len(head) - 1 :]) if head[-1] == "mqm" else ""
    for number_ in ("", "1", "2"):
        system, score = cells.get(f"system{number_}ID"), cells.get(f"score{number_}")
        if system and score and system != "None":
            yield _Score(
                login=cells["username"],
                system=system,
                segment=cells["segmentID"],
                kind=cells["itemType"],
                languages="",
                score=score,
                document=cells.get("documentID", ""),
                spans=spans if number_ != "2" else "",
                start=cells.get("startTime", ""),
                end=cells.get("endTime", ""),
            )


def _read_score(
    into: Gathering, file: str, line: int, score: _Score, *, several_languages: bool
) -> None:
    document = _base(score.document)
    parts = (score.languages if several_languages else "", document, score.segment)
    start, end = moment(score.start), moment(score.end)
    seconds = (end - start).total_seconds() if start and end else None
    if seconds is not None:
        into.note(_TIMES)
    is_padding = _PADDING in score.document.casefold()
    is_tutorial = "tutorial" in document.casefold() and score.system == document
    name = "/".join(part for part in parts if part)
    item, data = into.item(name, {})
    submission = ItemAnswers(
        file=file,
        row=line,
        participant=into.participant(score.login),
        item=item,
        data=data,
        dataset=score.languages or None,
        task=document or None,
        seconds=seconds or None,
        submitted_at=end,
        kind="practice"
        if is_tutorial
        else "repeat"
        if is_padding
        else _KINDS.get(score.kind, "real"),
    )
    into.rate(submission, "score", score.score, system=clean(score.system))
    _read_spans(into, submission, score)


def _read_spans(into: Gathering, submission: ItemAnswers, score: _Score) -> None:
    if score.spans in {"", "None"}:
        return
    try:
        found = mappings(json.loads(_UNQUOTED.sub(r'\1"\2":', score.spans)))
    except (ValueError, RecursionError):
        into.leave_out("spans with incomplete JSON", times=score.spans.count("start_i") or 1)
        return
    spans = [
        Span(
            offset(each.get("start_i")),
            offset(each.get("end_i")),
            unit="UTF-16 units",
            is_end_included=True,
            severity=clean(each.get("severity")),
            category=clean(each.get("error_type")),
            is_missing=each.get("start_i") == "missing",
        )
        for each in found
    ]
    into.mark(submission, "spans", spans, system=clean(score.system))


FORMAT = ToolReader("appraise", "Appraise", _is_own, _gather, suffixes=(".csv",))
