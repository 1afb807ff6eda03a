"""A power analysis to be shown: three sizes, the first planned, the second the cheapest."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from rejudge.power.plan import SimulatedTest, StatedEffect
from rejudge.power.results import (
    ComparisonPower,
    PlannedPower,
    Repeat,
    SizePower,
)
from rejudge.stats import Interval
from rejudge.study.analysis_plan import PlannedTest


def size(items: int, power: float, cost: str | None, **changes: object) -> SizePower:
    """A size with one comparison."""
    mc = Interval(power - 0.01, power + 0.01, 0.95)
    pair = ComparisonPower("fluency", "mixed-model", ("a", "b"), 0.3, power, mc, 1.2, 0.0, 0.4)
    made = SizePower(
        items, 3, items, 3 * items, items // 5, 1, items / 10, 6000, (pair,), power,
        (Repeat("fluency", 0.9),),
        (Repeat("c1", 0.82, "a best on fluency", {"supported": 0.9}),),
        cost=None if cost is None else Decimal(cost),
        currency=None if cost is None else "GBP",
    )  # fmt: skip
    return replace(made, **changes)


PLANNED = PlannedPower(
    study="s",
    target=0.8,
    effects=(StatedEffect("fluency", 0.3, "points of the scale", ("a", "b")),),
    tests=(SimulatedTest(PlannedTest(question="fluency", test="mixed-model"), (("a", "b"),)),),
    alpha=0.05,
    correction="holm",
    family=1,
    parameters={},
    source="a pilot",
    assumptions=("Nobody was careless.",),
    sizes=(
        size(50, 0.6, "100.00", is_planned=True),
        size(100, 0.85, "200.00", missing_items=20),
        size(120, 0.84, "240.00"),
    ),
    cheapest=1,
    precision=0.01,
    seed=1,
    engine="balanced",
    command="rejudge power DIR --effect 0.3",
)
