"""Which figure stands where: by the name of its file, which tells its question and its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rejudge.layout.table import file_name
from rejudge.report.blocks import Drawn
from rejudge.report.drawing import Picture

_PLACES = (
    ("participants", ("flow", "profile", "demographics", "times", "way", "pay", "pages")),
    ("agreement", ("agreement", "people", "participants", "raters", "likeness")),
    ("items", ("units", "items")),
    ("checks", ("checks", "sides", "drift", "positions")),
    ("reach", ("sensitivity", "precision", "power", "detectable", "reliability")),
)
RESULTS = "results"


@dataclass(frozen=True, slots=True)
class Placed:
    """A picture with the part of the report it belongs to."""

    picture: Picture
    narrow: Picture | None  # the same for a phone
    section: str
    question: str | None  # None: it is of the whole study
    family: str  # systems, pairs, scores …

    @property
    def drawn(self) -> Drawn:
        """As it stands on the page."""
        picture = self.picture
        return Drawn(
            id=f"figure-{picture.name}",
            caption=picture.caption,
            svg=picture.svg,
            numbers_in=picture.numbers_in,
            narrow_svg=with_own_ids(self.narrow.svg, "n") if self.narrow else "",
        )


def placed(
    pictures: Iterable[Picture], narrow: Iterable[Picture], questions: Sequence[str]
) -> tuple[Placed, ...]:
    """Every picture in its place; one of no known kind stands with the results."""
    for_phones = {picture.name: picture for picture in narrow}
    return tuple(_placed(picture, for_phones.get(picture.name), questions) for picture in pictures)


def in_section(pictures: Iterable[Placed], section: str, *families: str) -> Iterator[Drawn]:
    """The figures of a section, or those among them of some families."""
    for each in pictures:
        if each.section == section and (not families or _kind(each.family) in families):
            yield each.drawn


def with_own_ids(svg: str, mark: str) -> str:
    """A drawing whose patterns have names that the same drawing elsewhere on a page has not."""
    return _PATTERN.sub(rf"\1{mark}", svg)


_PATTERN = re.compile(r"""((?:id="|url\(#)p[0-9a-f]{8})""")


def _kind(family: str) -> str:
    return family.partition("-")[0]


def _placed(picture: Picture, narrow: Picture | None, questions: Sequence[str]) -> Placed:
    owners = [q for q in questions if picture.name.startswith(f"{file_name(q)}-")]
    owner = max(owners, key=len, default=None)
    family = picture.name if owner is None else picture.name[len(file_name(owner)) + 1 :]
    section = next(
        (name for name, words in _PLACES if _kind(family) in words),
        RESULTS,
    )
    return Placed(picture, narrow, section, owner, family)
