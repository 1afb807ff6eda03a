"""Bytes on the disk: whole or not at all, and never over something else without being asked."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from rejudge.english import count, verb
from rejudge.errors import FileError, Problem
from rejudge.incoming import explain_errors

# A file is written as .NAME.MARK.part, and what it replaces is kept as .NAME.MARK.old till then.
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{8}\.(part|old)", re.DOTALL)
_BACKUP = re.compile(r"(.+\.part)(-wal|-shm|-journal)?", re.DOTALL)  # of a database, unfinished
_SQLITE = b"SQLite format 3\0"
_LEFT_SECONDS = 3600  # files of unfinished writes are kept this long: they may be in progress


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let one process at a time read, change and write a file of a folder.

    Others wait. The lock ends with the process, whatever becomes of it, and leaves no file. Where
    the system has no such locks, nobody waits.
    """
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        yield
        return
    with explain_errors(folder, "read"):
        handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network drives have none
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_bytes(path: Path, content: bytes, *, force: bool) -> bool:
    """Write one file; False if it already has exactly this content."""
    return bool(write_files(path.parent, {path.name: content}, force=force))


def write_files(folder: Path, files: Mapping[str, bytes], *, force: bool) -> tuple[Path, ...]:
    """Write files into a folder, all or none, and return those that are new or changed.

    Every file is first written under a temporary name and then moved, so that a reader never sees
    half of it; if something goes wrong or the user stops it, nothing is left behind.
    """
    wanted = {folder / name: content for name, content in files.items()}
    with explain_errors(folder, "written"):
        changed = {path: text for path, text in wanted.items() if not _holds(path, text)}
    _refuse(_obstacles(changed, force=force))
    with explain_errors(folder, "written"), _make_folders(path.parent for path in changed):
        _replace(changed)
        _remove_leftovers(wanted)
    return tuple(changed)


def unfinished_files(folder: Path) -> tuple[Path, ...]:
    """What interrupted writes left in a folder and below it: parts of files, and copies."""
    with explain_errors(folder, "read"):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        return tuple(path for path in files if not path.is_symlink() and _is_unfinished(path))


def _is_unfinished(path: Path) -> bool:
    if _UNFINISHED.fullmatch(path.name):
        return True
    backup = _BACKUP.fullmatch(path.name)
    if backup is None or not path.with_name(backup[1]).is_file():
        return False
    with path.with_name(backup[1]).open("rb") as stream:  # a file of another kind is the user's
        return stream.read(len(_SQLITE)) in {_SQLITE, b""}


def _remove_leftovers(written: Iterable[Path]) -> None:
    """Remove what earlier interrupted writes of the same files left behind.

    A recent one may belong to another program that is writing now.
    """
    before = time.time() - _LEFT_SECONDS
    for path in written:
        for left in _leftovers_of(path):
            if left.stat().st_mtime < before:
                left.unlink(missing_ok=True)


def _leftovers_of(path: Path) -> list[Path]:
    """What writes of one file left beside it."""
    start = f".{path.name}."
    beside = (each for each in path.parent.iterdir() if each.name.startswith(start))
    return [each for each in beside if _UNFINISHED.fullmatch(each.name)]


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content


def _obstacles(changed: Mapping[Path, bytes], *, force: bool) -> Iterator[Problem]:
    for path in changed:
        blocked = next((p for p in path.parents if p.exists() and not p.is_dir()), None)
        if blocked is not None:
            yield Problem("this is a file, not a folder.", "Choose another.", file=str(blocked))
        elif path.is_dir():
            yield Problem("this is a folder, not a file.", "Move it away.", file=str(path))
        elif os.path.lexists(path) and not _can_be_kept(path):
            yield Problem("this is not a regular file.", "Move it away.", file=str(path))
    existing = [path for path in changed if path.is_file() and _can_be_kept(path)]
    if existing and not force:
        others = count(len(existing) - 1, "other file")
        what = "this file exists" if len(existing) == 1 else f"this and {others} exist"
        them = verb(len(existing), "it", "them")
        yield Problem(f"{what}.", f"Use --force to replace {them}.", file=str(existing[0]))


def _refuse(problems: Iterator[Problem]) -> None:
    found = tuple(dict.fromkeys(problems))
    if found:
        raise FileError(*found)


def _replace(changed: Mapping[Path, bytes]) -> None:
    mark = secrets.token_hex(4)
    parts = {path: path.with_name(f".{path.name}.{mark}.part") for path in changed}
    before = {path: path.with_name(f".{path.name}.{mark}.old") for path in changed}
    moved: list[Path] = []
    try:
        for path, content in changed.items():
            with _name_in_errors(path):
                _write_down(parts[path], content)
                _keep(path, before[path])
        for path, part in parts.items():
            with _name_in_errors(path):
                part.replace(path)
            moved.append(path)
    except BaseException:  # Ctrl-C too: the folder is left as it was
        for path in moved:
            _put_back(path, before[path])
        raise
    finally:
        for left in (*parts.values(), *before.values()):
            with suppress(OSError):  # what went wrong before is what counts
                left.unlink(missing_ok=True)


def _keep(path: Path, before: Path) -> None:
    """Keep what will be replaced: of a link the link itself, wherever it leads."""
    if path.is_symlink():
        before.symlink_to(path.readlink())
    elif path.exists():
        shutil.copy2(path, before)


@contextmanager
def _name_in_errors(path: Path) -> Iterator[None]:
    """Let an error name the requested file, not its temporary part."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def _write_down(path: Path, content: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _can_be_kept(path: Path) -> bool:
    """Whether a copy can be kept until the new file is there: not of a device or a pipe."""
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _put_back(path: Path, before: Path) -> None:
    if os.path.lexists(before):
        before.replace(path)
    else:
        path.unlink()


@contextmanager
def _make_folders(folders: Iterator[Path]) -> Iterator[None]:
    """Make the missing folders, and remove them again if the work fails."""
    missing = {
        parent for folder in folders for parent in (folder, *folder.parents) if not parent.exists()
    }
    made: list[Path] = []
    try:
        for folder in sorted(missing):
            folder.mkdir()
            made.append(folder)
        yield
    except BaseException:
        for folder in reversed(made):
            folder.rmdir()
        raise
