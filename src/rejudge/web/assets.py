"""Style and script, served under names that change with their content, so browsers keep them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

from rejudge import fingerprint

_KINDS = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent."""

    content: bytes
    kind: str
    fingerprint: str


@cache
def assets() -> dict[str, Asset]:
    """All files of the folder `static`, by name."""
    found = {}
    for file in (resources.files("rejudge.web") / "static").iterdir():
        kind = _KINDS.get(file.name.rpartition(".")[2])
        if kind is not None:
            content = file.read_bytes()
            found[file.name] = Asset(content, kind, fingerprint.of_bytes(content))
    return found


def asset_path(name: str) -> str:
    """Where a file is found, without what stands before every path of the site."""
    return f"/static/{assets()[name].fingerprint}/{name}"
