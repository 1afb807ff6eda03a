"""Who arrives: a visit that is found again, or a new one, unless the person may not take part."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import bindparam, exists, select, update

from rejudge.collect.visit import Arrival, Visit
from rejudge.errors import ElsewhereOpen
from rejudge.store import qualifying, tables
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import Row, SqlStatement, Transaction, insert_into
from rejudge.store.tables import maybe_moment, stamp
from rejudge.store.visits import look, read, tell

_v, _a, _p = tables.visit, tables.assignment, tables.participant
_FIND_VISIT = select(tables.identity.c.visit).where(
    tables.identity.c.study == bindparam("study"),
    tables.identity.c.recruiter == bindparam("recruiter"),
    tables.identity.c.person == bindparam("person"),
    tables.identity.c.session == bindparam("session"),
)
_FIND_PERSON = select(_p).where(_p.c.study == bindparam("study"), _p.c.mark == bindparam("mark"))
_FIND = SqlStatement(_FIND_VISIT)
_WHO = SqlStatement(
    select(
        _FIND_VISIT.scalar_subquery().label("visit"),
        _FIND_PERSON.with_only_columns(_p.c.id).scalar_subquery().label("participant"),
        _FIND_PERSON.with_only_columns(_p.c.name).scalar_subquery().label("name"),
        exists()
        .where(
            tables.barred.c.study == bindparam("study"), tables.barred.c.mark == bindparam("mark")
        )
        .label("is_barred"),
    )
)
_HOLDS = SqlStatement(
    select(_a.c.id).where(
        _a.c.participant == bindparam("participant"),
        _a.c.status == "held",
        _a.c.expires_at > bindparam("now"),
    )
)
_SCREENED_OUT = SqlStatement(
    select(_v.c.id)
    .where(_v.c.participant == bindparam("participant"), _v.c.screened_out_at.is_not(None))
    .limit(1)
)
_TOOK_PART = SqlStatement(
    select(_p.c.id)
    .select_from(
        _p.join(tables.study, tables.study.c.id == _p.c.study).join(_a, _a.c.participant == _p.c.id)
    )
    .where(tables.study.c.name == bindparam("other"), _p.c.mark == bindparam("mark"))
    .limit(1)
)
_COUNT = SqlStatement(
    update(tables.study)
    .where(tables.study.c.id == bindparam("of"))
    .values(people=tables.study.c.people + 1)
    .returning(tables.study.c.people)
)
_ADD_PERSON = insert_into(_p, gives_id=True)
_ADD_VISIT = insert_into(
    _v,
    "study", "participant", "arrived_at", "is_turned_away", "is_barred", "device", "sent_to",
    "screened_out_at", "attempts", "qualified_at", "unqualified_at",
    gives_id=True,
)  # fmt: skip
_ADD_IDENTITY = insert_into(tables.identity)


def find(transaction: Transaction, known: RegisteredStudy, arrival: Arrival) -> Visit | None:
    """The visit of this person and session, where there is one."""
    row = transaction.row(_FIND, study=known.id, **_identity_columns(arrival))
    return None if row is None else read(transaction, known, row.visit)


def arrive(
    transaction: Transaction,
    known: RegisteredStudy,
    arrival: Arrival,
    *,
    now: datetime,
    device: str | None,
) -> Visit:
    """The visit of this person and session; a new one where there is none."""
    mark = known.mark(arrival.recruiter, arrival.person)
    who: Row = transaction.row(_WHO, study=known.id, mark=mark, **_identity_columns(arrival))
    if who.visit is not None:
        return look(transaction, known, who.visit).visit
    is_out = False
    if who.participant is None:
        number, name = _add_person(transaction, known, mark)
    else:
        _refuse_second(transaction, who.participant, now=now)
        number, name = who.participant, who.name
        is_out = transaction.row(_SCREENED_OUT, participant=number) is not None
    achieved = qualifying.achieved(transaction, known, arrival, who.participant, now=now)
    is_barred = (
        bool(who.is_barred)
        or (known.panels is not None and known.panels.bars(arrival.recruiter, arrival.person))
        or _took_part_elsewhere(transaction, known, mark)
    )
    visit = transaction.number(
        _ADD_VISIT,
        study=known.id,
        participant=number,
        arrived_at=stamp(now),
        is_turned_away=is_barred,
        is_barred=is_barred,
        device=device,
        attempts=achieved.attempts,
        qualified_at=achieved.qualified_at,
        unqualified_at=achieved.unqualified_at,
        sent_to=arrival.batch,
        screened_out_at=stamp(now) if is_out else None,
    )
    transaction.do(_ADD_IDENTITY, visit=visit, study=known.id, **_identity_columns(arrival))
    tell(transaction, known, visit, "barred" if is_barred else "arrived", now=now)
    return Visit(
        id=visit,
        participant=name,
        arrived_at=now,
        screened_out_at=now if is_out else None,
        is_turned_away=is_barred,
        sent_to=arrival.batch,
        attempts=achieved.attempts,
        qualified_at=maybe_moment(achieved.qualified_at),
        unqualified_at=maybe_moment(achieved.unqualified_at),
        own=known.lists.get(mark),
    )


def _identity_columns(arrival: Arrival) -> dict[str, str]:
    return {
        "recruiter": arrival.recruiter,
        "person": arrival.person,
        "session": arrival.session,
    }


def _refuse_second(transaction: Transaction, participant: int, *, now: datetime) -> None:
    """Nobody works in two sessions at once; what has lapsed is no work."""
    holds = transaction.row(_HOLDS, participant=participant, now=stamp(now)) is not None
    if holds or qualifying.is_at_it(transaction, participant, now=now):
        raise open_elsewhere()


def open_elsewhere() -> ElsewhereOpen:
    """Somebody's batch is in hand under another session."""
    return ElsewhereOpen("a batch of this participant is open in another session.")


def _add_person(transaction: Transaction, known: RegisteredStudy, mark: str) -> tuple[int, str]:
    name = f"p{transaction.number(_COUNT, of=known.id):04}"
    return transaction.number(_ADD_PERSON, study=known.id, name=name, mark=mark), name


def _took_part_elsewhere(transaction: Transaction, known: RegisteredStudy, mark: str) -> bool:
    """Whether somebody took part in a study that excludes this one."""
    others: Iterable[str] = known.study.spec.site.exclude_studies
    return any(transaction.row(_TOOK_PART, other=other, mark=mark) is not None for other in others)
