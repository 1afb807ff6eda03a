"""doccano: an archive with one file of JSON lines for each participant, or `all` for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document, Record
from rejudge.exchange.spans import Span
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers

_QUESTION, _SPANS = "label", "spans"  # doccano's questions have no names
_ALL: Final = "all"  # the file that is written when participants share their labels
_TEXTS: Final = ("text", "filename", "data")
_LABELS: Final = ("label", "cats", "entities", "relations", "bbox", "segmentation")


def _is_own(found: Beginning) -> bool:
    record = found.record or {}
    has_text = any(isinstance(record.get(name), str) for name in _TEXTS)
    labels = [record[name] for name in _LABELS if name in record]
    has_labels = bool(labels) and all(isinstance(each, list) for each in labels)
    return isinstance(record.get("id"), int) and has_text and has_labels


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    for document in documents:
        stem = _stem(document.name)
        participant = None if stem == _ALL else into.participant(stem)
        for row, record in document.records():
            if not isinstance(record, dict) or "id" not in record:
                into.reject_record(document.shown, row, "this is not an example of doccano.")
                continue
            about = {name: value for name, value in record.items() if name not in {"id", *_LABELS}}
            item, data = into.item(record["id"], about)
            submission = ItemAnswers(document.shown, row, participant, item, data)
            _read_example(into, submission, record)


def _read_example(into: Gathering, submission: ItemAnswers, record: Record) -> None:
    comments = record.get("Comments")
    into.leave_out("comments", times=len(comments) if isinstance(comments, list) else 0)
    given = [(name, record[name]) for name in _LABELS if record.get(name)]
    if not given:
        into.leave_out("examples without a label")
    for name, labels in given:
        _read_labels(into, submission, name, labels)


def _read_labels(into: Gathering, submission: ItemAnswers, name: str, labels: Any) -> None:
    listed = labels if isinstance(labels, list) else [labels]
    if name in {"label", "cats"} and len(listed) == 1 and isinstance(listed[0], str | int):
        into.choose(submission, _QUESTION, listed[0])
        return
    spans = [_span(each) for each in listed] if name in {"label", "entities"} else []
    found = [span for span in spans if span is not None]
    if found and len(found) == len(listed):
        into.mark(submission, _SPANS, found, texts=[submission.data.get("text")])
        return
    for label in listed:
        if isinstance(label, dict):
            into.leave_out(f"{name}, which are not labels of texts", label.get("type"))
        elif isinstance(label, list):
            into.leave_out("labels that are not of a span", label[-1] if label else None)
        else:
            into.leave_out("labels, several of one example", label)


def _span(label: Any) -> Span | None:
    """A span: [start, end, label], or an entity with offsets."""
    if isinstance(label, dict) and "start_offset" in label:
        return Span.of_label(label.get("label"), label["start_offset"], label.get("end_offset"))
    if isinstance(label, list) and len(label) == 3:  # noqa: PLR2004 - start, end and label
        return Span.of_label(label[2], label[0], label[1])
    return None


def _stem(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).stem


FORMAT = ToolReader(
    "doccano", "doccano", _is_own, _gather, names_people=lambda name: _stem(name) != _ALL
)
