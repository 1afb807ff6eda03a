# ruff: noqa: INP001 - beside conf.py, which is no package either
"""Runs a notebook of examples/ and gives it as Markdown, with what its cells show."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent.parent / "examples"
_SECONDS = 300
logging.getLogger("traitlets").setLevel(logging.WARNING)  # it would tell of every notebook


def shown_notebook(name: str, *, is_run: bool) -> str:
    """The cells of a notebook and, below each, what it gives when it is run in an empty folder."""
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    if is_run:
        _run(notebook)
    return "\n\n".join(part for cell in notebook.cells for part in _shown(cell))


def _run(notebook: Any) -> None:  # nbformat's nodes have no types
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=_SECONDS,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=40"],  # errors alone: it listens on this machine only
        ).execute()


def _shown(cell: Any) -> Iterator[str]:
    if cell.cell_type == "markdown":
        # the page that includes it has the title
        yield "\n".join(line for line in cell.source.splitlines() if not line.startswith("# "))
        return
    yield f"```ipython3\n{cell.source}\n```"
    for output in cell.outputs:
        yield _output(output)


def _output(output: Any) -> str:
    """The richest form that a page can show by itself."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    for kind in ("text/html", "image/svg+xml"):
        if kind in output.data:
            return f'```{{raw}} html\n<div class="output">{output.data[kind]}</div>\n```'
    return f"```text\n{output.data['text/plain']}\n```"
