"""Label Studio: its JSON export, one task with its annotations each.

Its other exports (JSON-MIN, CSV) mix answers with the fields of the task, so they are refused with
a message. Offsets are not needed: spans have no place in a table of judgments and are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rejudge.errors import FileError, Problem
from rejudge.exchange.gathering import Gathering, Submission, ToolReader
from rejudge.exchange.opening import Beginning, Document, Record
from rejudge.exchange.values import clean, duration, mappings, moment

_SHORT_EXPORT: Final = {"annotation_id", "annotator", "lead_time"}  # fields of JSON-MIN and CSV
_OF_REGIONS: Final = ("start", "end", "startOffset", "x", "points", "ranges")


def _is_own(found: Beginning) -> bool:
    record = found.record or {}
    is_task = isinstance(record.get("data"), dict) and isinstance(record.get("annotations"), list)
    head = found.rows[0] if found.rows else ()
    return (found.is_list and is_task) or {*record} >= _SHORT_EXPORT or {*head} >= _SHORT_EXPORT


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    for document in documents:
        if not document.text().lstrip().startswith("["):
            raise _short_export(document)
        for row, task in document.records():
            if isinstance(task, dict) and {*task} >= _SHORT_EXPORT:
                raise _short_export(document)
            if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
                into.reject_record(document.shown, row, "this is not a task of Label Studio.")
                continue
            _read_task(into, document.shown, row, task)


def _short_export(document: Document) -> FileError:
    what = "this is not Label Studio's JSON export: CSV and JSON-MIN do not tell answers from data."
    return FileError(Problem(what, "Export the project again as JSON.", file=document.name))


def _read_task(into: Gathering, file: str, row: int, task: Record) -> None:
    item, data = into.item(task.get("id"), task["data"])
    for kind in ("predictions", "drafts"):
        found = task.get(kind)
        if isinstance(found, list) and found:
            into.leave_out(f"{kind}, which are not answers", times=len(found))
    for annotation in mappings(task.get("annotations")):
        who = annotation.get("completed_by")
        submission = Submission(
            file=file,
            row=row,
            participant=into.participant(who.get("id") if isinstance(who, dict) else who),
            item=item,
            data=data,
            task=clean(task.get("id")),
            seconds=duration(annotation.get("lead_time")),
            submitted_at=moment(annotation.get("created_at")),
        )
        results = mappings(annotation.get("result"))
        if annotation.get("was_cancelled"):
            into.reject(submission, "the task was skipped.")
        elif not results:
            into.reject(submission, "the task was submitted without an answer.")
        for result in () if annotation.get("was_cancelled") else results:
            _read_result(into, submission, result)


def _read_result(into: Gathering, submission: Submission, result: Record) -> None:
    kind, value = clean(result.get("type")) or "result", result.get("value")
    question = clean(result.get("from_name")) or kind
    answer = value.get(kind) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or any(name in value for name in _OF_REGIONS):
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
    "number": "numbers", "datetime": "dates", "labels": "spans", "hypertextlabels": "spans",
}  # fmt: skip


def _read_pair(into: Gathering, submission: Submission, question: str, selected: object) -> None:
    if selected == "left":
        into.prefer(submission, question, "a", first="a")
    elif selected == "right":
        into.prefer(submission, question, "b", first="a")
    else:
        into.reject(submission, "neither left nor right is selected.", column=question)


def _system(into: Gathering, submission: Submission, question: str, listed: object) -> str:
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


FORMAT = ToolReader("label-studio", "Label Studio", _is_own, _gather)
