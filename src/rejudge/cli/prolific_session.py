"""What the commands of `rejudge prolific` share: options, the connection, questions about money."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rejudge.cli.console import Outcome, is_interactive
from rejudge.cli.folders import open_existing_store
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.design.plan import Plan
    from rejudge.prolific.client import PlannedRequest, ProlificApi
    from rejudge.prolific.study import ProlificRecord
    from rejudge.prolific.submissions import Reconciliation
    from rejudge.store.store import Store
    from rejudge.study.model import Study

F = TypeVar("F", bound=Callable[..., Any])  # any command's function


def folder_argument(function: F) -> F:
    """Give a command the study's folder."""
    return click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))(function)


def dry_run_option(function: F) -> F:
    """Give a command `--dry-run`."""
    return click.option(
        "--dry-run",
        is_flag=True,
        help="Print the exact requests. Only read requests are sent, and nothing is written.",
    )(function)


def yes_option(function: F) -> F:
    """Give a command `--yes`."""
    return click.option("--yes", is_flag=True, help="Do not ask before money is committed.")(
        function
    )


@dataclass(frozen=True, slots=True)
class ApiSession:
    """Where the API is, and the requests of a dry run: kept back, or sent because they read."""

    api_url: str
    kept: list[PlannedRequest]
    sent: list[PlannedRequest]


@contextmanager
def connect(*, dry_run: bool) -> Iterator[tuple[ProlificApi, ApiSession]]:
    """The API with the token of the environment; a dry run sends nothing that changes anything."""
    import httpx

    from rejudge.prolific.client import DryRunTransport, ProlificApi, read_base_url, read_token

    token, url = read_token(os.environ), read_base_url(os.environ)
    wire: httpx.BaseTransport = httpx.HTTPTransport()
    session = ApiSession(url, [], [])
    if dry_run:
        wire = DryRunTransport(wire, session.kept, session.sent)
    with httpx.Client(transport=wire, timeout=30) as http:
        yield ProlificApi(http, token, base_url=url), session


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study that is on Prolific, with what was collected for it."""

    folder: Path
    study: Study
    plan: Plan
    store: Store
    record: ProlificRecord
    id: str  # the platform's

    def sessions(self) -> dict[str, str]:
        """The last submission of each participant who came from Prolific, by pseudonym."""
        return {
            each.participant: each.session
            for each in self.store.identities()
            if each.recruiter == "prolific"
        }


@contextmanager
def open_created(folder: Path, database: str | None) -> Iterator[OpenStudy]:
    """The study of a folder that was created on Prolific."""
    from rejudge.prolific.study import require_record, study_of

    record = require_record(folder)
    study, plan, store = open_existing_store(folder, database)
    try:
        yield OpenStudy(folder, study, plan, store, record, study_of(record))
    finally:
        store.close()


def now_utc() -> datetime:
    """The time."""
    return datetime.now(UTC)


def confirm_money(words: str, *, is_sure: bool) -> None:
    """Ask before money is committed; without a terminal only --yes will do."""
    if is_sure:
        return
    if not is_interactive():
        raise UsageError(Problem(words, "Add --yes to do it: there is no terminal to ask at."))
    if not click.confirm(f"{words} Continue?", err=True):
        raise UsageError(Problem("nothing was sent.", "You did not confirm."))


def dry_run_outcome(session: ApiSession, before: tuple[RenderableType, ...] = ()) -> Outcome:
    """The requests of a dry run, exactly as they are sent, but for the token."""
    from rich.text import Text

    shown: list[RenderableType] = []
    if session.sent:
        shown.append(Text("Sent, because they only read:", "bold"))
        shown += [
            f"{each}\n" if each.body else f"{each.method} {each.url}" for each in session.sent
        ]
        shown.append("")
    if session.kept:
        shown.append(Text("Not sent:", "bold"))
        shown += [f"{each}\n" for each in session.kept]
    else:
        shown.append("Nothing would be changed on Prolific.")
    said = {
        "dry_run": True,
        "requests": [_request_json(each) for each in session.kept],
        "reads": [_request_json(each) for each in session.sent],
    }
    end = Text("Dry run: nothing was changed or written.", "yellow")
    return Outcome(said, (*before, *shown, end))


def _request_json(request: PlannedRequest) -> dict[str, Any]:
    return {"method": request.method, "url": request.url, "body": request.body}


def small_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str | int]]
) -> tuple[RenderableType, ...]:
    """A small table with its title; whole numbers to the right."""
    from rejudge.cli.console import heading, render_table
    from rejudge.layout.table import Column, Table

    numbers = [all(isinstance(row[place], int) for row in rows) for place in range(len(heads))]
    columns = [Column(name, 0 if n else None) for name, n in zip(heads, numbers, strict=True)]
    made = Table("submissions", title, tuple(columns), tuple(map(tuple, rows)))
    return heading(title), render_table(made)


def render_quadrants(found: Reconciliation) -> tuple[RenderableType, ...]:
    """Our data beside the platform's submissions: how many visits are in each of the four cases."""
    counts = found.counts()
    return small_table(
        "Our data and their submissions",
        ["", "submitted there", "not submitted there"],
        [
            ["complete here", counts["both"], counts["only data"]],
            ["not complete here", counts["only submission"], counts["neither"]],
        ],
    )


def refuse_other_platform(study: Study) -> None:
    platform = study.spec.recruitment.platform
    if platform != "prolific":
        what = f"the study recruits through '{platform}'."
        remedy = "Write `recruitment: {platform: prolific}` in study.yaml."
        raise UsageError(Problem(what, remedy, file="study.yaml", field="recruitment.platform"))
