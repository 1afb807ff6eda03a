"""rejudge serve: the participants' site and the researcher's dashboard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_of, database_option, note_database
from rejudge.cli.options import base_url_option, check_base_url

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.study.model import Study
    from rejudge.web.site import Serving

_MEANS = (
    ("completed", "finished", "approve, or review by hand"),
    ("declined", "did not consent", "ask to return"),
    ("full", "arrived when no tasks were left", "pay a small amount, or ask to return"),
    ("screened_out", "was screened out", "pay the fixed amount, or ask to return"),
    ("failed_checks", "finished, failed attention checks", "review by hand"),
)
_NOT_QUALIFIED = ("not_qualified", "did not pass the qualification", "pay for the time it took")


@click.command("serve")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)
@database_option
@click.option(
    "--workers",
    type=click.IntRange(1, 32),
    default=1,
    show_default=True,
    help="Number of server processes.",
)
@base_url_option
@click.option(
    "--trusted-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="Address of a web server in front whose forwarded client addresses are trusted; "
    "127.0.0.1 always is.",
)
@click.option("--preview", is_flag=True, help="Show the pages only, and store nothing.")
@print_outcome
def command(
    folder: Path,
    *,
    host: str,
    port: int,
    database: str | None,
    workers: int,
    base_url: str | None,
    proxies: tuple[str, ...],
    preview: bool,
) -> Outcome:
    """Serve the participants' site and the dashboard of STUDY.

    Runs until stopped with Ctrl-C or SIGTERM. Cookies and forms are signed with REJUDGE_SECRET from
    the environment, or with a secret stored in the database. A plan, items or pages that differ
    from frozen.json are rejected.
    """
    from rejudge.collect.visit import recruiter_of
    from rejudge.web.serving import bind_socket, serve
    from rejudge.web.site import Serving, now_utc, open_site

    check_base_url(base_url)
    address = database_of(folder, database)
    taken = bind_socket(host, port)
    serving = Serving(
        folder=str(folder),
        database=address,
        host=host,
        port=taken.getsockname()[1],
        workers=workers,
        base_url=base_url,
        proxies=proxies,
        is_preview=preview,
    )
    try:
        site = open_site(serving)
    except BaseException:
        taken.close()
        raise
    if not preview:
        note_database(folder, database)
    document: dict[str, object] = {
        "address": serving.address,
        "listens": replace(serving, base_url=None).address,
        "preview": preview,
        "workers": workers,
    }
    if not preview:
        recruiter = recruiter_of(site.store.study)
        token = site.store.grant("owner", now=now_utc(), one_time=True)
        query = _link_query(recruiter)
        document |= {
            "recruiter": recruiter,
            "participants": None if query is None else f"{serving.address}/{query}",
            "dashboard": f"{serving.address}/dashboard/login#{token}",
            "codes": {
                name: code
                for name, _, _ in _meanings(site.store.study)
                if (code := getattr(site.store.codes, name)) is not None
            },
        }
    return Outcome(
        document, _render(serving, document), afterwards=lambda: serve(serving, taken, site)
    )


def _meanings(study: Study) -> tuple[tuple[str, str, str], ...]:
    """Each code with who sees it, and what to do on the platform."""
    return _MEANS if study.spec.qualification is None else (*_MEANS, _NOT_QUALIFIED)


def _link_query(recruiter: str) -> str | None:
    """What follows the address in the link for everybody; None if each person has their own."""
    from rejudge.platforms import platform

    of_anybody = {"open": "", "link": None}
    return of_anybody[recruiter] if recruiter in of_anybody else platform(recruiter).link_query


def _render(serving: Serving, document: dict[str, object]) -> tuple[RenderableType, ...]:
    from rich.text import Text

    if serving.is_preview:
        return (
            Text(f"Preview of {serving.folder}", "bold"),
            f"pages  {serving.address}/",
            Text("Nothing is stored: every visit starts over. Stop it with Ctrl-C.", "dim"),
        )
    return (
        Text(f"Serving {serving.folder}", "bold"),
        f"participants  {_participants(serving, document)}",  # links are never wrapped
        f"dashboard     {document['dashboard']}  (works once, within 24 hours)",
        *_codes(document),
        *_reach(serving),
        Text("\nStop it with Ctrl-C; answers are stored as they are given."),
    )


def _participants(serving: Serving, document: dict[str, object]) -> object:
    if document["participants"] is not None:
        return document["participants"]
    address = f" --base-url {serving.address}"
    return f"rejudge links {serving.folder} --count 20{address} (a link for each person)"


def _codes(document: dict[str, object]) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    codes = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    given: dict[str, str] = document["codes"]  # type: ignore[assignment]  # a dict, made above
    for name, means, action in (*_MEANS, _NOT_QUALIFIED):
        if name in given:
            codes.add_row(given[name], means, Text(action, "dim"))
    return (Text("\nCompletion codes", "bold"), codes)


def _reach(serving: Serving) -> tuple[RenderableType, ...]:
    """Advice on making the site reachable from other machines."""
    from rich.text import Text

    if serving.is_secure:
        return ()
    if serving.base_url is None and serving.host in {"127.0.0.1", "localhost", "::1"}:
        return (
            Text(
                "\nOnly this machine can reach the site. To open it to others, put a server with "
                "TLS in front and give its address with --base-url https://….",
                "yellow",
            ),
        )
    return (
        Text(
            "\nWithout TLS, others on the network can read answers and cookies. "
            "Put a server with TLS in front and give its address with --base-url https://….",
            "yellow",
        ),
    )
