"""Confirm the fast simulation: complete studies of the planned size, analysed as planned.

Simulated people fill every place of the plan, exclusions are applied, and every planned test runs
as it will on the real answers. It takes about a thousand times as long for each study.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rejudge.executors.chunks import Chunk, Executor, SerialExecutor
from rejudge.power.complete import complete_chunk
from rejudge.power.grid import GridRequest
from rejudge.power.planned_power import Confirmation, PlannedPower
from rejudge.power.sizes import planned_shape
from rejudge.power.summaries import comparison_powers

_COMPLETE: Final = "The power of the planned size is from complete studies: --confirm adds nothing."
_IN_A_CHUNK: Final = 10
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
    chunks = [
        Chunk(
            f"complete-{number}",
            (request.seed, _SEED, number),
            (request.study, request.plan, request.task, shape, min(_IN_A_CHUNK, studies - start)),
        )
        for number, start in enumerate(range(0, studies, _IN_A_CHUNK))
    ]
    tallies = (executor or SerialExecutor()).run(complete_chunk, chunks, progress=progress)
    if not tallies or not found.planned.is_planned:
        return found
    whole = tallies[0]
    for each in tallies[1:]:
        whole += each
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
