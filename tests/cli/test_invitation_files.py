"""What is left of somebody in the files of invitations is found, and nothing else is touched."""

from __future__ import annotations

import pytest

from rejudge.cli.invitation_files import FOLDER, MERGE, find_invitations

TABLE = "name,email,participant,link\nZoë,zoe@x.org,007,l1\nAnn,ann@x.org,7,l2\n"


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / FOLDER
    home.mkdir()
    (home / MERGE).write_text(TABLE, encoding="utf-8-sig")
    for name in ("007", "7"):
        (home / f"{name}.txt").write_text("Dear …", encoding="utf-8")
    return tmp_path


def test_ids_that_look_like_numbers_are_told_apart(folder):
    found = find_invitations(folder, ["7"])
    assert [path.name for path in found.paths] == ["7.txt", MERGE]
    found.remove()
    assert (folder / FOLDER / MERGE).read_text("utf-8-sig") == TABLE.replace(
        "Ann,ann@x.org,7,l2\n", ""
    )
    assert (folder / FOLDER / "007.txt").exists()


@pytest.mark.parametrize("name", ["8", "", "../7", "7.txt", "７"])
def test_other_names_find_nothing(folder, name):
    assert find_invitations(folder, [name]).paths == []


def test_without_invitations_there_is_nothing_to_find(tmp_path):
    assert find_invitations(tmp_path, ["7"]).paths == []


@pytest.mark.parametrize("table", ["", "name,email\nAnn,a@x.org\n"])
def test_a_table_without_names_in_links_is_left_alone(folder, table):
    (folder / FOLDER / MERGE).write_text(table, encoding="utf-8")
    assert [path.name for path in find_invitations(folder, ["7"]).paths] == ["7.txt"]
