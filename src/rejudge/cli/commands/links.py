"""rejudge links: personal links for participants, or a new link to the dashboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_of, database_option, note_database
from rejudge.cli.options import base_url_option, check_base_url
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rejudge.study.model import Study

_MOST = 10_000


@click.command("links")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--count",
    type=click.IntRange(1, _MOST),
    help="Make this many links, for link001, link002, ….",
)
@click.option("--dashboard", is_flag=True, help="Make a new link to the dashboard; it works once.")
@base_url_option
@database_option
@print_outcome
def command(
    folder: Path,
    names: tuple[str, ...],
    *,
    count: int | None,
    dashboard: bool,
    base_url: str | None,
    database: str | None,
) -> Outcome:
    """Make a personal link for each NAME, to start with and to come back to.

    Links are signed, so they cannot be guessed from a name. The same name always gives the same
    link. Studies that are open to anyone, or that recruit on a platform, do not need such links.
    """
    from rich.text import Text

    from rejudge.files.step_files import open_plan
    from rejudge.store.store import open_store
    from rejudge.web.session import Seal, personal_path
    from rejudge.web.site import Serving, now_utc, site_secret

    check_base_url(base_url)
    study, plan = open_plan(folder)
    wanted = _link_names(names, count)
    if not wanted and not dashboard:
        remedy = f"Write `rejudge links {folder} anna ben`, or `--count 30`, or `--dashboard`."
        raise UsageError(Problem("no names given.", remedy))
    if wanted:
        _refuse_platform_links(study)
        _refuse_invalid_names(wanted)
    address = Serving(str(folder), "", base_url=base_url).address
    store = open_store(database_of(folder, database), study, plan, now=now_utc())
    try:
        seal = Seal(site_secret(store), study.spec.id)
        links = {name: address + personal_path(seal, name) for name in wanted}
        owner = store.grant("owner", now=now_utc(), one_time=True) if dashboard else None
    finally:
        store.close()
    note_database(folder, database)
    owner_link = None if owner is None else f"{address}/dashboard/login#{owner}"
    document = {
        "links": [{"name": name, "link": link} for name, link in links.items()],
        "dashboard": owner_link,
    }
    shown = [f"{name}  {link}" for name, link in links.items()]  # links are not wrapped
    if owner_link is not None:
        shown.append(f"dashboard  {owner_link}  (works once, within 24 hours)")
    if base_url is None:
        hint = "These links work on this machine only. Give the public address with --base-url."
        return Outcome(document, (*shown, Text(hint, "yellow")))
    return Outcome(document, tuple(shown))


def _link_names(names: tuple[str, ...], count: int | None) -> list[str]:
    numbered = [f"link{number:03}" for number in range(1, (count or 0) + 1)]
    return list(dict.fromkeys((*names, *numbered)))


def _refuse_platform_links(study: Study) -> None:
    from rejudge.collect.visit import recruiter_of

    recruiter = recruiter_of(study)
    if recruiter == "link":
        return
    what = (
        "the study is open to anyone with its address (`recruitment: {open: true}`)."
        if recruiter == "open"
        else f"people come from {study.spec.recruitment.platform}, which assigns their ids."
    )
    raise UsageError(Problem(what, "Personal links are for `recruitment: {platform: link}`."))


def _refuse_invalid_names(names: Iterable[str]) -> None:
    from rejudge.collect.visit import PERSONAL_NAME

    odd = [name for name in names if not PERSONAL_NAME.fullmatch(name)]
    if odd:
        what = f"'{odd[0]}' cannot be used in a link."
        remedy = "Use at most 64 letters, digits, - and _; prefer a number to a real name."
        raise UsageError(Problem(what, remedy))
