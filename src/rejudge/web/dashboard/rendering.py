"""The pages of the dashboard as text."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment

from rejudge.layout.numbers import number
from rejudge.web.assets import asset_path
from rejudge.web.dashboard.context import Desk
from rejudge.web.dashboard.drawing import duration
from rejudge.web.rendering import make_environment

if TYPE_CHECKING:
    from rejudge.web.dashboard.auth import Ask

_PAGES = (
    ("", "Overview"), ("people", "People"), ("log", "Log"), ("downloads", "Downloads"),
    ("access", "Access"),
)  # fmt: skip


def rendered(desk: Desk, ask: Ask | None, template: str, **values: Any) -> str:  # what pages show
    """A page or a piece of one; everything in it is escaped. Without `ask`: for anybody."""
    site = desk.site
    return (
        _environment()
        .get_template(f"dashboard/{template}")
        .render(
            study=site.study.spec,
            root=f"{site.prefix}/desk",
            asset=lambda name: site.prefix + asset_path(name),
            is_rehearsal=site.is_rehearsal,
            ask=ask,
            csrf="" if ask is None else desk.seal.csrf(ask.session),
            pages=_PAGES,
            **values,
        )
    )


@cache
def _environment() -> Environment:
    environment = make_environment()
    environment.filters |= {
        "clock": _clock,
        "moment": _moment,
        "second": _second,
        "duration": duration,
        "number": number,
    }
    return environment


def _clock(moment: datetime) -> str:
    return f"{moment:%H:%M:%S}"


def _second(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
