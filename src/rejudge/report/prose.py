"""Paragraphs for papers, as Markdown and as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rejudge.layout.latex import escaped

_MARKS = re.compile(r"([\\`*_<>\[\]])")


def prose_files(name: str, sentences: Sequence[str]) -> dict[str, bytes]:
    """One paragraph by the names of its files; an empty one says nothing, and is a file too."""
    paragraph = " ".join(sentences)
    return {
        f"{name}.md": f"{_MARKS.sub(_backslashed, paragraph)}\n".encode(),
        f"{name}.tex": f"{escaped(paragraph)}\n".encode(),
    }


def _backslashed(found: re.Match[str]) -> str:
    return f"\\{found[0]}"
