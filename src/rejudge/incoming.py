"""Safe reading of files: only regular files, up to a size limit, inside their folder.

Every reader opens its files here. Devices and named pipes could block forever, so they are not
opened; and a link must not lead out of the folder that a file belongs to.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from rejudge.errors import FileError, Problem, StudyError

_MEGABYTE: Final = 1 << 20
TEXT_BYTES: Final = 4 * _MEGABYTE  # YAML, which people write and which takes long to read
FILE_BYTES: Final = 4096 * _MEGABYTE  # step files and items; ten million judgments have 1,500 MB
TABLE_BYTES: Final = 16 * FILE_BYTES  # tables that are read in parts

SAVE_AS_UTF8: Final = (
    'Save it as UTF-8: in a spreadsheet, choose "CSV UTF-8"; in an editor, "Save with encoding".'
)
UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ZEROS_OF_UTF_16: Final = 0.2  # share of zero bytes above which text is taken for unmarked UTF-16

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_AT_ONCE = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))
REMEDIES: Final = {
    errno.EACCES: "Check its permissions.",
    errno.EPERM: "Check its permissions.",
    errno.EROFS: "Choose a folder that can be written to.",
    errno.ENOSPC: "Free some space on the disk.",
    errno.EDQUOT: "Free some space on the disk.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.ELOOP: "Remove the link that points to itself.",
}


def read_bytes(path: Path, *, remedy: str, limit: int = FILE_BYTES) -> bytes:
    """The content of a regular file; `remedy` says what to do if there is none."""
    with open_regular(path, remedy=remedy, limit=limit) as stream, explain_errors(path, "read"):
        content = stream.read(limit + 1)
    if len(content) > limit:  # it grew, or its size was not true
        raise _too_large(path, limit)
    return content


def read_inside(folder: Path, name: str, *, remedy: str, limit: int = FILE_BYTES) -> bytes:
    """The content of a file in a folder; links that lead out of the folder are rejected."""
    path = folder / name
    refuse_outside(folder, name)
    return read_bytes(path, remedy=remedy, limit=limit)


def refuse_no_folder(
    folder: Path, *, absent: str = "Correct the path.", file: str = "Give the folder it is in."
) -> None:
    """Raise a FileError unless the folder exists, with a remedy for a missing folder or a file."""
    with explain_errors(folder, "read", absent=absent):
        if folder.is_dir():
            return
        what, remedy = ("this is a file, not a folder.", file)
        if not folder.exists():
            what, remedy = ("there is no such folder.", absent)
    raise FileError(Problem(what, remedy, file=str(folder)))


def refuse_outside(folder: Path, name: str) -> None:
    """Reject a name that is outside its folder once all links have been followed."""
    path = folder / name
    with explain_errors(path, "read"):
        home, place = follow_links(folder), follow_links(path)
    if not place.is_relative_to(home):
        what = "this leads out of the folder it belongs to."
        remedy = "Put the file itself there instead of the link or path."
        raise FileError(Problem(what, remedy, file=str(path)))


def follow_links(path: Path) -> Path:
    """Where a path leads; a link that leads to itself stays as it is, and cannot be opened.

    `Path.resolve` raises RuntimeError for such a link before Python 3.13.
    """
    return Path(os.path.realpath(path))


def require_regular(path: Path, *, remedy: str, limit: int = TABLE_BYTES) -> None:
    """Reject anything but a regular file, for libraries that open a file by name."""
    open_regular(path, remedy=remedy, limit=limit).close()


def open_regular(path: Path, *, remedy: str, limit: int = TABLE_BYTES) -> BinaryIO:
    """A regular file, open for reading; never blocks on anything else."""
    with explain_errors(path, "read", absent=remedy):
        if "\0" in str(path):
            raise FileNotFoundError(errno.ENOENT, "no such file", str(path))
        _refuse_irregular(path, path.stat(), remedy, limit)
        # Without O_NONBLOCK opening a named pipe waits until somebody writes to it.
        stream = os.fdopen(os.open(path, os.O_RDONLY | _AT_ONCE), "rb")
    try:
        _refuse_irregular(path, os.fstat(stream.fileno()), remedy, limit)
    except FileError:  # it was replaced a moment ago
        stream.close()
        raise
    return stream


def _refuse_irregular(path: Path, found: os.stat_result, remedy: str, limit: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = next((words for fits, words in _KINDS if fits(found.st_mode)), "something else")
        raise FileError(Problem(f"this is {kind}, not a file.", remedy, file=str(path)))
    if found.st_size > limit:
        raise _too_large(path, limit)


def _too_large(path: Path, limit: int) -> FileError:
    what = f"the file is larger than {limit // _MEGABYTE:,} MB, the limit for this kind of file."
    return FileError(Problem(what, "Check that it is the right file.", file=str(path)))


@contextmanager
def explain_errors(path: Path, done: str, *, absent: str = "") -> Iterator[None]:
    """Turn an error of the operating system into a message with the file and a remedy."""
    try:
        yield
    except FileNotFoundError as error:
        if done != "read":
            raise refusal(error, path, done) from None
        raise FileError(Problem("there is no such file.", absent, file=str(path))) from None
    except NotADirectoryError:
        if done != "read":
            raise
        raise FileError(Problem("there is no such file.", absent, file=str(path))) from None
    except (OSError, UnicodeError) as error:
        raise refusal(error, path, done) from None


def refusal(error: OSError | UnicodeError, path: Path | None, done: str) -> FileError:
    """The error of the operating system, in words."""
    if isinstance(error, UnicodeError):
        what = f"a file of this name cannot be {done} in the language settings of this terminal."
        return FileError(Problem(what, "Set LC_ALL=C.UTF-8.", file=_optional_path_text(path)))
    where = _optional_path_text(error.filename or path)
    reason = (error.strerror or str(error)).lower()
    remedy = REMEDIES.get(error.errno or 0, "")
    return FileError(Problem(f"this cannot be {done}: {reason}.", remedy, file=where))


def path_text(path: Path | str | bytes) -> str:
    """A path as text that can be written to a file; bytes that are not UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _optional_path_text(path: Path | str | bytes | None) -> str | None:
    return None if path is None else path_text(path)


def decode(content: bytes, *, file: str) -> str:
    """The UTF-8 text of a file, unchanged but for the byte order mark at its beginning."""
    body = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or content.startswith(UTF16_MARKS):
        raise StudyError(bad_text(io.BytesIO(content), file=file))
    return text


def bad_text(stream: BinaryIO, *, file: str) -> Problem:
    """What is wrong with bytes that are not the UTF-8 of a text, with the first line of it."""
    if stream.read(2) in UTF16_MARKS:
        return Problem("the file is UTF-16, not UTF-8.", SAVE_AS_UTF8, file=file, line=1)
    stream.seek(0)
    zeros = size = zero_line = 0
    undecodable: Problem | None = None
    for number, line in enumerate(stream, start=1):
        zeros, size = zeros + line.count(0), size + len(line)
        zero_line = zero_line or (number if zeros else 0)
        text = line.removeprefix(codecs.BOM_UTF8 if number == 1 else b"")
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            what = f"byte {error.start + 1} of this line (0x{text[error.start]:02X}) is not UTF-8."
            undecodable = undecodable or Problem(what, SAVE_AS_UTF8, file=file, line=number)
    if zeros > _ZEROS_OF_UTF_16 * size:
        what = "the file looks like UTF-16, not UTF-8."
        return Problem(what, SAVE_AS_UTF8, file=file, line=1)
    if zeros:
        what = "the line contains a NUL character, which no text has."
        remedy = "The file may be damaged; take the character out or export the file again."
        return Problem(what, remedy, file=file, line=zero_line)
    return undecodable or Problem("the file is not UTF-8.", SAVE_AS_UTF8, file=file)
