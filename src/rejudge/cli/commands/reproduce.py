"""rejudge reproduce: the same study again, by another lab."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import click

from rejudge.cli.console import Outcome, is_interactive, print_outcome
from rejudge.cli.terminal import neutral
from rejudge.english import value_in_words
from rejudge.errors import Problem, UsageError
from rejudge.incoming import follow_links

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rich.console import RenderableType

    from rejudge.bundle.reproduce import Reproduction, RequestedChange, RequestedCriteria
    from rejudge.study.publication import DeviationNote

_SHOWN = 20  # sentences to edit
_IMPACTS = ("none", "low", "medium", "high", "unknown")


@click.command("reproduce")
@click.argument("path", metavar="BUNDLE|FOLDER", type=click.Path(path_type=Path))
@click.option("--as", "lab", metavar="LAB", help="Name of the lab that reproduces the study.")
@click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a key of study.yaml, such as recruitment.platform=link; an empty value "
    "removes the key; repeatable.",
)
@click.option(
    "--page",
    "pages",
    multiple=True,
    metavar="PAGE=FILE",
    help="Replace a page, such as consent=ours.md; its key is then pages.consent; repeatable.",
)
@click.option(
    "--criteria",
    "criteria",
    multiple=True,
    metavar="ID,…",
    help="Ask only about these criteria. Everything that depends on the others is removed, as one "
    "change with the key questions.",
)
@click.option(
    "--keep-length",
    is_flag=True,
    help="Replace removed checks with checks of other batches, to keep the length of batches.",
)
@click.option(
    "--reason",
    "reasons",
    multiple=True,
    metavar="KEY=TEXT",
    help="Reason for changing this key; every change needs one; repeatable.",
)
@click.option(
    "--impact",
    "impacts",
    multiple=True,
    metavar="KEY=LEVEL",
    help="Expected impact of the change: none, low, medium, high or unknown.  [default: unknown]",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    help="Where to write.  [default: ID-LAB in the current folder]",
)
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
@print_outcome
def command(
    path: Path,
    *,
    lab: str | None,
    changes: tuple[str, ...],
    pages: tuple[str, ...],
    criteria: tuple[str, ...],
    keep_length: bool,
    reasons: tuple[str, ...],
    impacts: tuple[str, ...],
    folder: Path | None,
    force: bool,
) -> Outcome:
    """Set up the study of a bundle or of a folder again: items, batches, sides, checks and pages.

    It needs no judgments. study.yaml of the new folder names the original under `reproduces` and
    holds the reasons under `deviations`, so `rejudge compare` needs nothing else; both can be
    edited at any time. The other lab's contact, ethics approval and completion codes are left out;
    add your own.
    """
    if lab is None:
        raise UsageError(
            Problem("--as is missing.", "Name the lab that reproduces the study: --as LAB.")
        )
    from rejudge.bundle.archive import ORIGINAL
    from rejudge.bundle.original import of_bundle, of_folder
    from rejudge.bundle.read import open_bundle
    from rejudge.bundle.reproduce import reproduce, study_id
    from rejudge.cli.commands.new import refuse_unless_free
    from rejudge.files.disk import write_files
    from rejudge.incoming import read_bytes

    original = of_folder(path) if path.is_dir() else of_bundle(open_bundle(path))
    if keep_length and not criteria:
        raise UsageError(Problem("--keep-length is for --criteria.", "Leave it out."))
    wanted = [*changes, *(f"pages.{each}" for each in pages)]
    wishes = _requested_changes([*wanted, *(["questions=…"] if criteria else [])], reasons, impacts)
    fewer = _criteria(criteria, wishes, keep_length=keep_length)
    wishes = wishes[:-1] if criteria else wishes
    wishes = [_with_page(wish, [f"pages.{each}" for each in pages]) for wish in wishes]
    home = folder or Path(study_id(original.id, lab))
    made = reproduce(
        original,
        lab=lab,
        home=ORIGINAL if path.is_file() else _from(home, path),
        requests=wishes,
        archive=read_bytes(path, remedy="") if path.is_file() else None,
        criteria=fewer,
    )
    if folder is None:
        home = Path(made.study.spec.id)
    if not force:
        refuse_unless_free(home)
    write_files(home, made.files, force=force)
    return Outcome(_json(home, made), _render(home, made))


def _requested_changes(
    changes: Iterable[str], reasons: Iterable[str], impacts: Iterable[str]
) -> list[RequestedChange]:
    """The requested changes; in a terminal, the user is asked for missing reasons."""
    from rejudge.bundle.reproduce import RequestedChange, needs_reason
    from rejudge.study.publication import Impact

    wanted = [_pair("--change", each) for each in changes]
    why = dict(_pair("--reason", each) for each in reasons)
    how = dict(_pair("--impact", each) for each in impacts)
    _refuse_unchanged_keys({"--reason": why, "--impact": how}, [key for key, _ in wanted])
    for key, level in how.items():
        if level not in get_args(Impact):
            remedy = f"Write --impact {key}= and one of {', '.join(_IMPACTS)}."
            raise UsageError(Problem(f"'{level}' is not a level of impact.", remedy))
    if is_interactive():
        for key, _ in wanted:
            if needs_reason(key) and not why.get(key):
                why[key] = click.prompt(f"Why is {neutral(key)} changed", err=True)
                how.setdefault(
                    key,
                    click.prompt(
                        "What is its impact",
                        type=click.Choice(_IMPACTS),
                        default="unknown",
                        err=True,
                    ),
                )
    return [
        RequestedChange(key, given, why.get(key, ""), cast("Impact", how.get(key, "unknown")))
        for key, given in wanted
    ]


def _criteria(
    criteria: Iterable[str], wishes: list[RequestedChange], *, keep_length: bool
) -> RequestedCriteria | None:
    """The criteria that are asked about, with the reason given for the key `questions`."""
    from rejudge.bundle.reproduce import RequestedCriteria

    kept = [name.strip() for given in criteria for name in given.split(",") if name.strip()]
    if not kept:
        return None
    told = wishes[-1]
    return RequestedCriteria(
        tuple(dict.fromkeys(kept)), told.reason, told.impact, keeps_length=keep_length
    )


def _with_page(wish: RequestedChange, pages: list[str]) -> RequestedChange:
    """A change of a page, with its new text."""
    from dataclasses import replace

    from rejudge.incoming import read_bytes

    if not any(_pair("--page", each) == (wish.key, wish.given) for each in pages):
        return wish
    return replace(wish, page=read_bytes(Path(wish.given), remedy="Give the file with the text."))


def _pair(option: str, given: str) -> tuple[str, str]:
    key, equals, value = given.partition("=")
    if not equals or not key.strip():
        raise UsageError(
            Problem(f"{option} {given} is unclear.", f"Write {option} payment.reward=… with a key.")
        )
    return key.strip(), value.strip()


def _refuse_unchanged_keys(given: Mapping[str, Mapping[str, str]], changed: list[str]) -> None:
    for option, by_key in given.items():
        for key in by_key:
            if key not in changed:
                remedy = f"Add --change {key}=…, or leave it out."
                raise UsageError(Problem(f"{option} {key}: this key is not changed.", remedy))


def _json(home: Path, made: Reproduction) -> dict[str, object]:
    stated = made.study.spec.reproduces
    return {
        "folder": str(home),
        "study": made.study.spec.id,
        "reproduces": made.original.id,
        "lab": stated.lab if stated else "",
        "written": sorted(made.files),
        "same_plan": made.is_same_plan,
        "plan": made.plan.fingerprint,
        "deviations": [
            {
                "key": key,
                "original": values[0],
                "here": values[1],
                "reason": note.reason,
                "impact": note.impact,
            }
            for key, note, values in _deviations(made)
        ],
        "read": list(made.to_read),
        "edit": [{"file": e.file, "line": e.line, "what": e.what} for e in made.to_edit],
        "next": _next(home),
    }


def _deviations(made: Reproduction) -> Iterator[tuple[str, DeviationNote, tuple[str, str]]]:
    """Each key with its reason, and the values of the original and of the new study."""
    from rejudge.bundle.original import values_of

    before = made.original.study
    for key, note in made.study.spec.deviations.items():
        values = None if before is None else values_of(key, before, made.study)
        stated = (value_in_words(note.original), value_in_words(note.here))
        yield key, note, values or stated


def _from(home: Path, original: Path) -> str:
    """The path of the original as seen from the new folder."""
    return Path(os.path.relpath(follow_links(original), follow_links(home))).as_posix()


def _next(home: Path) -> list[str]:
    return [f"rejudge {word} {shlex.quote(str(home))}" for word in ("check", "rehearse", "freeze")]


def _render(home: Path, made: Reproduction) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    plan = "The plan is the original's: the same batches, sides, checks and order."
    if made.is_narrowed and not made.is_same_plan:
        plan = "The plan is the original's, without the tasks of the criteria that are not asked."
    elif not made.is_same_plan:
        plan = "The plan was drawn again, because the changes affect the tasks."
    table = Table(box=None, padding=(0, 2, 0, 2))
    for head in ("changed", "from", "to", "reason", "impact"):
        table.add_column(head, overflow="fold")
    for key, note, values in _deviations(made):
        table.add_row(*map(Text, (key, *values, note.reason, note.impact)))
    more = len(made.to_edit) - _SHOWN
    return (
        Text(f"{made.study.spec.id} reproduces {made.original.id}: {made.original.title}", "bold"),
        Text(plan, "green" if made.is_same_plan else "yellow"),
        *((table,) if table.rows else (Text("No changes."),)),
        Text("Add your own contact and ethics approval; the original's are left out."),
        *(
            Text(f"Read {page}: it names people from the original study.", "yellow")
            for page in made.to_read
        ),
        *((Text("Edit by hand:", "bold"),) if made.to_edit else ()),
        *(Text(f"  {home / e.file}:{e.line}: {e.what}") for e in made.to_edit[:_SHOWN]),
        *((Text(f"  and {more} more; --json lists all."),) if more > 0 else ()),
        Text(f"Written to {home}."),
        Text("Next steps:", "bold"),
        *(Text(f"  {step}") for step in _next(home)),
    )
