"""A task of a plan as the controls of a form in another tool, and their values as an answer again.

Control names are those of `Question.controls`, so that `Question.raw_answer` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejudge.design.plan import Plan, Task, answer_parts, option_text, segment_key, segmented_text
from rejudge.errors import DesignError, Problem
from rejudge.study.kinds.question import LETTERS, Question
from rejudge.study.model import Study


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen: what it says in a raw answer, and what people read."""

    raw: str
    label: str


@dataclass(frozen=True, slots=True)
class Control:
    """One choice or number in a form."""

    name: str  # within its question
    prompt: str
    options: tuple[Option, ...]  # empty: a number is typed
    bounds: tuple[float, float] | None = None  # of a number that is typed


def controls_of(study: Study, plan: Plan, task: Task, question: Question) -> tuple[Control, ...]:
    """What a form has to ask so that a question about a task is answered."""
    parts = answer_parts(plan, task, question)
    names = tuple(question.controls(question.id, question.first_answer(parts)))
    prompts = _prompts(study, plan, task, question)
    options = _options(question, parts)
    if not options and question.bounds is None:
        what = f"questions of the kind '{question.kind}' cannot be asked in another tool."
        raise DesignError(Problem(what, "Leave out this question.", field=question.id))
    bounds = None if options else question.bounds
    return tuple(
        Control(name, prompt, options, bounds) for name, prompt in zip(names, prompts, strict=True)
    )


def answer_of(question: Question, values: Mapping[str, str], parts: int) -> str | None:
    """The raw answer that the values of controls give together; None if none was used."""
    return question.raw_answer(values, question.id, parts)


def shown_texts(study: Study, plan: Plan, task: Task) -> tuple[tuple[str, str], ...]:
    """Headings and texts of a task, in the order in which participants read them."""
    asked = study.questions_beside(len(task.options))
    item = study.item[task.item]
    beside = {side for question in asked for side in question.beside}
    texts: list[tuple[str, str]] = []
    if task.instruction is not None:
        texts.append(("", task.instruction))
    elif "input" in beside and item.input:
        texts.append(("Input", item.input))
    if item.reference and any(question.needs_reference for question in asked):
        texts.append(("Reference", item.reference))
    for letter, option in zip(LETTERS, task.options, strict=False):
        heading = "Text" if len(task.options) == 1 else letter.upper()
        texts.append((heading, option_text(study, plan, task, option)))
    return tuple(texts)


def _options(question: Question, parts: int) -> tuple[Option, ...]:
    letters = [Option(letter, letter.upper()) for letter in LETTERS[:parts]]
    if question.has_points:
        return tuple(
            Option(question.spell(point), _point_label(question, point))
            for point in question.values
        )
    if question.is_order:
        return tuple(Option(str(place), str(place)) for place in range(1, parts + 1))
    if not question.is_comparison:
        return ()
    tie = [Option("tie", "About the same")] if question.allows_tie else []
    return (*letters, *tie)


def _point_label(question: Question, point: float) -> str:
    label = question.labels_by_value.get(point)
    return f"{point:g} – {label}" if label else f"{point:g}"


def _prompts(study: Study, plan: Plan, task: Task, question: Question) -> Sequence[str]:
    segmented = segmented_text(task, question)
    cut = question.segmentation
    if segmented is not None and cut is not None:
        text = option_text(study, plan, task, segmented)
        ends = plan.segments[segment_key(task.item, segmented)]
        return [f"{question.prompt} “{piece}”" for piece in cut.visible_segments(text, ends)]
    if question.is_order:
        letters = LETTERS[: len(task.options)].upper()
        return [f"{question.prompt} Place of {letter} (1 is best):" for letter in letters]
    if question.is_implied:
        return [f"{question.prompt} {part}:" for part in ("Best", "Worst")]
    return [question.prompt]
