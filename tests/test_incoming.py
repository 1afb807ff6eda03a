"""Files from outside: only regular ones, up to a size, inside their folder."""

from __future__ import annotations

import os

import pytest

from rejudge.errors import FileError
from rejudge.incoming import (
    open_regular,
    path_text,
    read_bytes,
    read_inside,
    refusal,
    refuse_outside,
    require_regular,
)

REMEDY = "Give another."


def test_a_file_is_read_up_to_its_limit(tmp_path):
    file = tmp_path / "f"
    file.write_bytes(b"x" * 10)
    assert read_bytes(file, remedy=REMEDY, limit=10) == b"x" * 10
    with pytest.raises(FileError, match="larger than"):
        read_bytes(file, remedy=REMEDY, limit=9)


def test_a_missing_file_is_told_with_the_remedy(tmp_path):
    for name in ("none", "no\0name"):
        with pytest.raises(FileError, match=r"there is no such file\. Give another\."):
            read_bytes(tmp_path / name, remedy=REMEDY)


def test_folders_and_pipes_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, kind in (("", "a folder"), ("pipe", "a named pipe")):
        with pytest.raises(FileError, match=f"this is {kind}, not a file"):
            open_regular(tmp_path / name, remedy=REMEDY)
        with pytest.raises(FileError, match=kind):
            require_regular(tmp_path / name, remedy=REMEDY)


def test_a_file_below_a_file_is_not_there(tmp_path):
    (tmp_path / "f").touch()
    with pytest.raises(FileError, match="there is no such file"):
        read_bytes(tmp_path / "f" / "g", remedy=REMEDY)


def test_links_and_paths_that_lead_out_of_the_folder_are_refused(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret").write_bytes(b"s")
    (home / "link").symlink_to(tmp_path / "secret")
    (home / "own").write_bytes(b"o")
    (home / "inner").symlink_to(home / "own")
    for name in ("link", "../secret", str(tmp_path / "secret")):
        with pytest.raises(FileError, match="leads out of the folder"):
            read_inside(home, name, remedy=REMEDY)
    assert read_inside(home, "inner", remedy=REMEDY) == b"o"
    refuse_outside(home, "not-there-yet")


def test_a_link_to_itself_is_told_with_its_remedy(tmp_path):
    (tmp_path / "study.yaml").symlink_to("study.yaml")
    with pytest.raises(FileError, match="Remove the link that points to itself") as refused:
        read_inside(tmp_path, "study.yaml", remedy=REMEDY)
    assert refused.value.problems[0].file == str(tmp_path / "study.yaml")


def test_an_error_of_the_system_is_told_in_words():
    error = PermissionError(13, "Permission denied", "/f")
    assert str(refusal(error, None, "written")) == (
        "/f: this cannot be written: permission denied. Check its permissions."
    )
    unicode = UnicodeEncodeError("ascii", "é", 0, 1, "no")
    assert "language settings" in str(refusal(unicode, None, "read"))


def test_a_path_that_is_not_utf_8_can_be_written_down():
    assert path_text(b"caf\xe9.csv") == "caf\ufffd.csv"
