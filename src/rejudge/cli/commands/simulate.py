"""rejudge simulate: judgments of simulated participants with known preferences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import read_plan, refuse_to_replace_people
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.judgments import Judgments
    from rejudge.study import Study


@click.command("simulate")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Seed for the simulated participants.",
)
@click.option(
    "--careless",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Share of participants who answer at random.",
)
@click.option(
    "--quality",
    metavar="SYSTEM=NUMBER",
    multiple=True,
    help="True quality of a system, a number around 0; repeatable.",
)
@click.option("--force", is_flag=True, help="Overwrite existing simulated judgments.")
@print_outcome
def command(
    folder: Path,
    *,
    seed: int,
    careless: float,
    quality: tuple[str, ...],
    force: bool,
) -> Outcome:
    """Fill every place of the plan in DIR with a simulated participant, and write judgments.csv.

    Every row is marked as simulated, and every report says so.
    """
    import numpy as np

    from rejudge.files import JUDGMENTS, write
    from rejudge.judgments import tabulate
    from rejudge.simulate import SimulatedPeople, judge

    study, plan = read_plan(folder)
    refuse_to_replace_people(folder)
    rng = np.random.default_rng(seed)
    answers = judge(
        study,
        plan,
        rng=rng,
        quality=_qualities(study, quality),
        people=SimulatedPeople(careless=careless),
    )
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
        "careless": careless,
    }
    return Outcome(document, _render(people, judgments, folder / JUDGMENTS))


def _qualities(study: Study, given: tuple[str, ...]) -> dict[str, float] | None:
    """The quality of each system; 0 if not given."""
    if not given:
        return None
    found = dict.fromkeys(study.system_ids, 0.0)
    for text in given:
        system, _, number = text.partition("=")
        try:
            found[system] = float(number)
        except ValueError:
            remedy = f"Write a system and a number, such as {study.system_ids[0]}=0.5."
            raise UsageError(Problem(f"--quality {text} cannot be read.", remedy)) from None
    return found


def _render(people: int, judgments: Judgments, path: Path) -> tuple[RenderableType, ...]:
    from rich.text import Text

    given = f"{people:,} simulated participants gave {len(judgments):,} judgments."
    return (
        Text(given, "bold"),
        Text("They are marked as simulated; every report will say so."),
        Text(f"Written: {path}"),
    )
