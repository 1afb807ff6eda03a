"""What a rule reads, what it returns, and how findings list things.

A rule reads the evidence and never changes it. With a plan, items are those that the plan shows;
without one, they are all items of the study.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import NamedTuple

from rejudge.design.duration import Duration
from rejudge.design.freeze import Change
from rejudge.design.pages import values_of
from rejudge.design.pay import Quote
from rejudge.design.plan import Batch, Plan, Task
from rejudge.errors import Problem
from rejudge.platforms import platform
from rejudge.study.items import page_text
from rejudge.study.kinds.question import Question
from rejudge.study.model import Item, Study, fill_placeholders


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing a rule found: what it is, where, and what to do."""

    message: str
    places: tuple[str, ...]
    remedy: str


class OutputSet(NamedTuple):  # there are many: a plan of 50,000 inputs has 300,000
    """Outputs of one item that are shown side by side, as places among its outputs."""

    item: Item
    systems: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A page of a starter, and the inputs that it describes."""

    starter: str
    role: str
    text: str
    inputs: frozenset[str]


@dataclass(frozen=True)
class StudyEvidence:
    """A study with everything known about it before data collection."""

    study: Study
    plan: Plan | None = None
    frozen_changes: Sequence[Change] = ()
    quote: Quote | None = None
    duration: Duration | None = None
    obstacles: Sequence[Problem] = ()  # why no plan could be drawn, or no price computed
    stale_plan: Plan | None = None  # drawn from an earlier version of the study, so not used
    templates: Sequence[Template] = ()
    today: date | None = None  # None: dates are not checked
    is_frozen: bool | None = None  # None: not known

    @property
    def is_crowd(self) -> bool:
        """Whether participants come from a platform where people work for pay."""
        return platform(self.study.spec.recruitment.platform).is_crowd

    @cached_property
    def page_values(self) -> Mapping[str, str]:
        """The values of the placeholders on the pages, as far as they are known."""
        return values_of(self.study, self.plan, self.quote)

    @cached_property
    def pages(self) -> Mapping[str, str]:
        """The pages by role, as participants read them."""
        return {
            role: fill_placeholders(text, self.page_values)
            for role, text in self.study.shown_pages.items()
        }

    @cached_property
    def judged_items(self) -> tuple[Item, ...]:
        """The items whose outputs are judged, in the order of their file."""
        if self.plan is None:
            return self.study.items
        in_plan = {task.item for task in self.plan.tasks() if task.is_real}
        return tuple(item for item in self.study.items if item.id in in_plan)

    @cached_property
    def shown_inputs(self) -> Mapping[str, str]:
        """The inputs of the judged items as they look on a page, by item."""
        return {item.id: page_text(item.input) for item in self.judged_items}

    @cached_property
    def shown_outputs(self) -> Mapping[str, tuple[str | None, ...]]:
        """The outputs of the judged items as they look on a page, by item."""
        return {
            item.id: tuple(None if text is None else page_text(text) for text in item.outputs)
            for item in self.judged_items
        }

    @cached_property
    def comparison_questions(self) -> tuple[Question, ...]:
        """The questions that show outputs side by side."""
        return tuple(question for question in self.study.spec.questions if question.is_comparison)

    def comparisons(self, size: int) -> Iterator[OutputSet]:
        """All judged comparisons of this many outputs."""
        if self.plan is not None:
            return self._planned_comparisons(self.plan, size)
        return self._possible_comparisons(size)

    def real_tasks(self, size: int) -> Iterator[tuple[Batch, Task]]:
        """The real tasks of the plan that show this many outputs."""
        for batch in self.plan.batches if self.plan else ():
            for task in batch.tasks:
                if task.is_real and len(task.options) == size:
                    yield batch, task

    def line(self, item: Item) -> str:
        """Where an item stands, such as `items.csv:17`."""
        return f"{self.study.spec.items.file}:{item.line}"

    def _planned_comparisons(self, plan: Plan, size: int) -> Iterator[OutputSet]:
        item, place = self.study.item, self.study.system_place
        places: dict[tuple[str, ...], tuple[int, ...]] = {}
        for task in plan.tasks():
            if task.is_real and len(task.options) == size:
                if task.options not in places:
                    places[task.options] = tuple(place[option] for option in task.options)
                yield OutputSet(item[task.item], places[task.options])

    def _possible_comparisons(self, size: int) -> Iterator[OutputSet]:
        # Which tuples of a best-worst question meet is the plan's choice, unless all systems do.
        sets = self.pairs if size == 2 else ()
        if size == len(self.study.system_ids) > 2:
            sets = (tuple(range(size)),)
        for item in self.study.items:
            for systems in sets:
                if all(item.outputs[place] is not None for place in systems):
                    yield OutputSet(item, systems)

    @cached_property
    def pairs(self) -> tuple[tuple[int, ...], ...]:
        """The pairs of systems that the design compares, as places."""
        asked = self.study.spec.design.pairs
        place = self.study.system_place
        if asked == "all":
            return tuple(itertools.combinations(range(len(place)), 2))
        return tuple((place[a], place[b]) for a, b in asked)


def place_of(batch: Batch, task: Task) -> str:
    """Where a task is in the plan."""
    return f"batch {batch.id}, task {task.id}"


def abridge(things: Sequence[str], limit: int = 6, *, between: str = ", ") -> str:
    """A list of things; of a long list the first ones and how many more there are."""
    if len(things) <= limit:
        return between.join(things)
    return f"{between.join(things[:limit])} and {len(things) - limit:,} more"


def in_quotes(words: Iterable[str]) -> str:
    """Words as they are in a file, in quotation marks."""
    return ", ".join(f"“{word}”" for word in words)


def share_text(part: int, whole: int) -> str:
    """A share in whole percent; small shares are not shown as 0."""
    share = 100 * part / whole
    return "under 1 %" if 0 < share < 1 else f"{share:.0f} %"
