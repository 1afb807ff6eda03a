"""A power analysis for people and for programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejudge.cli.console import heading, render_table
from rejudge.layout.numbers import level_text, percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.power.fill import FilledRule
    from rejudge.power.results import PlannedPower

_MOST_SHOWN = 12  # sizes on the screen


def power_json(found: PlannedPower, written: list[str]) -> dict[str, Any]:
    """What power.json holds, with the power of each size; amounts are text, which is exact."""
    from pydantic_core import to_jsonable_python

    document: dict[str, Any] = to_jsonable_python(found)
    for size, row in zip(found.sizes, document["sizes"], strict=True):
        interval = size.hardest.interval
        row |= {"power": size.power, "power_interval": [interval.low, interval.high]}
    return {**document, "written": written}


def render_power(found: PlannedPower, written: list[str]) -> list[RenderableType]:
    """Sentences, the table of sizes, and what was assumed."""
    from rich.text import Text

    from rejudge.tables.power import (
        confirmation_sentences,
        frontier,
        look_sentences,
        power_sentences,
        power_table,
    )

    pieces: list[RenderableType] = [Text(said) for said in power_sentences(found)]
    pieces += [Text(said) for said in (*look_sentences(found), *confirmation_sentences(found))]
    is_long = len(found.sizes) > _MOST_SHOWN
    shown = replace(found, sizes=frontier(found), cheapest=None) if is_long else found
    title = "Sizes with more power than any cheaper one" if is_long else "Sizes"
    table = power_table("power", shown, "terminal")
    pieces += [heading(title), render_table(table, "Items")]
    if is_long:
        pieces.append(Text(f"All {len(found.sizes)} sizes are in tables/power.csv."))
    assumed = [f"Variation of judgments: {found.source}.", *found.assumptions, *found.notes]
    pieces += [Text(f"\n{assumed[0]}", "dim"), *(Text(each, "dim") for each in assumed[1:])]
    if written:
        pieces.append(Text(f"Written: {written[0]}, with tables and a figure."))
    return pieces


def render_filled(filled: FilledRule, folder: Path, written: list[str]) -> list[RenderableType]:
    """The size that a rule came to, and the analysis behind it."""
    from rich.text import Text

    size = filled.size
    target, reached = level_text(filled.power.target), percent(100 * size.power)
    verdict = (
        f"which reaches {target} power ({reached})"
        if size.reached
        else f"the most powerful size within the limits ({reached}); none reaches {target}"
    )
    money = "" if size.cost is None else f"{size.cost} {size.currency}, "
    first = (
        f"According to its rule, the study has {size.inputs:,} inputs and "
        f"{size.participants_per_batch} participants per batch, {verdict}: "
        f"{size.participants:,} participants, {money}{size.hours:g} hours."
    )
    pieces: list[RenderableType] = [Text(first, "bold"), *render_power(filled.power, [])]
    if written:
        pieces.append(Text(f"Written: {written[0]}"))
        pieces.append(Text(f"Now draw the plan of this size: rejudge plan {folder} --force"))
    return pieces
