"""A paper by its name: a file, or a paper that comes with rejudge."""

from __future__ import annotations

from pathlib import Path

from rejudge.incoming import TEXT_BYTES, read_bytes
from rejudge.paper import Paper, open_shipped, parse, shipped_ids
from rejudge.study import decode


def open_paper(name: str | Path) -> Paper:
    """The paper of a file; if there is no such file, a paper that comes with rejudge."""
    if is_shipped(name):
        return open_shipped(str(name))
    return parse(paper_text(Path(name)), file=str(name))


def is_shipped(name: str | Path) -> bool:
    """Whether a name is not a file but a paper that comes with rejudge.

    A bare word that is neither counts as a misspelt paper, which opening it then reports.
    """
    path = Path(name)
    if path.exists():
        return False
    is_bare = path.name == str(name) and not path.suffix
    return str(name) in shipped_ids() or is_bare


def paper_text(path: Path) -> str:
    """A paper file as it is written."""
    remedy = "Correct the name, or start with `rejudge paper new FILE`."
    return decode(read_bytes(path, remedy=remedy, limit=TEXT_BYTES), file=str(path))
