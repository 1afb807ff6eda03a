"""Where answers come from. It is kept in the sheet, under a key that both forms leave alone.

    "x-rejudge": {"heds_version": "3.0", "answers": [{"question": "3.2.1", "criterion": null,
        "class": "auto", "source": "judgments", "value": "9f…", "time": "2026-11-17T10:00:00Z"}]}

`value` is the fingerprint of the answer as it was filled in. As long as it is that of the answer
in the sheet, nobody has edited the answer since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import get_args

from rejudge.errors import DataError, Problem
from rejudge.fingerprint import Json
from rejudge.heds.answers import answer_hash
from rejudge.heds.schema import Fill
from rejudge.heds.sheet import EXTRA_KEY, Sheet, SheetCell, refuse_unknown_criterion


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one answer comes from."""

    question: str  # its number in the version of the sheet
    criterion: str | None
    fill: Fill
    source: str  # which part of the study it was taken from: "judgments", "study.yaml, payment"
    value: str  # the fingerprint of the answer as filled in
    time: str  # ISO 8601, UTC

    def about(self, criterion: str) -> Provenance:
        """The same for a criterion that was renamed."""
        return replace(self, criterion=criterion)


def provenance_of(sheet: Sheet) -> tuple[Provenance, ...]:
    """All records; those that cannot be read are left out."""
    listed = extra(sheet).get("answers")
    read = [_record(each) for each in listed] if isinstance(listed, list) else []
    return tuple(record for record in read if record is not None)


def find_provenance(sheet: Sheet, question: str, criterion: str | None = None) -> Provenance | None:
    """Where the answer to a question (its number) comes from; None: nothing is recorded."""
    wanted = (question, criterion)
    records = provenance_of(sheet)
    return next((each for each in records if (each.question, each.criterion) == wanted), None)


def is_edited(sheet: Sheet, record: Provenance) -> bool:
    """Whether the answer was changed by hand since it was filled in."""
    return answer_hash(sheet.answer(record.question, record.criterion)) != record.value


def record_answer(
    sheet: Sheet, question: str, *, criterion: str | None = None, source: str, time: str
) -> Sheet:
    """The sheet with a note on where its present answer to a question comes from.

    `time` is in UTC, as ISO 8601 has it.
    """
    _refuse_time(time)
    cell = _known_cell(sheet, question, criterion)
    asked = cell.question
    value = answer_hash(sheet.answer(asked, criterion))
    new = Provenance(asked.number, criterion, asked.fill, source, value, time)
    key = (new.question, new.criterion)
    others = [each for each in provenance_of(sheet) if (each.question, each.criterion) != key]
    return with_records(sheet, [*others, new])


def forget_answer(sheet: Sheet, question: str, criterion: str | None = None) -> Sheet:
    """The sheet without a note on where an answer comes from: a person has confirmed it."""
    cell = _known_cell(sheet, question, criterion)
    key = (cell.question.number, cell.criterion)
    kept = [each for each in provenance_of(sheet) if (each.question, each.criterion) != key]
    return sheet if len(kept) == len(provenance_of(sheet)) else with_records(sheet, kept)


def _known_cell(sheet: Sheet, question: str, criterion: str | None) -> SheetCell:
    cell = sheet.cell(question, criterion)
    if cell.criterion is not None:
        refuse_unknown_criterion(sheet, cell.criterion, (*sheet.criteria, *sheet.orphans))
    return cell


def _refuse_time(time: str) -> None:
    try:
        datetime.fromisoformat(time)
    except ValueError as error:
        remedy = "Give a time in UTC, such as '2026-11-17T10:00:00Z'."
        raise DataError(Problem(f"record_answer: 'time' is {time!r}.", remedy)) from error


def with_records(sheet: Sheet, records: Iterable[Provenance]) -> Sheet:
    """The sheet with exactly these records."""
    listed: list[Json] = [_json(record) for record in records]
    return with_extra(sheet, {"heds_version": sheet.version, "answers": listed})


def extra(sheet: Sheet) -> Mapping[str, Json]:
    """What the extra key of the sheet holds."""
    found = sheet.entries.get(EXTRA_KEY)
    return found if isinstance(found, dict) else {}


def with_extra(sheet: Sheet, members: Mapping[str, Json]) -> Sheet:
    """The sheet with some members of its extra key replaced; the others stay."""
    return sheet.with_entries({EXTRA_KEY: {**extra(sheet), **members}})


def _json(record: Provenance) -> dict[str, Json]:
    return {
        "question": record.question,
        "criterion": record.criterion,
        "class": record.fill,
        "source": record.source,
        "value": record.value,
        "time": record.time,
    }


def _record(told: Json) -> Provenance | None:
    if not isinstance(told, dict):
        return None
    question, criterion = told.get("question"), told.get("criterion")
    fill = next((each for each in get_args(Fill) if each == told.get("class")), None)
    rest = [told.get(name) for name in ("source", "value", "time")]
    texts = [each for each in rest if isinstance(each, str)]
    if not isinstance(question, str) or fill is None or len(texts) < len(rest):
        return None
    if criterion is not None and not isinstance(criterion, str):
        return None
    return Provenance(question, criterion, fill, *texts)
