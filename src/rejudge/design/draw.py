"""Draw the plan of a study: every batch, every task, every side, from the seed alone.

Inputs are dealt to batches together, apart or anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from rejudge.design.balance import Sketch, Sketcher
from rejudge.design.checks import CheckMaker
from rejudge.design.order import Positions, lay_out
from rejudge.design.plan import (
    Batch,
    Plan,
    Task,
    option_text,
    people_needed,
    segment_key,
    segmented_text,
)
from rejudge.design.sampling import Chance, InputSample, interleave
from rejudge.design.selection import select_inputs
from rejudge.errors import DesignError, Problem
from rejudge.study.model import Study


def draw(study: Study) -> Plan:
    """The plan that follows from a study and its seed, byte for byte the same on any machine."""
    _refuse_two_ways_of_cutting(study)
    chance = Chance(study.spec.design.seed)
    sampled, selection = select_inputs(study, chance.stream("sample"))
    sketcher = Sketcher(study, sampled.chosen, chance.stream("tuples"))
    portions, conflicts = deal(study, sampled, sketcher, chance.stream("deal"))
    maker = _check_maker(study, sampled, chance, len(portions))
    positions = Positions(chance.stream("positions"))
    people = _people(study, portions)
    batches = tuple(_batch(study, portion, (positions, maker), people) for portion in portions)
    plan = Plan(
        study=study.design_fingerprint,
        seed=study.spec.design.seed,
        order=study.spec.design.order,
        batches_per_participant=study.spec.design.batches_per_participant,
        batches=batches,
        texts=maker.texts,
        segments={},
        conflicts=conflicts,
        notes=(*sampled.notes, *sketcher.notes, *maker.notes, *_size_notes(batches)),
        selection=selection,
    )
    return replace(plan, segments=_segments(study, plan))


def with_segments(study: Study, plan: Plan) -> Plan:
    """The plan with the places where each text scored by segments is cut."""
    _refuse_two_ways_of_cutting(study)
    return replace(plan, segments=_segments(study, plan))


def _people(study: Study, portions: Sequence[Portion]) -> int:
    """How many participants there are in all: so many do the calibration."""
    design = study.spec.design
    places = design.participants_per_batch * sum(not p.is_calibration for p in portions)
    return people_needed(places, design.participants_per_batch, design.batches_per_participant)


def _check_maker(study: Study, sampled: InputSample, chance: Chance, batches: int) -> CheckMaker:
    spare = [item for each in sampled.spare for item in each.items]
    return CheckMaker(study, spare, chance.stream("checks"), batches)


def _batch(
    study: Study, portion: Portion, makers: tuple[Positions, CheckMaker], people: int
) -> Batch:
    positions, maker = makers
    real = [
        Task(str(number), sketch.item, options)
        for number, (sketch, options) in enumerate(
            zip(portion.sketches, _arrange_sides(portion, positions), strict=True)
        )
    ]
    groups = frozenset(sketch.group for sketch in portion.sketches)
    checks = [
        Task("", made.item, made.options, "check", made.check, made.expected, made.instruction)
        for made in maker.make(portion.id, groups)
    ]
    chance = Chance(study.spec.design.seed, "order", portion.id)
    tasks = lay_out(study.spec.design, (real, checks), portion.id, chance)
    participants = people if portion.is_calibration else study.spec.design.participants_per_batch
    return Batch(portion.id, tasks, participants, portion.is_calibration)


def _arrange_sides(portion: Portion, positions: Positions) -> list[tuple[str, ...]]:
    """The options of each task in the order shown; tasks of one width are balanced together."""
    options = [sketch.options for sketch in portion.sketches]
    for width in sorted({len(shown) for shown in options} - {1}):
        places = [place for place, shown in enumerate(options) if len(shown) == width]
        arranged = positions.arrange([options[place] for place in places], portion.id)
        for place, shown in zip(places, arranged, strict=True):
            options[place] = shown
    return options


def _size_notes(batches: Sequence[Batch]) -> tuple[str, ...]:
    sizes = {len(batch.tasks) for batch in batches if not batch.is_calibration}
    if len(sizes) <= 1:
        return ()
    return (f"Batches are not equally long: {min(sizes)} to {max(sizes)} tasks.",)


def _segments(study: Study, plan: Plan) -> dict[str, tuple[int, ...]]:
    """Where each text scored by segments is cut, so that nobody cuts it differently later."""
    ends: dict[str, tuple[int, ...]] = {}
    cutting = [question for question in study.spec.questions if question.is_segmented]
    for task in plan.tasks() if cutting else ():
        for question in cutting:
            cut, option = question.segmentation, segmented_text(task, question)
            if cut is None or option is None or len(task.options) > 1:
                continue
            key = segment_key(task.item, option)
            if key not in ends:
                text = option_text(study, plan, task, option)
                ends[key] = cut.cut(text, study.item[task.item].language)
    return ends


def _refuse_two_ways_of_cutting(study: Study) -> None:
    ways: dict[str, set[tuple[str, str]]] = {}
    for question in study.spec.questions:
        cut = question.segmentation
        if cut is not None:
            ways.setdefault(cut.unit, set()).add((cut.split, cut.marker))
    for unit, found in ways.items():
        if len(found) > 1:
            raise DesignError(
                Problem(
                    f"the questions about the segments of the {unit} split it in different ways.",
                    "Give them the same `split` and `marker`.",
                    file="study.yaml",
                    field="questions",
                )
            )


class Portion(NamedTuple):
    """The sketches of one batch."""

    id: str
    sketches: Sequence[Sketch]
    is_calibration: bool = False


def deal(
    study: Study, sampled: InputSample, sketcher: Sketcher, chance: Chance
) -> tuple[list[Portion], dict[str, tuple[str, ...]]]:
    """Cut the inputs into batches, the calibration set first."""
    design = study.spec.design
    inputs = interleave(sampled.chosen, lambda each: each.stratum, chance.stream("inputs"))
    if design.calibration >= len(inputs):
        raise DesignError(
            Problem(
                f"{design.calibration} of {len(inputs)} inputs are for calibration, which leaves "
                "none for the batches.",
                "Lower design.calibration.",
                file="study.yaml",
                field="design.calibration",
            )
        )
    shared, own = inputs[: design.calibration], inputs[design.calibration :]
    cut_into = {"together": _together, "apart": _apart, "anywhere": _anywhere}[design.inputs]
    portions, conflicts = cut_into(study, [sketcher.sketch(each) for each in own], chance)
    if shared:
        sketches = [sketch for each in shared for sketch in sketcher.sketch(each)]
        portions.insert(0, Portion("calibration", sketches, is_calibration=True))
    return portions, conflicts


def _together(
    study: Study,
    inputs: Sequence[Sequence[Sketch]],
    chance: Chance,  # noqa: ARG001 - as its siblings
) -> tuple[list[Portion], dict[str, tuple[str, ...]]]:
    """All tasks of an input in one batch."""
    size = study.spec.design.batch
    if size.inputs is not None:
        chunks = [inputs[i : i + size.inputs] for i in range(0, len(inputs), size.inputs)]
    else:
        chunks = list(_fill_batches(inputs, size.tasks or 0))
    return _name_portions([[sketch for each in chunk for sketch in each] for chunk in chunks]), {}


def _fill_batches(
    inputs: Sequence[Sequence[Sketch]], tasks: int
) -> Iterable[Sequence[Sequence[Sketch]]]:
    """Inputs one after another, a new batch whenever the next would not fit."""
    chunk: list[Sequence[Sketch]] = []
    held = 0
    for each in inputs:
        if len(each) > tasks:
            raise DesignError(
                Problem(
                    f"an input has {len(each)} tasks, but a batch holds {tasks}.",
                    f"Raise design.batch.tasks to {len(each)} or more, or set `inputs: apart`.",
                    file="study.yaml",
                    field="design.batch.tasks",
                )
            )
        if held + len(each) > tasks:
            yield chunk
            chunk, held = [], 0
        chunk.append(each)
        held += len(each)
    yield chunk


def _apart(
    study: Study,
    inputs: Sequence[Sequence[Sketch]],
    chance: Chance,  # noqa: ARG001 - as its siblings
) -> tuple[list[Portion], dict[str, tuple[str, ...]]]:
    """Lists by Latin square: each list has every input once, with another of its tasks."""
    size = study.spec.design.batch.inputs or study.spec.design.batch.tasks or 1
    lists = _tasks_per_input(inputs)
    chunks = [range(i, min(i + size, len(inputs))) for i in range(0, len(inputs), size)]
    if study.spec.design.batches_per_participant > len(chunks):
        raise DesignError(
            Problem(
                f"nobody can do {study.spec.design.batches_per_participant} batches without "
                f"seeing an input twice: only {len(chunks)} batches share no input.",
                "Lower design.batches_per_participant or set `inputs: anywhere`.",
                file="study.yaml",
                field="design.batches_per_participant",
            )
        )
    portions = _name_portions(
        [
            [inputs[i][(number + i) % lists] for i in chunk]
            for number in range(lists)
            for chunk in chunks
        ]
    )
    conflicts = {
        portion.id: tuple(
            portions[n * len(chunks) + place % len(chunks)].id
            for n in range(lists)
            if portions[n * len(chunks) + place % len(chunks)].id != portion.id
        )
        for place, portion in enumerate(portions)
    }
    return portions, conflicts


def _tasks_per_input(inputs: Sequence[Sequence[Sketch]]) -> int:
    fewest, most = min(map(len, inputs)), max(map(len, inputs))
    if fewest != most:
        raise DesignError(
            Problem(
                f"inputs have {fewest} to {most} tasks, but lists that show every input once need "
                "the same number of each.",
                "Give every group as many items as the others, or set `inputs: together`.",
                file="study.yaml",
                field="design.inputs",
            )
        )
    return most


def _anywhere(
    study: Study, inputs: Sequence[Sequence[Sketch]], chance: Chance
) -> tuple[list[Portion], dict[str, tuple[str, ...]]]:
    """Tasks dealt without regard to their input, but evenly over systems and datasets."""
    design = study.spec.design
    sketches = [sketch for each in inputs for sketch in each]
    size = design.batch.tasks or (design.batch.inputs or 1) * len(inputs[0])
    dealt = interleave(
        sketches, lambda sketch: (sketch.options, sketch.dataset), chance.stream("tasks")
    )
    return _name_portions([dealt[i : i + size] for i in range(0, len(dealt), size)]), {}


def _name_portions(chunks: Sequence[Sequence[Sketch]]) -> list[Portion]:
    digits = max(2, len(str(len(chunks))))
    return [Portion(f"b{number:0{digits}}", chunk) for number, chunk in enumerate(chunks, start=1)]
