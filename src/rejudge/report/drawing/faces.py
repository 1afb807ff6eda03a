"""Faces for letters that DejaVu Sans lacks: whatever is installed has to serve."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

BASE = "DejaVu Sans"  # comes with matplotlib, so it is the same everywhere
_UNSEEN = {"Cc", "Cf", "Mn", "Zs"}  # kinds of letters that need no shape of their own
_LAST = "Last Resort"  # matplotlib takes it where nothing else is left
_PLAIN = 400  # neither bold nor thin
_TRUE_TYPE = (1, 0)  # version of the table maxp


def faces_for(words: str) -> list[str]:
    """Names of faces that have these letters, the usual one first."""
    return [BASE, *_further(frozenset(_lacking(BASE, words)))]


@cache
def _further(letters: frozenset[str]) -> tuple[str, ...]:
    found = []
    lacking = letters
    for name in _installed() if letters else ():
        still = frozenset(_lacking(name, "".join(lacking)))
        if still < lacking:
            found.append(name)
            lacking = still
        if not lacking:
            break
    return tuple(found)


def _lacking(name: str, words: str) -> set[str]:
    face = _face(name)
    return {
        letter
        for letter in words
        if unicodedata.category(letter) not in _UNSEEN and not face.get_char_index(ord(letter))
    }


@cache
def _installed() -> tuple[str, ...]:
    """All faces in an order that is the same every time: plain sans-serif faces first.

    Outlines of the TrueType kind go before others, which readers of PDF complain about.
    """
    from matplotlib.font_manager import fontManager

    plain = {each.name for each in fontManager.ttflist if each.weight == _PLAIN}
    return tuple(sorted((name for name in plain if _LAST not in name), key=_preference))


def _preference(name: str) -> tuple[bool, bool, bool, str]:
    table = _face(name).get_sfnt_table("maxp")
    is_true_type = table is not None and tuple(table["version"]) == _TRUE_TYPE
    return not is_true_type, "Sans" not in name, "Mono" in name, name


@cache
def _face(name: str) -> Any:
    from matplotlib import font_manager

    properties = font_manager.FontProperties(family=[name])
    return font_manager.get_font(font_manager.findfont(properties))
