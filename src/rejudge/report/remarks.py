"""What participants wrote in their own words, as a section and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis import Remark, RemarkList
from rejudge.english import count, versus
from rejudge.report.blocks import Block, Fold, Paragraph, Passage, Section, Texts
from rejudge.report.sheet import Column, Sheet

_MOST_SHOWN = 200  # remarks of one list on the page
_LONGEST = 2000  # characters of a remark on the page and in print
_IN_PRINT = 40  # rows
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


def remark_sheet(lists: Sequence[RemarkList], labels: Mapping[str, str]) -> Sheet:
    """Every remark; in print the beginning of long ones."""
    rows = tuple(
        (each.id, each.prompt, one.participant, one.item, _systems(one, labels) or None, one.text)
        for each in lists
        for one in each.remarks
    )
    sheet = Sheet(
        "remarks",
        "What participants wrote in their own words.",
        tuple(map(Column, ("about", "asked", "participant", "item", "system", "remark"))),
        rows,
        _IN_PRINT,
    )
    return replace(sheet, in_print=replace(sheet, rows=tuple(map(_shortened, rows))))


def remark_counts(found: RemarkList) -> str:
    """How many remarks there are, and how many participants wrote them."""
    remarks = count(len(found.remarks), "remark")
    if found.answered is None or found.participants is None:
        return f"{remarks}; it is not known who wrote them"
    return f"{remarks} by {found.answered:,} of {count(found.participants, 'participant')}"


def _title(found: RemarkList) -> str:
    return f"{found.prompt.rstrip(' .:')}: {remark_counts(found)}"


def _blocks(found: RemarkList, labels: Mapping[str, str]) -> Iterator[Block]:
    shown = found.remarks[:_MOST_SHOWN]
    passages = tuple(Passage(_label(each, labels), _cut(each.text), "") for each in shown)
    yield Texts(found.prompt, f"{remark_counts(found)}.", passages)
    if len(shown) < len(found.remarks) or any(len(each.text) > _LONGEST for each in shown):
        first = f"The first {len(shown):,} of {count(len(found.remarks), 'remark')}"
        yield Paragraph(
            f"{first}, at most {_LONGEST:,} characters of each; all of it is in "
            "tables/remarks.csv.",
            "aside",
        )


def _label(remark: Remark, labels: Mapping[str, str]) -> str:
    item = f"item {remark.item}" if remark.item else ""
    parts = (remark.participant or "", item, _systems(remark, labels))
    return ", ".join(part for part in parts if part) or "Not known who"


def _systems(remark: Remark, labels: Mapping[str, str]) -> str:
    named = [labels.get(system, system) for system in remark.systems]
    return versus(named, "") if len(named) > 1 else "".join(named)


def _shortened(row: tuple[str | None, ...]) -> tuple[str | None, ...]:
    return (*row[:-1], _cut(row[-1] or ""))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} …"
