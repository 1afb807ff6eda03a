"""What is said to PostgreSQL through libpq, and what comes back."""

from __future__ import annotations

import pytest
from sqlalchemy import BigInteger, Boolean, Column, Float, MetaData, Table, Text, select

from rejudge.errors import StoreUnavailable
from rejudge.store.database import Database, DatabaseRefusal
from rejudge.store.statement import SqlStatement, insert_into

THINGS = Table(
    "things",
    MetaData(),
    Column("id", BigInteger, primary_key=True),
    Column("number", BigInteger),
    Column("share", Float),
    Column("word", Text),
    Column("truth", Boolean),
)
ADD = insert_into(THINGS, "number", "share", "word", "truth")
ALL = SqlStatement(
    select(THINGS.c.number, THINGS.c.share, THINGS.c.word, THINGS.c.truth).order_by(THINGS.c.id)
)


@pytest.fixture
def address(postgres_server):
    """An empty database of PostgreSQL."""
    made = postgres_server.new_database()
    yield made
    postgres_server.drop(made)


@pytest.fixture
def line(address):
    """The store's own way to a database, with a table of things."""
    database = Database(address)
    with database.writing() as transaction:
        transaction.plain(
            "CREATE TEMPORARY TABLE things (id bigserial PRIMARY KEY, number bigint,"
            " share double precision, word text UNIQUE, truth boolean)"
        )
    yield database
    database.close()


def added(transaction, number=1, share=1.0, word="w", truth=True):  # noqa: FBT002 - a value
    transaction.do(ADD, number=number, share=share, word=word, truth=truth)


def test_what_fails_is_undone_and_the_connection_goes_on(line):
    with line.writing() as transaction:
        added(transaction, word="kept")
    with pytest.raises(DatabaseRefusal, match="UniqueViolation"), line.writing() as transaction:  # noqa: PT012
        added(transaction, word="undone")
        added(transaction, word="kept")
    with line.writing() as transaction:
        assert [row.word for row in transaction.rows(ALL)] == ["kept"]


def test_a_text_with_nul_is_refused_and_not_cut_short(line):
    with pytest.raises(DatabaseRefusal, match="NUL"), line.writing() as transaction:
        added(transaction, word="before\0after")
    with line.writing() as transaction:
        assert transaction.rows(ALL) == []


def test_a_statement_that_the_server_does_not_know_is_a_fault_of_ours(line):
    with pytest.raises(DatabaseRefusal, match="SyntaxError"), line.writing() as transaction:
        transaction.plain("SELEC 1")


def test_a_connection_that_the_server_ended_is_an_outage_and_the_next_is_fresh(
    line, address, postgres_server
):
    with pytest.raises(StoreUnavailable, match="not available"), line.writing() as transaction:  # noqa: PT012
        added(transaction)
        postgres_server.disconnect(address)
        added(transaction)
    with line.writing() as transaction:
        transaction.plain("CREATE TABLE other (id bigint)")
