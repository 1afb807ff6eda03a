"""Names of files in an archive that stay in its folder, on any machine."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath, PureWindowsPath

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST = 240


def fault_of(name: str) -> str | None:
    """Why a file of this name must not be unpacked; None for a sound name."""
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    if posix.is_absolute() or windows.drive or windows.root:
        return "the name is absolute: it would be written outside of the folder."
    if ".." in posix.parts or ".." in windows.parts:
        return "the name climbs out of the folder."
    if "\\" in name or _CONTROL.search(name):
        return "the name has a backslash or a control character in it."
    if len(name) > _LONGEST or not all(map(_is_sound_part, name.split("/"))):
        return "the name cannot be used on every machine."
    return None


def _is_sound_part(part: str) -> bool:
    is_plain = part not in {"", "."} and part == part.rstrip(". ")
    return is_plain and not _NOT_ON_WINDOWS.search(part) and not _DEVICES.fullmatch(part)


def doubles(names: Iterable[str]) -> Iterator[str]:
    """Names that another one before them is equal to, where case and accents are not told apart."""
    seen: set[str] = set()
    for name in names:
        plain = unicodedata.normalize("NFC", name).casefold()
        if plain in seen:
            yield name
        seen.add(plain)
