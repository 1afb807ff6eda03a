"""The stages of a study with planned looks: which places are open before each look.

A look comes when all open places are done, and only then are more opened. So everybody is at work
on what the next look uses, and nothing is collected that a look would leave out.

Whole batches are opened, in random order, where each has inputs of its own: then new items and new
participants arrive together, and the share of the places is the share of the information. Batches
that share inputs, such as the lists of a Latin square, are opened together, a part of the places of
each. People with lists of their own do them in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from rejudge.design.plan import Batch, Plan, people_needed
from rejudge.design.sampling import Chance
from rejudge.english import count
from rejudge.errors import DesignError, Problem
from rejudge.study.model import Study
from rejudge.study.sample_size import Stop

StageUnit: TypeAlias = Literal["batches", "places"]


@dataclass(frozen=True)
class Stages:
    """How many places of each batch are open before each look, calibration left aside."""

    open_places: tuple[Mapping[str, int], ...]  # by stage, then batch; never fewer than before
    unit: StageUnit  # whether whole batches are opened, or some places of each
    batches_per_participant: int = 1

    @property
    def looks(self) -> int:
        """How many looks there are, the last at the end."""
        return len(self.open_places)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """How many places are done at each look."""
        return tuple(sum(stage.values()) for stage in self.open_places)

    @cached_property
    def fractions(self) -> tuple[float, ...]:
        """The share of all places at each look, as near to the plan as whole batches come."""
        return tuple(number / self.places[-1] for number in self.places)

    @cached_property
    def people(self) -> tuple[int, ...]:
        """How many participants fill the places of each look."""
        most = [max(stage.values()) for stage in self.open_places]
        return tuple(
            people_needed(places, per_batch, self.batches_per_participant)
            for places, per_batch in zip(self.places, most, strict=True)
        )

    def added(self, stage: int) -> Mapping[str, int]:
        """The places that a stage adds to the one before; stages count from 1."""
        now = self.open_places[stage - 1]
        before = self.open_places[stage - 2] if stage > 1 else {}
        return {batch: n - before.get(batch, 0) for batch, n in now.items()}


def stages_of(study: Study, plan: Plan) -> Stages | None:
    """The stages of a study; None where no looks are planned. DesignError: it has too few parts."""
    stop = study.spec.stop
    if stop is None:
        return None
    groups = _in_order(plan, _linked(plan))
    if len(groups) >= stop.looks:
        opened = _by_batch(stop, groups)
    elif all(batch.participants >= stop.looks for batch in plan.main):
        return Stages(tuple(_by_place(stop, plan.main)), "places", plan.batches_per_participant)
    elif _compares(study) and len(plan.main) >= stop.looks:
        opened = _by_batch(stop, _in_order(plan, [[batch] for batch in plan.main]))
    else:
        raise _too_few(stop, plan, len(groups))
    return Stages(tuple(opened), "batches", plan.batches_per_participant)


def _compares(study: Study) -> bool:
    """Whether the question that decides shows both outputs on one page."""
    asked = study.spec.stop.question if study.spec.stop else None
    return any(each.id == asked and each.is_comparison for each in study.spec.questions)


def _linked(plan: Plan) -> list[list[Batch]]:
    """The batches in groups that share no input with each other, in the order of the plan."""
    group = {batch.id: batch.id for batch in plan.main}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name] = group[group[name]]
        return name

    for one, others in plan.conflicts.items():
        for other in others:
            if one in group and other in group:
                group[root(other)] = root(one)
    found: dict[str, list[Batch]] = {}
    for batch in plan.main:
        found.setdefault(root(batch.id), []).append(batch)
    return list(found.values())


def _in_order(plan: Plan, groups: Sequence[list[Batch]]) -> list[list[Batch]]:
    """The groups in random order; where people have lists, in the order of these."""
    if plan.lists is None:
        return Chance(plan.seed, "stages").shuffle(groups)
    places: dict[str, list[float]] = {}
    for own in plan.lists.values():
        for place, batch in enumerate(own):
            places.setdefault(batch, []).append(place / len(own))
    mean = {batch: sum(found) / len(found) for batch, found in places.items()}
    return sorted(groups, key=lambda group: min(mean.get(batch.id, 1.0) for batch in group))


def _by_batch(stop: Stop, groups: Sequence[list[Batch]]) -> list[Mapping[str, int]]:
    """Whole groups, as many as come nearest to the share of each look, and one more each time."""
    sizes = [sum(batch.participants for batch in group) for group in groups]
    total, opened, ends = sum(sizes), 0, []
    for look, share in enumerate(stop.shares, start=1):
        opened += 1  # every look has something new
        latest = len(groups) - (stop.looks - look)  # and leaves something for the others
        while opened < latest and _is_nearer(sizes, opened, share * total):
            opened += 1
        ends.append(opened if look < stop.looks else len(groups))
    return [
        {
            batch.id: batch.participants if place < end else 0
            for place, group in enumerate(groups)
            for batch in group
        }
        for end in ends
    ]


def _is_nearer(sizes: Sequence[int], opened: int, wanted: float) -> bool:
    """Whether one more group comes nearer to the number of places that is wanted."""
    now = sum(sizes[:opened])
    return abs(now + sizes[opened] - wanted) < abs(now - wanted)


def _by_place(stop: Stop, batches: Sequence[Batch]) -> list[Mapping[str, int]]:
    """Some places of every batch."""
    opened: dict[str, int] = dict.fromkeys((batch.id for batch in batches), 0)
    stages: list[Mapping[str, int]] = []
    for look, share in enumerate(stop.shares, start=1):
        for batch in batches:
            wanted = round(share * batch.participants)
            most = batch.participants - (stop.looks - look)
            opened[batch.id] = min(most, max(opened[batch.id] + 1, wanted))
        stages.append(dict(opened))
    return stages


def _too_few(stop: Stop, plan: Plan, groups: int) -> DesignError:
    least = min((batch.participants for batch in plan.main), default=0)
    what = (
        f"the plan cannot be done in {stop.looks} stages: it has {len(plan.main)} batches in "
        f"{groups} groups that share no input, and {least} participants per batch."
    )
    remedy = "Plan fewer looks, smaller batches, or more participants per batch."
    return DesignError(Problem(what, remedy, file="study.yaml", field="stop.looks"))


@dataclass(frozen=True, slots=True)
class StageClusters:
    """How much that is independent a look has: inputs on which both systems are judged, people."""

    inputs: int
    people: int

    @property
    def least(self) -> int:
        """What limits the comparison."""
        return min(self.inputs, self.people)


def clusters_at(study: Study, plan: Plan, stages: Stages, look: int) -> StageClusters:
    """The inputs and participants that the comparison of a look rests on; looks count from 1."""
    pair = set(study.spec.stop.systems if study.spec.stop else ())
    if not 1 <= look <= len(stages.open_places):
        what = f"the study has {count(len(stages.open_places), 'look')}, not {look}."
        raise DesignError(Problem(what, "Looks count from 1."))
    opened = stages.open_places[look - 1]
    judged: dict[str, set[str]] = {}
    for batch in plan.batches:
        if batch.is_calibration or opened.get(batch.id):
            for task in batch.real:
                group = study.item[task.item].group
                judged.setdefault(group, set()).update(pair.intersection(task.options))
    both = sum(shown == pair for shown in judged.values())
    return StageClusters(both, stages.people[look - 1])
