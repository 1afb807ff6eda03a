"""rejudge heds edit: a page on this machine alone, at an address that nobody can guess."""

from __future__ import annotations

import re

import pytest

from heds_files import filled_sheet
from served import run


@pytest.fixture
def served(monkeypatch):
    """What is served, and where: nothing waits for Ctrl-C."""
    seen = []

    def serve_app(app, taken) -> None:
        seen.append((app, taken.getsockname()))
        taken.close()

    monkeypatch.setattr("rejudge.web.serving.serve_app", serve_app)
    return seen


def test_the_page_is_on_this_machine_and_its_address_is_printed(served, tmp_path):
    file = tmp_path / "sheet.json"
    file.write_bytes(filled_sheet().write())
    before = file.read_bytes()
    result = run("heds", "edit", file)
    assert result.exit_code == 0, result.output
    ((_, (host, port)),) = served
    assert host == "127.0.0.1"
    assert re.search(rf"http://127\.0\.0\.1:{port}/[\w-]{{16,}}/", result.output.replace("\n", ""))
    assert file.read_bytes() == before


def test_every_start_has_another_address(served, tmp_path):
    file = tmp_path / "sheet.json"
    file.write_bytes(filled_sheet().write())
    shown = [run("heds", "edit", file, "--json").stdout for _ in range(2)]
    assert len({re.search(r":\d+/([^/]+)/", each)[1] for each in shown}) == 2


@pytest.mark.parametrize("content", [None, b"", b"[]", b"\xff\xfe"])
def test_without_a_datasheet_nothing_is_served(served, tmp_path, content):
    file = tmp_path / "sheet.json"
    if content is not None:
        file.write_bytes(content)
    result = run("heds", "edit", file)
    assert result.exit_code == 2
    assert served == []
