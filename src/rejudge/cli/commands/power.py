"""rejudge power: what a planned study can detect, for its own size and others, and at what cost."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rejudge.cli.console import Outcome, print_outcome, step_progress
from rejudge.cli.execution import ExecutionOptions, execution_options
from rejudge.cli.folders import recorded_database
from rejudge.cli.parameters import (
    LIST,
    ParameterOptions,
    list_presets,
    parameter_options,
    read_pilot,
)
from rejudge.cli.power_output import power_json, render_filled, render_power
from rejudge.english import join_words
from rejudge.errors import FileError, Problem, UsageError
from rejudge.incoming import follow_links
from rejudge.parallel import available_cores
from rejudge.power.sizes import DIMENSIONS

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.power.fill import FilledRule
    from rejudge.power.plan import EffectRequest
    from rejudge.power.results import PlannedPower
    from rejudge.study.model import Study

_NOT_RECORDED = {"folder", "force", "dry_run", "as_json", "processes", "cluster"}
_WITH_RULE = _NOT_RECORDED | {"fill"}
_LARGEST = 1_000_000  # items or participants that anybody can mean


class _Numbers(click.ParamType[tuple[int, ...]]):
    """Numbers with commas between them, such as 50,100,200."""

    name = "numbers"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple(int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers such as 50,100,200.", param, ctx)
        if not all(1 <= number <= _LARGEST for number in numbers):
            self.fail(f"the numbers must lie between 1 and {_LARGEST:,}.", param, ctx)
        return numbers


def _size_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each dimension of the grid of sizes."""
    for each in reversed(DIMENSIONS):
        option = click.option(each.option, each.field, type=_Numbers(), default=(), help=each.help)
        function = option(function)
    return function


@click.command("power")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--effect",
    "effects",
    metavar="[QUESTION=]NUMBER",
    multiple=True,
    help="The smallest difference of interest: points of the scale, or percentage points of wins "
    "above 50. Repeatable, one per question.",
)
@click.option(
    "--pair",
    metavar="A:B",
    help="Only these two systems differ by the effect, and all others lie between them.  "
    "[default: each system is better than the next by the effect]",
)
@click.option(
    "--question", "questions", metavar="ID", multiple=True, help="Only this question; repeatable."
)
@_size_options
@click.option(
    "--target",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="Power to reach.",
)
@click.option(
    "--precision",
    type=float,
    help="Half-width of the Monte-Carlo interval of each power.  [default: 0.01; 0.07 where "
    "complete studies are simulated]",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Random seed."
)
@parameter_options
@click.option(
    "--confirm",
    "complete",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    help="Also simulate N complete studies of the planned size and analyse them as planned.",
)
@click.option(
    "--fill",
    is_flag=True,
    help="Set the size of the study by its rule, `sample_size` in study.yaml, and its pilot.",
)
@execution_options
@click.option("--force", is_flag=True, help="Overwrite an earlier power analysis.")
@click.option("--dry-run", is_flag=True, help="Show the power, but write nothing.")
@print_outcome
def command(
    folder: Path,
    *,
    effects: tuple[str, ...],
    pair: str | None,
    questions: tuple[str, ...],
    target: float,
    precision: float | None,
    seed: int,
    complete: int,
    fill: bool,
    execution: ExecutionOptions,
    force: bool,
    dry_run: bool,
    **others: Any,  # of `_size_options` and `parameter_options`
) -> Outcome:
    """Compute what STUDY can detect before it is run, and what it costs.

    Simulates the study with its own planned tests over a grid of sizes. The effect of interest is
    stated with --effect; how much judgments vary is assumed, or taken from a pilot or a paper.
    Writes power.json, tables and a figure.
    """
    sizes = {each.field: others.pop(each.field) for each in DIMENSIONS}
    if others["preset"] == LIST:
        return list_presets()
    if fill:
        _refuse_beside_rule()
        return _fill(folder, execution, force=force, dry_run=dry_run)
    from rejudge.power.complete import complete_reasons, confirm
    from rejudge.power.grid import GridRequest, compute_power
    from rejudge.power.plan import state_task
    from rejudge.power.sizes import planned_shape, size_grid

    study, plan = _study_and_plan(folder)
    _refuse_own_data(folder, others["parameter_source"])
    parameters = ParameterOptions(**others).read(study)
    given = others["parameter_source"] or others["parameter_file"]
    if given is not None:
        source = parameters.source.replace(str(given), _without_folders(str(given)))
        parameters = replace(parameters, source=source)
    effect = _effects(effects, pair, takes_qualities=others["parameter_file"] is not None)
    stated = state_task(study, plan, parameters, effect=effect, questions=questions)
    is_complete = bool(complete_reasons(study, stated.task, planned_shape(study, plan)))
    if not (force or dry_run):
        _refuse_to_replace(folder, study)
    grid = size_grid(study, plan, sizes, is_coarse=is_complete)
    request = GridRequest(
        study,
        plan,
        stated.task,
        stated.effects,
        grid.shapes,
        on=datetime.now(UTC).date(),
        target=target,
        precision=precision,
        seed=seed,
        source=parameters.source,
        assumptions=parameters.assumptions,
        notes=grid.notes,
        command=_command_line(),
        is_after_data=_has_people(folder),
    )
    with execution.executor(usual=available_cores()) as executor, step_progress() as watch:
        found = compute_power(request, executor=executor, watch=watch)
        if complete:
            share = partial(watch, "complete studies")
            found = confirm(request, found, complete, executor=executor, progress=share)
    written = [] if dry_run else _write(found, folder, force=force)
    return Outcome(power_json(found, written), tuple(render_power(found, written)))


def _refuse_beside_rule() -> None:
    """Refuse options whose values the frozen rule has."""
    context = click.get_current_context()
    typed = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in _WITH_RULE
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
    if typed:
        what = f"{join_words(typed)} cannot be combined with --fill, which follows `sample_size`."
        remedy = f"Leave out {'it' if len(typed) == 1 else 'them'}, or leave out --fill."
        raise UsageError(Problem(what, remedy))


def _refuse_to_replace(folder: Path, study: Study) -> None:
    """Refuse before minutes of simulation what could not be written afterwards."""
    from rejudge.files.step_files import POWER, read_power

    if not (folder / POWER).exists():
        return
    stored = read_power(folder, study)
    if stored is None or stored.command != _command_line():
        what = "there is a power analysis of another design or with other options."
        remedy = "Use --force to replace it, or --dry-run to write nothing."
        raise FileError(Problem(what, remedy, file=str(folder / POWER)))


def _refuse_own_data(folder: Path, source: str | None) -> None:
    """Refuse a power analysis of a study from its own answers: it would be post hoc."""
    from rejudge.power.plan import POST_HOC

    if source is None or not Path(source).exists():
        return
    given, own = follow_links(Path(source)), follow_links(folder)
    if own in {given, given.parent}:
        what = "these are the answers of the study itself, not of a pilot."
        remedy = (
            f"{POST_HOC} What the study could detect is in its report, from how much its "
            "judgments vary. To plan another study, make a new folder and name this one as its "
            "pilot."
        )
        raise UsageError(Problem(what, remedy, field="--from"))


def _has_people(folder: Path) -> bool:
    """Whether people have already answered."""
    from rejudge.files.step_files import DATABASE, JUDGMENTS, read
    from rejudge.judgments.table import Judgments

    if (folder / DATABASE).exists() or recorded_database(folder) is not None:
        return True
    if not (folder / JUDGMENTS).exists():
        return False
    there = read(Judgments, folder / JUDGMENTS)
    return there.simulated < len(there)


def _fill(folder: Path, execution: ExecutionOptions, *, force: bool, dry_run: bool) -> Outcome:
    """The size by the study's rule, written as sample-size.json beside its power analysis."""
    from rejudge.design.draw import draw
    from rejudge.files.step_files import open_unsized_study
    from rejudge.judgments.judgments_csv import fingerprint_of
    from rejudge.power.fill import fill_size
    from rejudge.simulate.sources import read_parameters

    study = open_unsized_study(folder)
    rule = study.spec.sample_size
    pilot = None
    if rule is not None:  # its name is as the rule has it, wherever the folder is
        pilot = replace(read_pilot(folder / rule.pilot), name=rule.pilot)
    parameters = read_parameters(study, pilot=pilot)
    with execution.executor(usual=available_cores()) as executor, step_progress() as watch:
        filled = fill_size(
            study,
            draw(study),
            parameters,
            pilot="" if pilot is None else fingerprint_of(pilot.judgments),
            on=datetime.now(UTC).date(),
            executor=executor,
            watch=watch,
        )
    written = [] if dry_run else _write_size(filled, folder, force=force)
    return Outcome(
        {**power_json(filled.power, written), "filled": asdict(filled.size)},
        tuple(render_filled(filled, folder, written)),
    )


def _write_size(filled: FilledRule, folder: Path, *, force: bool) -> list[str]:
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import POWER, to_bytes
    from rejudge.study.sample_size import FILLED_SIZE

    made_from = {"rule": filled.size.rule, "pilot": filled.size.pilot}
    files = {
        FILLED_SIZE: to_bytes(filled.size, made_from=made_from),
        POWER: to_bytes(filled.power, made_from={"study": filled.power.study}),
    }
    write_files(folder, files, force=force)
    return [str(folder / name) for name in files]


def _study_and_plan(folder: Path) -> tuple[Study, Plan]:
    """The study with its plan; without a fresh plan.json, one is drawn in memory."""
    from rejudge.design.draw import draw
    from rejudge.design.plan import Plan
    from rejudge.files.step_files import PLAN, check_fresh, open_study, read

    study = open_study(folder)
    if (folder / PLAN).exists():
        stored = read(Plan, folder / PLAN)
        if check_fresh(stored, study) is None:
            return study, stored
    return study, draw(study)


def _effects(given: tuple[str, ...], pair: str | None, *, takes_qualities: bool) -> EffectRequest:
    from rejudge.power.plan import EVERY, EffectRequest

    by_question: dict[str, float] = {}
    for text in given:
        name, separator, number = text.rpartition("=")
        try:
            size = float(number)
        except ValueError:
            raise _bad_effect(text) from None
        if not 0 <= size < float("inf") or (separator and not name):
            raise _bad_effect(text)
        if name in by_question:
            where = f" for {name}" if name else ""
            what = f"two effects are stated{where}, {by_question[name]:g} and {size:g}."
            raise UsageError(Problem(what, "State one of them.", field="--effect"))
        by_question[name if separator else EVERY] = size
    systems = None
    if pair is not None:
        first, _, second = pair.partition(":")
        if not first or not second:
            what = f"'{pair}' is not a pair of systems."
            raise UsageError(Problem(what, "Write --pair A:B.", field="--pair"))
        systems = (first, second)
    return EffectRequest(by_question, systems, takes_qualities)


def _bad_effect(text: str) -> UsageError:
    from rejudge.power.plan import POST_HOC

    if "observed" in text.lower():
        what = "power is not computed at the effect that was observed."
        remedy = f"{POST_HOC} State the smallest difference that would matter."
        return UsageError(Problem(what, remedy, field="--effect"))
    what = f"'{text}' is not an effect."
    remedy = "Give a number that is not negative, such as 0.3, or fluency=0.3."
    return UsageError(Problem(what, remedy, field="--effect"))


def _command_line() -> str:
    """What was typed, for the record, without options that do not change a number."""
    context = click.get_current_context()
    words = ["rejudge", "power"]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.name in _NOT_RECORDED:
            continue
        if value == parameter.get_default(context) or value in (None, (), False):
            continue
        option = parameter.opts[0]
        if value is True:
            words.append(option)
            continue
        values = value if getattr(parameter, "multiple", False) else (_joined(value),)
        words += [word for each in values for word in (option, _without_folders(str(each)))]
    return (
        " ".join(map(shlex.quote, words[:2]))
        + " DIR"
        + "".join(f" {shlex.quote(word)}" for word in words[2:])
    )


def _without_folders(word: str) -> str:
    """A file or folder by its name alone: where it lies on this machine is nobody's business."""
    return Path(word).name if Path(word).is_absolute() or Path(word).exists() else word


def _joined(value: object) -> object:
    return ",".join(map(str, value)) if isinstance(value, tuple) else value


def _write(found: PlannedPower, folder: Path, *, force: bool) -> list[str]:
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import POWER, to_bytes
    from rejudge.report.figures import power  # noqa: F401 - registers its figure
    from rejudge.report.figures.registry import picture_files, pictures_per
    from rejudge.tables.power import power_tables
    from rejudge.tables.results import table_files

    files = {
        POWER: to_bytes(found, made_from={"study": found.study}),
        **table_files(power_tables(found)),
        **picture_files(pictures_per("power", found)),
    }
    write_files(folder, files, force=force)
    return [str(folder / name) for name in files]
