"""What an import says about the original's page: what was left out, chosen, hidden or repaired."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from rejudge.exchange.mturk_mapping import HitMapping
from rejudge.study.page_elements import LayoutControl
from rejudge.study.page_layout import PageLayout, markup_faults, split_name

_MARKUP: Final = re.compile(
    r"<(?:br|p|b|i|u|em|strong|span|div|ul|ol|li|table|sup|sub|font)\b[^<>]*>", re.IGNORECASE
)


def describe_layout(
    layout: PageLayout,
    rows: Sequence[Mapping[str, str]],
    mapping: HitMapping,
    *,
    asked: Collection[str],
) -> Iterator[str]:
    """How the page differs from what people saw; `asked` are the fields that are questions."""
    if layout.left_out:
        yield f"Left out of the layout as it is shown: {', '.join(layout.left_out)}."
    if layout.untranslated:
        yield f"No plain counterpart exists for {', '.join(layout.untranslated)}."
    yield from _chosen_notes(layout.controls)
    yield from _hidden_notes(layout.controls, asked)
    yield from _repair_notes(layout, rows, mapping)
    markup = describe_markup(layout, rows, mapping)
    if markup is not None:
        yield markup


def _chosen_notes(controls: Iterable[LayoutControl]) -> Iterator[str]:
    chosen = dict.fromkeys(
        (_stem(control), value) for control in controls for value in control.chosen
    )
    if chosen:
        values = ", ".join(f"{stem} = {value}" for stem, value in chosen)
        yield (
            f"Chosen in advance on the original page: {values}. Here nothing is chosen in advance, "
            "which is a deviation from the original."
        )


def _hidden_notes(controls: Iterable[LayoutControl], asked: Collection[str]) -> Iterator[str]:
    hidden = dict.fromkeys(_stem(control) for control in controls if control.is_hidden)
    shown = [stem for stem in hidden if stem in asked]
    others = [stem for stem in hidden if stem not in asked]
    if shown:
        yield (
            f"Hidden on the original page, perhaps until a script showed them: {', '.join(shown)}. "
            "Here they are visible and asked; remove a question that nobody was asked."
        )
    if others:
        yield f"Hidden on the original page, and not asked here: {', '.join(others)}."


def _stem(control: LayoutControl) -> str:
    return split_name(control.name)[0] or control.name


def _repair_notes(
    layout: PageLayout, rows: Sequence[Mapping[str, str]], mapping: HitMapping
) -> Iterator[str]:
    if layout.repaired:
        yield f"Repaired in the layout, which may look different: {'; '.join(layout.repaired)}."
    found = {
        split_name(name)[0]: (fault, row[name])
        for row in reversed(rows)
        for name in html_names(layout.placeholders, mapping)
        for fault in markup_faults(row.get(name, ""))
    }
    for stem, (fault, text) in found.items():
        yield (
            f"Repaired in texts of {stem}, which may look different: {fault} in "
            f"“{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}”."
        )


_LONGEST: Final = 80  # letters of a text in a message


def html_names(names: Sequence[str], mapping: HitMapping) -> list[str]:
    """The columns whose markup is shown, with their numbers."""
    return [name for name in names if {name, split_name(name)[0]} & set(mapping.html)]


def describe_markup(
    layout: PageLayout, rows: Sequence[Mapping[str, str]], mapping: HitMapping
) -> str | None:
    """A note on texts with markup, which had an effect on the page where they were shown."""
    cleaned = set(html_names(layout.placeholders, mapping))
    shown = [name for name in layout.placeholders if name not in cleaned]
    found = {
        split_name(name)[0]: match[0]
        for name in shown
        for row in rows
        if (match := _MARKUP.search(row.get(name, "")))
    }
    if not found:
        return None
    return (
        f"Texts of {', '.join(found)} have markup such as {next(iter(found.values()))}, which is "
        f"shown as text. Write `html: [{', '.join(found)}]` in a mapping file to have it cleaned "
        "and take effect, as it did on the original page."
    )
