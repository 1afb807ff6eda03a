"""The notebooks of examples/ run from top to bottom, and are kept without what they give."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The first notebook, run in a folder of its own."""
    notebook = read(EXAMPLES / "first-analysis.ipynb")
    NotebookClient(
        notebook,
        timeout=None,
        startup_timeout=3600,  # a busy machine is not a failure
        resources={"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}},
        extra_arguments=["--log-level=40"],
    ).execute()
    return notebook


def given(notebook, kind):
    """What its cells give, of one kind."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output.data[kind] for output in outputs if kind in output.get("data", {})]


def printed(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "".join(output.text for output in outputs if output.output_type == "stream")


def test_there_is_a_notebook():
    assert NOTEBOOKS == [EXAMPLES / "first-analysis.ipynb"]


@pytest.mark.slow
def test_it_runs_to_the_end_and_shows_tables_and_figures(first):
    assert len(given(first, "text/html")) == 2  # results of a study, and of a table
    assert len(given(first, "image/svg+xml")) == 2  # a figure of each, study and comparison


@pytest.mark.slow
def test_it_compares_two_published_papers(first):
    """Steen and Markert (2025), section 5.3: both orders hold, one without a significant test."""
    assert "supported – " in printed(first)
    assert "same-direction – " in printed(first)


@pytest.mark.slow
def test_it_audits_a_published_paper(first):
    """Steen and Markert (2025), section 5.4: of four values no rho has p below 0.05."""
    assert "A501 error" in printed(first)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path):
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert cells
    assert not [cell.id for cell in cells if cell.outputs or cell.execution_count]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_needs_nothing_but_what_comes_with_rejudge(path):
    text = path.read_text("utf-8")
    assert "shared" not in text
    assert "http" not in text
