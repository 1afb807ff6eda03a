"""Confirm the fast simulation: complete studies of the planned size, analysed as planned.

Simulated people fill every place of the plan, exclusions are applied, and every planned test runs
as it will on the real answers. It takes about a thousand times as long for each study.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from typing import Final

from rejudge import parallel
from rejudge.power.complete import complete_tally
from rejudge.power.grid import GridRequest
from rejudge.power.planned_power import Confirmation, PlannedPower
from rejudge.power.sizes import planned_shape
from rejudge.power.summaries import comparison_powers
from rejudge.power.tallies import SizeTally

_COMPLETE: Final = "The power of the planned size is from complete studies: --confirm adds nothing."
_PER_PART: Final = 10
_SEED: Final = 1_000_003  # so that complete studies do not share chance with fast ones


def confirm(
    request: GridRequest,
    found: PlannedPower,
    studies: int,
    *,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
) -> PlannedPower:
    """The power analysis with the same numbers from complete studies of the planned size.

    Where studies of the planned size are complete already, a note says so.
    """
    if found.engine == "complete":
        return replace(found, notes=(*found.notes, _COMPLETE))
    shape = planned_shape(request.study, request.plan)
    sizes = [min(_PER_PART, studies - start) for start in range(0, studies, _PER_PART)]
    parts = [
        (request.study, request.plan, request.task, shape, size, (request.seed, _SEED, number))
        for number, size in enumerate(sizes)
    ]
    whole: SizeTally | None = None
    for done, tally in enumerate(parallel.run(complete_tally, parts, executor), start=1):
        whole = tally if whole is None else whole + tally
        if progress is not None:
            progress(done / len(parts))
    if whole is None or not found.planned.is_planned:
        return found
    own = replace(request.task, plan=request.task.plan.without_stand_ins)
    pairs = zip(comparison_powers(own, whole), found.planned.comparisons, strict=True)
    return replace(
        found,
        confirmations=tuple(
            Confirmation(
                each.question, each.test, each.systems, whole.studies, each.power, each.mc,
                fast.power,
            )
            for each, fast in pairs
        ),
    )  # fmt: skip
