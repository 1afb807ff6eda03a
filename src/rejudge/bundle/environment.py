"""What numbers were computed with: the versions of everything, and of the participants' pages."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable

from rejudge import fingerprint
from rejudge.version import __version__

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LINE = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>\S+)")
_PARTS_OF_PAGES = ("templates", "static", "catalogue")  # of the room `web`
_LEFT_OUT = (
    "dashboard",
    "dashboard.css",
    "dashboard.js",
    "__pycache__",
)  # what participants never see


@dataclass(frozen=True, slots=True)
class Interface:
    """The pages that participants met, apart from the study's own texts."""

    rejudge: str  # version
    fingerprint: str  # of templates, styles, scripts and words of every language


def interface() -> Interface:
    """The pages as this version of rejudge would serve them."""
    home = files("rejudge").joinpath("web")
    texts = {
        path: hashlib.sha256(content).hexdigest()
        for part in _PARTS_OF_PAGES
        for path, content in _files(home.joinpath(part), part)
    }
    return Interface(__version__, fingerprint.of_json({**texts}))


def _files(folder: Traversable, inside: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.name in _LEFT_OUT:
            continue
        path = f"{inside}/{entry.name}"
        if entry.is_dir():
            yield from _files(entry, path)
        elif not entry.name.endswith((".py", ".pyc")):
            yield path, entry.read_bytes()


def lock() -> str:
    """The versions of rejudge and of all that it stands on, as pip reads them.

    Nothing else that is installed is named: what is on a machine is nobody's business.
    """
    head = f"# Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    lines = [f"{name}=={version}" for name, version in sorted(_installed("rejudge").items())]
    return "\n".join((head, *lines)) + "\n"


def differences(before: str, now: str) -> tuple[str, ...]:
    """In what an environment differs from another one, in words; empty where it is the same."""
    old, new = _versions(before), _versions(now)
    found = [
        f"{name} {old.get(name, 'none')}, here {new.get(name, 'none')}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    heads = [text.partition("\n")[0].removeprefix("# ") for text in (before, now)]
    return (*([f"{heads[0]}, here {heads[1]}"] if heads[0] != heads[1] else []), *found)


def _versions(text: str) -> dict[str, str]:
    found = (_LINE.fullmatch(line.strip()) for line in text.splitlines())
    return {match["name"]: match["version"] for match in found if match}


def _installed(name: str) -> dict[str, str]:
    """A distribution and all that it requires, as far as it is installed."""
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        key = _plain(waiting.pop())
        if key in found:
            continue
        try:
            distribution = metadata.distribution(key)
        except metadata.PackageNotFoundError:  # for another system, or an extra
            continue
        found[key] = distribution.version
        waiting += [
            match[0]
            for line in distribution.requires or ()
            if "extra ==" not in line and (match := _NAME.match(line))
        ]
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
