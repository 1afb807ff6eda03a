"""Style and script, served under names that change with their content, so browsers keep them.

They share one fingerprint: modules of the script then find each other beside themselves.
"""

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
    files = (resources.files("rejudge.web") / "static").iterdir()
    contents = {
        file.name: file.read_bytes() for file in sorted(files, key=lambda file: file.name)
        if file.name.rpartition(".")[2] in _KINDS
    }  # fmt: skip
    mark = fingerprint.of_bytes(b"\0".join(contents.values()))
    return {
        name: Asset(content, _KINDS[name.rpartition(".")[2]], mark)
        for name, content in contents.items()
    }


def asset_path(name: str) -> str:
    """Where a file is found, without what stands before every path of the site."""
    return f"/static/{assets()[name].fingerprint}/{name}"
