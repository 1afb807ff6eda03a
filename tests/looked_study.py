"""A small study with planned looks, and people who fill its stages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rejudge.design.plan import Plan
from rejudge.design.stages import stages_of
from rejudge.judgments.answers import tabulate
from rejudge.judgments.table import Judgments
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import Crowd, participant_seats
from rejudge.study.model import Study
from small_site import study_of

PAID = "payment: {currency: GBP, minutes: 10, hourly: 12}\n"
ANALYSIS = "analysis: {tests: [{question: meaning, test: cluster-robust}]}\n"


def stop(boundary: str = "obrien-fleming", looks: int = 2, more: str = "") -> str:
    """The lines of study.yaml about looks."""
    return (
        f"{PAID}{ANALYSIS}stop: {{looks: {looks}, boundary: {boundary}, question: meaning, "
        f"systems: [north, south]{more}}}\n"
    )


def looked_study(
    batches: int = 8, people: int = 3, *, boundary: str = "obrien-fleming", looks: int = 2
) -> tuple[Study, Plan]:
    """Batches of three tasks, each for so many people."""
    return study_of(batches, people, more=stop(boundary, looks))


def judged(
    study: Study, plan: Plan, stage: int | None = None, *, gap: float = 0.0, seed: int = 1
) -> Judgments:
    """Judgments that fill the places of a stage, or all; `gap`: how much better north is."""
    rng = np.random.default_rng(seed)
    parameters = Parameters(quality={"north": gap / 2, "south": -gap / 2})
    crowd = Crowd(study, plan, rng=rng, parameters=parameters)
    stages = stages_of(study, plan)
    opened: Mapping[str, int] = {batch.id: batch.participants for batch in plan.batches}
    if stages is not None and stage is not None:
        opened = stages.open_places[stage - 1]
    answers = []
    for number, own in enumerate(participant_seats(plan), start=1):
        person = crowd.person(f"sim-{number:03}")
        for seat in own:
            given = person.answers(seat)
            if seat.number < opened.get(seat.batch.id, 0):
                answers += given
    return tabulate(study, plan, answers)
