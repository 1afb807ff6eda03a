"""rejudge serve: the participants' site and the researcher's dashboard."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from rejudge.cli.console import Outcome, speaks
from rejudge.cli.databases import database_of, database_option
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.web.serving import Serving

_PROLIFIC = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
_PATH = re.compile(r"(/[A-Za-z0-9._~%-]+)*/?")  # as links and cookies take it
_MEANS = (
    ("completed", "finished", "approve, or review by hand"),
    ("declined", "did not consent", "ask to return"),
    ("full", "came when no task was left", "pay a little for coming, or ask to return"),
)


@click.command("serve")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: a free one."
)
@database_option
@click.option(
    "--workers",
    type=click.IntRange(1, 32),
    default=1,
    show_default=True,
    help="Processes that serve side by side.",
)
@click.option("--base-url", metavar="URL", help="How people reach it, such as https://….")
@speaks
def command(
    folder: Path, *, host: str, port: int, database: str | None, workers: int, base_url: str | None
) -> Outcome:
    """Serve the study in DIR: the pages where people judge, and the dashboard.

    It runs until it is stopped with Ctrl-C or SIGTERM. Cookies and forms are signed with
    REJUDGE_SECRET from the environment, else with a secret kept in the database.
    """
    from rejudge.web.serving import Serving, bound, now_utc, open_site, serve

    _refuse_no_url(base_url)
    taken = bound(host, port)
    serving = Serving(
        folder=str(folder),
        database=database_of(folder, database),
        host=host,
        port=taken.getsockname()[1],
        workers=workers,
        base_url=base_url,
    )
    try:
        site = open_site(serving)
    except BaseException:
        taken.close()
        raise
    token = site.store.grant("owner", now=now_utc(), one_time=True)
    codes = site.store.codes
    said = {
        "address": serving.address,
        "listens": replace(serving, base_url=None).address,
        "participants": f"{serving.address}/?p=NAME",
        "prolific": f"{serving.address}/?{_PROLIFIC}",
        "dashboard": f"{serving.address}/desk/login#{token}",
        "codes": {name: getattr(codes, name) for name, _, _ in _MEANS},
        "workers": workers,
    }
    return Outcome(said, _shown(serving, said), afterwards=lambda: serve(serving, taken, site))


def _refuse_no_url(base_url: str | None) -> None:
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
    except ValueError:  # a bracket that is not closed
        parts = urlsplit("")
    is_whole = parts.scheme in {"http", "https"} and parts.netloc
    if not is_whole or parts.query or parts.fragment or not _PATH.fullmatch(parts.path):
        what = f"--base-url {base_url} is no address that pages can stand under."
        remedy = "Write such as https://study.example.org or https://example.org/study."
        raise UsageError(Problem(what, remedy))


def _shown(serving: Serving, said: dict[str, object]) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    codes = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    for name, means, action in _MEANS:
        code = said["codes"][name]  # type: ignore[index]  # a dict, made above
        codes.add_row(code, means, Text(action, "dim"))
    return (
        Text(f"Serving {serving.folder}", "bold"),
        f"participants  {said['participants']}",  # links are not wrapped: they are copied whole
        f"dashboard     {said['dashboard']}  (works once)",
        Text("\nFor Prolific", "bold"),
        Text("study link", "dim"),
        f"  {said['prolific']}",
        Text("completion codes", "dim"),
        codes,
        *_reach(serving),
        Text("\nStop it with Ctrl-C; answers are kept as they are given."),
    )


def _reach(serving: Serving) -> tuple[RenderableType, ...]:
    """What stands between this site and people elsewhere."""
    from rich.text import Text

    if serving.is_secure:
        return ()
    if serving.base_url is None and serving.host in {"127.0.0.1", "localhost", "::1"}:
        return (
            Text(
                "\nOnly this machine can reach it. For others put a server with TLS in front, and "
                "say its address with --base-url https://….",
                "yellow",
            ),
        )
    return (
        Text(
            "\nWithout TLS answers and cookies travel readable for everybody on the way. "
            "Put a server with TLS in front, and say its address with --base-url https://….",
            "yellow",
        ),
    )
