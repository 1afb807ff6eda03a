"""From the bytes of a file to its text: UTF-8, with or without a byte order mark."""

from __future__ import annotations

import codecs

from rejudge.errors import Problem, StudyError

_REMEDY = "Save it as UTF-8: in a spreadsheet «CSV UTF-8», in an editor «save with encoding»."
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ZEROS_OF_UTF_16 = 0.2  # share of zero bytes above which a file is taken for UTF-16 without a mark


def decode(content: bytes, *, file: str) -> str:
    """The text of a file, unchanged but for the byte order mark at its beginning."""
    if content.startswith(_UTF_16_MARKS):
        raise StudyError(Problem("the file is UTF-16, not UTF-8.", _REMEDY, file=file, line=1))
    body = content.removeprefix(codecs.BOM_UTF8)
    _refuse_zeros(body, file=file)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start]
        place = error.start - (before.rfind(b"\n") + 1) + 1
        raise StudyError(
            Problem(
                f"byte {place} of this line (0x{body[error.start]:02X}) is not UTF-8.",
                _REMEDY,
                file=file,
                line=before.count(b"\n") + 1,
            )
        ) from None


def _refuse_zeros(body: bytes, *, file: str) -> None:
    zeros = body.count(0)
    if not zeros:
        return
    if zeros > _ZEROS_OF_UTF_16 * len(body):
        raise StudyError(
            Problem("the file looks like UTF-16, not UTF-8.", _REMEDY, file=file, line=1)
        )
    raise StudyError(
        Problem(
            "the line contains a NUL character, which no text has.",
            "The file may be damaged; take the character out or export the file again.",
            file=file,
            line=body.count(b"\n", 0, body.index(0)) + 1,
        )
    )
