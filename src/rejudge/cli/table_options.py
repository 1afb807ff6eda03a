"""How a FILE of judgments is read: the same options for every command that takes one."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from rejudge.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from rejudge.judgments import Cleaned, ReadTable
    from rejudge.study import Level

R = TypeVar("R")  # what the command returns

_LEVELS = ("nominal", "ordinal", "interval", "ratio")
_SCALE = re.compile(r"(-?[0-9.]+)\.\.(-?[0-9.]+)")
_OPTIONS = (
    click.option("--columns", help="Columns of a FILE by role: participant=rater,value=score,…"),
    click.option("--wide", help="How a wide FILE is laid out, such as participant=rater_*."),
    click.option("--sheet", help="Sheet of an Excel FILE.  [default: the first]"),
    click.option(
        "--duplicates",
        type=click.Choice(("error", "first", "last", "repeat")),
        help="What to do if someone judged the same thing twice in a FILE.",
    ),
    click.option(
        "--duplicate-share",
        type=click.FloatRange(0, 1),
        help="Accept a FILE in which up to this share of the rows are duplicates.  [default: 1/3]",
    ),
    click.option(
        "--choices",
        type=click.Choice(("side", "system")),
        help="Whether choices in a FILE are sides (a, b) or ids of systems, if both are possible.",
    ),
    click.option(
        "--where",
        multiple=True,
        help="Read only rows of a FILE with this value, such as lab=Tilburg or lab!=Tilburg; "
        "repeatable.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        help="Exclude rows of a FILE by a rule, such as failed_checks=1; repeatable.",
    ),
    click.option("--level", type=click.Choice(_LEVELS), help="Level of measurement of the scores."),
    click.option("--scale", help="Lowest and highest possible score of a FILE, such as 1..4."),
)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options as typed; they are parsed when the table is read."""

    columns: str | None = None
    wide: str | None = None
    sheet: str | None = None
    duplicates: Literal["error", "first", "last", "repeat"] | None = None
    duplicate_share: float | None = None
    choices: Literal["side", "system"] | None = None
    where: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    level: Level | None = None
    scale: str | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that were typed."""
        return tuple(
            field.name for field in fields(self) if getattr(self, field.name) not in {None, ()}
        )

    @property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest point of the scale."""
        return None if self.scale is None else _ends(self.scale)

    def read(
        self,
        path: Path,
        *,
        question: str | None = None,
        beside: Sequence[str] = (),
        questions: Sequence[str] = (),
    ) -> ReadTable:
        """Read the FILE; its scores must lie on the scale, on all `questions` or on these."""
        from rejudge.judgments import Wide, read_table

        table = read_table(
            path,
            columns=_columns(self.columns or ""),
            wide=Wide.parse(self.wide) if self.wide else None,
            duplicates=self.duplicates or "error",
            question=question,
            sheet=self.sheet,
            beside=beside,
            where=self.where,
            choices=self.choices,
            duplicate_share=self.duplicate_share,
        )
        if not len(table.judgments):
            what = "no row of the table contains a judgment."
            remedy = f"Check the column of values. {table.recognised}"
            raise DataError(Problem(what, remedy, file=str(path)))
        if self.ends is not None:
            table.require_scale(self.ends, questions or ([question] if question else []))
        return table

    def clean(self, table: ReadTable) -> Cleaned:
        """Apply the rules of --exclude."""
        from rejudge.judgments import ExclusionRules, exclude_rows

        return exclude_rows(table.judgments, ExclusionRules.parse(self.exclude))


def table_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command the options for reading a FILE; it receives them as `table`."""
    names = [field.name for field in fields(TableOptions)]

    @functools.wraps(function)
    def command(*args: Any, **typed: Any) -> R:  # as click passes them
        table = TableOptions(**{name: typed.pop(name) for name in names})
        return function(*args, table=table, **typed)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _columns(typed: str) -> dict[str, str]:
    """Roles and the names of their columns; an empty name turns a role off."""
    return dict(_named(pair) for pair in typed.split(",") if pair)


def _named(pair: str) -> tuple[str, str]:
    role, equals, name = pair.partition("=")
    if not equals or not role.strip():
        raise UsageError(
            Problem(
                f"--columns {pair} is unclear.", "Write role=column, such as participant=rater."
            )
        )
    return role.strip(), name.strip()


def _ends(scale: str) -> tuple[float, float]:
    found = _SCALE.fullmatch(scale.replace(" ", ""))
    try:
        ends = (float(found[1]), float(found[2])) if found else (0.0, 0.0)
    except ValueError:
        ends = (0.0, 0.0)
    if ends[0] >= ends[1]:
        raise UsageError(
            Problem(
                f"'{scale}' is not a scale.", "Write its lowest and highest point, such as 1..4."
            )
        )
    return ends
