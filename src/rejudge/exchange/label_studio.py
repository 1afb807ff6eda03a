"""Label Studio: its JSON export, one task with its annotations each, and JSON-MIN, CSV and TSV.

The short exports put answers among the fields of the task. JSON-MIN writes them after `id`; in a
table, answers show by their shape, such as `[{"rating": 4}]`, and only a single choice does not:
those columns have to be named. The short exports leave out skipped tasks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document, Record
from rejudge.exchange.spans import Span, offset
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, duration, mappings, moment

_SHORT_EXPORT: Final = {"annotation_id", "annotator", "lead_time"}  # fields of JSON-MIN and CSV
_OF_ANNOTATIONS: Final = {*_SHORT_EXPORT, "created_at", "updated_at", "agreement", "id"}
_OF_REGIONS: Final = ("start", "end", "startOffset", "x", "points", "ranges")
_LABELS: Final = ("labels", "hypertextlabels", "paragraphlabels")
# The key of an answer in the short exports, and the type that it has in the long one.
_SHAPES: Final[Mapping[str, str]] = {
    "rating": "rating", "number": "number", "selected": "pairwise", "ranker": "ranker",
    "choices": "choices", **{name: name for name in _LABELS},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _TaskAnnotation:
    """What one participant handed in for one task, in whichever export it is."""

    file: str
    row: int
    task: Record  # its id and data
    about: Record  # who, when, how long
    results: Sequence[Record]


def _is_own(found: Beginning) -> bool:
    record = found.record or {}
    is_task = isinstance(record.get("data"), dict) and isinstance(record.get("annotations"), list)
    head = found.rows[0] if found.rows else ()
    return (found.is_list and is_task) or {*record} >= _SHORT_EXPORT or {*head} >= _SHORT_EXPORT


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    annotations = [each for document in documents for each in _annotations(document, into)]
    marking = dict.fromkeys(
        name for each in annotations for result in each.results if (name := _marks(result))
    )
    for each in annotations:
        _read_annotation(into, each, tuple(marking))


# ── the long export ──────────────────────────────────────────────────────────────────────────────


def _annotations(document: Document, into: Gathering) -> Iterator[_TaskAnnotation]:
    if not document.text().lstrip().startswith(("[", "{")):
        yield from _of_table(document, into)
        return
    for row, task in document.records():
        if isinstance(task, dict) and {*task} >= _SHORT_EXPORT:
            yield _of_short((document.shown, row), task, into, _fields_after_id(task))
        elif not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            into.reject_record(document.shown, row, "this is not a task of Label Studio.")
        else:
            yield from _of_task(document.shown, row, task, into)


def _of_task(file: str, row: int, task: Record, into: Gathering) -> Iterator[_TaskAnnotation]:
    for kind in ("predictions", "drafts"):
        found = task.get(kind)
        if isinstance(found, list) and found:
            into.leave_out(f"{kind}, which are not answers", times=len(found))
    for annotation in mappings(task.get("annotations")):
        yield _TaskAnnotation(file, row, task, annotation, mappings(annotation.get("result")))


def _read_annotation(into: Gathering, given: _TaskAnnotation, marking: Sequence[str]) -> None:
    about = given.about
    item, data = into.item(given.task.get("id"), given.task["data"])
    who = about.get("completed_by")
    submission = ItemAnswers(
        file=given.file,
        row=given.row,
        participant=into.participant(_person(who)),
        item=item,
        data=data,
        task=clean(given.task.get("id")),
        seconds=duration(about.get("lead_time")),
        submitted_at=moment(about.get("created_at")),
    )
    if about.get("was_cancelled"):
        into.reject(submission, "the task was skipped.")
        return
    if not given.results:
        into.reject(submission, "the task was submitted without an answer.")
        return
    regions = {each.get("id") for each in given.results if _marks(each)}
    for result in given.results:
        if not _marks(result) and not (_is_region(result) and result.get("id") in regions):
            _read_result(into, submission, result)
    texts = [text for text in given.task["data"].values() if isinstance(text, str)]
    for question in marking:
        spans = [
            _span(each, [other for other in given.results if other.get("id") == each.get("id")])
            for each in given.results
            if _marks(each) == question
        ]
        into.mark(submission, question, spans, texts=texts)


def _person(who: object) -> object:
    return who.get("id") or who.get("email") if isinstance(who, dict) else who


def _read_result(into: Gathering, submission: ItemAnswers, result: Record) -> None:
    kind, value = clean(result.get("type")) or "result", result.get("value")
    question = clean(result.get("from_name")) or kind
    answer = value.get(kind) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or _is_region(result):
        _count(into, f"{_PLURAL.get(kind, kind)} of regions in `{question}`", answer)
    elif kind in {"rating", "number"}:
        into.rate(submission, question, answer)
    elif kind == "choices" and isinstance(answer, list) and len(answer) == 1:
        into.choose(submission, question, answer[0])
    elif kind == "pairwise":
        _read_pair(into, submission, question, value.get("selected"))
    elif kind == "ranker" and isinstance(answer, list):
        into.rank(
            submission, question, [[_system(into, submission, question, each)] for each in answer]
        )
    elif kind == "textarea":
        into.leave_out(f"texts written for `{question}`")
    else:
        _count(into, f"{_PLURAL.get(kind, kind)} of `{question}`", answer)


_PLURAL: Final = {
    "ranker": "rankings into buckets", "choices": "choices of several labels", "rating": "ratings",
    "number": "numbers", "datetime": "dates", "labels": "labels", "textarea": "texts",
}  # fmt: skip


def _read_pair(into: Gathering, submission: ItemAnswers, question: str, selected: object) -> None:
    if selected == "left":
        into.prefer(submission, question, "a", first="a")
    elif selected == "right":
        into.prefer(submission, question, "b", first="a")
    else:
        into.reject(submission, "neither left nor right is selected.", column=question)


def _system(into: Gathering, submission: ItemAnswers, question: str, listed: object) -> str:
    """The system behind the id of a list element, or the id where the element names none."""
    for field in submission.data.values():
        for element in mappings(field):
            if element.get("id") == listed:
                named = into.items.find("system", element)
                if named is not None:
                    return into.name_of(named) or str(listed)
    into.note_options(question)
    return clean(listed) or "?"


def _count(into: Gathering, what: str, answer: Any) -> None:
    labels = answer if isinstance(answer, list) else [answer]
    into.leave_out(what, ", ".join(map(str, labels)) if answer is not None else "")


# ── spans ────────────────────────────────────────────────────────────────────────────────────────


def _is_region(result: Record) -> bool:
    value = result.get("value")
    return isinstance(value, Mapping) and any(name in value for name in _OF_REGIONS)


def _marks(result: Record) -> str:
    """The question that a result answers by a span of a text; an empty name for other results."""
    kind, value = result.get("type"), result.get("value")
    is_text = isinstance(value, Mapping) and {"start", "end"} <= {*value} and "x" not in value
    return clean(result.get("from_name")) or "spans" if kind in _LABELS and is_text else ""


def _span(result: Record, same_region: Sequence[Record]) -> Span:
    """A labelled span; choices and texts that belong to its region say more about it."""
    value = result["value"]
    ends = value.get("globalOffsets")  # in HTML and dialogues start and end are no offsets
    ends = ends if isinstance(ends, Mapping) else {} if "startOffset" in value else value
    span = Span(
        offset(ends.get("start")),
        offset(ends.get("end")),
        text=value.get("text") if isinstance(value.get("text"), str) else None,
    )
    for other in same_region:
        kind, said = other.get("type"), other.get("value")
        answer = said.get(kind) if isinstance(said, Mapping) and isinstance(kind, str) else None
        for label in answer if isinstance(answer, list) and kind != "textarea" else ():
            named = Span.of_label(label, None, None)
            span = replace(
                span,
                severity=span.severity or named.severity,
                category=_joined(span.category, named.category),
            )
        if kind == "textarea" and isinstance(said, Mapping):
            written = said.get("text")
            lines = written if isinstance(written, list) else [written]
            span = replace(span, comment=" ".join(each for each in lines if isinstance(each, str)))
    return span


def _joined(one: str | None, two: str | None) -> str | None:
    return "/".join(each for each in (one, two) if each) or None


# ── the short exports ────────────────────────────────────────────────────────────────────────────


def _fields_after_id(record: Record) -> list[str]:
    """The answers of JSON-MIN: they are written after the task's id, before the annotator."""
    names = list(record)
    return names[names.index("id") + 1 : names.index("annotator")] if "id" in names else []


def _of_short(
    place: tuple[str, int], record: Record, into: Gathering, placed: Sequence[str]
) -> _TaskAnnotation:
    fields = {name: value for name, value in record.items() if name not in _OF_ANNOTATIONS}
    shaped = [name for name, value in fields.items() if _kind_of(value)]
    named = [name for name in fields if into.is_question(name)]
    answers = {*shaped, *named, *(name for name in placed if not into.items.is_role(name))}
    data = {name: value for name, value in fields.items() if name not in answers}
    results = [
        result
        for name, value in fields.items()
        if name in answers
        for result in _results(name, value)
    ]
    into.note(_SHORT_NOTE)
    return _TaskAnnotation(*place, {"id": record.get("id"), "data": data},
                       {**record, "completed_by": record.get("annotator")}, results)  # fmt: skip


_SHORT_NOTE: Final = (
    "JSON-MIN and CSV leave out skipped tasks and what belongs to one region; the JSON export of "
    "Label Studio has them."
)


def _of_table(document: Document, into: Gathering) -> Iterator[_TaskAnnotation]:
    head, rows = document.table()
    plain = {*head} - _OF_ANNOTATIONS
    for row, cells, _ in rows:
        if len(cells) != len(head):
            into.reject_record(document.shown, row, "the row has more or fewer cells than columns.")
            continue
        record = {name: _cell(cell) for name, cell in zip(head, cells, strict=True) if cell}
        yield _of_short((document.shown, row), record, into, ())
        plain -= {name for name, value in record.items() if not isinstance(value, str | int)}
        plain -= {name for name in record if into.is_question(name)}
    if plain:
        listed = ", ".join(f"`{name}`" for name in sorted(plain))
        into.note(
            f"These columns were taken for data of the tasks: {listed}. If one of them is a single "
            "choice that somebody made, name it: --columns answers=NAME|NAME."
        )


def _cell(cell: str) -> Any:
    """A cell of a table: JSON where it is a list or an object, else its text."""
    if cell[:1] not in {"[", "{"}:
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def _kind_of(value: Any) -> str:
    """The type of an answer by its shape; empty for what may be data of the task."""
    entries = [value] if isinstance(value, dict) else mappings(value)
    if not entries or (isinstance(value, list) and len(entries) < len(value)):
        return ""
    kinds = {next((_SHAPES[name] for name in _SHAPES if name in each), "") for each in entries}
    kind = kinds.pop() if len(kinds) == 1 else ""
    is_bare = all(len(each) == 1 or _is_region({"value": each}) for each in entries)
    return kind if is_bare else ""


def _results(question: str, value: Any) -> Iterator[Record]:
    """The answers in one field, as results of the long export."""
    kind = _kind_of(value)
    if kind:
        for place, entry in enumerate([value] if isinstance(value, dict) else value):
            yield {"id": f"{question} {place}", "from_name": question, "type": kind, "value": entry}
    elif isinstance(value, str | int | float):
        yield {"from_name": question, "type": "choices", "value": {"choices": [value]}}
    elif isinstance(value, list | dict) and value:
        yield {"from_name": question, "type": "result", "value": {"result": value}}


FORMAT = ToolReader(
    "label-studio",
    "Label Studio",
    _is_own,
    _gather,
    suffixes=(".json", ".jsonl", ".csv", ".tsv"),
)
