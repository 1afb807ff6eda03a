"""Whether the votes of a FILE are counted without loading them, and the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.cli.console import step_progress
from rejudge.cli.execution import ExecutionOptions
from rejudge.cli.options import TableOptions, columns_by_role
from rejudge.english import count
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rejudge.analysis.results import Results
    from rejudge.judgments.votes import VoteColumns

_MANY_ROWS = 2_000_000
_MANY_ROWS_BY_PAIRS = 50_000_000  # every pair looks at all rows: some minutes
_MAY_BE_TYPED = ("columns", "choices")


def streamed_votes(
    source: Path, table: TableOptions, others: Sequence[str], *, stream: bool | None
) -> VoteColumns | None:
    """The columns of a FILE whose votes are counted without loading them; None if it is loaded.

    `others` are options that need all judgments at once.
    """
    if stream is False or not source.exists():
        return None
    reason, known = _obstacle(source, table, others)
    if reason and stream:
        raise UsageError(Problem(reason, "Leave out --stream.", field="--stream"))
    if reason or known is None:
        return None
    return known if stream or (not known.obstacle and _is_large(known)) else None


def _obstacle(
    source: Path, table: TableOptions, others: Sequence[str]
) -> tuple[str, VoteColumns | None]:
    """Why the votes must be loaded, or else the columns of the file."""
    if source.suffix.casefold() != ".parquet" or not source.is_file():
        return "only Parquet files of votes are counted without loading them.", None
    options = [*(name for name in table.given if name not in _MAY_BE_TYPED), *others]
    if options:
        name = options[0].replace("_", "-")
        return f"--{name} needs all judgments at once, so it cannot be combined.", None
    from rejudge.judgments.votes import vote_columns

    known = vote_columns(source, columns_by_role(table.columns or ""))
    if known.obstacle == "systems":
        return "", known  # if it is to be counted, the columns are asked for
    if known.obstacle:
        column = known.recognised.columns[known.obstacle]
        return f"the column '{column}' ({known.obstacle}) needs all rows at once.", None
    return "", known


def refuse_folder_of_tables(folder: Path) -> None:
    """Refuse a folder of Parquet files, as other programs write a large table."""
    if (folder / "study.yaml").exists() or not folder.is_dir():
        return
    tables = sum(1 for _ in folder.glob("**/*.parquet"))
    if tables:
        what = f"this is a folder of {count(tables, 'Parquet file')}, not a file or a study."
        command = "duckdb -c \"COPY (FROM 'DIR/**/*.parquet') TO 'votes.parquet'\""
        remedy = f"Combine them in one file, for instance with `{command}`."
        raise UsageError(Problem(what, remedy, file=str(folder)))


def _is_large(known: VoteColumns) -> bool:
    from rejudge.judgments.votes import first_systems

    if known.rows >= _MANY_ROWS:
        return True
    systems = first_systems(known)
    return known.rows * systems * (systems - 1) / 2 > _MANY_ROWS_BY_PAIRS


def analyse_streamed(
    known: VoteColumns,
    table: TableOptions,
    execution: ExecutionOptions,
    *,
    seed: int,
    options: Mapping[str, tuple[str, ...]],
) -> Results:
    """Analyse the votes, with progress."""
    from rejudge.analysis.votes import analyse_votes

    with execution.executor() as executor, step_progress() as watch:
        return analyse_votes(
            known,
            given=columns_by_role(table.columns or ""),
            choices=table.choices,
            seed=seed,
            executor=executor,
            options=options,
            watch=watch,
        )
