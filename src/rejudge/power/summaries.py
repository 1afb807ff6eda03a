"""What simulated studies of one size came to, as the numbers of a power analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rejudge.power.paired import PairedTally, as_planned, planned_shares
from rejudge.power.planned_power import ClaimRepeat, ComparisonPower
from rejudge.power.planned_tests import Pair, SimulatedTest
from rejudge.power.studies import wilson
from rejudge.power.tallies import (
    DEFINED,
    FOUND,
    FOUND_SIZE,
    REVERSED,
    STRATA,
    VALUE,
    WIDTH,
    WIDTHS,
    PowerTask,
    SizeTally,
    repeats,
)
from rejudge.power.verdicts import VERDICTS


def comparison_powers(
    task: PowerTask, tally: SizeTally, paired: PairedTally | None = None
) -> tuple[ComparisonPower, ...]:
    """What each test of each pair came to; `paired`: the planned tests themselves."""
    if paired is not None:
        alone = comparison_powers(as_planned(task), paired.planned)
        shares = planned_shares(paired, tally, STRATA)
        return tuple(
            replace(each, power=share.value, mc=share.mc)
            for each, share in zip(alone, shares, strict=True)
        )
    return tuple(
        _comparison(task, test, pair, (tally.studies, row))
        for (test, pair), row in zip(task.comparisons, tally.sums.tolist(), strict=True)
    )


def _comparison(
    task: PowerTask, test: SimulatedTest, pair: Pair, counted: tuple[int, Sequence[float]]
) -> ComparisonPower:
    studies, row = counted
    truth = task.difference(test.question, pair)
    mean = abs(row[VALUE] / studies)
    has_effect = truth != 0 and row[FOUND] > 0 and mean > 0
    width = row[WIDTH] / row[WIDTHS] if row[WIDTHS] else None
    if width is not None and truth and mean > 0 and not test.is_on_scale(task.questions):
        width *= abs(truth) / mean
    return ComparisonPower(
        test.question,
        test.planned,
        pair,
        truth,
        row[FOUND] / studies,
        wilson(row[FOUND], studies),
        row[FOUND_SIZE] / row[FOUND] / mean if has_effect else None,
        row[REVERSED] / row[FOUND] if has_effect else None,
        width,
        1 - row[DEFINED] / studies,
    )


def hardest_power(
    task: PowerTask, tally: SizeTally, paired: PairedTally | None = None
) -> ComparisonPower:
    """The true difference that is found least often."""
    every = comparison_powers(task, tally, paired)
    differing: Sequence[ComparisonPower] = [each for each in every if each.is_difference]
    return min(differing or every, key=lambda each: each.power)


def claim_repeats(
    task: PowerTask, tally: SizeTally, planned: SizeTally | None
) -> tuple[ClaimRepeat, ...]:
    """How often each claim is supported, and how often its verdict comes out the same again."""
    found = []
    for claim in task.simulated_claims:
        own = tally.verdicts[claim.id]
        same = repeats(own)
        shares = {VERDICTS[place]: number / tally.studies for place, number in own.items()}
        found.append(
            ClaimRepeat(
                claim.id,
                claim.says,
                shares.get("supported", 0.0),
                dict(sorted(shares.items())),
                same,
                same if planned is None else repeats(own, planned.verdicts[claim.id]),
            )
        )
    return tuple(found)
