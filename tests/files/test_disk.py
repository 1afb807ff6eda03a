"""Writing: whole or not at all, and never over something else without being asked."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from rejudge.errors import FileError
from rejudge.files.disk import locked, unfinished_files, write_bytes, write_files
from rejudge.files.step_files import open_study


def failing(error: BaseException):
    """A disk on which nothing ever arrives."""

    def fsync(_: int) -> None:
        raise error

    return fsync


def left_in(folder) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_file_is_written_whole(tmp_path):
    assert write_bytes(tmp_path / "plan.json", b"new", force=False) is True
    assert (tmp_path / "plan.json").read_bytes() == b"new"
    assert left_in(tmp_path) == ["plan.json"]


def test_a_file_that_says_something_else_is_kept(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(b"old")
    with pytest.raises(FileError, match=r"this file exists\. Use --force to replace it\.") as error:
        write_bytes(path, b"new", force=False)
    assert error.value.problems[0].file == str(path)
    assert path.read_bytes() == b"old"


def test_a_file_that_says_the_same_is_left_alone(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(b"same")
    before = path.stat().st_mtime_ns
    assert write_bytes(path, b"same", force=False) is False
    assert path.stat().st_mtime_ns == before


def test_with_force_a_file_is_replaced(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(b"old")
    assert write_bytes(path, b"new", force=True) is True
    assert path.read_bytes() == b"new"


def test_a_new_file_can_be_read_by_whom_the_machine_allows(tmp_path):
    path = tmp_path / "plan.json"
    usual = tmp_path / "usual"
    usual.write_bytes(b"")
    write_bytes(path, b"new", force=False)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


def test_stopping_leaves_nothing_behind(tmp_path, monkeypatch):
    (tmp_path / "plan.json").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        write_bytes(tmp_path / "plan.json", b"new", force=True)
    assert left_in(tmp_path) == ["plan.json"]
    assert (tmp_path / "plan.json").read_bytes() == b"old"


def test_a_full_disk_is_said_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", failing(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(FileError, match=r"no space left on device\. Free some space"):
        write_files(tmp_path / "study", {"a.md": b"a", "pages/b.md": b"b"}, force=False)
    assert left_in(tmp_path) == []


def test_several_files_are_written_with_their_folders(tmp_path):
    written = write_files(tmp_path / "s", {"study.yaml": b"a", "pages/b.md": b"b"}, force=False)
    assert left_in(tmp_path / "s") == ["pages", "pages/b.md", "study.yaml"]
    assert written == (tmp_path / "s" / "study.yaml", tmp_path / "s" / "pages" / "b.md")


def test_what_was_already_moved_is_put_back_when_a_later_file_cannot_be(tmp_path, monkeypatch):
    """The second of two files cannot be moved to its place: the first is again as it was."""
    study = tmp_path / "study"
    write_files(study, {"a.txt": b"old"}, force=False)
    move = Path.replace

    def refusing(part: Path, target: Path) -> Path:
        if target.name == "b.txt":
            raise OSError(errno.EIO, "Input/output error", str(target))
        return move(part, target)

    monkeypatch.setattr(Path, "replace", refusing)
    with pytest.raises(FileError, match="cannot be written"):
        write_files(study, {"a.txt": b"new", "b.txt": b"new", "c/d.txt": b"new"}, force=True)
    assert (study / "a.txt").read_bytes() == b"old"
    assert left_in(study) == ["a.txt"]


def test_files_that_exist_are_counted_in_one_line_and_nothing_is_written(tmp_path):
    (tmp_path / "a.md").write_bytes(b"other")
    (tmp_path / "b.md").write_bytes(b"other")
    with pytest.raises(FileError) as error:
        write_files(tmp_path, {"a.md": b"1", "b.md": b"2", "c.md": b"3"}, force=False)
    (problem,) = error.value.problems
    assert (problem.file, problem.what) == (str(tmp_path / "a.md"), "this and 1 other file exist.")
    assert left_in(tmp_path) == ["a.md", "b.md"]


def test_files_that_are_there_already_are_left_out(tmp_path):
    (tmp_path / "a.md").write_bytes(b"1")
    assert write_files(tmp_path, {"a.md": b"1", "b.md": b"2"}, force=False) == (tmp_path / "b.md",)


def test_a_file_in_place_of_a_folder_is_told(tmp_path):
    (tmp_path / "s").write_bytes(b"")
    with pytest.raises(FileError, match="this is a file, not a folder"):
        write_files(tmp_path / "s", {"a.md": b"1", "b.md": b"2"}, force=True)


def test_a_folder_in_place_of_a_file_is_told(tmp_path):
    (tmp_path / "a.md").mkdir()
    with pytest.raises(FileError, match="this is a folder, not a file"):
        write_bytes(tmp_path / "a.md", b"1", force=True)


def test_a_link_to_a_device_is_replaced_and_never_copied(tmp_path):
    path = tmp_path / "plan.json"
    path.symlink_to("/dev/full")  # reading it would never end
    write_bytes(path, b"new", force=True)
    assert not path.is_symlink()
    assert path.read_bytes() == b"new"
    assert left_in(tmp_path) == ["plan.json"]


def test_a_link_to_a_named_pipe_is_replaced_like_any_link(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "plan.json"
    path.symlink_to("pipe")
    write_bytes(path, b"new", force=True)
    assert not path.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_link_is_put_back_as_a_link_when_the_write_fails(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").write_bytes(b"old")
    path = tmp_path / "a.json"
    path.symlink_to("elsewhere")
    real = Path.replace

    def refusing(self: Path, target: Path) -> Path:
        if target.name == "b.json":
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", refusing)
    with pytest.raises(FileError, match="input/output error"):
        write_files(tmp_path, {"a.json": b"new", "b.json": b"new"}, force=True)
    assert path.readlink() == Path("elsewhere")
    assert left_in(tmp_path) == ["a.json", "elsewhere"]


def test_a_named_pipe_in_place_of_a_file_is_told(tmp_path):
    os.mkfifo(tmp_path / "plan.json")
    with pytest.raises(FileError, match=r"plan\.json: this is not a regular file\. Move it away\."):
        write_bytes(tmp_path / "plan.json", b"new", force=True)


def test_a_read_only_disk_is_told_with_the_file_that_was_wanted(tmp_path, monkeypatch):
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(FileError, match=r"[^.]plan\.json: this cannot be written: read-only"):
        write_bytes(tmp_path / "plan.json", b"new", force=False)


def test_a_refusal_names_the_file_that_was_wanted(tmp_path, monkeypatch):
    refused = PermissionError(errno.EACCES, "Permission denied", ".plan.json.4a9753cf.part")
    monkeypatch.setattr(os, "fsync", failing(refused))
    with pytest.raises(FileError) as caught:
        write_bytes(tmp_path / "plan.json", b"new", force=False)
    assert caught.value.problems[0].file == str(tmp_path / "plan.json")


def leave(folder: Path, name: str, *, seconds_ago: int, content: bytes = b"half") -> Path:
    path = folder / name
    path.write_bytes(content)
    then = path.stat().st_mtime - seconds_ago
    os.utime(path, (then, then))
    return path


def test_what_an_interrupted_write_left_goes_with_the_next_write_of_the_file(tmp_path):
    old = leave(tmp_path, ".plan.json.0123abcd.part", seconds_ago=7200)
    copy = leave(tmp_path, ".plan.json.0123abcd.old", seconds_ago=7200)
    other = leave(tmp_path, ".results.json.0123abcd.part", seconds_ago=7200)
    write_bytes(tmp_path / "plan.json", b"new", force=False)
    assert not old.exists()
    assert not copy.exists()
    assert other.exists()


def test_a_write_that_may_be_under_way_is_left_alone(tmp_path):
    young = leave(tmp_path, ".plan.json.0123abcd.part", seconds_ago=60)
    write_bytes(tmp_path / "plan.json", b"new", force=False)
    assert young.exists()


def test_it_goes_too_when_the_file_already_holds_what_is_written(tmp_path):
    (tmp_path / "plan.json").write_bytes(b"same")
    old = leave(tmp_path, ".plan.json.0123abcd.part", seconds_ago=7200)
    assert not write_bytes(tmp_path / "plan.json", b"same", force=False)
    assert not old.exists()


def test_unfinished_files_are_found_and_nothing_else_is_taken_for_one(tmp_path):
    (tmp_path / "report").mkdir()
    found = [
        leave(tmp_path, ".judgments.csv.0123abcd.part", seconds_ago=0),
        leave(tmp_path, "backup.db.part", seconds_ago=0, content=b"SQLite format 3\0half"),
        leave(tmp_path, "backup.db.part-wal", seconds_ago=0),
        leave(tmp_path, "report/.index.html.0123abcd.old", seconds_ago=0),
    ]
    for own in (
        "my.part",
        "my.part-wal",
        "alone.part-wal",
        ".part",
        "x.old",
        "judgments.csv",
        ".plan.json.part.bak",
    ):
        leave(tmp_path, own, seconds_ago=0)
    assert sorted(unfinished_files(tmp_path)) == sorted(found)


def test_a_yaml_file_as_large_as_a_film_is_not_read(tmp_path):
    with (tmp_path / "study.yaml").open("wb") as stream:
        stream.truncate(5 << 20)
    with pytest.raises(FileError, match="larger than 4 MB"):
        open_study(tmp_path)


def test_a_locked_folder_lets_one_process_in_at_a_time(tmp_path):
    inside, order = threading.Event(), []

    def wait_and_enter() -> None:
        inside.wait()
        with locked(tmp_path):  # has a handle of its own, as another process has
            order.append("second")

    other = threading.Thread(target=wait_and_enter)
    other.start()
    with locked(tmp_path):
        inside.set()
        other.join(0.05)
        order.append("first")
    other.join()
    assert order == ["first", "second"]
    assert list(tmp_path.iterdir()) == []
