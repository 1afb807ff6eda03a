"""The parts of a report before layout: text, tables, figures; the same for every format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import ClassVar, Literal, TypeAlias

from rejudge.english import count
from rejudge.layout.table import Table, isolate_right_to_left
from rejudge.report.figures.registry import Picture


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
class PageTable:
    """A table that stands alone: `align` has l or r for each column."""

    kind: ClassVar[str] = "table"
    id: str
    caption: str
    head: tuple[str, ...]
    align: str
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()  # for each row what stands above its block

    @property
    def blocks(self) -> list[tuple[str, list[tuple[str, ...]]]]:
        """The rows, by the heads of their blocks."""
        heads = self.heads or ("",) * len(self.rows)
        pairs = groupby(zip(heads, self.rows, strict=True), key=itemgetter(0))
        return [(head, [row for _, row in same]) for head, same in pairs]

    @property
    def is_wordy(self) -> bool:
        """Whether it is a short table that ends in sentences; phones show these below each row."""
        return len(self.head) <= _FEW_COLUMNS and any(len(row[-1]) > _SENTENCE for row in self.rows)


@dataclass(frozen=True, slots=True)
class FigureBlock:
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


Block: TypeAlias = Paragraph | Facts | PageTable | FigureBlock | Listing | Heading | Texts | Fold


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
    figure: FigureBlock | None
    numbers: tuple[KeyNumber, ...]
    sections: tuple[Section, ...]
    signature: str
    kicker: str = "Report of a human evaluation"
    first: str = "The answer"  # what the first screen is called in the contents
    also: tuple[str, ...] = ()  # what was found on further questions, in a sentence each
    summary: PageTable | None = None  # the answer as a table, below its sentences

    @property
    def places(self) -> dict[str, str]:
        """What each figure and table is called, in the order of the page: Figure 1, Table 1 …"""
        inside = (block for section in self.sections for block in section.blocks)
        blocks = [self.summary, self.figure, *all_blocks(inside)]
        figures = [block.id for block in blocks if isinstance(block, FigureBlock)]
        tables = [block.id for block in blocks if isinstance(block, PageTable)]
        return {
            **{name: f"Figure {place}" for place, name in enumerate(figures, start=1)},
            **{name: f"Table {place}" for place, name in enumerate(tables, start=1)},
        }

    def with_sections(self, sections: Iterable[Section]) -> Report:
        """The same report with further sections before its reference material."""
        before = [each for each in self.sections if not each.is_reference]
        after = [each for each in self.sections if each.is_reference]
        return replace(self, sections=(*before, *sections, *after))


def all_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """All blocks in the order of the page, those inside others too."""
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from all_blocks(block.blocks)


def contents_of(blocks: Iterable[Block]) -> str:
    """How many tables and figures there are among blocks, such as “2 tables, 1 figure”."""
    found = list(all_blocks(blocks))
    tables = sum(isinstance(block, PageTable) for block in found)
    figures = sum(isinstance(block, FigureBlock) for block in found)
    parts = [count(tables, "table")] * bool(tables) + [count(figures, "figure")] * bool(figures)
    return ", ".join(parts)


_FEW_COLUMNS = 4
_SENTENCE = 60  # characters
_MOST_ROWS = 30  # of a table that is open on the screen


def page_table(
    table: Table,
    *,
    name: str = "",
    caption: str = "",
    notes: tuple[str, ...] | None = None,
) -> PageTable:
    """The table with its headings; another name, caption or notes where the page has its own."""
    printed = table.rendering("print")
    return PageTable(
        id=f"table-{name or printed.name}",
        caption=caption or printed.caption,
        head=tuple(column.title for column in printed.columns),
        align=printed.align,
        rows=printed.on_page,
        notes=printed.notes if notes is None else notes,
        heads=printed.blocks,
    )


def fold_if_long(table: PageTable) -> Block:
    """A long table is closed on the screen."""
    if len(table.rows) <= _MOST_ROWS:
        return table
    return Fold(f"{table.caption.split('. ')[0]}: {count(len(table.rows), 'row')}", (table,))


_PATTERN = re.compile(r"""((?:id="|="#|url\(#)p[0-9a-f]{8})""")


def figure_block(picture: Picture) -> FigureBlock:
    """A figure as a block of a page."""
    return FigureBlock(
        id=f"figure-{picture.name}",
        caption=picture.caption,
        svg=picture.svg,
        numbers_in=picture.numbers_in,
        narrow_svg=with_own_ids(picture.narrow_svg, "n"),
    )


def figures_in(
    pictures: Iterable[Picture], section: str, *families: str, question: str | None = None
) -> Iterator[FigureBlock]:
    """The figures of a section, or those among them of some families or of one question."""
    for each in pictures:
        if each.section != section or (families and each.family not in families):
            continue
        if question is None or each.question == question:
            yield figure_block(each)


def with_own_ids(svg: str, mark: str) -> str:
    """The drawing with other names for its parts, since it is on the page a second time."""
    return _PATTERN.sub(rf"\1{mark}", svg)


_STYLE = re.compile(r"<style>(.*?)</style>\n?", re.DOTALL)
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]")


def to_html(report: Report) -> str:
    """The whole page as text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("rejudge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["anchor"] = anchor
    environment.filters["inside"] = _inside
    environment.filters["isolated"] = isolate_right_to_left
    page = environment.get_template("page.html").render(report=report, styles=_styles(report))
    return "\n".join(line for line in page.splitlines() if line.strip()) + "\n"


def _styles(report: Report) -> tuple[str, ...]:
    """The styles of all drawings, once each."""
    blocks = (block for section in report.sections for block in all_blocks(section.blocks))
    drawn = [each.svg for each in (report.figure, *blocks) if isinstance(each, FigureBlock)]
    return tuple(dict.fromkeys(style for svg in drawn for style in _STYLE.findall(svg)))


def _inside(svg: str) -> str:
    """A drawing within a page, which says what it is and has its style already."""
    return _STYLE.sub("", svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1), count=1)


def anchor(name: str) -> str:
    """A name that can stand in an address, and no other name becomes the same."""
    return _STRANGE.sub(lambda found: f"_{ord(found[0]):x}_", name)
