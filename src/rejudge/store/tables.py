"""The tables, alike on SQLite and PostgreSQL: whole numbers, words, and times as microseconds.

Times are whole microseconds since 1970 in UTC, so that no database can shift, round or reinterpret
them. Platform ids stand in `identity` and nowhere else; everything else knows a person by number.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

SCHEMA = "1"  # another one with every change of these tables, so that no version mistakes them

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def stamp(moment: datetime) -> int:
    """A moment as the tables keep it."""
    return (moment - _EPOCH) // _MICROSECOND


def moment(stamped: int) -> datetime:
    """A kept moment, aware and in UTC."""
    return _EPOCH + timedelta(microseconds=stamped)


def maybe_moment(stamped: int | None) -> datetime | None:
    """A kept moment that may be absent."""
    return None if stamped is None else moment(stamped)


def _number() -> Column[int]:
    """Counts up. With `sqlite_autoincrement`, as always on PostgreSQL, no number comes back."""
    return Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True)


def _of(table: str) -> Column[int]:
    return Column(table, BigInteger, ForeignKey(f"{table}.id"), nullable=False)


def _time(name: str, *, always: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=not always)


def _word(name: str, *, always: bool = True) -> Column[str]:
    return Column(name, Text, nullable=not always)


setting = Table(  # of the whole database
    "setting",
    metadata,
    Column("name", Text, primary_key=True),
    _word("value"),
)
study = Table(
    "study",
    metadata,
    _number(),
    Column("name", Text, nullable=False, unique=True),  # the id that study.yaml gives
    _word("plan"),  # fingerprint
    _word("wording"),  # fingerprint of the study
    _word("state"),
    Column("is_rehearsal", Boolean, nullable=False),
    Column("people", Integer, nullable=False),  # pseudonyms given so far
    _word("code_completed"),
    _word("code_declined"),
    _word("code_full"),
    _word("code_not_qualified", always=False),  # None where there is no qualification
    _word("code_screened_out", always=False),  # None where nobody is screened out
    _word("code_failed_checks", always=False),  # None where no check leads to a rejection
    _word("secret"),  # what the site signs cookies with
    _time("registered_at", always=True),
    _word("stop_rule", always=False),  # that people began under; None where no looks are planned
    sqlite_autoincrement=True,
)
batch = Table(
    "batch",
    metadata,
    _number(),
    _of("study"),
    _word("name"),
    Column("places", Integer, nullable=False),
    Column("held", Integer, nullable=False),  # live counters: they equal the rows of `assignment`
    Column("done", Integer, nullable=False),
    UniqueConstraint("study", "name"),
    CheckConstraint("held >= 0 AND done >= 0", name="live"),
    sqlite_autoincrement=True,
)
participant = Table(
    "participant",
    metadata,
    _number(),
    _of("study"),
    _word("name"),  # pseudonym
    _word("mark"),  # keyed hash of recruiter and platform id, to know somebody across studies
    UniqueConstraint("study", "name"),
    UniqueConstraint("study", "mark"),
    sqlite_autoincrement=True,
)
visit = Table(
    "visit",
    metadata,
    _number(),
    _of("study"),
    _of("participant"),
    _time("arrived_at", always=True),
    _time("consented_at"),
    _time("declined_at"),
    _word("consent_version", always=False),
    _time("admitted_at"),  # past the screening questions
    _time("screened_out_at"),
    _word("sent_to", always=False),  # the batch that the platform's link named
    _time("instructed_at"),
    _time("practised_at"),
    Column("attempts", Integer, nullable=False, server_default="0"),  # at the qualification
    _time("qualified_at"),
    _time("unqualified_at"),  # did not pass, and has no attempt left
    _time("qualifying_until"),  # a place is kept for them until then; None: none is
    _time("left_at"),
    Column("is_turned_away", Boolean, nullable=False),
    Column("is_barred", Boolean, nullable=False),  # may not take part
    _word("device", always=False),
    _word("language", always=False),
    _word("time_zone", always=False),
    Column("offset_minutes", Integer),
    Column("is_zone_odd", Boolean),  # None: cannot be told
    Index("visit_participant_idx", "participant"),
    Index("visit_qualifying_idx", "study", "qualifying_until"),
    sqlite_autoincrement=True,
)
identity = Table(  # the only place of platform ids
    "identity",
    metadata,
    Column(
        "visit",
        BigInteger().with_variant(Integer, "sqlite"),
        ForeignKey("visit.id"),
        primary_key=True,
        autoincrement=False,
    ),
    _of("study"),
    _word("recruiter"),
    _word("person"),
    _word("session"),
    UniqueConstraint("study", "recruiter", "person", "session"),
)
origin = Table(  # where unproven arrivals come from; kept until they hand in, a day at most
    "origin",
    metadata,
    Column(
        "visit",
        BigInteger().with_variant(Integer, "sqlite"),
        ForeignKey("visit.id"),
        primary_key=True,
        autoincrement=False,
    ),
    _of("study"),
    _word("address"),  # keyed hash
    _word("browser"),  # 〃
    _time("noted_at", always=True),
    Index("origin_study_address_idx", "study", "address"),
    Index("origin_study_browser_idx", "study", "browser"),
)
assignment = Table(
    "assignment",
    metadata,
    _number(),
    _of("study"),
    _of("participant"),
    _of("visit"),
    _of("batch"),
    Column("seat", Integer, nullable=False),
    _word("status"),
    _time("claimed_at", always=True),
    _time("expires_at", always=True),
    _time("submitted_at"),
    _time("returned_at"),  # such work takes a place only when a researcher accepts it
    Column("failed_checks", Integer),
    Column("failed_strict", Integer),  # of those, by checks that do more than flag
    _word("reason"),
    UniqueConstraint("study", "participant", "batch"),
    Index("assignment_visit_idx", "visit"),
    Index("assignment_batch_idx", "batch"),
    Index(
        "assignment_held_idx",
        "participant",
        unique=True,  # nobody holds two
        sqlite_where=text("status = 'held'"),
        postgresql_where=text("status = 'held'"),
    ),
    sqlite_autoincrement=True,
)
answer = Table(  # rows are added, never changed; see work.MOST_CHANGES
    "answer",
    metadata,
    _number(),
    _of("visit"),
    Column("assignment", BigInteger, ForeignKey("assignment.id")),  # None: practice, exit
    _word("task"),
    _word("question"),
    _word("raw"),
    Column("position", Integer, nullable=False),
    _word("key"),
    _time("shown_at", always=True),
    _time("saved_at", always=True),
    Column("active_seconds", Float),
    Column("changes", Integer, nullable=False),
    Column("blurs", Integer, nullable=False),
    UniqueConstraint("visit", "key", "question"),
)
event = Table(  # what happened to participants
    "event",
    metadata,
    _number(),
    _of("study"),
    _of("visit"),
    _time("at", always=True),
    _word("what"),
    Column("batch", BigInteger, ForeignKey("batch.id")),
    _word("detail"),
    Index("event_visit_idx", "visit"),
    sqlite_autoincrement=True,
)
log = Table(  # what researchers did
    "log",
    metadata,
    _number(),
    _of("study"),
    _time("at", always=True),
    _word("who"),
    _word("what"),
    _word("participant", always=False),  # pseudonym
    _word("batch", always=False),
    _word("reason"),
    sqlite_autoincrement=True,
)
look = Table(  # at the results of a study that planned such looks
    "look",
    metadata,
    Column("study", BigInteger, ForeignKey("study.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    _time("at", always=True),
    _word("decision"),
    _word("body"),  # JSON, the decision included
)
consent_text = Table(
    "consent_text",
    metadata,
    Column("study", BigInteger, ForeignKey("study.id"), primary_key=True),
    Column("version", Text, primary_key=True),
    _word("body"),
)
barred = Table(  # hashes of platform ids that are turned away
    "barred",
    metadata,
    Column("study", BigInteger, ForeignKey("study.id"), primary_key=True),
    Column("mark", Text, primary_key=True),
)
tombstone = Table(
    "tombstone",
    metadata,
    _number(),
    _of("study"),
    _word("participant"),  # pseudonym
    _time("at", always=True),
    Column("assignments", Integer, nullable=False),
    Column("finished", Integer, nullable=False),
    Column("answers", Integer, nullable=False),
    sqlite_autoincrement=True,
)
token = Table(
    "token",
    metadata,
    _number(),
    _of("study"),
    _word("role"),
    Column("hash", Text, nullable=False, unique=True),
    Column("is_one_time", Boolean, nullable=False),
    _time("granted_at", always=True),
    _time("used_at"),
    _time("revoked_at"),
    _time("expires_at"),  # None: when it is revoked
    sqlite_autoincrement=True,
)
session = Table(  # who is logged in to the dashboard
    "session",
    metadata,
    Column("hash", Text, primary_key=True),
    _of("study"),
    _of("token"),
    _time("began_at", always=True),
)
submission = Table(  # the platform's last word about each visit that it knows
    "submission",
    metadata,
    Column("study", BigInteger, ForeignKey("study.id"), primary_key=True),
    Column("mark", Text, primary_key=True),  # keyed hash of the platform's id
    Column("visit", BigInteger, ForeignKey("visit.id")),  # None: has not arrived at our site
    _word("status"),
    _time("reported_at", always=True),
    Index("submission_visit_idx", "visit"),
)
delivery = Table(  # notifications that were followed, so that none is followed twice
    "delivery",
    metadata,
    Column("study", BigInteger, ForeignKey("study.id"), primary_key=True),
    Column("name", Text, primary_key=True),  # the platform's id of the notification
    _time("received_at", always=True),
)
