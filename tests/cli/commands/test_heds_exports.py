"""rejudge heds print: LaTeX, Markdown, HTML, CSV, JSON; for review without names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from heds_files import filled_sheet
from rejudge.cli import main
from rejudge.heds.sheet import read_sheet


def _run(*words: object) -> Result:
    return CliRunner().invoke(main, ["heds", *map(str, words)], env={"COLUMNS": "100"})


@pytest.fixture
def sheet(tmp_path) -> Path:
    path = tmp_path / "sheet.json"
    made = filled_sheet("3.0", "Fluency", "طلاقة").with_answer("1.3.1.1", "Ada Lovelace")
    path.write_bytes(made.with_answer("3.2.3", "https://example.org").write())
    return path


@pytest.mark.parametrize(
    ("command", "sign"),
    [
        ("tex", r"\hedssection{1 Reference and resources}"),
        ("md", "## 1 Reference and resources"),
        ("html", "<!doctype html>"),
        ("csv", "question,label,criterion"),
    ],
)
def test_a_sheet_is_printed_or_written(sheet, tmp_path, command, sign):
    printed = _run("print", "--to", command, sheet)
    out = tmp_path / "out"
    written = _run("print", "--to", command, sheet, "--out", out)
    assert (printed.exit_code, written.exit_code) == (0, 0)
    assert sign in printed.output
    assert out.read_text("utf-8").strip() == printed.output.strip()
    assert _run("print", "--to", command, sheet, "--out", sheet).exit_code == 2  # it exists
    assert (
        json.loads(_run("print", "--to", command, sheet, "--json").stdout)["text"].strip()
        == printed.output.strip()
    )


@pytest.mark.parametrize("command", ["tex", "md", "html", "csv", "json"])
def test_an_anonymous_print_has_no_names_and_links(sheet, command):
    text = _run("print", "--to", command, sheet, "--anonymous").output
    assert "Lovelace" not in text
    assert "example.org" not in text


def test_an_anonymous_copy_is_a_sheet(sheet, tmp_path):
    result = _run("print", sheet, "--to", "json", "--anonymous", "--out", tmp_path / "review.json")
    assert result.exit_code == 0
    assert "1.3.1.1" in result.output
    assert read_sheet(tmp_path / "review.json").answer("1.3.1.1").state == "blank"


def test_the_compact_style_is_for_latex_and_shorter(sheet):
    long, short = (_run("print", sheet, "--to", "tex", *more) for more in ((), ("--compact",)))
    assert len(short.output) < len(long.output)
    assert _run("print", sheet, "--to", "md", "--compact").exit_code == 2
