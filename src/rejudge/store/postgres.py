"""PostgreSQL as the store speaks to it: prepared statements through libpq, which the driver wraps.

The driver's own cursors take more than half of the time of a short question, by what they are able
to do beside it; a page of the site asks several. What is sent and read here is only what the
tables hold: whole numbers, floats, words, true and false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine.interfaces import Dialect

Plain: TypeAlias = int | float | str | bool | None
Driver: TypeAlias = Any  # psycopg, which is loaded where PostgreSQL is used

# statements are written with $1, $2, as the server itself wants them
DIALECT: Dialect = PGDialect_psycopg(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]


class Line:
    """A connection of the driver; each statement is prepared when it is first used."""

    def __init__(self, connection: Driver) -> None:
        import psycopg

        self._psycopg = psycopg
        self._connection = connection
        self._libpq = connection.pgconn
        self._prepared: dict[str, bytes] = {}
        self._good = {psycopg.pq.ExecStatus.COMMAND_OK, psycopg.pq.ExecStatus.TUPLES_OK}

    def cursor(self) -> Cursor:
        """What runs statements on it, one at a time."""
        return Cursor(self)

    def run(self, sql: str) -> Driver:
        """Run something that has no values."""
        return self._checked(self._libpq.exec_(sql.encode()))

    def ask(self, sql: str, values: Iterable[Plain]) -> Driver:
        """Run a statement with its values; gives libpq's result."""
        name = self._prepared.get(sql)
        if name is None:
            name = b"s%d" % len(self._prepared)
            self._checked(self._libpq.prepare(name, sql.encode()))
            self._prepared[sql] = name
        return self._checked(self._libpq.exec_prepared(name, [self._sent(v) for v in values]))

    def commit(self) -> None:
        """Make it durable."""
        self.run("COMMIT")

    def rollback(self) -> None:
        """Undo it."""
        self.run("ROLLBACK")

    def fileno(self) -> int:
        """The socket, to hear whether the server has gone."""
        number: int = self._libpq.socket
        return number

    def close(self) -> None:
        """End it."""
        self._connection.close()

    def _sent(self, value: Plain) -> bytes | None:
        if value is None:
            return None
        sent = str(value).encode()
        if b"\0" in sent:  # libpq would take it for the end of the text
            raise self._psycopg.DataError("a text holds NUL, which PostgreSQL does not keep")
        return sent

    def _checked(self, result: Driver) -> Driver:
        if result.status not in self._good:
            if self._libpq.status != self._psycopg.pq.ConnStatus.OK:
                said = result.error_message.decode("utf-8", "replace")
                raise self._psycopg.OperationalError(said)
            raise self._psycopg.errors.error_from_result(result)
        return result


class Cursor:
    """As much of a cursor as the store needs, in the words that all drivers share."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._result: Driver = None
        self._next = 0

    def execute(self, sql: str, values: Sequence[Plain] | None = None) -> None:
        """Run a statement; without values also what cannot be prepared."""
        self._result = self._line.run(sql) if values is None else self._line.ask(sql, values)
        self._next = 0

    def executemany(self, sql: str, each: Iterable[Sequence[Plain]]) -> None:
        """Run a statement with several sets of values."""
        for values in each:
            self.execute(sql, values)

    @property
    def description(self) -> list[tuple[str]]:
        """The names of the columns."""
        result = self._result
        return [(result.fname(at).decode(),) for at in range(result.nfields)]

    def fetchone(self) -> tuple[Plain, ...] | None:
        """The next row."""
        found = self.fetchmany(1)
        return found[0] if found else None

    def fetchall(self) -> list[tuple[Plain, ...]]:
        """All rows that were not fetched."""
        return self.fetchmany(self._result.ntuples)

    def fetchmany(self, count: int) -> list[tuple[Plain, ...]]:
        """The next rows, so many at most."""
        result, begin = self._result, self._next
        end = self._next = min(begin + count, result.ntuples)
        if begin == end:
            return []
        reads = [_READ.get(result.ftype(at), bytes.decode) for at in range(result.nfields)]
        value = result.get_value
        return [
            tuple(
                None if (found := value(row, at)) is None else read(found)
                for at, read in enumerate(reads)
            )
            for row in range(begin, end)
        ]


def _is_true(text: bytes) -> bool:
    return text == b"t"


# by the number that PostgreSQL gives to a type; all others are words
_READ: dict[int, Callable[[bytes], Plain]] = {
    16: _is_true,  # boolean
    20: int,  # bigint
    21: int,  # smallint
    23: int,  # integer
    700: float,  # real
    701: float,  # double precision
    1700: float,  # numeric, such as a mean
}
