"""How wide words are, before anything is drawn.

Measured in DejaVu Sans Bold at 12 pixels and rounded up to half a pixel: the widest font that a
drawing is shown in, so that what fits by this table also fits in regular weight and in other fonts.
Letters that are not in the table are estimated; in print, words with such letters are measured
again and shrink where they are wider than the layout assumed.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

_MEASURED = {
    4.5: " /IJ\\ijl|'ıł\u00a0\u202fΙוזין\u0627\u0623\u0625\u0622",
    5.0: ",-.:;·’‘ι",
    5.5: "!()[]fגנ",
    6.0: "_`rt–°§",
    6.5: '"*гد\u0630',
    7.0: "?zεтر\u0632",
    7.5: "csζξςסةهو",
    8.0: "Lkvxy“”«»Łτλχ",
    8.5: "$0123456789EFTaeoøðαγδΣ",
    9.0: "CPSYZbdghnpqu{}ßþđβμρκ",
    9.5: "ABKRVXħσΔ",
    10.0: "DGU",
    10.5: "#&+<=>HNOQ^~−×±≥≤≈→ØωΩ✓",
    11.5: "w□",
    12.0: "@M—…МФжфюљњ",
    12.5: "%mЫبتثطظ",
    13.5: "Wæœшщ",
    14.0: "ÆŒف",
    16.0: "ЖШЩЮ",
    17.0: "سشصض",
}
_WIDTH_OF = {letter: width for width, letters in _MEASURED.items() for letter in letters}
_WIDE = 12.0  # the square of a Chinese, Japanese or Korean letter
_OTHERWISE = {"Lu": 11.5, "Lt": 13.0, "Ll": 9.5, "Lo": 11.0, "Nd": 8.5, "Mn": 0.0, "Cf": 0.0}
_UNKNOWN = 11.0
_DOTS = "…"


def text_width(words: str) -> float:
    """About how wide words are, rather more than less."""
    return sum(map(_width, words))


def is_width_known(words: str) -> bool:
    """Whether the width of every letter is known, not estimated."""
    return all(letter in _WIDTH_OF for letter in words)


def truncate(words: str, most: float) -> str:
    """Words that fit, shortened where they must be; at least one letter is left."""
    if text_width(words) <= most:
        return words
    room = most - _width(_DOTS)
    kept = ""
    for letter in words:
        if kept and text_width(kept + letter) > room:
            break
        kept += letter
    return f"{kept.rstrip()}{_DOTS}"


def distinct_names(names: Sequence[str], most: float) -> list[str]:
    """Names that differ even when they are cut: what the long ones begin with alike is left out."""
    same = Counter(truncate(name, most) for name in dict.fromkeys(names))
    alike = [name for name in names if same[truncate(name, most)] > 1]
    start = _start(sorted(set(alike)))
    return [_DOTS + name[start:] if start and name in alike else name for name in names]


def _start(names: Sequence[str]) -> int:
    """Where names, in their order, begin to differ: at the start of a word, if they have any."""
    if not names:
        return 0
    first, last = names[0], names[-1]
    longest = min(len(first), len(last))
    same = next((at for at in range(longest) if first[at] != last[at]), longest)
    return max(first.rfind(" ", 0, same), first.rfind("-", 0, same)) + 1 or same


def wrap(words: str, most: float, lines: int = 2) -> list[str]:
    """Words in so many lines at most, broken between words, or inside one that is too long."""
    found: list[str] = []
    rest = " ".join(words.split())
    while rest:
        if text_width(rest) <= most or len(found) == lines - 1:
            return [*found, truncate(rest, most)]
        head = _head(rest, most)
        found.append(head)
        rest = rest[len(head) :].lstrip()
    return found


def _head(words: str, most: float) -> str:
    """As many whole words as fit, else as many letters, at least one."""
    fitting = 1
    while fitting < len(words) and text_width(words[: fitting + 1]) <= most:
        fitting += 1
    between = words.rfind(" ", 1, fitting + 1)
    return words[:between] if between > 0 else words[:fitting]


def with_minus_sign(text: str) -> str:
    """With a true minus."""
    return text.replace("-", "−")


def _width(letter: str) -> float:
    known = _WIDTH_OF.get(letter)
    if known is not None:
        return known
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    plain = unicodedata.normalize("NFD", letter)[0]  # é is as wide as e
    if plain != letter:
        return _width(plain)
    return _OTHERWISE.get(unicodedata.category(letter), _UNKNOWN)
