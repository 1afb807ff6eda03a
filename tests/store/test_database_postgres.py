"""What is said to PostgreSQL through libpq, and what comes back."""

from __future__ import annotations

import pytest
from things import ALL, add

from rejudge.errors import StoreUnavailable
from rejudge.store.database import DatabaseRefusal


def test_what_fails_is_undone_and_the_connection_goes_on(line):
    with line.writing() as transaction:
        add(transaction, word="kept")
    with pytest.raises(DatabaseRefusal, match="UniqueViolation"), line.writing() as transaction:  # noqa: PT012
        add(transaction, word="undone")
        add(transaction, word="kept")
    with line.writing() as transaction:
        assert [row.word for row in transaction.rows(ALL)] == ["kept"]


def test_a_text_with_nul_is_refused_and_not_cut_short(line):
    with pytest.raises(DatabaseRefusal, match="NUL"), line.writing() as transaction:
        add(transaction, word="before\0after")
    with line.writing() as transaction:
        assert transaction.rows(ALL) == []


def test_a_statement_that_the_server_does_not_know_is_a_fault_of_ours(line):
    with pytest.raises(DatabaseRefusal, match="SyntaxError"), line.writing() as transaction:
        transaction.plain("SELEC 1")


def test_a_connection_that_the_server_ended_is_an_outage_and_the_next_is_fresh(
    line, address, postgres_server
):
    with pytest.raises(StoreUnavailable, match="not available"), line.writing() as transaction:  # noqa: PT012
        add(transaction)
        postgres_server.disconnect(address)
        add(transaction)
    with line.writing() as transaction:
        transaction.plain("CREATE TABLE other (id bigint)")
