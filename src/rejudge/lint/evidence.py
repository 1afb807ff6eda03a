"""What a rule looks at, and what it hands back.

A rule reads the evidence and never changes it. Where there is a plan, items are those the plan
shows; where there is none, they are all items of the study.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rejudge.design import Batch, Change, Duration, Plan, Quote, Task, values_of
from rejudge.errors import Problem
from rejudge.study import Item, Question, Study, as_shown, fill

CROWD = ("prolific", "mturk")  # platforms where strangers work for pay


@dataclass(frozen=True, slots=True)
class Found:
    """One thing a rule found: what it is, where, and what to do."""

    message: str
    places: tuple[str, ...]
    remedy: str


class Comparison(NamedTuple):  # there are many: a plan of 50,000 inputs has 300,000
    """Outputs of one item that stand side by side, as places among its outputs."""

    item: Item
    systems: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A page of a starter, and the inputs that it is about."""

    starter: str
    role: str
    text: str
    inputs: frozenset[str]
    subject: str = ""  # what its inputs are called, as a regular expression


@dataclass(frozen=True)
class Evidence:
    """A study with all that is known about it before anybody is asked."""

    study: Study
    plan: Plan | None = None
    frozen_changes: Sequence[Change] = ()
    quote: Quote | None = None
    duration: Duration | None = None
    obstacles: Sequence[Problem] = ()  # why no plan could be drawn, or no price computed
    stale_plan: Plan | None = None  # drawn from another state of the study, so not relied upon
    templates: Sequence[Template] = ()

    @property
    def is_crowd(self) -> bool:
        """Whether people come from a platform where strangers work for pay."""
        return self.study.spec.recruitment.platform in CROWD

    @cached_property
    def page_values(self) -> Mapping[str, str]:
        """What the placeholders of the pages stand for, as far as it is known."""
        return values_of(self.study, self.plan, self.quote)

    @cached_property
    def pages(self) -> Mapping[str, str]:
        """The pages by role, as participants read them."""
        return {role: fill(text, self.page_values) for role, text in self.study.pages.items()}

    @cached_property
    def judged(self) -> tuple[Item, ...]:
        """The items whose outputs are judged, in the order of their file."""
        if self.plan is None:
            return self.study.items
        in_plan = {task.item for task in self.plan.tasks() if task.is_real}
        return tuple(item for item in self.study.items if item.id in in_plan)

    @cached_property
    def shown_inputs(self) -> Mapping[str, str]:
        """The inputs of the judged items as they look on a page, by item."""
        return {item.id: as_shown(item.input) for item in self.judged}

    @cached_property
    def shown_outputs(self) -> Mapping[str, tuple[str | None, ...]]:
        """The outputs of the judged items as they look on a page, by item."""
        return {
            item.id: tuple(None if text is None else as_shown(text) for text in item.outputs)
            for item in self.judged
        }

    @cached_property
    def comparing(self) -> tuple[Question, ...]:
        """The questions that put outputs side by side."""
        return tuple(question for question in self.study.spec.questions if question.is_comparison)

    def comparisons(self, size: int) -> Iterator[Comparison]:
        """All judged comparisons of so many outputs."""
        if self.plan is not None:
            return self._planned_comparisons(self.plan, size)
        return self._possible_comparisons(size)

    def real_tasks(self, size: int) -> Iterator[tuple[Batch, Task]]:
        """The real tasks of the plan that show so many outputs."""
        for batch in self.plan.batches if self.plan else ():
            for task in batch.tasks:
                if task.is_real and len(task.options) == size:
                    yield batch, task

    def line(self, item: Item) -> str:
        """Where an item stands, such as `items.csv:17`."""
        return f"{self.study.spec.items.file}:{item.line}"

    def _planned_comparisons(self, plan: Plan, size: int) -> Iterator[Comparison]:
        item, place = self.study.item, self.study.system_place
        places: dict[tuple[str, ...], tuple[int, ...]] = {}
        for task in plan.tasks():
            if task.is_real and len(task.options) == size:
                if task.options not in places:
                    places[task.options] = tuple(place[option] for option in task.options)
                yield Comparison(item[task.item], places[task.options])

    def _possible_comparisons(self, size: int) -> Iterator[Comparison]:
        # Which tuples of a best-worst question meet is the plan's choice, unless all systems do.
        sets = self.pairs if size == 2 else ()  # noqa: PLR2004 - a pair
        if size == len(self.study.system_ids) > 2:  # noqa: PLR2004
            sets = (tuple(range(size)),)
        for item in self.study.items:
            for systems in sets:
                if all(item.outputs[place] is not None for place in systems):
                    yield Comparison(item, systems)

    @cached_property
    def pairs(self) -> tuple[tuple[int, ...], ...]:
        """The pairs of systems that the design compares, as places."""
        asked = self.study.spec.design.pairs
        place = self.study.system_place
        if asked == "all":
            return tuple(itertools.combinations(range(len(place)), 2))
        return tuple((place[a], place[b]) for a, b in asked)


def place_of(batch: Batch, task: Task) -> str:
    """Where a task stands in the plan."""
    return f"batch {batch.id}, task {task.id}"
