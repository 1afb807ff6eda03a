"""Figures as they are shown on a page: in a wide form and in one for phones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rejudge.report.blocks import Drawn
from rejudge.report.drawing import Picture

_PATTERN = re.compile(r"""((?:id="|url\(#)p[0-9a-f]{8})""")


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A picture in both its forms."""

    picture: Picture
    narrow: Picture | None  # the same for a phone

    @property
    def block(self) -> Drawn:
        """The figure as a block of a report."""
        picture = self.picture
        return Drawn(
            id=f"figure-{picture.name}",
            caption=picture.caption,
            svg=picture.svg,
            numbers_in=picture.numbers_in,
            narrow_svg=with_own_ids(self.narrow.svg, "n") if self.narrow else "",
        )


def page_figures(pictures: Iterable[Picture], narrow: Iterable[Picture]) -> tuple[PageFigure, ...]:
    """Every picture with its form for phones."""
    for_phones = {picture.name: picture for picture in narrow}
    return tuple(PageFigure(picture, for_phones.get(picture.name)) for picture in pictures)


def select_figures(
    figures: Iterable[PageFigure], *kinds: str, question: str | None = None
) -> Iterator[Drawn]:
    """The figures of some kinds, on one question or on all."""
    for each in figures:
        is_asked = question is None or each.picture.question == question
        if each.picture.kind in kinds and is_asked:
            yield each.block


def with_own_ids(svg: str, mark: str) -> str:
    """A drawing whose patterns have other ids than the same drawing elsewhere on a page."""
    return _PATTERN.sub(rf"\1{mark}", svg)
