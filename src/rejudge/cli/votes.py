"""Whether a FILE of votes is counted in one pass, and its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.cli.console import step_progress
from rejudge.cli.options import TableOptions, columns_by_role
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rejudge.analysis import Results
    from rejudge.judgments import VoteColumns

_MANY_ROWS = 2_000_000
_MANY_ROWS_BY_PAIRS = 50_000_000  # every pair looks at all rows: some minutes
_MAY_BE_TYPED = ("columns", "choices")


def streamed_votes(
    source: Path, table: TableOptions, others: Sequence[str], *, stream: bool | None
) -> VoteColumns | None:
    """The columns of a FILE whose votes are counted in one pass; None if it is read at once.

    `others` are options that need all judgments at once.
    """
    if stream is False:
        return None
    if source.suffix.casefold() != ".parquet" or not source.is_file():
        return _refuse(stream, "only Parquet files of votes are counted in one pass.")
    options = [*(name for name in table.given if name not in _MAY_BE_TYPED), *others]
    if options:
        return _refuse(stream, f"--{options[0].replace('_', '-')} needs all judgments at once.")
    from rejudge.judgments import first_systems, vote_columns

    known = vote_columns(source, columns_by_role(table.columns or ""))
    if known.obstacle == "systems":
        return _refuse(stream, "the file has no columns of two systems that were compared.")
    if known.obstacle:
        column = known.recognised.columns[known.obstacle]
        return _refuse(stream, f"the column '{column}' ({known.obstacle}) needs all rows at once.")
    if stream or known.rows >= _MANY_ROWS:
        return known
    systems = first_systems(known)
    return known if known.rows * systems * (systems - 1) / 2 > _MANY_ROWS_BY_PAIRS else None


def _refuse(stream: bool | None, what: str) -> None:  # noqa: FBT001 - as typed
    if stream:
        raise UsageError(Problem(what, "Leave out one of the two.", field="--stream"))


def analyse_streamed(
    known: VoteColumns,
    table: TableOptions,
    *,
    seed: int,
    processes: int | None,
    options: Mapping[str, tuple[str, ...]],
) -> Results:
    """Analyse the votes, with progress."""
    from rejudge.analysis import analyse_votes
    from rejudge.executors import executor_for

    with step_progress() as watch, executor_for(processes) as executor:
        return analyse_votes(
            known,
            given=columns_by_role(table.columns or ""),
            choices=table.choices,
            seed=seed,
            executor=executor,
            options=options,
            watch=watch,
        )
