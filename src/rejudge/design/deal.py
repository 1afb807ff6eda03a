"""Cut what there is to judge into batches: inputs together, apart or anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rejudge.design.chance import Chance
from rejudge.design.sampling import Sampled, interleaved
from rejudge.design.sketch import Sketch, Sketcher
from rejudge.errors import DesignError, Problem
from rejudge.study import Study


class Portion(NamedTuple):
    """The sketches of one batch."""

    id: str
    sketches: Sequence[Sketch]
    is_calibration: bool = False


def deal(
    study: Study, sampled: Sampled, sketcher: Sketcher, chance: Chance
) -> tuple[list[Portion], dict[str, tuple[str, ...]]]:
    """Cut the inputs into batches, the calibration set first."""
    design = study.spec.design
    inputs = interleaved(sampled.chosen, lambda each: each.stratum, chance.stream("inputs"))
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
        chunks = list(_filled(inputs, size.tasks or 0))
    return _named([[sketch for each in chunk for sketch in each] for chunk in chunks]), {}


def _filled(inputs: Sequence[Sequence[Sketch]], tasks: int) -> Iterable[Sequence[Sequence[Sketch]]]:
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
                f"meeting an input twice: there are {len(chunks)} that share none.",
                "Lower design.batches_per_participant or set `inputs: anywhere`.",
                file="study.yaml",
                field="design.batches_per_participant",
            )
        )
    portions = _named(
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
    dealt = interleaved(
        sketches, lambda sketch: (sketch.options, sketch.dataset), chance.stream("tasks")
    )
    return _named([dealt[i : i + size] for i in range(0, len(dealt), size)]), {}


def _named(chunks: Sequence[Sequence[Sketch]]) -> list[Portion]:
    digits = max(2, len(str(len(chunks))))
    return [Portion(f"b{number:0{digits}}", chunk) for number, chunk in enumerate(chunks, start=1)]
