"""rejudge prolific rehearse: a whole study with a fake Prolific, without people or money."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.commands.rehearse import surplus_sentence
from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import read_plan, refuse_to_repeat
from rejudge.cli.prolific_session import folder_argument, refuse_other_platform
from rejudge.english import count

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.prolific.fake import Behaviour
    from rejudge.web.rehearse.prolific import PlatformRehearsal

_NORMAL_SHARE = 0.6  # the others return, time out, use two tabs, enter no code …


@click.command("rehearse")
@folder_argument
@click.option(
    "--participants",
    "people",
    type=click.IntRange(1, 1000),
    default=40,
    show_default=True,
    help="Number of simulated participants; more come as long as places are left.",
)
@click.option("--taskflow", is_flag=True, help="Let the platform distribute the batches.")
@click.option("--notifications", is_flag=True, help="Use webhooks instead of polling.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Random seed for their behaviour.",
)
@click.option("--force", is_flag=True, help="Overwrite existing simulated judgments.")
@print_outcome
def rehearse(
    folder: Path, *, people: int, taskflow: bool, notifications: bool, seed: int, force: bool
) -> Outcome:
    """Rehearse STUDY with a fake Prolific on this machine: no people, no money.

    The study is created and published there as it would be on the real platform. Simulated people
    take places, go through the real pages, return, time out, decline, use two tabs or enter no
    code. People whose data do not count are replaced, and at the end everybody who is owed a reward
    is approved. Writes rehearsal.db and judgments.csv, marked as simulated. Exits with 1 if a
    guarantee was broken, a batch is not complete, or the payments do not add up.
    """
    from rejudge.files.step_files import JUDGMENTS, REHEARSAL, write
    from rejudge.store.analysis_input import judgments_of
    from rejudge.web.rehearse.prolific import PlatformRehearser

    study, plan = read_plan(folder)
    refuse_other_platform(study)
    refuse_to_repeat(folder, force=force)
    (folder / REHEARSAL).unlink(missing_ok=True)
    rehearser = PlatformRehearser(
        study,
        plan,
        str(folder / REHEARSAL),
        start=datetime.now(UTC),
        seed=seed,
        is_taskflow=taskflow,
    )
    try:
        found = rehearser.run(
            draw_behaviours(people, seed), follows="notifications" if notifications else "polling"
        )
        judgments = judgments_of(rehearser.store)
    finally:
        rehearser.close()
    write(judgments, folder / JUDGMENTS, made_from={"plan": plan.fingerprint}, force=force)
    is_good = not found.broken and found.is_complete and found.adds_up
    document = {**_json(found), "judgments": len(judgments)}
    return Outcome(document, _render(found, len(judgments)), has_problems=not is_good)


def draw_behaviours(people: int, seed: int) -> list[Behaviour]:
    """What so many people do: most are normal, and every other behaviour occurs."""
    from rejudge.prolific.fake import BEHAVIOURS

    others = itertools.cycle(each for each in BEHAVIOURS if each != "normal")
    rng = random.Random(seed)  # noqa: S311 - a simulation
    return ["normal" if rng.random() < _NORMAL_SHARE else next(others) for _ in range(people)]


def _json(found: PlatformRehearsal) -> dict[str, Any]:  # JSON of several shapes
    return {
        "simulated": True,
        "people": len(found.people),
        "behaviours": dict(Counter(each.behaviour for each in found.people)),
        "counts": dict(found.visits.counts()),
        "batches": {each.batch: [each.done, each.places] for each in found.batches},
        "is_complete": found.is_complete,
        "approved": found.approved,
        "rewards_paid": found.rewards_paid,
        "screened_out": found.screened_out,
        "screen_outs_paid": found.screen_outs_paid,
        "adds_up": found.adds_up,
        "surplus": found.surplus,
        "broken": [{"promise": each.promise, "detail": each.detail} for each in found.broken],
        "looks": [asdict(each) for each in found.looks],
    }


def _render(found: PlatformRehearsal, judgments: int) -> tuple[RenderableType, ...]:
    from rich.text import Text

    from rejudge.cli.prolific_session import render_quadrants
    from rejudge.tables.looks import look_sentence

    done = sum(each.done for each in found.batches)
    places = sum(each.places for each in found.batches)
    paid = f"{found.approved} × {found.reward / 100:.2f} = {found.rewards_paid / 100:,.2f}"
    behaviours = Counter(each.behaviour for each in found.people)
    listed = ", ".join(f"{number} {name}" for name, number in behaviours.most_common())
    return (
        Text(
            f"{count(len(found.people), 'simulated participant')} came from a fake Prolific and "
            f"gave {judgments:,} judgments.",
            "bold",
        ),
        Text(f"Behaviour: {listed}."),
        *render_quadrants(found.visits),
        Text(
            f"\nPlaces: {done} of {places} done; every batch has its planned number of people."
            if found.is_complete
            else f"\nPlaces: {done} of {places} done.",
            "bold",
        ),
        Text(f"Rewards: {paid}" + ("." if found.adds_up else ", which does not add up.")),
        *([Text(surplus_sentence(found.surplus), "yellow")] if found.surplus else []),
        *(Text(look_sentence(each)) for each in found.looks),
        *(Text(f"Broken: {each.promise}: {each.detail}", "red") for each in found.broken),
        Text("\nAll of it is marked as simulated. Nothing was sent to Prolific."),
    )
