"""A store for each test, on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from walking import opened

import postgres
from rejudge.store.database import Database
from rejudge.store.store import Store


@pytest.fixture
def open_one(database: str) -> Iterator[Callable[..., Store]]:
    """Opens stores in one database, and closes them."""
    stores: list[Store] = []

    def open_in_it(*places: int, **parts: Any) -> Store:
        stores.append(opened(database, *places, **parts))
        return stores[-1]

    yield open_in_it
    for store in stores:
        store.close()


@pytest.fixture
def store(open_one: Callable[..., Store]) -> Store:
    """Two batches with two places each."""
    return open_one(2, 2)


@pytest.fixture
def address(postgres_server: postgres.Server) -> Iterator[str]:
    """An empty database of PostgreSQL."""
    made = postgres_server.new_database()
    yield made
    postgres_server.drop(made)


@pytest.fixture
def line(address: str) -> Iterator[Database]:
    """The store's own way to a database, with a table of things."""
    database = Database(address)
    with database.writing() as transaction:
        transaction.plain(
            "CREATE TEMPORARY TABLE things (id bigserial PRIMARY KEY, number bigint,"
            " share double precision, word text UNIQUE, truth boolean)"
        )
    yield database
    database.close()
