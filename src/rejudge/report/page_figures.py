"""Figures as they are on a page, each in the section that it carries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rejudge.report.blocks import Drawn
from rejudge.report.drawing import Picture

_PATTERN = re.compile(r"""((?:id="|url\(#)p[0-9a-f]{8})""")


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure with its drawing for phones."""

    picture: Picture
    narrow: Picture | None

    @property
    def block(self) -> Drawn:
        """The figure as a block of a page."""
        picture = self.picture
        return Drawn(
            id=f"figure-{picture.name}",
            caption=picture.caption,
            svg=picture.svg,
            numbers_in=picture.numbers_in,
            narrow_svg=with_own_ids(self.narrow.svg, "n") if self.narrow else "",
        )


def page_figures(wide: Iterable[Picture], narrow: Iterable[Picture]) -> tuple[PageFigure, ...]:
    """Every figure together with the same one for phones."""
    for_phones = {picture.name: picture for picture in narrow}
    return tuple(PageFigure(picture, for_phones.get(picture.name)) for picture in wide)


def figures_in(
    figures: Iterable[PageFigure], section: str, *families: str, question: str | None = None
) -> Iterator[Drawn]:
    """The figures of a section, or those among them of some families or of one question."""
    for each in figures:
        if each.picture.section != section or (families and each.picture.family not in families):
            continue
        if question is None or each.picture.question == question:
            yield each.block


def with_own_ids(svg: str, mark: str) -> str:
    """The drawing with other names for its patterns, since it is on the page a second time."""
    return _PATTERN.sub(rf"\1{mark}", svg)
