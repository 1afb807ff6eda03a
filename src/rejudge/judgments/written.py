"""Numbers as people write them: decimal commas, percent signs, labels beside the number."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_LABELLED = re.compile(rf"({_NUMBER})\s*[-–—:=.)(\]\s]\s*([^\d\s][^\d]*)")  # 5 - very good
_IN_BRACKETS = re.compile(rf"([^\d]*[^\d\s(\[])\s*[(\[]\s*({_NUMBER})\s*[)\]]")  # very good (5)
_WITH_COMMA = re.compile(r"[-+]?\d+,\d+")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+")


@dataclass(frozen=True, slots=True)
class Written:
    """Words with their numbers spelt for a computer, and what was done to them."""

    words: list[str]
    notes: tuple[str, ...] = ()


def plain_numbers(words: Sequence[str]) -> Written:
    """Decimal commas as points, where a whole column allows no other reading.

    Commas are decimal if no number has a point and at least one cannot be a group of thousands:
    `1,500` alone may be 1.5 or 1500, and stays as it is.
    """
    bare = [word.strip().replace("\N{MINUS SIGN}", "-") for word in words]
    commas = [word for word in bare if "," in word]
    is_decimal = (
        commas
        and all(_WITH_COMMA.fullmatch(word) for word in commas)
        and not all(_THOUSANDS.fullmatch(word) for word in commas)
        and not any("." in word for word in bare)
    )
    if not is_decimal:
        return Written(bare)
    note = f"Decimal commas are read as points: '{commas[0]}' is {commas[0].replace(',', '.')}."
    return Written([word.replace(",", ".") for word in bare], (note,))


def plain_scores(words: Sequence[str], is_missing: Callable[[str], bool]) -> Written:
    """The same for scores, which may carry a label or, all of them, a percent sign."""
    bare = [word.strip() for word in words]
    notes: list[str] = []
    pairs = [_labelled(word) for word in bare]
    found = {pair for pair in pairs if pair is not None}
    count = sum(not is_missing(word) for word in bare)
    if found and (_is_consistent(found) or _is_unit(pairs, count)):
        place = next(n for n, pair in enumerate(pairs) if pair is not None)
        bare = [word if pair is None else pair[0] for word, pair in zip(bare, pairs, strict=True)]
        notes.append(f"Labels of scores are dropped: '{words[place]}' is {bare[place]}.")
    given = [word for word in bare if not is_missing(word)]
    if given and all(word.endswith("%") for word in given):
        bare = [word.removesuffix("%").rstrip() for word in bare]
        notes.append(f"Percent signs are dropped: '{given[0]}' is {given[0][:-1].rstrip()}.")
    plain = plain_numbers(bare)
    return Written(plain.words, (*notes, *plain.notes))


def _labelled(word: str) -> tuple[str, str] | None:
    """The number and the label of a point such as `5 - very good` or `very good (5)`."""
    before = _LABELLED.fullmatch(word)
    if before and "%" not in before[2]:
        return before[1], before[2].rstrip(") ]").casefold()
    behind = _IN_BRACKETS.fullmatch(word)
    return (behind[2], behind[1].casefold()) if behind else None


def _is_unit(pairs: Sequence[tuple[str, str] | None], given: int) -> bool:
    """Whether every number is followed by the same word, such as stars."""
    labels = [pair[1].removesuffix("s") for pair in pairs if pair is not None]
    return len(labels) == given and len(set(labels)) == 1


def _is_consistent(pairs: set[tuple[str, str]]) -> bool:
    """Whether each number has one label and each label one number: `3 min` and `3 h` have not."""
    return len(pairs) == len({n for n, _ in pairs}) == len({label for _, label in pairs})
