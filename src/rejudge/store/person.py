"""Everything that is stored about one person, for the person who asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import Boolean, Table, bindparam, select

from rejudge.errors import DataError, Problem
from rejudge.store import tables
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import Row, SqlStatement, Transaction
from rejudge.store.tables import moment

StoredRow: TypeAlias = Mapping[str, str | int | float | bool | datetime | None]

_v, _p = tables.visit, tables.participant
_INTERNAL = {"study", "participant", "key"}  # numbers and keys of the database alone
_FIND = SqlStatement(
    select(_p.c.id).where(_p.c.study == bindparam("study"), _p.c.name == bindparam("name"))
)
_own_visits = select(_v.c.id).where(_v.c.participant == bindparam("person"))


def _rows_by_visit(table: Table) -> SqlStatement:
    order = table.c.id if "id" in table.c else table.c.visit
    return SqlStatement(select(table).where(table.c.visit.in_(_own_visits)).order_by(order))


_VISITS = SqlStatement(select(_v).where(_v.c.participant == bindparam("person")).order_by(_v.c.id))
_PARTS = {
    table.name: _rows_by_visit(table)
    for table in (
        tables.identity,
        tables.origin,
        tables.submission,
        tables.assignment,
        tables.answer,
        tables.event,
    )
}
_LOG = SqlStatement(
    select(tables.log)
    .where(tables.log.c.study == bindparam("study"), tables.log.c.participant == bindparam("name"))
    .order_by(tables.log.c.id)
)
_TEXTS = SqlStatement(
    select(tables.consent_text).where(
        tables.consent_text.c.study == bindparam("study"),
        tables.consent_text.c.version.in_(
            select(_v.c.consent_version).where(_v.c.participant == bindparam("person"))
        ),
    )
)


@dataclass(frozen=True, slots=True)
class PersonRecord:
    """What is stored about one person; the platform's id is left out, for they know it."""

    participant: str  # pseudonym
    recruiters: tuple[str, ...]  # under which a platform id is stored
    hashes: int  # of the platform's id, the network address and the browser
    visits: tuple[StoredRow, ...]
    assignments: tuple[StoredRow, ...]
    answers: tuple[StoredRow, ...]
    events: tuple[StoredRow, ...]
    submissions: tuple[StoredRow, ...]  # what the platform said about them
    decisions: tuple[StoredRow, ...]  # of researchers
    consent_texts: Mapping[str, str]  # by version


def read_person(transaction: Transaction, known: RegisteredStudy, participant: str) -> PersonRecord:
    """All rows about somebody; DataError when nothing is stored."""
    found = transaction.row(_FIND, study=known.id, name=participant)
    if found is None:
        raise DataError(Problem(f"nothing is stored about '{participant}'."))
    rows = {
        name: transaction.rows(statement, person=found.id) for name, statement in _PARTS.items()
    }
    logged = transaction.rows(_LOG, study=known.id, name=participant)
    texts = transaction.rows(_TEXTS, study=known.id, person=found.id)
    batches = known.batch_names
    held = {row.id: batches.get(row.batch) for row in rows["assignment"]}
    return PersonRecord(
        participant=participant,
        recruiters=tuple(sorted({row.recruiter for row in rows["identity"]})),
        hashes=1 + 2 * len(rows["origin"]) + len(rows["submission"]),
        visits=tuple(_readable(tables.visit, transaction.rows(_VISITS, person=found.id))),
        assignments=tuple(_readable(tables.assignment, rows["assignment"], batches=batches)),
        answers=tuple(_readable(tables.answer, rows["answer"], assignments=held)),
        events=tuple(_readable(tables.event, rows["event"], batches=batches)),
        submissions=tuple(_readable(tables.submission, rows["submission"])),
        decisions=tuple(_readable(tables.log, logged)),
        consent_texts={row.version: row.body for row in texts},
    )


def _readable(
    table: Table,
    rows: list[Row],
    *,
    batches: Mapping[int, str] | None = None,
    assignments: Mapping[int, str | None] | None = None,
) -> Iterator[StoredRow]:
    """Rows with times as moments, truths as such, and batches by name."""
    for row in rows:
        shown: dict[str, Any] = {}
        for column, value in zip(table.c, row, strict=True):
            name = column.name
            if name in _INTERNAL or name == "mark":
                continue
            if name == "batch" and batches is not None:
                shown[name] = None if value is None else batches.get(value)
            elif name == "assignment" and assignments is not None:
                shown["batch"] = None if value is None else assignments.get(value)
            elif value is not None and (name.endswith(("_at", "_until")) or name == "at"):
                shown[name] = moment(value)
            else:
                is_truth = isinstance(column.type, Boolean) and value is not None
                shown[name] = bool(value) if is_truth else value
        yield shown
