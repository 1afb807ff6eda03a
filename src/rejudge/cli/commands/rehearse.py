"""rejudge rehearse: simulated participants go through the real pages of a study."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.console import Outcome, print_outcome, progress
from rejudge.cli.folders import read_look_log, read_plan, refuse_to_repeat
from rejudge.english import count

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.analysis.results import Results
    from rejudge.study.model import Study
    from rejudge.web.rehearse.participant import End
    from rejudge.web.rehearse.rehearsal import Rehearsal

_ENDS: tuple[End, ...] = (
    "thanks", "full", "declined", "screened-out", "not-qualified", "left", "stuck",
)  # fmt: skip


@click.command("rehearse")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--participants",
    "people",
    type=click.IntRange(1, 2000),
    default=60,
    show_default=True,
    help="Number of simulated participants.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Random seed for their behaviour.",
)
@click.option("--force", is_flag=True, help="Overwrite existing simulated judgments.")
@print_outcome
def command(folder: Path, *, people: int, seed: int, force: bool) -> Outcome:
    """Run simulated participants through the pages of STUDY, over HTTP.

    Some are careful and some careless, with or without JavaScript; some use two tabs, leave, or
    come back late. Writes rehearsal.db and judgments.csv, all marked as simulated. Exits with 1
    if a guarantee was broken.
    """
    from datetime import UTC, datetime

    from rejudge.analysis.analyse import analyse
    from rejudge.files.step_files import JUDGMENTS, REHEARSAL, write
    from rejudge.judgments.exclusions import exclude
    from rejudge.web.rehearse.rehearsal import rehearse

    study, plan = read_plan(folder)
    refuse_to_repeat(folder, force=force)
    with progress("people", people) as step:
        found = rehearse(
            study,
            plan,
            database=folder / REHEARSAL,
            people=people,
            seed=seed,
            start=datetime.now(UTC),
            step=step,
        )
    judgments = found.judgments
    write(judgments, folder / JUDGMENTS, made_from={"plan": plan.fingerprint}, force=force)
    written = [str(folder / REHEARSAL), str(folder / JUDGMENTS)]
    results = None
    if len(judgments):
        looks = read_look_log(folder, study, plan, database=None, simulated=True)
        cleaned = exclude(study, plan, judgments)
        results = analyse(cleaned, study=study, plan=plan, seed=seed, looks=looks)
    return Outcome(
        _json(found, results, written),
        _render(study, found, results, written),
        has_problems=bool(found.broken),
    )


def _json(found: Rehearsal, results: Results | None, written: list[str]) -> dict[str, Any]:
    return {
        "written": written,
        "simulated": True,
        "people": len(found.people),
        "ends": dict(Counter(record.end for record in found.people)),
        "statuses": {name: dict(states) for name, states in found.statuses.items()},
        "places": found.progress.places,
        "done": found.progress.done,
        "surplus": _surplus(found),
        "judgments": len(found.judgments),
        "requests": found.requests,
        "hours_simulated": round(found.simulated.total_seconds() / 3600, 1),
        "broken": [{"promise": each.promise, "detail": each.detail} for each in found.broken],
        "findings": 0 if results is None else len(results.select()),
    }


def _render(
    study: Study, found: Rehearsal, results: Results | None, written: list[str]
) -> tuple[RenderableType, ...]:
    from rich.text import Text

    from rejudge.cli.results import render_results

    labels = {system.id: system.label for system in study.spec.systems}
    hours = count(round(found.simulated.total_seconds() / 3600), "simulated hour")
    return (
        Text(
            f"{len(found.people)} simulated people came in {hours}: "
            f"{found.progress.done} of {found.progress.places} places are done.",
            "bold",
        ),
        _table(found),
        *([Text(surplus_sentence(surplus), "yellow")] if (surplus := _surplus(found)) else []),
        Text(),
        *_verdict(found),
        *(() if results is None else render_results(results, labels)),
        Text("Everything is marked as simulated; every report will say so."),
        *(Text(f"Written: {path}") for path in written),
    )


def _surplus(found: Rehearsal) -> int:
    return sum(states["surplus"] for states in found.statuses.values())


def surplus_sentence(surplus: int) -> str:
    """That more work was done than there are places, what it costs and what to do about it."""
    return (
        f"{count(surplus, 'batch')} finished as surplus: the place had been given away "
        "while the participant was working or away. Surplus work is not analysed, but has to be "
        "paid. Longer `site.minutes_to_begin` and `site.minutes_held` make it rarer."
    )


def _table(found: Rehearsal) -> RenderableType:
    from rich.table import Table

    from rejudge.web.rehearse.participant import CHARACTERS

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("who")
    table.add_column("people", justify="right")
    table.add_column("outcome")
    table.add_column("batches")
    for character in CHARACTERS:
        own = [record for record in found.people if record.character == character.name]
        if own:
            ends = Counter(record.end for record in own)
            states = found.statuses[character.name]
            table.add_row(
                f"{character.name}: {character.means}",
                str(len(own)),
                ", ".join(f"{ends[end]} {end}" for end in _ENDS if ends[end]),
                ", ".join(f"{count} {status}" for status, count in sorted(states.items())),
            )
    return table


def _verdict(found: Rehearsal) -> tuple[RenderableType, ...]:
    from rich.text import Text

    if not found.broken:
        words = (
            "All guarantees held: no batch went to more people than planned, nobody got one "
            "twice, every saved answer is stored as given, surplus work is marked, and every end "
            "page shows its code."
        )
        return (Text(words, "green"), Text())
    lines = [Text(f"✗ {each.promise}: {each.detail}", "red") for each in found.broken]
    return (Text(f"{len(lines)} broken guarantees", "bold red"), *lines, Text())
