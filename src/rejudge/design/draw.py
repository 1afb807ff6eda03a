"""Draw the plan of a study: every batch, every task, every side, from the seed alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rejudge.design.chance import Chance
from rejudge.design.checks import CheckMaker
from rejudge.design.deal import Portion, deal
from rejudge.design.order import lay_out
from rejudge.design.plan import (
    Batch,
    Plan,
    Task,
    option_text,
    people_needed,
    segment_key,
    segmented_text,
)
from rejudge.design.positions import Positions
from rejudge.design.sampling import Sampled, sample_inputs
from rejudge.design.sketch import Sketcher
from rejudge.errors import DesignError, Problem
from rejudge.study import Study


def draw(study: Study) -> Plan:
    """The plan that follows from a study and its seed, the same to the byte on any machine."""
    _refuse_two_ways_of_cutting(study)
    chance = Chance(study.spec.design.seed)
    sampled = sample_inputs(study, chance.stream("sample"))
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
    )
    return replace(plan, segments=_segments(study, plan))


def _people(study: Study, portions: Sequence[Portion]) -> int:
    """How many participants there are in all: so many do the calibration."""
    design = study.spec.design
    places = design.participants_per_batch * sum(not p.is_calibration for p in portions)
    return people_needed(places, design.participants_per_batch, design.batches_per_participant)


def _check_maker(study: Study, sampled: Sampled, chance: Chance, batches: int) -> CheckMaker:
    spare = [item for each in sampled.spare for item in each.items]
    return CheckMaker(study, spare, chance.stream("checks"), batches)


def _batch(
    study: Study, portion: Portion, makers: tuple[Positions, CheckMaker], people: int
) -> Batch:
    positions, maker = makers
    real = [
        Task(str(number), sketch.item, options)
        for number, (sketch, options) in enumerate(
            zip(portion.sketches, _sided(portion, positions), strict=True)
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


def _sided(portion: Portion, positions: Positions) -> list[tuple[str, ...]]:
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
                    f"the questions about the segments of the {unit} cut it in different ways.",
                    "Give them the same `split` and `marker`.",
                    file="study.yaml",
                    field="questions",
                )
            )
