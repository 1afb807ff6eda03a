"""Run by Alembic: the connection, with its transaction and lock, is brought by `database`."""

from __future__ import annotations

from alembic import context

from rejudge.store import tables

context.configure(
    connection=context.config.attributes["connection"], target_metadata=tables.metadata
)
context.run_migrations()
