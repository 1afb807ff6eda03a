"""Platforms: where participants come from, as facts. One module for each; they are listed here.

    from rejudge.platforms import platform, platform_names

Everything that depends on the platform reads these facts: the links that participants follow, the
address that takes their completion code, the shape of the platform's ids, its name in a report.
What a platform can be asked and told over the network is in a package of its own (`service`).
Another package adds a platform with an entry point in the group `rejudge.platforms`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

__all__ = ["ENTRY_POINTS", "Platform", "own_platforms", "platform", "platform_names", "platforms"]

ENTRY_POINTS: Final = "rejudge.platforms"
_MODULES: Final = ("own_site", "prolific", "mturk", "qualtrics", "spreadsheet")


@dataclass(frozen=True, slots=True)
class Platform:
    """What is known about a place where participants come from."""

    name: str  # in study.yaml
    title: str  # for people
    recruited: str  # in a sentence, after "Participants were recruited"
    # The ids that its links carry: the one of the person, the one of this visit, and others.
    link_ids: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    link_query: str = ""  # as the platform fills it in
    preview_query: tuple[str, str] | None = None  # of a link that only shows the pages
    completion_url: str | None = None  # the code goes at its end
    id_shape: re.Pattern[str] | None = None  # of its ids in any text; they must not be published
    id_columns: tuple[str, ...] = ()  # what its exports call the participant
    is_crowd: bool = False  # people work there for pay
    service: str | None = None  # module with `open_service`, where it has an API


@cache
def own_platforms() -> Mapping[str, Platform]:
    """The platforms that come with rejudge, by name."""
    own = [import_module(f"rejudge.platforms.{name}").PLATFORM for name in _MODULES]
    return {each.name: each for each in own}


@cache
def platforms() -> Mapping[str, Platform]:
    """All platforms by name: those that come with rejudge, then those of other packages."""
    found = dict(own_platforms())
    for entry in entry_points(group=ENTRY_POINTS):  # this reads the files of every package
        with suppress(Exception):  # what cannot be loaded is no platform; `rejudge import` says why
            loaded = entry.load()
            if isinstance(loaded, Platform):
                found.setdefault(loaded.name, loaded)
    return found


def platform(name: str) -> Platform:
    """The platform of that name; KeyError if there is none."""
    own = own_platforms().get(name)
    return platforms()[name] if own is None else own


def platform_names() -> tuple[str, ...]:
    """The names that study.yaml may use."""
    return tuple(platforms())
