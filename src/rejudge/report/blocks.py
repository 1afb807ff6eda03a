"""What a report is made of, before it is laid out: the same for every format it is written in."""

from __future__ import annotations

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
class Mark:
    """One value of a figure with its interval, in percent of the figure's width."""

    label: str
    shown: str  # the value and its interval in words
    place: float | None  # None: undefined
    low: float | None
    high: float | None
    shade: int  # which colour and shape, from 1; 0: the ink
    is_filled: bool = True


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on the axis."""

    label: str
    place: float
    is_reference: bool = False  # where there is nothing to see: 50 %, or zero


@dataclass(frozen=True, slots=True)
class Figure:
    """Values with their intervals on one axis; the caption stands alone, `alt` says it all."""

    kind: ClassVar[str] = "figure"
    id: str
    caption: str
    alt: str
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    numbers_in: str  # id of the table that holds the numbers


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a bar: its start and width in percent, and how strong its colour is."""

    start: float
    width: float
    strength: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, put together from parts."""

    label: str
    shown: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """Stacked bars of the same whole; the legend has each kind of part with its strength."""

    kind: ClassVar[str] = "bars"
    id: str
    caption: str
    alt: str
    bars: tuple[Bar, ...]
    legend: tuple[tuple[str, float], ...]
    numbers_in: str  # id of the table that holds the numbers


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure that is drawn already; its words for those who cannot see it are inside."""

    kind: ClassVar[str] = "drawn"
    id: str
    caption: str
    svg: str
    numbers_in: str  # id of the table that holds the numbers


@dataclass(frozen=True, slots=True)
class Listing:
    """Commands to copy."""

    kind: ClassVar[str] = "listing"
    lines: tuple[str, ...]


Block: TypeAlias = Paragraph | Facts | Table | Figure | Bars | Drawn | Listing


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
    figure: Figure | None
    numbers: tuple[KeyNumber, ...]
    sections: tuple[Section, ...]
    signature: str
    kicker: str = "Report of a human evaluation"
    first: str = "The answer"  # what the first screen is called in the contents

    @property
    def places(self) -> dict[str, str]:
        """What each figure and table is called, in the order of the page: Figure 1, Table 1 …"""
        blocks = [self.figure, *(block for section in self.sections for block in section.blocks)]
        figures = [block.id for block in blocks if isinstance(block, Figure | Bars | Drawn)]
        tables = [block.id for block in blocks if isinstance(block, Table)]
        return {
            **{name: f"Figure {place}" for place, name in enumerate(figures, start=1)},
            **{name: f"Table {place}" for place, name in enumerate(tables, start=1)},
        }
