"""rejudge simulate: judgments of simulated participants with known preferences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import read_plan, refuse_to_replace_people
from rejudge.cli.parameters import (
    LIST,
    ParameterOptions,
    list_presets,
    parameter_options,
    parameters_document,
)
from rejudge.english import count
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.judgments.table import Judgments
    from rejudge.simulate.parameters import ParameterSet
    from rejudge.study.model import Study


@click.command("simulate")
@click.argument("folder", metavar="STUDY", required=False, type=click.Path(path_type=Path))
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Random seed for the simulated participants.",
)
@parameter_options
@click.option("--show", is_flag=True, help="Print the parameters as YAML, but write nothing.")
@click.option("--force", is_flag=True, help="Overwrite existing simulated judgments.")
@print_outcome
def command(
    folder: Path | None,
    *,
    seed: int,
    show: bool,
    force: bool,
    **sources: Any,  # of `parameter_options`
) -> Outcome:
    """Fill every place in the plan of STUDY with a simulated participant; write judgments.csv.

    Every row is marked as simulated, and every report says so.
    """
    if sources["preset"] == LIST:
        return list_presets()
    if folder is None:
        raise UsageError(Problem("STUDY is missing.", "Name the folder of a study with a plan."))
    options = ParameterOptions(**sources)
    study = _open_study(folder)
    given = options.read(study)
    if show:
        return _show(study, given)
    return _simulate(folder, given, seed=seed, force=force)


def _open_study(folder: Path) -> Study:
    from rejudge.files.step_files import open_study

    return open_study(folder)


def _simulate(folder: Path, given: ParameterSet, *, seed: int, force: bool) -> Outcome:
    import numpy as np

    from rejudge.files.step_files import JUDGMENTS, write
    from rejudge.judgments.answers import tabulate
    from rejudge.simulate.people import judge

    study, plan = read_plan(folder)
    refuse_to_replace_people(folder)
    rng = np.random.default_rng(seed)
    answers = judge(study, plan, rng=rng, parameters=given.by_question)
    judgments = tabulate(study, plan, answers, origin="simulated")
    made_from = {"plan": plan.fingerprint}
    write(judgments, folder / JUDGMENTS, made_from=made_from, force=force)
    people = len({answer.participant for answer in answers})
    document = {
        "written": str(folder / JUDGMENTS),
        "simulated": True,
        "participants": people,
        "answers": len(answers),
        "judgments": len(judgments),
        "seed": seed,
        "careless": next(iter(given.by_question.values())).careless,
        **_document(study, given),
    }
    shown = _render(people, judgments, folder / JUDGMENTS)
    return Outcome(document, (*shown, *_render_source(given)))


def _show(study: Study, given: ParameterSet) -> Outcome:
    from rejudge.simulate.sources import parameters_yaml

    text = parameters_yaml(study, given).rstrip("\n")
    return Outcome(_document(study, given), (text,))


def _document(study: Study, given: ParameterSet) -> dict[str, Any]:  # JSON values
    return {
        "source": given.source,
        "assumptions": list(given.assumptions),
        "parameters": [
            {"question": name, **parameters_document(each, each.qualities(study.system_ids))}
            for name, each in given.by_question.items()
        ],
    }


def _render(people: int, judgments: Judgments, path: Path) -> tuple[RenderableType, ...]:
    from rich.text import Text

    gave = count(len(judgments), "judgment")
    given = f"{count(people, 'simulated participant')} gave {gave}."
    return (
        Text(given, "bold"),
        Text("They are marked as simulated; every report will say so."),
        Text(f"Written: {path}"),
    )


def _render_source(given: ParameterSet) -> tuple[RenderableType, ...]:
    """Where the parameters come from, unless they are those that are always assumed."""
    from rich.text import Text

    from rejudge.simulate.sources import DEFAULTS

    if given.source == DEFAULTS:
        return ()
    return (
        Text(f"\nParameters from {given.source}."),
        *(Text(f"- {sentence}") for sentence in given.assumptions),
    )
