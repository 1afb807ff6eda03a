"""Where a text is cut into segments that are scored one by one.

A cut is kept as end offsets, so no character is ever lost: the slices put together are the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, TypeAlias

from rejudge.errors import Problem, StudyError

Split: TypeAlias = Literal["sentences", "lines", "marker"]

Unit: TypeAlias = Literal["output", "reference"]

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Which text a question cuts into segments, and how."""

    unit: Unit
    split: Split
    marker: str

    def cut(self, text: str, language: str) -> tuple[int, ...]:
        """Where the segments of a text end."""
        return cut(text, split=self.split, marker=self.marker, language=language)

    def shown_pieces(self, text: str, ends: Sequence[int]) -> tuple[str, ...]:
        """The segments as participants read them."""
        return shown_pieces(text, ends, marker=self.marker if self.split == "marker" else "")


def cut(text: str, *, split: Split, marker: str = "‖", language: str = "en") -> tuple[int, ...]:
    """Where the segments of a text end; the last end is the length of the text.

    Blank segments are joined to the one before (at the beginning: after) them.
    """
    if split == "sentences":
        ends = _sentence_ends(text, language)
    elif split == "lines":
        ends = [found.end() for found in _LINE_END.finditer(text)]
    else:
        ends = [found.end() for found in re.finditer(re.escape(marker), text)]
    return _without_blanks(text, [*ends, len(text)], marker if split == "marker" else "")


def pieces(text: str, ends: Sequence[int]) -> tuple[str, ...]:
    """The segments with every character, such that joining them gives the text."""
    return tuple(text[start:end] for start, end in zip((0, *ends), ends, strict=False))


def shown_pieces(text: str, ends: Sequence[int], *, marker: str = "") -> tuple[str, ...]:
    """The segments as participants read them: without marker, without blanks at the ends."""
    parts = pieces(text, ends)
    return tuple((part.replace(marker, "") if marker else part).strip() for part in parts)


def _sentence_ends(text: str, language: str) -> list[int]:
    import sentencex  # type: ignore[import-untyped]  # a compiled module without stubs

    sentences = sentencex.segment(language, text)
    if "".join(sentences) != text:  # it promises to keep all; a cut elsewhere would move a score
        raise StudyError(
            Problem(
                f"the text that begins '{text[:40]}' cannot be split into sentences without loss.",
                "Give the boundaries yourself: `split: marker` or `split: lines`.",
            )
        )
    return list(accumulate(len(sentence) for sentence in sentences))


def _without_blanks(text: str, ends: Iterable[int], marker: str) -> tuple[int, ...]:
    kept: list[int] = []
    start = 0
    for end in ends:
        part = text[start:end]
        is_blank = not (part.replace(marker, "") if marker else part).strip()
        if end == start:
            continue
        if is_blank and kept:
            kept[-1] = end
        elif not is_blank or end == len(text):
            kept.append(end)
        else:
            continue  # blank at the beginning: the next segment takes it along
        start = end
    return tuple(kept)
