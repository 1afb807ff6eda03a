"""Argilla: records with responses, as JSON or lines of JSON.

Three shapes are read: the nested one of `records.to_json`, the flat one of `to_list(flatten=True)`
(`question.responses`, `.users`, `.status`), and the older one in which each question is a list of
responses. The nested one does not say which responses were discarded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document, Record
from rejudge.exchange.spans import Span
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, mappings

_FLAT: Final = ".responses"
_FLAT_SUGGESTION: Final = ".suggestion"
_NO_STATUS: Final = (
    "This export of Argilla does not say which responses were discarded or are drafts: all were "
    "read. `to_list(flatten=True)` writes their status."
)


@dataclass(frozen=True, slots=True)
class _Response:
    question: str
    value: Any  # as the question's kind has it
    user: object
    status: str | None


def _is_own(found: Beginning) -> bool:
    record = found.record or {}
    is_nested = isinstance(record.get("fields"), dict) and isinstance(
        record.get("responses"), dict | list
    )
    is_flat = any(f"{name}.users" in record for name in record if name.endswith(_FLAT))
    return is_nested or is_flat or any(_is_older(record[name]) for name in record)


def _is_older(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(
        isinstance(each, dict) and {*each} >= {"user_id", "value", "status"} for each in value
    )


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    for document in documents:
        for row, record in document.records():
            if not isinstance(record, dict):
                into.reject_record(document.shown, row, "this is not a record of Argilla.")
                continue
            _read_record(into, document.shown, row, record)


def _read_record(into: Gathering, file: str, row: int, record: Record) -> None:
    fields = record.get("fields")
    own = fields if isinstance(fields, dict) else record
    about = {name: value for name, value in own.items() if name != "id"}
    item, data = into.item(
        record.get("id") or record.get("external_id") or row,
        {**about, "metadata": record.get("metadata")},
    )
    nested = record.get("suggestions")
    suggested = [
        name for name, value in record.items() if name.endswith(_FLAT_SUGGESTION) and value
    ]
    times = len(suggested) + (len(nested) if isinstance(nested, dict | list) else 0)
    into.leave_out("suggestions of models, which are not answers", times=times)
    for response in _responses(record):
        submission = ItemAnswers(file, row, into.participant(response.user), item, data)
        if response.status in {"discarded", "draft"}:
            what = "is a draft" if response.status == "draft" else "was discarded"
            into.reject(submission, f"the response {what}.", column=response.question)
            continue
        if response.status is None:
            into.note(_NO_STATUS)
        _read_value(into, submission, response)


def _responses(record: Record) -> Iterator[_Response]:
    nested = record.get("responses")
    if isinstance(nested, dict):
        for question, given in nested.items():
            yield from _older_responses(question, mappings(given))
    for each in mappings(nested):
        yield from _values_of(each)
    for name, value in record.items():
        if name.endswith(_FLAT) and isinstance(value, list):
            yield from _flat_responses(record, name, value)
        elif _is_older(value):
            yield from _older_responses(name, value)


def _older_responses(question: str, given: Sequence[Record]) -> Iterator[_Response]:
    for each in given:
        yield _Response(question, each.get("value"), each.get("user_id"), _status(each))


def _values_of(response: Record) -> Iterator[_Response]:
    """All answers of one participant, as the server keeps them."""
    values = response.get("values")
    for question, given in values.items() if isinstance(values, dict) else ():
        value = given.get("value") if isinstance(given, dict) else given
        yield _Response(question, value, response.get("user_id"), _status(response))


def _flat_responses(record: Record, name: str, values: list[Any]) -> Iterator[_Response]:
    users, statuses = record.get(f"{name}.users"), record.get(f"{name}.status")
    for place, value in enumerate(values):
        user, status = (
            each[place] if isinstance(each, list) and place < len(each) else None
            for each in (users, statuses)
        )
        yield _Response(name.removesuffix(_FLAT), value, user, clean(status))


def _read_value(into: Gathering, submission: ItemAnswers, response: _Response) -> None:
    question, value = clean(response.question) or "response", response.value
    if isinstance(value, list):
        _read_list(into, submission, question, value)
    elif isinstance(value, int | float):
        into.rate(submission, question, value)
    else:
        into.choose(submission, question, value)


def _read_list(into: Gathering, submission: ItemAnswers, question: str, values: list[Any]) -> None:
    """A ranking, spans, or several labels."""
    entries = mappings(values)
    if entries and all("rank" in each for each in entries):
        _read_ranks(into, submission, question, entries)
    elif entries:
        spans = [Span.of_label(each.get("label"), each.get("start"), each.get("end"))
                 for each in entries]  # fmt: skip
        into.mark(submission, question, [replace(span, unit="UTF-16 units") for span in spans])
    elif _are_ranked(into, submission, values):
        names = [_system(into, submission, question, each) for each in values]
        into.rank(submission, question, [[name] for name in names])
    elif not values:
        into.mark(submission, question, ())  # if others marked spans; nothing is said otherwise
    else:
        for each in values:
            into.leave_out(f"labels of `{question}`", each)


def _read_ranks(
    into: Gathering, submission: ItemAnswers, question: str, entries: Sequence[Record]
) -> None:
    ranks = sorted({each["rank"] for each in entries if isinstance(each["rank"], int)})
    tiers = [
        [
            _system(into, submission, question, each.get("value"))
            for each in entries
            if each["rank"] == rank
        ]
        for rank in ranks
    ]
    into.rank(submission, question, tiers)


def _are_ranked(into: Gathering, submission: ItemAnswers, values: Sequence[Any]) -> bool:
    """Whether a list of names is a ranking: of the record's own fields, or of its systems.

    A choice of several labels looks the same otherwise, and is not one.
    """
    known = {*submission.data, *into.systems_of(submission)}
    return len(values) > 1 and all(isinstance(each, str) and each in known for each in values)


def _system(into: Gathering, submission: ItemAnswers, question: str, ranked: object) -> str:
    """The system whose output is in a field; metadata may name it under the field's own name."""
    metadata = submission.data.get("metadata")
    named = metadata.get(str(ranked)) if isinstance(metadata, dict) else None
    if isinstance(named, str):
        return clean(named) or str(ranked)
    if ranked not in into.systems_of(submission):
        into.note_options(question)
    return clean(ranked) or "?"


def _status(response: Record) -> str | None:
    return clean(response.get("status"))


FORMAT = ToolReader("argilla", "Argilla", _is_own, _gather)
