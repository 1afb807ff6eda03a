"""Potato: `user_state.json` of each participant, or its exports as CSV, TSV or lines of JSON.

Only `user_state.json` says in which order options were shown. An answer `A` is the option that was
shown first, so that with shuffled options the other exports do not tell which system it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document, Record
from rejudge.exchange.spans import Span
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, duration, mappings, moment, number
from rejudge.judgments.table import Choice

_STATE: Final = "instance_id_to_label_to_value"
_IDS: Final = ("instance_id", "user_id")
_OLDER: Final = "label_annotations"  # of annotated_instances.jsonl, before version 2
_SPANS: Final = "._spans"
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TIME: Final = re.compile(r"(\d+)d (\d+)h (\d+)m (\d+)s")
_NO_ORDER: Final = (
    "These exports of Potato do not say in which order two options were shown: A was read as the "
    "first in the data. If options were shuffled, import the user_state.json files instead."
)


@dataclass(frozen=True, slots=True)
class _Annotation:
    """The labels of one participant on one item, in whichever export they are."""

    user: object
    instance: object
    labels: Mapping[str, Mapping[str, Any]]  # scheme → label → value
    spans: Sequence[Any] = ()
    orders: Mapping[str, Any] | None = None  # scheme → options as shown; None: not recorded
    position: int | None = None
    seconds: float | None = None
    submitted_at: datetime | None = None
    data: Record = field(default_factory=dict)


def _is_own(found: Beginning) -> bool:
    record = found.record or {}
    head = found.rows[0] if found.rows else ()
    is_line = all(name in record for name in _IDS) and isinstance(record.get("labels"), dict)
    return (
        _STATE in record
        or is_line
        or (_OLDER in record and "id" in record)
        or (tuple(head[:2]) == _IDS and any("." in name for name in head[2:]))
    )


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    for document in documents:
        for row, annotation in _annotations(document, into):
            if annotation is None:
                into.reject_record(document.shown, row, "this is not an annotation of Potato.")
                continue
            item, data = into.item(annotation.instance, annotation.data)
            submission = ItemAnswers(
                file=document.shown,
                row=row,
                participant=into.participant(annotation.user),
                item=item,
                data=data,
                position=annotation.position,
                seconds=annotation.seconds,
                submitted_at=annotation.submitted_at,
            )
            for scheme, labels in annotation.labels.items():
                order = None if annotation.orders is None else annotation.orders.get(scheme)
                _read_scheme(into, submission, scheme, labels, order=order)
            _read_spans(into, submission, annotation.spans)


def _read_spans(into: Gathering, submission: ItemAnswers, spans: Sequence[Any]) -> None:
    """Spans by scheme; one that marked nothing cannot be told from one that was not asked."""
    by_scheme: dict[str, list[Span]] = {}
    for each in spans:
        found = each[0] if isinstance(each, list) and each else each
        if not isinstance(found, dict):
            into.leave_out("spans that are not objects")
            continue
        label = found.get("name") or found.get("annotation") or found.get("label")
        text = found.get("span") or found.get("text")
        span = Span.of_label(label, found.get("start"), found.get("end"), text)
        severity = clean(found.get("severity")) or span.severity
        scheme = clean(found.get("schema")) or "spans"
        by_scheme.setdefault(scheme, []).append(
            replace(span, unit="UTF-16 units", severity=severity)
        )
    for scheme, marked in by_scheme.items():
        into.mark(submission, scheme, marked, texts=[submission.data.get("text")])


def _annotations(
    document: Document, into: Gathering
) -> Iterator[tuple[int | None, _Annotation | None]]:
    if not document.text().lstrip().startswith(("{", "[")):
        yield from _of_table(document)
        return
    for row, record in document.records():
        if not isinstance(record, dict):
            yield row, None
        elif _STATE in record:
            yield from ((None, each) for each in _of_state(record, into))
        elif isinstance(record.get("labels"), dict):
            spans = record.get("spans")
            listed = list(spans.values()) if isinstance(spans, dict) else []
            yield row, _Annotation(record.get("user_id"), record.get("instance_id"),
                                   _schemes(record["labels"]), _flat(listed))  # fmt: skip
        elif isinstance(record.get(_OLDER), dict):
            yield row, _of_older(document.name, record)
        else:
            yield row, None


def _of_state(state: Record, into: Gathering) -> Iterator[_Annotation]:
    origin = state.get("origin")
    labels, spans = (
        _mapping(state.get(name)) for name in (_STATE, _STATE.replace("label", "span"))
    )
    if isinstance(origin, dict) and origin.get("kind", "human") != "human":
        into.leave_out("items labelled by a program", times=len(labels))
        return
    _count_phases(state, into)
    ordering = state.get("instance_id_ordering")
    listed = ordering if isinstance(ordering, list) else []
    places = {str(each): place for place, each in enumerate(listed, start=1)}
    orders = _mapping(state.get("instance_id_to_presentation_order"))
    behaviour = _mapping(state.get("instance_id_to_behavioral_data"))
    for instance in dict.fromkeys((*labels, *spans)):
        trace = _mapping(behaviour.get(instance))
        changes = [each.get("timestamp") for each in mappings(trace.get("annotation_changes"))]
        yield _Annotation(
            user=state.get("user_id"),
            instance=instance,
            labels=_schemes(labels.get(instance)),
            spans=_flat([spans.get(instance)]),
            orders=_mapping(orders.get(instance)),
            position=places.get(instance),
            seconds=_seconds(trace),
            submitted_at=moment(changes[-1] if changes else trace.get("session_end")),
        )


def _count_phases(state: Record, into: Gathering) -> None:
    pages = _mapping(state.get("phase_to_page_to_label_to_value"))
    for phase, answers in pages.items():
        times = sum(len(each) for each in _mapping(answers).values() if isinstance(each, list))
        if times:
            into.leave_out(f"answers on pages of the phase `{phase}`", times=times)


def _of_older(file: str, record: Record) -> _Annotation:
    """Before version 2 the folder of a file was named after the participant."""
    time = _mapping(record.get("behavioral_data")).get("time_string")
    found = _TIME.search(time) if isinstance(time, str) else None
    parts = [int(part) for part in found.groups()] if found else []
    return _Annotation(
        user=PurePosixPath(file.replace("\\", "/")).parent.name,
        instance=record.get("id"),
        labels=_schemes(record[_OLDER]),
        spans=_flat([record.get("span_annotations")]),
        seconds=((parts[0] * 24 + parts[1]) * 60 + parts[2]) * 60.0 + parts[3] if parts else None,
    )


def _of_table(document: Document) -> Iterator[tuple[int, _Annotation | None]]:
    head, rows = document.table()
    for line, row, _ in rows:
        cells = dict(zip(head, row, strict=False))
        if not cells.get("instance_id"):
            yield line, None
            continue
        labels: dict[str, dict[str, Any]] = {}
        spans: list[Any] = []
        for column, cell in cells.items():
            scheme, dot, label = column.partition(".")
            if cell and column.endswith(_SPANS):
                spans += _flat([_parse_cell(cell)])
            elif cell and dot and not label.startswith("_"):
                labels.setdefault(scheme, {})[label] = cell
        yield line, _Annotation(cells.get("user_id"), cells["instance_id"], labels, spans)


def _read_scheme(
    into: Gathering,
    submission: ItemAnswers,
    scheme: str,
    labels: Mapping[str, Any],
    *,
    order: Any,
) -> None:
    """One scheme; its kind shows in the names of its labels."""
    names = {*labels}
    if names in ({"selection"}, {"scale_value"}):
        _read_pair(into, submission, scheme, next(iter(labels.values())), order=order)
    elif names == {"best", "worst"}:
        _read_best(into, submission, scheme, labels)
    elif names == {"rank_order"}:
        ranked = [part.strip() for part in str(labels["rank_order"]).split(",")]
        if not into.systems_of(submission):
            into.note_options(scheme)
        into.rank(submission, scheme, [[_at_letter(into, submission, each)] for each in ranked])
    elif names == {"text_box"}:
        into.leave_out(f"texts written for `{scheme}`")
    elif len(labels) == 1:
        ((name, value),) = labels.items()
        into.choose(submission, scheme, name if value in (True, "true", "on") else value)
    else:
        _read_several(into, submission, scheme, labels)


def _read_several(
    into: Gathering, submission: ItemAnswers, scheme: str, labels: Mapping[str, Any]
) -> None:
    """Several rated options of one scheme, or several labels."""
    is_rated = all(number(value) is not None for value in labels.values())
    if is_rated and all(str(value) == name for name, value in labels.items()):
        what = "several points of one scale are stored, and not which one counts."
        into.reject(submission, what, column=scheme)
        return
    for name, value in labels.items():
        if is_rated:
            into.rate(submission, f"{scheme}.{name}", value)
        else:
            into.leave_out(f"labels of `{scheme}`", name)


def _read_pair(
    into: Gathering,
    submission: ItemAnswers,
    scheme: str,
    answer: Any,
    *,
    order: Any,
) -> None:
    """The option that was shown first (A) or second (B), or a point between them."""
    if order is None:
        into.note(_NO_ORDER)
    first: Choice = "b" if order == [1, 0] else "a"
    second: Choice = "a" if first == "b" else "b"
    strength = number(answer)
    if strength is not None:
        into.note(f"Of `{scheme}` only the direction was read, not how much better an output is.")
        answer = "tie" if not strength else "A" if strength < 0 else "B"
    outcomes: dict[object, Choice] = {"A": first, "B": second, "tie": "tie"}
    if not isinstance(answer, str) or answer not in outcomes:
        into.reject(submission, "neither A, B nor a tie is selected.", column=scheme)
        return
    into.prefer(submission, scheme, outcomes[answer], first="b" if first == "b" else "a")


def _read_best(
    into: Gathering, submission: ItemAnswers, scheme: str, labels: Mapping[str, Any]
) -> None:
    systems = into.systems_of(submission)
    if not systems:
        what = "it is not known which systems the letters stand for: --columns systems=FIELD."
        into.reject(submission, what, column=scheme)
        return
    best, worst = (_at_letter(into, submission, str(labels[name])) for name in ("best", "worst"))
    into.best_and_worst(submission, scheme, systems, best=best, worst=worst)


def _at_letter(into: Gathering, submission: ItemAnswers, letter: str) -> str:
    """The system at a place: A is the first; names stay names."""
    systems = into.systems_of(submission)
    place = _LETTERS.find(letter) if len(letter) == 1 else -1
    return systems[place] if 0 <= place < len(systems) else clean(letter) or "?"


def _schemes(labels: Any) -> dict[str, dict[str, Any]]:
    """Labels by scheme, from the mapping or from the list of pairs in which they are stored."""
    if isinstance(labels, dict):
        named = {str(name): each for name, each in labels.items() if isinstance(each, dict)}
        return {name: dict(each) for name, each in named.items() if each}
    found: dict[str, dict[str, Any]] = {}
    for pair in labels if isinstance(labels, list) else []:
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict):
            scheme, name = (str(pair[0].get(key, "")) for key in ("schema", "name"))
            found.setdefault(scheme, {})[name] = pair[1]
    return found


def _flat(groups: Sequence[Any]) -> list[Any]:
    return [span for group in groups if isinstance(group, list) for span in group]


def _seconds(trace: Record) -> float | None:
    milliseconds = duration(trace.get("total_time_ms"))
    return milliseconds / 1000 if milliseconds else None


def _mapping(value: Any) -> Record:
    return value if isinstance(value, dict) else {}


def _parse_cell(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None


FORMAT = ToolReader(
    "potato",
    "Potato",
    _is_own,
    _gather,
    suffixes=("user_state.json", "annotated_instances.jsonl", "annotations.jsonl"),
    names_people=lambda name: name.endswith(("user_state.json", "annotated_instances.jsonl")),
)
