"""The guide's adapter is complete: installed as a package it reads what the page says it reads."""

from __future__ import annotations

import re
import sys
import tomllib

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from shown import DOCS, blocks_of, put, run_and_compare, sessions

PAGE = DOCS / "guide" / "extend.md"
BLOCKS = list(blocks_of(PAGE))
ADAPTER = next(block for block in BLOCKS if block.file == "starboard/starboard.py")
IMPORT = ["rejudge", "import", "collected/votes.txt", "--out", "imported"]
COMMANDS = [
    list(sessions(block.body)) for block in BLOCKS if block.kind == "text" and not block.file
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files of the page, with the adapter installed as pip would install it."""
    for block in BLOCKS:
        if block.file:
            put(tmp_path / block.file, block)
    project = tomllib.loads((tmp_path / "starboard/pyproject.toml").read_text("utf-8"))["project"]
    info = tmp_path / "starboard" / "starboard-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = [
        f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(points))
    monkeypatch.syspath_prepend(tmp_path / "starboard")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("starboard", None)


def change(folder, old, new):
    path = folder / "starboard" / "starboard.py"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_the_adapter_has_at_most_40_lines():
    assert len(ADAPTER.body.splitlines()) <= 40


def test_the_adapter_reads_what_the_page_shows(folder):
    ((command, _, printed),) = COMMANDS[0]
    run_and_compare(command, 1, printed)
    written = (folder / "imported" / "judgments.csv").read_text("utf-8")
    assert "p0001,news-1,,stars,south,,,3" in written
    assert "example.org" not in written


def test_an_adapter_that_cannot_be_imported_is_refused(folder):
    change(folder, "from datetime import datetime", "import stars\nfrom datetime import datetime")
    run_and_compare([*IMPORT, "--from", "starboard"], 2, [
        ("rejudge: the adapter 'starboard' of the package 'starboard' cannot be used: "
        "ModuleNotFoundError: No module named 'stars'. Update or uninstall the package.")
    ])  # fmt: skip
    assert not (folder / "imported").exists()


def test_an_adapter_that_fails_is_named(folder):
    votes = folder / "collected" / "votes.txt"
    votes.write_text(re.sub("2026-03-01T09:32:00Z", "yesterday", votes.read_text()), "utf-8")
    run_and_compare(IMPORT, 2, [
        ("rejudge: collected/votes.txt: the adapter 'starboard' failed: ValueError: Invalid "
        "isoformat string: 'yesterday'. Report it to the authors of the adapter, or read the file "
        "with another format.")
    ])  # fmt: skip
    assert not (folder / "imported").exists()


def test_all_formats_still_work_beside_a_broken_adapter(folder):
    change(folder, "FORMAT = ToolReader", "NOTHING = ToolReader")
    from tool_exports import EXPORTS

    words = ["import", str(EXPORTS / "factgenie.zip"), "--out", str(folder / "imported")]
    assert CliRunner().invoke(main, words).exit_code == 0
