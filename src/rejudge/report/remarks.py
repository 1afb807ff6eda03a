"""What participants wrote in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import Remark, RemarkList
from rejudge.english import count
from rejudge.report.blocks import Block, Fold, Paragraph, Passage, Section, Texts
from rejudge.tables.participants import (
    MOST_REMARK_CHARACTERS,
    remark_systems,
    shorten_remark,
)
from rejudge.tables.sentences import remark_counts

_MOST_SHOWN = 200  # remarks of one list on the page
_PERSONAL = (
    "As participants wrote them. Remarks can say who somebody is: read them before you pass this "
    "page on."
)


def remark_sections(
    lists: Sequence[RemarkList], labels: Mapping[str, str], *, is_simulated: bool
) -> Iterator[Section]:
    """The section of remarks, folded; none where nobody wrote anything."""
    if not lists:
        return
    by_program = ["Written by a program, not by people."] if is_simulated else []
    intro = Paragraph(" ".join([*by_program, _PERSONAL]))
    folds = (Fold(_title(each), tuple(_blocks(each, labels))) for each in lists)
    yield Section("remarks", "Remarks", (intro, *folds))


def _title(found: RemarkList) -> str:
    return f"{found.prompt.rstrip(' .:')}: {remark_counts(found)}"


def _blocks(found: RemarkList, labels: Mapping[str, str]) -> Iterator[Block]:
    shown = found.remarks[:_MOST_SHOWN]
    passages = tuple(Passage(_label(each, labels), shorten_remark(each.text), "") for each in shown)
    yield Texts(found.prompt, f"{remark_counts(found)}.", passages)
    if len(shown) < len(found.remarks) or any(
        len(each.text) > MOST_REMARK_CHARACTERS for each in shown
    ):
        first = f"The first {len(shown):,} of {count(len(found.remarks), 'remark')}"
        yield Paragraph(
            f"{first}, at most {MOST_REMARK_CHARACTERS:,} characters of each; all of it is in "
            "tables/remarks.csv.",
            "aside",
        )


def _label(remark: Remark, labels: Mapping[str, str]) -> str:
    item = f"item {remark.item}" if remark.item else ""
    parts = (remark.participant or "", item, remark_systems(remark, labels))
    return ", ".join(part for part in parts if part) or "Not known who"
