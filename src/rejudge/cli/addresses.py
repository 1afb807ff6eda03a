"""The address under which people reach a site, as commands take it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from rejudge.errors import Problem, UsageError

F = TypeVar("F", bound=Callable[..., Any])  # any command's function
_PATH = re.compile(r"(/[A-Za-z0-9._~%-]+)*/?")  # as links and cookies take it


def base_url_option(function: F) -> F:
    """Give a command `--base-url`."""
    option = click.option(
        "--base-url", metavar="URL", help="Public address of the site, such as https://…."
    )
    return option(function)


def refuse_no_url(base_url: str | None) -> None:
    """Raise a UsageError unless the site can be served under this address."""
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
    except ValueError:  # a bracket that is not closed
        parts = urlsplit("")
    is_whole = parts.scheme in {"http", "https"} and parts.netloc
    if not is_whole or parts.query or parts.fragment or not _PATH.fullmatch(parts.path):
        what = f"--base-url {base_url} is not a valid address for the site."
        remedy = "Write for instance https://study.example.org or https://example.org/study."
        raise UsageError(Problem(what, remedy))
