"""Whether a browser's time zone fits where participants should live. Only ever a flag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from zoneinfo import TZPATH


def is_odd(time_zone: str | None, regions: Iterable[str]) -> bool | None:
    """Whether none of the regions has this zone; None when that cannot be told."""
    wanted = {region.split("-", maxsplit=1)[0].upper() for region in regions}
    countries = _countries().get(time_zone or "")
    if not wanted or countries is None:
        return None
    return not wanted & countries


@cache
def _countries() -> Mapping[str, frozenset[str]]:
    """The countries of each zone, as the system's table of zones has them; empty without one."""
    found: dict[str, set[str]] = {}
    for folder in map(Path, TZPATH):
        for table in ("zone.tab", "zone1970.tab"):
            file = folder / table
            if file.is_file():
                for line in file.read_text("utf-8").splitlines():
                    codes, *rest = line.split("\t")
                    if not line.startswith("#") and len(rest) > 1:
                        found.setdefault(rest[1], set()).update(codes.split(","))
    return {zone: frozenset(codes) for zone, codes in found.items()}
