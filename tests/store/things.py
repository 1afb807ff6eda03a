"""A table of things with one column of each type, for tests of what a database keeps."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, MetaData, Table, Text, select

from rejudge.store.statement import SqlStatement, Transaction, insert_into

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


def add(
    transaction: Transaction,
    number: int | None = 1,
    share: float | None = 1.0,
    word: str | None = "w",
    truth: bool | None = True,  # noqa: FBT001, FBT002 - a value
) -> None:
    """One more thing."""
    transaction.do(ADD, number=number, share=share, word=word, truth=truth)
