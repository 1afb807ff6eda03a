"""Statements as they run on a database, and what comes back."""

from __future__ import annotations

import pytest
from sqlalchemy import (
    bindparam,
    func,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from things import ADD, ALL, THINGS, add

from rejudge.store.database import Database
from rejudge.store.statement import SqlStatement, insert_into

FIELDS = ("number", "share", "word", "truth")
VALUES = [
    (0, 0.0, "", False),
    (-(2**63), 0.1 + 0.2, "ß 漢字 🙂 \u202e", True),
    (2**63 - 1, 5e-324, "quoted \" ' \\ {} $1 %s", None),
    (None, 1.7976931348623157e308, "line\nbreak\ttab", True),
    (7, None, None, False),
]


@pytest.mark.parametrize("at_once", [False, True])
def test_what_is_stored_comes_back_unchanged(line, at_once):
    named = [dict(zip(("number", "share", "word", "truth"), one, strict=True)) for one in VALUES]
    with line.writing() as transaction:
        if at_once:
            transaction.do_all(ADD, named)
        else:
            for each in named:
                transaction.do(ADD, **each)
        found = [tuple(row) for row in transaction.rows(ALL)]
        streamed = [tuple(row) for row in transaction.stream(ALL)]
    assert found == VALUES == streamed
    assert [list(map(type, one)) for one in found] == [list(map(type, one)) for one in VALUES]


def test_the_first_row_of_none_is_none_and_columns_have_names(line):
    with line.writing() as transaction:
        assert transaction.row(ALL) is None
        assert transaction.rows(ALL) == []
        add(transaction)
        assert transaction.row(ALL)._fields == ("number", "share", "word", "truth")


@pytest.fixture
def on_sqlite(tmp_path):
    """An SQLite file with a table of things."""
    database = Database(str(tmp_path / "things.db"))
    database.create_file()
    with database.writing() as transaction:
        transaction.plain(
            "CREATE TABLE things (id integer PRIMARY KEY, number bigint, share float, word text,"
            " truth boolean)"
        )
    yield database
    database.close()


def test_rows_of_a_file_have_the_names_of_their_columns_and_keep_their_values(on_sqlite):
    with on_sqlite.writing() as transaction:
        transaction.do_all(ADD, [dict(zip(FIELDS, each, strict=True)) for each in VALUES])
    with on_sqlite.reading() as transaction:
        found = transaction.rows(ALL)
        streamed = list(transaction.stream(ALL))
    assert [tuple(row) for row in found] == VALUES
    assert [row.word for row in found] == [word for _, _, word, _ in VALUES]
    assert streamed == found


def test_what_is_left_for_later_is_written_when_the_transaction_ends(on_sqlite):
    count = SqlStatement(select(func.count()).select_from(THINGS))
    with on_sqlite.writing() as transaction:
        for number in (1, 2):
            transaction.do_later(ADD, number=number, share=None, word=None, truth=None)
        assert transaction.number(count) == 0
    with on_sqlite.reading() as transaction:
        assert transaction.number(count) == 2


def test_a_new_row_gives_its_id_and_an_unnamed_column_is_not_written(on_sqlite):
    add = insert_into(THINGS, "word", gives_id=True)
    with on_sqlite.writing() as transaction:
        assert [transaction.number(add, word=word) for word in "ab"] == [1, 2]
        assert [tuple(row) for row in transaction.rows(ALL)] == [
            (None, None, "a", None),
            (None, None, "b", None),
        ]


def test_a_statement_is_compiled_once_for_each_kind_of_database():
    statement = SqlStatement(select(THINGS.c.word).where(THINGS.c.number == bindparam("number")))
    first = statement.on(sqlite.dialect())
    assert statement.on(sqlite.dialect()) is first
    assert "?" in first.sql
    assert "?" not in statement.on(postgresql.dialect()).sql
