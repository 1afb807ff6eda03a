"""Open a database for a study."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from rejudge.design import Plan
from rejudge.store import copies
from rejudge.store.copies import STARTING, migrate, refuse_without_tables
from rejudge.store.database import Database
from rejudge.store.registering import known, register
from rejudge.store.store import Store
from rejudge.study import Study


def open_store(
    url: str, study: Study, plan: Plan, *, now: datetime, is_rehearsal: bool = False
) -> Store:
    """Open the database of a study, and make it where there is none.

    `url`: an address as SQLAlchemy takes it, or the path of an SQLite file. DataError when the
    database holds answers to another plan of this study, or those of a rehearsal where this is
    none.
    """
    database = Database(url, is_durable=not is_rehearsal)
    try:
        migrate(database)
        with database.writing() as transaction:
            if not database.is_sqlite:
                # Several processes may start at once, beside others that serve. A lock of the
                # table would be taken after their lock of the row, and before their next change.
                transaction.plain(f"SELECT pg_advisory_xact_lock({STARTING})")
            found = register(transaction, study, plan, now=now, is_rehearsal=is_rehearsal)
    except BaseException:
        database.close()
        raise
    return Store(database, found)


def open_existing(url: str, study: Study, plan: Plan) -> Store:
    """Open a database that must be there and know the study; older tables become current."""
    database = Database(url)
    try:
        refuse_without_tables(database)
        migrate(database)
        with database.reading() as transaction:
            found = known(transaction, study, plan)
    except BaseException:
        database.close()
        raise
    return Store(database, found)


def restore(path: str | Path, url: str) -> str:
    """Put a backup into a database that does not know its study; gives the id of the study."""
    return copies.restore(Path(path), url)
