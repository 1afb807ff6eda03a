"""The plan: who sees what, in which order, on which side. Written down before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Literal, TypeAlias

from rejudge import fingerprint
from rejudge.study import LETTERS, Question, Study

TaskKind: TypeAlias = Literal["real", "check", "repeat"]

# An option of a task is the id of a system, or one of these:
REFERENCE = "@reference"  # the item's own reference
INPUT = "@input"  # the item's own input
_REFERENCE_OF = "@reference:"  # + id of the other item whose reference it is
_TEXT = "@text:"  # + key of a text made for the plan


def reference_of(item: str) -> str:
    """The option that shows the reference of another item."""
    return _REFERENCE_OF + item


def made_text(key: str) -> str:
    """The option that shows a text made for the plan."""
    return _TEXT + key


@dataclass(frozen=True, slots=True)
class Expected:
    """The right answer to a check: the best or worst option, or bounds for a number."""

    question: str
    best: str | None = None  # letter of an option
    worst: str | None = None
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One page of a batch: an item and the options in the order shown."""

    id: str
    item: str
    options: tuple[str, ...]
    kind: TaskKind = "real"
    check: str | None = None  # id of the check it belongs to
    expected: Expected | None = None
    instruction: str | None = None  # what stands in place of the input, for an instruction check
    repeats: str | None = None  # id of the task it shows again

    @property
    def is_real(self) -> bool:
        """Whether its answers are judgments of systems."""
        return self.kind == "real"

    def letter(self, option: str) -> str:
        """Under which letter an option is shown."""
        return LETTERS[self.options.index(option)]


@dataclass(frozen=True, slots=True)
class Batch:
    """The tasks one participant does at a time, in their order, and how many people do them."""

    id: str
    tasks: tuple[Task, ...]
    participants: int
    is_calibration: bool = False  # done first, by everybody

    @property
    def real(self) -> tuple[Task, ...]:
        """The tasks whose answers are judgments of systems."""
        return tuple(task for task in self.tasks if task.is_real)


@dataclass(frozen=True)
class Plan:
    """All batches of a study, and what they were drawn from."""

    study: str  # fingerprint of the study
    seed: int
    order: Literal["batch", "participant", "latin-square", "listed"]
    batches_per_participant: int
    batches: tuple[Batch, ...]
    texts: Mapping[str, str]  # made for the plan, by key
    segments: Mapping[str, tuple[int, ...]]  # where each scored text is cut; see `segment_key`
    conflicts: Mapping[str, tuple[str, ...]]  # batches that share an input, by batch
    notes: tuple[str, ...] = ()  # what could not be balanced, and why

    def tasks(self) -> Iterator[Task]:
        """All tasks, batch by batch."""
        for batch in self.batches:
            yield from batch.tasks

    @cached_property
    def batch(self) -> Mapping[str, Batch]:
        """Batches by id."""
        return {batch.id: batch for batch in self.batches}

    @cached_property
    def main(self) -> tuple[Batch, ...]:
        """The batches that are not calibration."""
        return tuple(batch for batch in self.batches if not batch.is_calibration)

    @cached_property
    def fingerprint(self) -> str:
        """Names who sees what, in which order; not the wording of the study it was drawn from."""
        batches: list[fingerprint.Json] = [
            [b.id, b.participants, b.is_calibration, [_row(task) for task in b.tasks]]
            for b in self.batches
        ]
        return fingerprint.of_json(
            {
                "drawn": [self.seed, self.order, self.batches_per_participant],
                "batches": batches,
                "texts": dict(self.texts),
                "segments": {key: list(ends) for key, ends in self.segments.items()},
                "conflicts": {key: list(others) for key, others in self.conflicts.items()},
            }
        )

    @property
    def places(self) -> int:
        """How many finished batches the plan asks for, calibration not counted."""
        return sum(batch.participants for batch in self.main)

    @property
    def people(self) -> int:
        """How many participants fill all places when each does as many batches as allowed."""
        per_batch = max((batch.participants for batch in self.main), default=0)
        return people_needed(self.places, per_batch, self.batches_per_participant)

    @property
    def judgments_per_question(self) -> int:
        """How many real tasks will have been answered when all places are filled."""
        return sum(batch.participants * len(batch.real) for batch in self.batches)


def _row(task: Task) -> list[fingerprint.Json]:
    options: list[fingerprint.Json] = [*task.options]
    row: list[fingerprint.Json] = [task.id, task.item, options, task.kind, task.check]
    if task.expected is not None:
        right = task.expected
        row += [right.question, right.best, right.worst, right.at_least, right.at_most]
    return [*row, task.instruction, task.repeats]


def people_needed(places: int, per_batch: int, batches_per_participant: int) -> int:
    """How many different people fill so many places, when nobody does a batch twice."""
    return max(per_batch, ceil(places / batches_per_participant))


def option_text(study: Study, plan: Plan, task: Task, option: str) -> str:
    """The words a participant reads for an option of a task."""
    item = study.item[task.item]
    if option == REFERENCE:
        return item.reference or ""
    if option == INPUT:
        return item.input
    if option.startswith(_REFERENCE_OF):
        return study.item[option.removeprefix(_REFERENCE_OF)].reference or ""
    if option.startswith(_TEXT):
        return plan.texts[option.removeprefix(_TEXT)]
    return study.output(task.item, option) or ""


def missing_text(study: Study, plan: Plan, option: str) -> str | None:
    """Why an option that is no system has no text to show; None when it has one."""
    if option in {REFERENCE, INPUT}:
        return None
    if option.startswith(_REFERENCE_OF):
        other = option.removeprefix(_REFERENCE_OF)
        return None if other in study.item else f"the study has no item '{other}'."
    if option.startswith(_TEXT):
        key = option.removeprefix(_TEXT)
        return None if key in plan.texts else f"the plan has no text '{key}'."
    return f"the study has no system '{option}'."


def shown_items(task: Task) -> tuple[str, ...]:
    """Every item a task shows a text of: its own, and those that lend a reference."""
    lent = (o.removeprefix(_REFERENCE_OF) for o in task.options if o.startswith(_REFERENCE_OF))
    return (task.item, *lent)


def segmented_text(task: Task, question: Question) -> str | None:
    """The option whose segments a question scores; None where texts are judged as a whole."""
    cut = question.segmentation
    if cut is None:
        return None
    return task.options[0] if cut.unit == "output" else REFERENCE


def answer_parts(plan: Plan, task: Task, question: Question) -> int:
    """How many parts an answer refers to: the segments of a text, or the outputs shown."""
    option = segmented_text(task, question)
    return len(task.options if option is None else plan.segments[segment_key(task.item, option)])


def answers_needed(plan: Plan, task: Task, question: Question) -> int:
    """How often a participant has to decide: once, or for each segment that the plan knows."""
    option = segmented_text(task, question)
    return 1 if option is None else len(plan.segments.get(segment_key(task.item, option), (0,)))


def segment_key(item: str, option: str) -> str:
    """Names a text that is scored by segments."""
    return f"{item}/{option}"
