"""All kinds of figures: each is registered once, with its place in a report and its table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rejudge.layout.table import file_name
from rejudge.report.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Format: TypeAlias = Literal["svg", "pdf", "png"]
ENDINGS: tuple[Format, ...] = ("pdf", "png")  # beside SVG
Per: TypeAlias = Literal["study", "question", "baselines", "power", "comparison"]


@dataclass(frozen=True)  # no slots: its SVG is drawn once
class Picture:
    """A figure with what is said about it; it is drawn when one of its formats is needed."""

    caption: str
    title: str  # with `description`, for those who cannot see it
    description: str
    draw: Callable[[float], Figure] = field(repr=False, compare=False)  # at a width
    name: str = ""  # of its files, without ending
    numbers_in: str = ""  # id of the table on the page with its numbers; "": none
    section: str = ""  # of the report
    family: str = ""  # systems, pairs, scores …
    question: str | None = None  # None: it is of the whole study

    def figure(self, width: float = style.WIDTH, font: Path | None = None) -> Figure:
        """The figure of matplotlib, in points."""
        with style.settings(font):
            return self.draw(width)

    def svg_at(self, width: float) -> str:
        """As it stands on a page, at a width in points."""
        with style.settings():
            return style.to_svg(self.draw(width), self.title, self.description)

    @cached_property
    def svg(self) -> str:
        """As it stands on a page."""
        return self.svg_at(style.WIDTH)

    @cached_property
    def narrow_svg(self) -> str:
        """As it stands on a phone."""
        return self.svg_at(style.PHONE)

    def file(self, ending: Format, font: Path | None = None) -> bytes:
        """Its content in a format; `font` has letters that DejaVu Sans lacks, for print."""
        if ending == "svg":
            return self.svg.encode()
        with style.settings(font):
            write = style.to_pdf if ending == "pdf" else style.to_png
            return write(self.draw(style.WIDTH), self.title)

    @property
    def words(self) -> Iterator[str]:
        """Everything that is written in it."""
        from matplotlib.text import Text

        return (each.get_text() for each in self.figure().findobj(Text))

    def _repr_svg_(self) -> str:
        """How a notebook shows it."""
        return self.svg


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of figure: for what it is drawn, and the function that does it."""

    per: Per
    pictures: Callable[..., Iterator[Picture]]


@dataclass(frozen=True, slots=True)
class Formats:
    """The formats of figures beside SVG; `font` has letters that DejaVu Sans lacks, for print."""

    endings: tuple[Format, ...] = ()
    font: Path | None = None


SVG_ONLY = Formats()
FIGURES: dict[str, _Kind] = {}
Made: TypeAlias = "Picture | Iterator[Picture] | None"


def figure(
    name: str,
    *,
    section: str,
    per: Per,
    family: str = "",
    table: str = "",
) -> Callable[[Callable[..., Made]], Callable[..., Made]]:
    """Register a kind of figure.

    `table` is what the table with its numbers is called, behind that of the question.
    """

    def register(function: Callable[..., Made]) -> Callable[..., Made]:
        @wraps(function)
        def pictures(*given: Any) -> Iterator[Picture]:
            made = function(*given)
            question = given[-1] if per in {"question", "baselines"} else None
            for each in [made] if isinstance(made, Picture) else made or ():
                yield replace(
                    each,
                    name=_join(question if per == "question" else None, name, each.name),
                    numbers_in=each.numbers_in or _table(table, question),
                    section=section,
                    family=family or name,
                    question=question,
                )

        FIGURES[f"{per} {name}"] = _Kind(per, pictures)
        return function

    return register


def _join(question: str | None, name: str, suffix: str) -> str:
    return "-".join(
        each for each in (file_name(question) if question else "", name, suffix) if each
    )


def _table(table: str, question: str | None) -> str:
    if not table:
        return ""
    return f"table-{table}" if question is None else f"table-{question}-{table}"


def pictures_per(per: Per, *given: Any) -> Iterator[Picture]:
    """All figures for something, in the order of registration."""
    for kind in FIGURES.values():
        if kind.per == per:
            yield from kind.pictures(*given)


def picture_files(
    pictures: Iterable[Picture], formats: Formats = SVG_ONLY, *, folder: str = "figures"
) -> dict[str, bytes]:
    """Every figure as SVG and in the formats that are asked for, by the name of the file."""
    return {
        f"{folder}/{each.name}.{ending}": each.file(ending, formats.font)
        for each in pictures
        for ending in dict.fromkeys(("svg", *formats.endings))
    }


def characters_not_printed(pictures: Iterable[Picture], font: Path | None = None) -> str:
    """Letters that the PDF and PNG files show as boxes, because no font has them."""
    return style.missing_characters((words for each in pictures for words in each.words), font)
