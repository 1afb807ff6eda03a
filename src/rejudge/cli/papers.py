"""A paper by the name that was typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rejudge.paper import Paper


def read_paper(name: str | Path) -> Paper:
    """The paper of a file; a name of no file is looked for among the papers of rejudge."""
    from rejudge.files.papers import open_paper

    return open_paper(name)
