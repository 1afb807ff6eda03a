"""Receipt codes: what participants write down to ask for their data later.

A code such as `XRVE-DP6H-J4RM` is a keyed hash of the participant number, so nothing is stored and
nobody can guess one. Its letters cannot be confused, also in handwriting and in lower case, and the
last one is a check character: a mistyped code is noticed before anything is looked up.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from typing import Final

LETTERS: Final = "ACDEFGHJKMNPRTVWXY34679"  # 23, a prime: no I L O Q S U Z B 0 1 2 5 8
_DRAWN = 11  # 23 ** 11 is about 2 ** 50
_LENGTH: Final = _DRAWN + 1
_GROUP = 4
_BETWEEN = re.compile(r"[\s\-\u2010-\u2015\u2212_.]+")


def receipt_code(secret: bytes, participant: str) -> str:
    """The receipt code of a participant, with the secret of their study."""
    digest = hmac.new(secret, f"receipt:{participant}".encode(), "sha256").digest()
    number, drawn = int.from_bytes(digest), ""
    for _ in range(_DRAWN):
        number, place = divmod(number, len(LETTERS))
        drawn += LETTERS[place]
    whole = drawn + _check_character(drawn)
    return "-".join(whole[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))


def read_receipt(typed: str) -> str | None:
    """A code as people type it, in the form of `receipt_code`; None when it is not a code."""
    plain = _letters(typed)
    if not is_like_receipt(typed) or _check_character(plain[:-1]) != plain[-1]:
        return None
    return "-".join(plain[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))


def is_like_receipt(typed: str) -> bool:
    """Whether something has the form of a code, be it mistyped."""
    plain = _letters(typed)
    return len(plain) == _LENGTH and set(plain) <= set(LETTERS)


def _letters(typed: str) -> str:
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", typed)).upper()


def _check_character(drawn: str) -> str:
    """Differs after one wrong character and after two exchanged ones, since 23 is a prime."""
    places = (LETTERS.index(letter) for letter in drawn)
    return LETTERS[-sum(at * place for at, place in enumerate(places, start=2)) % len(LETTERS)]
