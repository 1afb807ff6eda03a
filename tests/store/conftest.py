"""A store for each test, on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from walking import opened

from rejudge.store import Store


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
