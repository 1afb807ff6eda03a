"""A power analysis for people and for programs."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.cli.console import heading, render_table
from rejudge.layout.numbers import level_text, percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.power.fill import FilledRule
    from rejudge.power.results import PlannedPower, SizePower

_MOST_SHOWN = 12  # sizes on the screen


def power_json(found: PlannedPower, written: list[str]) -> dict[str, object]:
    """The analysis with documented keys."""
    return {
        "target": found.target,
        "effects": [
            {
                "question": each.question,
                "effect": each.effect,
                "unit": each.unit,
                "order": list(each.order),
                "pair": None if each.pair is None else list(each.pair),
            }
            for each in found.effects
        ],
        "tests": [
            {
                "question": each.question,
                "test": each.test,
                "unit": each.unit,
                "alternative": each.alternative,
                "pairs": each.pairs,
            }
            for each in found.tests
        ],
        "alpha": found.alpha,
        "correction": found.correction,
        "family": found.family,
        "parameters": found.parameters,
        "source": found.source,
        "assumptions": list(found.assumptions),
        "sizes": [_size(each) for each in found.sizes],
        "planned": _size(found.planned) if found.planned.is_planned else None,
        "cheapest": None if found.best is None else _size(found.best),
        "confirmations": [
            {
                "question": each.question,
                "test": each.test,
                "systems": list(each.systems),
                "studies": each.studies,
                "power": each.power,
                "power_interval": [each.mc.low, each.mc.high],
                "closed_form": each.closed_form,
            }
            for each in found.confirmations
        ],
        "looks": None if found.looks is None else asdict(found.looks),
        "seed": found.seed,
        "engine": found.engine,
        "precision": found.precision,
        "after_data": found.is_after_data,
        "notes": list(found.notes),
        "written": written,
    }


def _size(size: SizePower) -> dict[str, object]:
    """Amounts are text, so that they stay exact."""
    return {
        "items": size.items,
        "per_item": size.per_item,
        "participants": size.participants,
        "judgments": size.judgments,
        "batches": size.batches,
        "batches_per_participant": size.batches_per_participant,
        "hours": round(size.hours, 2),
        "cost": None if size.cost is None else str(size.cost),
        "currency": size.currency,
        "missing_items": size.missing_items,
        "is_planned": size.is_planned,
        "studies": size.studies,
        "power": size.power,
        "power_interval": [size.hardest.mc.low, size.hardest.mc.high],
        "all_found": size.all_found,
        "comparisons": [
            {
                "question": each.question,
                "test": each.test,
                "systems": list(each.systems),
                "true_difference": each.truth,
                "power": each.power,
                "power_interval": [each.mc.low, each.mc.high],
                "exaggeration": each.exaggeration,
                "wrong_sign": each.wrong_sign,
                "width": each.width,
                "undefined": each.undefined,
            }
            for each in size.comparisons
        ],
        "rankings": [
            {
                "question": each.question,
                "same": each.same,
                "same_as_planned": each.same_as_planned,
            }
            for each in size.rankings
        ],
        "claims": [
            {
                "claim": each.claim,
                "says": each.says,
                "upheld": each.upheld,
                "same": each.same,
                "same_as_planned": each.same_as_planned,
                "verdicts": dict(each.verdicts),
            }
            for each in size.claims
        ],
    }


def render_power(found: PlannedPower, written: list[str]) -> list[RenderableType]:
    """Sentences, the table of sizes, and what was assumed."""
    from rich.text import Text

    from rejudge.tables.power import (
        confirmation_sentences,
        frontier,
        look_sentences,
        power_sentences,
        size_table,
    )

    pieces: list[RenderableType] = [Text(said) for said in power_sentences(found)]
    pieces += [Text(said) for said in (*look_sentences(found), *confirmation_sentences(found))]
    is_long = len(found.sizes) > _MOST_SHOWN
    shown = replace(found, sizes=frontier(found), cheapest=None) if is_long else found
    title = "Sizes with more power than any cheaper one" if is_long else "Sizes"
    table = size_table(found).where(
        lambda row: (
            tuple(row[:3])
            in {(size.items, size.per_item, size.participants) for size in shown.sizes}
        )
    )
    pieces += [heading(title), render_table(table, "items")]
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
