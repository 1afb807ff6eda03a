"""Files as they get damaged: bytes flipped, cut off, repeated, taken out, or put in."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from rejudge.errors import RejudgeError

# What parsers stumble over: ends of strings and lines, brackets, numbers without measure.
TOKENS = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\n", b"\r", b'"', b"'", b",", b";", b"\t",
    b"{", b"}", b"[", b"]", b"[" * 300, b"<", b"&", b"&x;", b": ", b"- ", b"#", b"*x", b"!!", b"|",
    b"-1", b"0", b"1e308", b"-1e308", b"1e999", b"9" * 30, b"9" * 5000, b"NaN", b"null", b"true",
    b"Infinity", b"\\ud83d", b"\\u0000", b"\x1b[31m", "\u202e".encode(), "é".encode(), b"../../x",
    b"1:30", b"0x10", b"1_0", b".5", b"=1+1",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that happens to a file, at a place given as a share of its length."""

    kind: str
    at: float
    length: int
    token: bytes

    def __call__(self, content: bytes) -> bytes:
        place = int(self.at * len(content))
        before, after = content[:place], content[place:]
        if self.kind == "flip" and after:
            return before + bytes([after[0] ^ (1 << self.length % 8)]) + after[1:]
        if self.kind == "cut":
            return before
        if self.kind == "repeat":
            return before + after[: self.length] + after
        if self.kind == "remove":
            return before + after[self.length :]
        if self.kind == "replace":
            return before + self.token + after[len(self.token) :]
        return before + self.token + after


_damage = st.builds(
    Damage,
    kind=st.sampled_from(("flip", "flip", "cut", "repeat", "remove", "replace", "insert")),
    at=st.floats(0, 1, exclude_max=True),
    length=st.integers(1, 200),
    token=st.sampled_from(TOKENS),
)
damages = st.lists(_damage, min_size=1, max_size=4)


def damaged(content: bytes, what: list[Damage]) -> bytes:
    """A file after all that has happened to it."""
    for each in what:
        content = each(content)
    return content


def rezipped(content: bytes, name: str, what: list[Damage]) -> bytes:
    """A zip archive that is sound, with one damaged file in it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {each: archive.read(each) for each in archive.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, text in files.items():
            archive.writestr(each, damaged(text, what) if each == name else text)
    return out.getvalue()


def is_read_or_refused(read: Callable[[], object]) -> bool:
    """True unless anything else than one of our own errors comes out, or one that says nothing."""
    try:
        read()
    except RejudgeError as error:
        return bool(error.problems)
    return True
