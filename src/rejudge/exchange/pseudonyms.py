"""Pseudonyms for platform ids, given when a file is read: the ids themselves are never written.

With a key (`REJUDGE_PSEUDONYM_KEY`) a pseudonym is a keyed hash, the same in every import. Without
one, people are numbered in the order in which they first answered.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Iterable, Mapping
from typing import Final

from rejudge.errors import Problem, UsageError

KEY_VARIABLE: Final = "REJUDGE_PSEUDONYM_KEY"
_LEAST_KEY: Final = 16
_LETTERS: Final = 12  # of the hash, 48 bits: two of 100,000 people share one in 1 of 56,000 cases
_ASSIGNED = re.compile(
    r"(?:[A-Z]{0,3}|participant|person|rater|coder|annotator|subject|ppt)[-_ ]?\d{1,6}",
    re.IGNORECASE,
)


def pseudonym_key() -> bytes | None:
    """The key from the environment; None where there is none, UsageError where it is short."""
    given = os.environ.get(KEY_VARIABLE, "").strip()  # a file that it came from ends in a newline
    if given and len(given) < _LEAST_KEY:
        what = f"{KEY_VARIABLE} is shorter than {_LEAST_KEY} characters."
        raise UsageError(Problem(what, "Use a long random one; short ones can be guessed."))
    return given.encode() or None


def pseudonyms(ids: Iterable[str], *, key: bytes | None) -> Mapping[str, str]:
    """A pseudonym for every id, in the order in which the ids are given."""
    distinct = list(dict.fromkeys(ids))
    if key is not None:
        return {each: f"p{_keyed(key, each)}" for each in distinct}
    digits = max(3, len(str(len(distinct))))
    return {each: f"p{number:0{digits}}" for number, each in enumerate(distinct, start=1)}


def is_assigned_number(name: str) -> bool:
    """Whether an id is a number that the researchers gave out, such as 007 or P12.

    Such a number identifies nobody outside the study, so it may stay.
    """
    return _ASSIGNED.fullmatch(name) is not None


def describe_pseudonyms(noun: str, *, key: bytes | None) -> str:
    """A note on how ids were replaced."""
    if key is not None:
        return f"{noun} were replaced by keyed hashes; nothing else about them was kept."
    return (
        f"{noun} were replaced by numbers in the order of the first answer. "
        f"Set {KEY_VARIABLE} before importing to get the same pseudonyms from other files."
    )


def _keyed(key: bytes, name: str) -> str:
    return hmac.digest(key, name.encode(), "sha256").hex()[:_LETTERS]
