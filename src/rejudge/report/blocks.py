"""What a report is made of, before it is laid out: the same for every format it is written in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from rejudge.english import count


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
    """What only some readers want to see: closed on the screen, open in print."""

    kind: ClassVar[str] = "fold"
    title: str
    blocks: tuple[Block, ...]

    @property
    def contents(self) -> str:
        """How many tables and figures it holds."""
        return contents_of(self.blocks)


Block: TypeAlias = Paragraph | Facts | Table | Drawn | Listing | Heading | Texts | Fold


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report with its own place in the contents."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    is_reference: bool = False  # closed on the screen, open in print

    @property
    def contents(self) -> str:
        """How many tables and figures it holds, such as “2 tables, 1 figure”."""
        return contents_of(self.blocks)


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
    summary: Table | None = None  # the answer as a table, before its sentences

    @property
    def places(self) -> dict[str, str]:
        """What each figure and table is called, in the order of the page: Figure 1, Table 1 …"""
        inside = (block for section in self.sections for block in section.blocks)
        blocks = [self.summary, self.figure, *unfolded(inside)]
        figures = [block.id for block in blocks if isinstance(block, Drawn)]
        tables = [block.id for block in blocks if isinstance(block, Table)]
        return {
            **{name: f"Figure {place}" for place, name in enumerate(figures, start=1)},
            **{name: f"Table {place}" for place, name in enumerate(tables, start=1)},
        }

    def with_sections(self, sections: Iterable[Section]) -> Report:
        """The same report with further sections before its reference material."""
        before = [each for each in self.sections if not each.is_reference]
        after = [each for each in self.sections if each.is_reference]
        return replace(self, sections=(*before, *sections, *after))


def unfolded(blocks: Iterable[Block]) -> Iterator[Block]:
    """All blocks in the order of the page, those inside others too."""
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from unfolded(block.blocks)


def contents_of(blocks: Iterable[Block]) -> str:
    """How many tables and figures there are among blocks, such as “2 tables, 1 figure”."""
    found = list(unfolded(blocks))
    tables = sum(isinstance(block, Table) for block in found)
    figures = sum(isinstance(block, Drawn) for block in found)
    parts = [count(tables, "table")] * bool(tables) + [count(figures, "figure")] * bool(figures)
    return ", ".join(parts)
