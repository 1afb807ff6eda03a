"""rejudge reproduce: the same study again, by another lab."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import click

from rejudge.cli.console import Outcome, is_asked, speaks
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import RenderableType

    from rejudge.bundle import Reproduction, Wish

_IMPACTS = ("none", "low", "medium", "high", "unknown")


@click.command("reproduce")
@click.argument("path", metavar="BUNDLE", type=click.Path(path_type=Path))
@click.option("--as", "lab", metavar="LAB", required=True, help="Who reproduces the study.")
@click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Another value for a key of study.yaml, such as recruitment.platform=prolific; nothing "
    "after = leaves the key out; may be repeated.",
)
@click.option(
    "--reason",
    "reasons",
    multiple=True,
    metavar="KEY=TEXT",
    help="Why the key is changed; every change needs one.",
)
@click.option(
    "--impact",
    "impacts",
    multiple=True,
    metavar="KEY=LEVEL",
    help="How far you think it matters: none, low, medium, high, or unknown (when left out).",
)
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Where to put it; ID-LAB when left out."
)
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
@speaks
def command(
    path: Path,
    *,
    lab: str,
    changes: tuple[str, ...],
    reasons: tuple[str, ...],
    impacts: tuple[str, ...],
    folder: Path | None,
    force: bool,
) -> Outcome:
    """Start the study of a BUNDLE anew: the same items, batches, sides, checks and pages.

    The new folder knows what it reproduces (reproduces.json, original.zip), so that `compare`
    needs nothing else. Contact, ethics approval and completion codes are the other lab's and are
    left out; put in your own.
    """
    from rejudge.bundle import open_bundle, reproduce
    from rejudge.cli.commands.new import refuse_unless_free
    from rejudge.files import read_bytes, write_files

    bundle = open_bundle(path)
    wishes = _wishes(changes, reasons, impacts)
    made = reproduce(bundle, lab=lab, wishes=wishes, archive=read_bytes(path, remedy=""))
    home = folder or Path(made.study.spec.id)
    if not force:
        refuse_unless_free(home)
    write_files(home, made.files, force=force)
    return Outcome(_json(home, made), _shown(home, made))


def _wishes(changes: Iterable[str], reasons: Iterable[str], impacts: Iterable[str]) -> list[Wish]:
    """What is wished otherwise; at a terminal a missing reason is asked for."""
    from rejudge.bundle import Impact, Wish, needs_reason

    wanted = [_pair("--change", each) for each in changes]
    why = dict(_pair("--reason", each) for each in reasons)
    how = dict(_pair("--impact", each) for each in impacts)
    _refuse_strangers({"--reason": why, "--impact": how}, [key for key, _ in wanted])
    for key, level in how.items():
        if level not in get_args(Impact):
            remedy = f"Write --impact {key}= and one of {', '.join(_IMPACTS)}."
            raise UsageError(Problem(f"'{level}' is no level of impact.", remedy))
    if is_asked():
        for key, _ in wanted:
            if needs_reason(key) and not why.get(key):
                why[key] = click.prompt(f"Why is {key} changed", err=True)
                how.setdefault(
                    key,
                    click.prompt(
                        "How far does it matter",
                        type=click.Choice(_IMPACTS),
                        default="unknown",
                        err=True,
                    ),
                )
    return [
        Wish(key, given, why.get(key, ""), cast("Impact", how.get(key, "unknown")))
        for key, given in wanted
    ]


def _pair(option: str, given: str) -> tuple[str, str]:
    key, equals, value = given.partition("=")
    if not equals or not key.strip():
        raise UsageError(
            Problem(f"{option} {given} is unclear.", f"Write {option} payment.reward=… with a key.")
        )
    return key.strip(), value.strip()


def _refuse_strangers(told: Mapping[str, Mapping[str, str]], changed: list[str]) -> None:
    for option, by_key in told.items():
        for key in by_key:
            if key not in changed:
                remedy = f"Add --change {key}=…, or leave it out."
                raise UsageError(Problem(f"{option} {key}: this key is not changed.", remedy))


def _json(home: Path, made: Reproduction) -> dict[str, object]:
    origin = made.origin
    return {
        "folder": str(home),
        "study": made.study.spec.id,
        "reproduces": origin.study,
        "lab": origin.lab,
        "written": sorted(made.files),
        "same_plan": origin.is_same_plan,
        "plan": made.plan.fingerprint,
        "changes": [
            {
                "key": each.key,
                "before": each.before,
                "after": each.after,
                "reason": each.reason,
                "impact": each.impact,
            }
            for each in origin.changes
        ],
        "own": list(origin.own),
        "read": list(made.to_read),
        "next": _next(home),
    }


def _next(home: Path) -> list[str]:
    return [f"rejudge {word} {shlex.quote(str(home))}" for word in ("check", "rehearse", "freeze")]


def _shown(home: Path, made: Reproduction) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    origin = made.origin
    plan = "The plan is the original's: the same batches, sides, checks and order."
    if not origin.is_same_plan:
        plan = "The plan was drawn anew, for the changes ask for other tasks."
    table = Table(box=None, padding=(0, 2, 0, 2))
    for head in ("changed", "from", "to", "reason", "impact"):
        table.add_column(head, overflow="fold")
    for each in origin.changes:
        cells = (each.key, _said(each.before), _said(each.after), each.reason, each.impact)
        table.add_row(*map(Text, cells))
    return (
        Text(f"{made.study.spec.id} reproduces {origin.study}: {origin.title}", "bold"),
        Text(plan, "green" if origin.is_same_plan else "yellow"),
        *((table,) if origin.changes else (Text("Nothing is changed."),)),
        Text("Put in your own contact and ethics approval; the original's are left out."),
        *(
            Text(f"Read {page}: it names people of the original.", "yellow")
            for page in made.to_read
        ),
        Text(f"Written to {home}."),
        Text("What to do next:", "bold"),
        *(Text(f"  {step}") for step in _next(home)),
    )


def _said(value: object) -> str:
    return "nothing" if value is None else str(value)
