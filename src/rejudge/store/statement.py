"""Statements written once with SQLAlchemy Core and run as plain SQL on either database.

Core writes the SQL of each dialect; running it through the driver itself costs a third of running
it through Core, and a page that saves an answer runs several. This is safe because the tables hold
only what both drivers take and give unchanged: whole numbers, floats, words, true and false.
"""

from __future__ import annotations

import json
import select
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from sqlalchemy import JSON, Table, bindparam, column, func, insert
from sqlalchemy import select as select_
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.sql.expression import Executable

Value: TypeAlias = int | float | str | bool | None
Row: TypeAlias = Any  # a named tuple with the names of the columns asked for
Cursor: TypeAlias = Any  # of the driver


class SqlStatement:
    """One statement of Core, compiled when a kind of database first needs it.

    `many` does the same with several sets of values, which it takes as one JSON text `rows`.
    """

    def __init__(self, core: Executable, *, many: SqlStatement | None = None) -> None:
        self._core = core
        self.many = many
        self._compiled: dict[str, _Compiled] = {}

    def on(self, dialect: Dialect) -> _Compiled:
        """The statement as this database wants it."""
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = _Compiled(self._core, dialect)
        return compiled


class _Compiled:
    """SQL, the order of its parameters, and the names of what it gives."""

    def __init__(self, core: Executable, dialect: Dialect) -> None:
        whole: Any = core  # every statement can be compiled
        compiled = whole.compile(dialect=dialect)
        self.sql: str = compiled.string
        self._defaults: Mapping[str, Value] = compiled.params
        self._order: Sequence[str] | None = compiled.positiontup
        self._make: Callable[[Iterable[Any]], Row] | None = None

    def arrange(self, values: Mapping[str, Value]) -> Sequence[Value] | Mapping[str, Value]:
        """The values as the driver wants them."""
        given = {**self._defaults, **values}
        return given if self._order is None else [given[name] for name in self._order]

    def make(self, cursor: Cursor) -> Callable[[Iterable[Any]], Row]:
        """What turns a row of this statement into one with names."""
        make = self._make
        if make is None:
            names: Any = [column[0] for column in cursor.description]
            row: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc]  # noqa: PYI024
            make = self._make = row._make  # the names are those of the query
        return make


class Transaction:
    """Runs statements on one connection."""

    __slots__ = ("_connection", "_cursor", "_dialect", "_later", "prefetched")

    def __init__(self, connection: Any, dialect: Dialect) -> None:
        self._connection = connection
        self._cursor: Cursor = connection.cursor()
        self._dialect = dialect
        self._later: dict[SqlStatement, list[Mapping[str, Value]]] = {}
        self.prefetched: dict[int, list[Row]] = {}  # rows of visits, for who asks first

    @property
    def dialect(self) -> Dialect:
        """The kind of database."""
        return self._dialect

    @property
    def was_closed(self) -> bool:
        """Whether the server has gone: a connection that rests has nothing else to say."""
        if self._dialect.name == "sqlite":
            return False
        said = select.poll()
        said.register(self._connection.fileno(), select.POLLIN)
        return bool(said.poll(0))

    def let_go(self) -> None:
        """Have the driver forget the last statement: SQLite closes no file while one is kept."""
        if self._dialect.name == "sqlite":
            with suppress(Exception):  # the connection may be broken
                self._cursor.close()

    def end(self) -> None:
        """Close the connection."""
        self.let_go()
        with suppress(Exception):  # it may be broken
            self._connection.close()

    def rows(self, statement: SqlStatement, **values: Value) -> list[Row]:
        """All rows that a statement gives."""
        compiled = self._run(statement, values)
        found = self._cursor.fetchall()  # first: only then is it known what the columns are called
        return list(map(compiled.make(self._cursor), found))

    def stream(self, statement: SqlStatement, **values: Value) -> Iterator[Row]:
        """The rows one after the other; nothing else may be run meanwhile."""
        compiled = self._run(statement, values)
        make = compiled.make(self._cursor)
        while some := self._cursor.fetchmany(1000):
            yield from map(make, some)

    def row(self, statement: SqlStatement, **values: Value) -> Row | None:
        """The first row; None when there is none."""
        compiled = self._run(statement, values)
        found = self._cursor.fetchone()
        return None if found is None else compiled.make(self._cursor)(found)

    def number(self, statement: SqlStatement, **values: Value) -> int:
        """The one number that a statement gives, such as the id of a new row or a count."""
        self._run(statement, values)
        return int(self._cursor.fetchone()[0])

    def do(self, statement: SqlStatement, **values: Value) -> None:
        """Change something."""
        self._do(statement, values)

    def do_later(self, statement: SqlStatement, **values: Value) -> None:
        """Add a row that nothing in this transaction reads: all such rows go in one statement."""
        self._later.setdefault(statement, []).append(values)

    def finish(self) -> None:
        """Do what was left for later; before the end of a transaction."""
        for statement, each in self._later.items():
            self.do_all(statement, each)
        self._later.clear()

    def do_all(self, statement: SqlStatement, each: Sequence[Mapping[str, Value]]) -> None:
        """Do the same with several sets of values."""
        if len(each) == 1:
            self._do(statement, each[0])
        elif each and statement.many is not None and self._dialect.name == "postgresql":
            # one by one, each row costs the driver as much as a question
            self._do(statement.many, {"rows": json.dumps([dict(one) for one in each])})
        elif each:
            compiled = statement.on(self._dialect)
            self._cursor.executemany(compiled.sql, [compiled.arrange(one) for one in each])

    def plain(self, sql: str) -> None:
        """Run SQL that only one kind of database knows."""
        self._cursor.execute(sql)

    def pragma(self, name: str) -> Sequence[Any]:
        """What a pragma of SQLite says."""
        self._cursor.execute(f"PRAGMA {name}")
        return tuple(self._cursor.fetchone())

    def _do(self, statement: SqlStatement, values: Mapping[str, Value]) -> None:
        compiled = statement.on(self._dialect)
        self._cursor.execute(compiled.sql, compiled.arrange(values))

    def _run(self, statement: SqlStatement, values: Mapping[str, Value]) -> _Compiled:
        compiled = statement.on(self._dialect)
        self._cursor.execute(compiled.sql, compiled.arrange(values))
        return compiled


def insert_into(table: Table, *columns: str, gives_id: bool = False) -> SqlStatement:
    """Adds one row with these columns; with all but a counted id when none is named."""
    named = columns or [c.name for c in table.c if not _is_counted(table, c.name)]
    core = insert(table).values({name: bindparam(name) for name in named})
    if gives_id:
        return SqlStatement(core.returning(table.c.id))
    typed = [column(name, table.c[name].type) for name in named]
    sent = func.json_to_recordset(bindparam("rows", type_=JSON)).table_valued(*typed)
    rows = sent.render_derived(name="sent", with_types=True)
    return SqlStatement(core, many=SqlStatement(insert(table).from_select(named, select_(*rows.c))))


def _is_counted(table: Table, name: str) -> bool:
    return name == "id" and table.c[name].primary_key
