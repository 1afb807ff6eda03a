"""A plan as HITs: layouts and input files; and the results of such HITs.

Mechanical Turk has closed; other sites take the same pair of files. Values are put into a layout as
they are, so they are written escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from rejudge.design.plan import Batch, Plan, Task, answer_parts
from rejudge.errors import DataError, FileError, Problem
from rejudge.exchange.form_controls import Control, answer_of, controls_of, shown_texts
from rejudge.exchange.formats import Exported, Imported, Rejected
from rejudge.exchange.mturk_files import HitAssignment
from rejudge.exchange.mturk_results import (
    ASSIGNMENTS,
    HitAttempt,
    assignments_file,
    collect_assignments,
    repeated,
)
from rejudge.judgments.answers import Answer, tabulate
from rejudge.judgments.table import Judgment, Judgments
from rejudge.spreadsheet import quote
from rejudge.study.kinds.question import LETTERS, Question
from rejudge.study.model import Study

_BATCH, _PLAN = "batch", "plan"
_LONGEST: Final = 80
_STYLE = "<style>.text { white-space: pre-line } fieldset { margin: 1em 0 }</style>"


@dataclass(frozen=True, slots=True)
class HitField:
    """One control of a layout: its name, and what it asks about which task."""

    name: str
    index: int  # of the task in its batch, from 0
    question: Question
    control: Control


def write_hits(study: Study, plan: Plan) -> Exported:
    """A layout and an input file for the batches of each shape."""
    shapes: dict[tuple[str, ...], list[Batch]] = {}
    for batch in plan.batches:
        shapes.setdefault(_shape(study, plan, batch), []).append(batch)
    files: dict[str, bytes] = {}
    for number, batches in enumerate(shapes.values(), start=1):
        suffix = f"_{number}" if len(shapes) > 1 else ""
        files[f"layout{suffix}.html"] = _layout(study, plan, batches[0]).encode()
        files[f"input{suffix}.csv"] = _input(study, plan, batches).encode()
    people = sorted({batch.participants for batch in plan.batches})
    steps = (
        "Mechanical Turk has closed. Use these files on a site that takes its layouts.",
        "Create a project from layout.html and publish a batch with input.csv.",
        f"Ask for {' or '.join(map(str, people))} assignments of each HIT.",
        "Read the results with `rejudge import STUDY results.csv --from mturk`.",
    )
    notes = (
        ["The batches have different shapes: one layout and one input file for each."]
        if len(shapes) > 1
        else []
    )
    return Exported(files, steps, tuple(notes))


def hit_fields(study: Study, plan: Plan, batch: Batch) -> Iterator[HitField]:
    """The controls of a batch in their order. The names end with the number of the task."""
    for index, task in enumerate(batch.tasks):
        for question in study.questions_beside(len(task.options)):
            controls = controls_of(study, plan, task, question)
            for part, control in enumerate(controls, start=1):
                stem = f"{question.id}_p{part}_" if len(controls) > 1 else question.id
                name = f"{stem}_{index}" if stem[-1:].isdigit() else f"{stem}{index}"
                yield HitField(name, index, question, control)


def _shape(study: Study, plan: Plan, batch: Batch) -> tuple[str, ...]:
    """Batches of one shape can share a layout."""
    fields = tuple(
        f"{field.name}:{field.control.options}" for field in hit_fields(study, plan, batch)
    )
    columns = tuple(name for name, _ in _texts(study, plan, batch))
    return (*fields, *columns)


def _texts(study: Study, plan: Plan, batch: Batch) -> Iterator[tuple[str, str]]:
    """The columns of the input file that are shown, with their texts."""
    for index, task in enumerate(batch.tasks):
        for heading, text in shown_texts(study, plan, task):
            yield _column(heading, index), text


def _column(heading: str, index: int) -> str:
    names = {"Input": "input", "": "instruction", "Reference": "reference", "Text": "output"}
    return f"{names.get(heading, f'output{heading.lower()}')}{index}"


def _hidden(batch: Batch, plan: Plan) -> Iterator[tuple[str, str]]:
    """Columns that are not shown: they say what was judged."""
    yield _BATCH, batch.id
    yield _PLAN, plan.fingerprint
    for index, task in enumerate(batch.tasks):
        yield f"ix{index}", task.item
        if len(task.options) == 1:
            yield f"system{index}", task.options[0]
            continue
        for letter, option in zip(LETTERS, task.options, strict=False):
            yield f"system{letter}{index}", option


def _input(study: Study, plan: Plan, batches: Sequence[Batch]) -> str:
    """One row per batch. Not for spreadsheets: a cell must be exactly what the page shows."""
    rows = [dict([*_hidden(b, plan), *_escaped(_texts(study, plan, b))]) for b in batches]
    head = list(rows[0])
    lines = [head, *([row[name] for name in head] for row in rows)]
    return "".join(",".join(map(quote, line)) + "\n" for line in lines)


def _escaped(texts: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, text in texts:
        yield name, escape(text).replace("${", "&#36;{")


def _layout(study: Study, plan: Plan, batch: Batch) -> str:
    fields = list(hit_fields(study, plan, batch))
    parts = [_STYLE, f"<h1>{escape(study.spec.title)}</h1>"]
    for index, task in enumerate(batch.tasks):
        parts.append("<section>")
        for heading, _ in shown_texts(study, plan, task):
            label = f"<strong>{heading}</strong> " if heading else ""
            parts.append(f'<p class="text">{label}${{{_column(heading, index)}}}</p>')
        parts += [_field_html(each) for each in fields if each.index == index]
        parts.append("</section>")
    return "\n".join(parts) + "\n"


def _field_html(field: HitField) -> str:
    name, control = escape(field.name), field.control
    prompt = f"<legend>{escape(control.prompt)}</legend>"
    required = " required" if field.question.required else ""
    if not control.options:
        low, high = control.bounds or (0, 100)
        box = f'<input type="number" name="{name}" min="{low:g}" max="{high:g}"{required}>'
        return f"<fieldset>{prompt}{box}</fieldset>"
    choices = "".join(
        f'<label><input type="radio" name="{name}" value="{escape(option.raw)}"{required}> '
        f"{escape(option.label)}</label> "
        for option in control.options
    )
    return f"<fieldset>{prompt}{choices}</fieldset>"


# ── results ──────────────────────────────────────────────────────────────────────────────────────


def read_own_results(study: Study, plan: Plan, assignments: Sequence[HitAssignment]) -> Imported:
    """The judgments of HITs that `write_hits` wrote for this plan."""
    _refuse_other_plans(plan, assignments)
    keys: dict[tuple[str, ...], int] = {(b.id,): n for n, b in enumerate(plan.batches)}
    found = collect_assignments(assignments, keys, (_BATCH,))
    rejected: list[Rejected] = list(found.rejected)
    rows: list[Judgment] = []
    for attempt in sorted({each.attempt for each in found.done}):
        answers = [
            answer
            for each in found.done
            if each.attempt == attempt
            for answer in _own_answers(study, plan, each, rejected)
        ]
        said = tabulate(study, plan, answers).rows()
        rows += said if attempt == 1 else map(repeated, said)
    names = [batch.id for batch in plan.batches]
    return Imported(
        Judgments.from_rows(rows, systems=study.system_ids),
        tuple(rejected),
        (),
        found.notes,
        {ASSIGNMENTS: assignments_file(found, names)},
    )


def _refuse_other_plans(plan: Plan, assignments: Sequence[HitAssignment]) -> None:
    if not assignments:
        raise FileError(Problem("no file with results was given.", "Give the results as well."))
    marks = {each.inputs.get(_PLAN, "") for each in assignments}
    if marks != {plan.fingerprint}:
        what = "these results are not of HITs that were written for this plan."
        remedy = "Read them without the study, together with their layout and input file."
        raise FileError(Problem(what, remedy, file=assignments[0].file))


def _own_answers(
    study: Study, plan: Plan, done: HitAttempt, rejected: list[Rejected]
) -> Iterator[Answer]:
    batch = plan.batches[done.hit]
    values: dict[tuple[int, str], dict[str, str]] = {}
    for field in hit_fields(study, plan, batch):
        cell = done.assignment.answers.get(field.name)
        if cell is not None:
            values.setdefault((field.index, field.question.id), {})[field.control.name] = cell
    for index, task in enumerate(batch.tasks):
        for question in study.questions_beside(len(task.options)):
            given = values.get((index, question.id), {})
            raw, reason = _read(plan, task, question, given)
            if raw is None:
                column = f"Answer.{question.id}, item {index}"
                rejected.append(_rejected(done, column, reason, given))
                continue
            yield Answer(
                done.participant, batch.id, task.id, question.id, raw, index + 1,
                submitted_at=done.assignment.submitted_at,
            )  # fmt: skip


def _read(
    plan: Plan, task: Task, question: Question, given: Mapping[str, str]
) -> tuple[str | None, str]:
    parts = answer_parts(plan, task, question)
    raw = answer_of(question, given, parts)
    if raw is None:
        return None, "no answer was given."
    try:
        question.parse(raw, parts)
    except DataError as error:
        return None, str(error)
    return raw, ""


def _rejected(done: HitAttempt, column: str, reason: str, given: Mapping[str, str]) -> Rejected:
    return Rejected(
        reason,
        file=done.assignment.file,
        row=done.assignment.row,
        column=column,
        value=", ".join(given.values())[:_LONGEST] or None,
        participant=done.participant,
    )
