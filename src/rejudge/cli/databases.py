"""Which database a command means: the one that is named, else study.db in the folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rejudge.errors import FileError, Problem

if TYPE_CHECKING:
    from rejudge.design import Plan
    from rejudge.store import Store
    from rejudge.study import Study

F = TypeVar("F", bound=Callable[..., Any])  # any command's function


def database_option(function: F) -> F:
    """Give a command `--database`."""
    option = click.option(
        "--database",
        metavar="URL",
        envvar="REJUDGE_DATABASE",
        help="Database with the answers, a file or postgresql://….  [default: study.db in DIR]",
    )
    return option(function)


def database_of(folder: Path, given: str | None) -> str:
    """The database that is meant, as the store takes it."""
    from rejudge.files import DATABASE

    return given or str(folder / DATABASE)


def open_filled(folder: Path, given: str | None) -> tuple[Study, Plan, Store]:
    """The store of a study that has been served before; nothing is created."""
    from rejudge.files import open_plan
    from rejudge.store import open_existing

    study, plan = open_plan(folder)
    url = database_of(folder, given)
    if given is None and not Path(url).exists():
        what = "no data have been collected yet: there is no study.db."
        remedy = f"Start the site with `rejudge serve {folder}`, or name a --database."
        raise FileError(Problem(what, remedy, file=url))
    return study, plan, open_existing(url, study, plan)
