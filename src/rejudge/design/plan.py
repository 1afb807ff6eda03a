"""The plan: who sees what, in which order, on which side; and whether a plan fits its study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Literal, TypeAlias

from rejudge import fingerprint
from rejudge.design.selection import Selection
from rejudge.errors import DesignError, Problem
from rejudge.study.kinds.question import LETTERS, Question
from rejudge.study.model import Study

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
    check: str | None = None  # id of its check; None: real, repeated, or no answer is right
    expected: Expected | None = None
    instruction: str | None = None  # what is shown instead of the input, for an instruction check
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
    source: str | None = None  # the file that the batches were read from; None: they were drawn
    lists: Mapping[str, tuple[str, ...]] | None = None  # who does which batches, in their order
    selection: Selection | None = None  # of inputs; None: no method was named, or batches given

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
        lists: dict[str, fingerprint.Json] = {
            name: [*batches] for name, batches in (self.lists or {}).items()
        }
        return fingerprint.of_json(
            {
                **({"lists": lists} if lists else {}),
                **({"selection": self.selection.to_json()} if self.selection else {}),
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
        if self.lists is not None:
            return len(self.lists)
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
    if option not in study.system_ids:
        known = ", ".join(task.options)
        what = f"the task '{task.id}' has no option '{option}'."
        raise DesignError(Problem(what, f"Its options are: {known}."))
    return study.output(task.item, option) or ""


def missing_text(study: Study, plan: Plan, option: str) -> str | None:
    """Why an option that is not a system has no text to show; None when it has one."""
    if option in {REFERENCE, INPUT}:
        return None
    if option.startswith(_REFERENCE_OF):
        other = option.removeprefix(_REFERENCE_OF)
        return None if other in study.item else f"the study has no item '{other}'."
    if option.startswith(_TEXT):
        key = option.removeprefix(_TEXT)
        return None if key in plan.texts else f"the plan has no text '{key}'."
    return f"the study has no system '{option}'."


def items_on_task(task: Task) -> tuple[str, ...]:
    """Every item a task shows a text of: its own, and those that lend a reference."""
    lent = [o.removeprefix(_REFERENCE_OF) for o in task.options if o.startswith(_REFERENCE_OF)]
    has_own_texts = task.instruction is not None and all(o.startswith(_TEXT) for o in task.options)
    return tuple(lent) if has_own_texts else (task.item, *lent)


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


_REMEDY = "Draw the plan again with `rejudge plan --force`, or undo the change to it."
_SHOWN = 20  # faults; the rest is counted


def check_plan(study: Study, plan: Plan, *, file: str = "plan.json") -> tuple[Problem, ...]:
    """Everything in a plan that does not fit the study; empty for a plan that can be used."""
    found = [*_plan_faults(plan), *_task_faults(study, plan)]
    problems = [Problem(what, _REMEDY, file=file, field=where) for where, what in found[:_SHOWN]]
    if len(found) > _SHOWN:
        problems.append(Problem(f"{len(found) - _SHOWN:,} more problems were found.", file=file))
    return tuple(problems)


def _plan_faults(plan: Plan) -> Iterator[tuple[str, str]]:
    """Faults of batches, each with its place."""
    yield from _find_repeated("batch", (batch.id for batch in plan.batches))
    yield from _find_repeated("task", (task.id for task in plan.tasks()))
    if plan.batches_per_participant < 1:
        yield "batches_per_participant", "a participant must do at least 1 batch."
    for batch in plan.batches:
        if not batch.tasks:
            yield f"batch {batch.id}", "the batch has no tasks."
        if batch.participants < 1:
            yield (
                f"batch {batch.id}",
                f"it has {batch.participants} participants; it needs at least 1.",
            )
    named = [("conflicts", (one, *others)) for one, others in plan.conflicts.items()]
    named += [(f"lists.{person}", own) for person, own in (plan.lists or {}).items()]
    for where, names in named:
        for name in names:
            if name not in plan.batch:
                yield where, f"there is no batch '{name}' in the plan."


def _find_repeated(noun: str, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name, count in Counter(ids).items():
        if count > 1:
            yield f"{noun} {name}", f"this id occurs {count} times in the plan."


def _task_faults(study: Study, plan: Plan) -> Iterator[tuple[str, str]]:
    checks = {check.id for check in study.spec.checks}
    widths = {question.shows(len(study.system_ids)) for question in study.spec.questions}
    for batch in plan.batches:
        for task in batch.tasks:
            if task.item not in study.item:
                faults: Iterable[str] = [f"the study has no item '{task.item}'."]
            else:
                options = list(_option_faults(study, plan, task, widths))
                faults = options or _segment_faults(study, plan, task)
            for what in (*faults, *_kind_faults(study, batch, task, checks)):
                yield f"task {task.id}", what


def _option_faults(study: Study, plan: Plan, task: Task, widths: set[int]) -> Iterator[str]:
    if len(task.options) not in widths:
        yield f"no question of the study is asked about {len(task.options)} texts at a time."
    if len(set(task.options)) < len(task.options):
        yield "the same text is shown twice."
    for option in task.options:
        if option in study.system_place:
            continue
        if task.kind != "check":
            yield f"the study has no system '{option}'."
        elif (what := missing_text(study, plan, option)) is not None:
            yield what


def _kind_faults(study: Study, batch: Batch, task: Task, checks: set[str]) -> Iterator[str]:
    has_answer = task.check is not None or task.expected is not None
    if task.kind == "check" and has_answer and task.check not in checks:
        yield f"the study has no check '{task.check}'."
    if task.kind == "repeat" and task.repeats not in {real.id for real in batch.real}:
        yield f"it repeats the task '{task.repeats}', which its batch does not have."
    right = task.expected
    if right is None:
        return
    if right.question not in {question.id for question in study.spec.questions}:
        yield f"the study has no question '{right.question}'."
    for letter in (right.best, right.worst):
        if letter is not None and letter not in LETTERS[: len(task.options)]:
            yield f"the right answer is '{letter}', which is not among its options."


def _segment_faults(study: Study, plan: Plan, task: Task) -> Iterator[str]:
    """A text that is scored by segments has to be cut, in order and inside of it."""
    if len(task.options) > 1:
        return
    for unit in {q.segmentation.unit for q in study.spec.questions if q.segmentation}:
        option = task.options[0] if unit == "output" else REFERENCE
        ends = plan.segments.get(segment_key(task.item, option))
        if ends is None:
            yield f"the plan does not say where the {unit} is cut into segments."
        elif not _covers(ends, option_text(study, plan, task, option)):
            yield f"the {unit} is cut at {list(ends)}, which does not fit the text."


def _covers(ends: Sequence[int], text: str) -> bool:
    """Whether segments with these ends make up the whole text."""
    is_rising = all(before < after for before, after in pairwise((0, *ends)))
    return is_rising and (ends[-1] if ends else 0) == len(text)
