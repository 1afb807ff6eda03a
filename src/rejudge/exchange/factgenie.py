"""factgenie: the archive of a campaign, or its files of JSON lines. Systems are its `setup_id`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document, Record
from rejudge.exchange.spans import Span
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, mappings, moment, number

_KEYS: Final = ("dataset", "split", "example_idx", "setup_id", "annotations")
_OF_MODELS: Final = ("model", "prompt_template", "prompt_strat")  # settings of annotating models
_PREVIEW: Final = "factgenie_preview"  # the participant that a researcher is when looking
_FLAGS: Final = "Flags were read as ratings: 1 where the box was ticked, 0 where it was not."
_SECONDS: Final = "Seconds are those of the last visit to an example: earlier ones are not stored."


def _is_own(found: Beginning) -> bool:
    record = found.record or {}
    return all(name in record for name in _KEYS) and isinstance(record.get("metadata"), dict)


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    for document in documents:
        for row, record in document.records():
            if not isinstance(record, dict) or not all(name in record for name in _KEYS):
                into.reject_record(document.shown, row, "this is not an annotated example.")
                continue
            metadata = record.get("metadata")
            settings = metadata if isinstance(metadata, dict) else {}
            if any(settings.get(name) for name in _OF_MODELS):
                into.leave_out("examples annotated by a model", settings.get("model"))
            elif settings.get("annotator_id") == _PREVIEW:
                into.leave_out("examples annotated in the preview")
            else:
                _read_example(into, _submission(into, document.shown, row, record), record)


def _submission(into: Gathering, file: str, row: int, record: Record) -> ItemAnswers:
    settings: Record = record.get("metadata") or {}
    place = "/".join(str(record[name]) for name in ("dataset", "split", "example_idx"))
    about = {name: value for name, value in record.items() if name not in {"dataset", "metadata"}}
    item, data = into.item(place, about)
    saved, opened = (moment(record.get(f"time_last_{name}")) for name in ("saved", "accessed"))
    seconds = (saved - opened).total_seconds() if saved and opened else None
    if seconds is not None:
        into.note(_SECONDS)
    return ItemAnswers(
        file=file,
        row=row,
        participant=into.participant(settings.get("annotator_id")),
        item=item,
        data=data,
        dataset=clean(record["dataset"]),
        seconds=seconds,
        submitted_at=saved or moment(settings.get("end_timestamp")),
    )


def _read_example(into: Gathering, submission: ItemAnswers, record: Record) -> None:
    system = clean(record["setup_id"]) or "?"
    for slider in mappings(record.get("sliders")):
        into.rate(submission, _label(slider, "slider"), slider.get("value"), system=system)
    for flag in mappings(record.get("flags")):
        into.note(_FLAGS)
        value = 1 if flag.get("value") is True else 0
        into.rate(submission, _label(flag, "flag"), value, system=system)
    for option in mappings(record.get("options")):
        if number(option.get("value")) is None:
            into.leave_out(f"options of `{_label(option, 'option')}`", option.get("value"))
        else:
            into.rate(submission, _label(option, "option"), option["value"], system=system)
    for text in mappings(record.get("text_fields")):
        if text.get("value"):
            into.leave_out(f"texts written for `{_label(text, 'text')}`")
    categories = mappings((record.get("metadata") or {}).get("annotation_span_categories"))
    spans = [_span(span, categories) for span in mappings(record.get("annotations"))]
    into.mark(submission, "spans", spans, system=system, texts=[record.get("output")])


def _label(part: Record, otherwise: str) -> str:
    return clean(part.get("label")) or otherwise


def _span(span: Record, categories: Sequence[Record]) -> Span:
    """A span; its end is where its text ends."""
    text, start = span.get("text"), number(span.get("start"))
    end = start + len(text) if start is not None and isinstance(text, str) else span.get("end")
    found = Span.of_label(_category(span, categories), start, end, text)
    return replace(found, comment=clean(span.get("reason")))


def _category(span: Record, categories: Sequence[Record]) -> Any:
    """The name of a span's category, which is stored as its place in the list."""
    place = number(span.get("type", span.get("annotation_type")))
    if place is None or not 0 <= place < len(categories):
        return span.get("type")
    return categories[int(place)].get("name")


FORMAT = ToolReader(
    "factgenie",
    "factgenie",
    _is_own,
    _gather,
    suffixes=(".jsonl",),
    names_people=lambda _: True,
)
