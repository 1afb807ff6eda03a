"""What a report is made of, before it is laid out: the same for every format it is written in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    kind: ClassVar[str] = "paragraph"
    text: str
    tone: Literal["plain", "aside", "warn"] = "plain"


@dataclass(frozen=True, slots=True)
class Facts:
    """Short answers to short questions, one per line."""

    kind: ClassVar[str] = "facts"
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that stands alone: `align` has l or r for each column."""

    kind: ClassVar[str] = "table"
    id: str
    caption: str
    head: tuple[str, ...]
    align: str
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure that is drawn already; its words for those who cannot see it are inside."""

    kind: ClassVar[str] = "drawn"
    id: str
    caption: str
    svg: str
    numbers_in: str = ""  # id of the table that holds the numbers; "": there is none
    narrow_svg: str = ""  # the same for a phone; "": the wide one is scrolled there


@dataclass(frozen=True, slots=True)
class Listing:
    """Commands to copy."""

    kind: ClassVar[str] = "listing"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a part of a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of the study as people saw it, or its beginning."""

    label: str
    text: str
    language: str
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts of the study, one below the other."""

    kind: ClassVar[str] = "texts"
    title: str
    says: str  # why they are shown
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """What only some readers want to see: closed on the screen, open on paper."""

    kind: ClassVar[str] = "fold"
    title: str
    blocks: tuple[Block, ...]


Block: TypeAlias = Paragraph | Facts | Table | Drawn | Listing | Heading | Texts | Fold


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report with its own place in the contents."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class KeyNumber:
    """One of the numbers on the first screen."""

    value: str
    label: str
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report: the answer first, then everything it rests on."""

    title: str
    language: str
    is_simulated: bool
    answer: tuple[str, ...]
    figure: Drawn | None
    numbers: tuple[KeyNumber, ...]
    sections: tuple[Section, ...]
    signature: str
    kicker: str = "Report of a human evaluation"
    first: str = "The answer"  # what the first screen is called in the contents
    also: tuple[str, ...] = ()  # what was found on further questions, in a sentence each

    @property
    def places(self) -> dict[str, str]:
        """What each figure and table is called, in the order of the page: Figure 1, Table 1 …"""
        inside = (block for section in self.sections for block in section.blocks)
        blocks = [self.figure, *unfolded(inside)]
        figures = [block.id for block in blocks if isinstance(block, Drawn)]
        tables = [block.id for block in blocks if isinstance(block, Table)]
        return {
            **{name: f"Figure {place}" for place, name in enumerate(figures, start=1)},
            **{name: f"Table {place}" for place, name in enumerate(tables, start=1)},
        }


def unfolded(blocks: Iterable[Block]) -> Iterator[Block]:
    """All blocks in the order of the page, those inside others too."""
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from unfolded(block.blocks)
