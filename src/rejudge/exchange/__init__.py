"""Files of other tools: read their answers, write studies for them.

    from rejudge.exchange import find_reader, readers, writers

A format is loaded when it is first needed. To add one, see docs/guide/write-an-adapter.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from rejudge.errors import FileError, Problem, UsageError
from rejudge.exchange.formats import Exported, Imported, Reader, Rejected, Writer
from rejudge.incoming import require_regular

__all__ = [
    "Exported",
    "Imported",
    "Reader",
    "Rejected",
    "Writer",
    "find_reader",
    "readers",
    "writers",
]

ENTRY_POINTS = "rejudge.platforms"
# name → module of this package with an object `FORMAT`. The first that recognises a file reads it.
_FORMATS: Mapping[str, str] = {"qualtrics": "qualtrics", "mturk": "mturk"}


def readers() -> Mapping[str, Reader]:
    """All formats that can be read, by name."""
    return {name: each for name, each in _load().items() if isinstance(each, Reader)}


def writers() -> Mapping[str, Writer]:
    """All formats that can be written, by name."""
    return {name: each for name, each in _load().items() if isinstance(each, Writer)}


def find_reader(files: Sequence[Path], name: str = "auto") -> Reader:
    """The reader of that name; with "auto" the first that recognises every file."""
    known = readers()
    for file in files:
        require_regular(file, remedy="Check the name of the file.")
    if name != "auto":
        if name not in known:
            raise UsageError(
                Problem(f"there is no format '{name}'.", f"Known formats: {', '.join(known)}.")
            )
        return known[name]
    for reader in known.values():
        if all(reader.recognises(file) for file in files):
            return reader
    what = "the format of the files was not recognised."
    remedy = (
        f"Name it with --from: {', '.join(known)}. `rejudge analyse` reads plain tables directly."
    )
    raise FileError(Problem(what, remedy, file=str(files[0])))


def _load() -> dict[str, object]:
    found: dict[str, object] = {
        name: import_module(f"rejudge.exchange.{module}").FORMAT
        for name, module in _FORMATS.items()
    }
    for entry in entry_points(group=ENTRY_POINTS):
        found.setdefault(entry.name, entry.load())
    return found
