"""Sites that start quickly, for tests that are about what comes after the start.

A new SQLite file has its tables at once, commits do not wait for the disk, a template is compiled
once, and a server that is stopped ends in a few milliseconds. That a new file gets these tables,
and that commits survive, is proved in tests/store and tests/journeys.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket

from rejudge.store.database import Database
from rejudge.web import rendering


class CompiledTemplates(BytecodeCache):
    """Templates that were compiled in this process."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


async def sleep_briefly(seconds: float) -> None:
    await asyncio.sleep(seconds / 10)


_BRIEF = SimpleNamespace(**{**vars(asyncio), "sleep": sleep_briefly})  # for uvicorn alone
_COMPILED = CompiledTemplates()
_make_environment = rendering.make_environment


def make_environment() -> Environment:
    environment = _make_environment()
    environment.bytecode_cache = _COMPILED
    return environment


@pytest.fixture(scope="module", autouse=True)
def quick_sites(tables_on_sqlite: str) -> Iterator[None]:
    """For a file of tests that imports it, or a folder whose conftest does."""
    create_file, open_file = Database.create_file, Database._open_file

    def create_with_tables(database: Database) -> None:
        file = database.file
        if file is not None and file.parent.is_dir() and not file.exists():
            shutil.copyfile(tables_on_sqlite, file)
            file.chmod(0o600)
        create_file(database)

    def open_without_waiting(database: Database) -> sqlite3.Connection:
        connection = open_file(database)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Database, "create_file", create_with_tables)
        patched.setattr(Database, "_open_file", open_without_waiting)
        patched.setattr("uvicorn.server.asyncio", _BRIEF)
        patched.setattr("rejudge.web.rendering.make_environment", make_environment)
        patched.setattr("rejudge.web.dashboard.context.make_environment", make_environment)
        yield
