"""A sheet for anonymous review: without names, addresses, links and provenance."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from rejudge.heds.criteria import prune_orphans
from rejudge.heds.sheet import EXTRA_KEY, Sheet, SheetCell

_PERSONAL: Final = "1.3."
_ADDRESS: Final = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_LINK: Final = re.compile(r"\b(?:https?://|www\.)\S+|\bdoi\.org/\S+", re.IGNORECASE)
_SHORTEST: Final = 4  # letters of a name that is looked for in other answers


@dataclass(frozen=True, slots=True)
class AnonymousSheet:
    """A sheet without what tells who made it, and the answers that were changed."""

    sheet: Sheet
    changed: tuple[str, ...]  # questions, with the criterion in brackets
    dropped: tuple[str, ...]  # keys of the file that belong to no question


def anonymise(sheet: Sheet) -> AnonymousSheet:
    """Blank 1.3, remove addresses and links, and the names from 1.3 in all other answers.

    Names of people and institutions that 1.3 does not mention stay: no program knows them all.
    """
    names = _names(sheet)
    bare = prune_orphans(sheet)
    dropped = tuple(key for key in (*bare.unknown_keys, EXTRA_KEY) if key in bare.entries)
    bare = replace(bare.without_entries(dropped), source=None)
    changed = []
    for cell in tuple(bare.cells()):
        answer = bare.stored(cell)
        is_personal = cell.question.number.startswith(_PERSONAL)
        text = "" if is_personal else _without_identity(answer.text, names)
        if text != answer.text:
            bare = bare.with_stored(cell, replace(answer, text=text))
            changed.append(str(cell))
    return AnonymousSheet(bare, tuple(changed), dropped)


def _names(sheet: Sheet) -> tuple[str, ...]:
    """Names and affiliations, the longest first, so that no part of one is left."""
    asked = [each for each in sheet.schema.questions if each.number.startswith(_PERSONAL)]
    answers = [sheet.stored(SheetCell(each)) for each in asked]
    texts = {answer.text.strip() for answer in answers if answer.state == "value"}
    return tuple(sorted((text for text in texts if len(text) >= _SHORTEST), key=len, reverse=True))


def _without_identity(text: str, names: tuple[str, ...]) -> str:
    text = _ADDRESS.sub("[address removed]", text)
    text = _LINK.sub("[link removed]", text)
    for name in names:
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
        text = re.sub(pattern, "[name removed]", text, flags=re.IGNORECASE)
    return text
