"""rejudge demo: a small study, its bundle, a reproduction by a second lab, and the report."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.console import Outcome, print_outcome, run_step
from rejudge.cli.terminal import make_console
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.incoming import follow_links

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARK = ".rejudge-demo"  # only a folder with this file is ever replaced
_PEOPLE = 40  # for 18 places: some leave, decline, fail or come too late
_SEED = 3
_FEWER = 24  # of the second lab
_BUNDLE = "demo.zip"
_SECOND = "second-lab"
_COMPARED = "comparison"
_CHANGED = "design.participants_per_batch"


@dataclass(frozen=True, slots=True)
class _DemoStep:
    """One command as a person would type it, and a summary of its outcome."""

    name: str
    typed: str  # after what it works on; {} is the folder
    summary: Callable[[Mapping[str, Any]], str]  # from the command's JSON
    on: str = ""  # what it works on, inside the folder

    def arguments(self, folder: Path) -> str:
        home = shlex.quote(str(folder))
        return f"{shlex.quote(str(folder / self.on))}{self.typed.format(home)}"


_REHEARSAL = _DemoStep(
    "rehearse",
    f" --participants {_PEOPLE} --seed {_SEED}",
    lambda found: f"{found['people']} people on the real pages, {found['judgments']:,} judgments",
)
_ON_PLATFORM = _DemoStep(
    "prolific rehearse",
    f" --participants {_PEOPLE} --seed {_SEED}",
    lambda found: (
        f"{found['people']} people from a fake platform, {found['approved']} approved and paid"
    ),
)
_DATASHEET = _DemoStep(
    "heds fill",
    "",
    lambda found: (
        f"{found['counts'].get('filled', 0) + found['counts'].get('unchanged', 0)} of "
        f"{len(found['answers'])} datasheet questions answered"
    ),
)
_STEPS = (
    _DemoStep(
        "new",
        " --kind pairwise",
        lambda _: "a study folder that is ready to run",
    ),
    _DemoStep(
        "check",
        "",
        lambda found: ", ".join(count(number, kind) for kind, number in found["counts"].items()),
    ),
    _DemoStep(
        "plan",
        "",
        lambda found: f"{found['batches']} batches, {found['places']} places, sides balanced",
    ),
    _DemoStep("freeze", "", lambda found: f"frozen, sha256 {found['hash'][:12]}…"),
    replace(_DATASHEET, typed=" --planned"),
    _REHEARSAL,
    _DemoStep(
        "analyse",
        f" --seed {_SEED}",
        lambda found: f"{len(found['findings'])} numbers with their intervals",
    ),
    _DemoStep(
        "bundle",
        f" --out {{}}/{_BUNDLE} --licence CC-BY-4.0",
        lambda _: "one archive that another lab can run",
    ),
    _DemoStep(
        "verify",
        "",
        lambda found: f"{found['numbers']:,} numbers recomputed and equal",
        on=_BUNDLE,
    ),
    _DemoStep(
        "reproduce",
        f" --as {_SECOND} --out {{}}/{_SECOND} --change {_CHANGED}=2"
        f" --reason {_CHANGED}='fewer people'",
        lambda _: "the same items, batches and pages",
        on=_BUNDLE,
    ),
    _DemoStep(
        "rehearse",
        f" --participants {_FEWER} --seed {_SEED + 1}",
        lambda found: f"{found['people']} other people, {found['judgments']:,} judgments",
        on=_SECOND,
    ),
    _DemoStep(
        "analyse",
        f" --seed {_SEED}",
        lambda found: f"{len(found['findings'])} numbers with their intervals",
        on=_SECOND,
    ),
    _DemoStep(
        "compare",
        f" --out {{}}/{_COMPARED}",
        lambda found: f"{_count_confirmed(found)} pairwise orders confirmed",
        on=_SECOND,
    ),
    _DATASHEET,
    _DemoStep(
        "report",
        f" {{}}/{_COMPARED}",
        lambda found: f"a self-contained page and {len(found['files']) - 1} other files",
    ),
)
_OPEN = (
    ("report/index.html", "the report, including the reproduction; open it in a browser"),
    ("report/tables/pairs.tex", "a table for a paper; the others are next to it"),
    ("report/figures/meaning-systems.svg", "a figure for a paper; the others are next to it"),
    ("report/methods.md", "a paragraph on methods for a paper; also limitations.md"),
    ("report/checklist.md", "the Responsible NLP checklist with the study's facts"),
    (f"{_COMPARED}/report/index.html", "the comparison as a separate page"),
    (
        "heds.json",
        "the datasheet, largely filled in; complete it with `rejudge heds edit`",
    ),
    ("study.yaml", "questions, design, participants and analysis"),
    ("plan.json", "who sees what, in which order, on which side"),
    ("frozen.json", "what was fixed before data collection, with its hash"),
    ("rehearsal.db", "the site's database of the rehearsal"),
    ("judgments.csv", "the simulated judgments, one per row"),
    ("excluded.csv", "the excluded rows, each with its rule"),
    ("results.json", "every number with its interval, method and signature"),
    (_BUNDLE, "the study as one archive, which others can verify and run again"),
    (f"{_SECOND}/study.yaml", "what the second lab reproduced, and why it changed what"),
)


def _count_confirmed(found: Mapping[str, Any]) -> str:
    """How many pairs of systems come in the same order in the comparison."""
    share = next(
        each
        for each in found["findings"]
        if each["by"] == "pairwise-ranks" and each["key"]["measure"] == "confirmed-share"
    )
    return f"{share['extra']['confirmed']:.0f} of {share['n']}"


@click.command("demo")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("rejudge-demo"),
    show_default=True,
    help="Where to write.",
)
@click.option("--force", is_flag=True, help="Overwrite an earlier demo.")
@click.option(
    "--prolific",
    is_flag=True,
    help="Recruit the first lab's participants from a fake Prolific on this machine.",
)
@print_outcome
def command(folder: Path, *, force: bool, prolific: bool) -> Outcome:
    """Run a small example study: design, rehearsal, bundle, reproduction, report."""
    _prepare_folder(folder, force=force)
    start = perf_counter()
    steps = []
    for step in _STEPS:
        recruits = prolific and step == _REHEARSAL
        steps.append(_run_demo_step(_ON_PLATFORM if recruits else step, folder))
        if prolific and step.name == "new":
            _set_platform(folder)
    document = {
        "folder": str(folder),
        "seconds": round(perf_counter() - start, 2),
        "steps": steps,
        "open": str(folder / _OPEN[0][0]),
        "files": [str(folder / name) for name, _ in _OPEN],
    }
    return Outcome(document, _render(folder, perf_counter() - start))


def _prepare_folder(folder: Path, *, force: bool) -> None:
    """Require an empty folder, or one created by an earlier demo."""
    from rejudge.files.disk import write_bytes

    is_taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    if is_taken and not (folder / _MARK).exists():
        what = f"{folder} exists and was not made by a demo."
        raise UsageError(Problem(what, "Choose another folder with --out."))
    if is_taken and not force:
        raise UsageError(Problem(f"{folder} exists.", "Use --force to run the demo again."))
    if is_taken:
        (folder / "frozen.json").unlink(missing_ok=True)
    write_bytes(folder / _MARK, b"Made by `rejudge demo`, which may replace it.\n", force=True)


def _run_demo_step(step: _DemoStep, folder: Path) -> dict[str, object]:
    """Run a step as its command would, and print a line when it is done."""
    from rich.text import Text

    command = _find_command(step.name)
    typed = step.arguments(folder)
    force = ["--force"] if any(option.name == "force" for option in command.params) else []
    start = perf_counter()
    outcome = run_step(command, [*shlex.split(typed), *force])
    seconds = perf_counter() - start
    line = Text.assemble(
        ("✓ ", "green"),
        (f"{seconds:4.1f} s  ", "dim"),
        f"rejudge {step.name} {typed}  ",
        (step.summary(outcome.json), "cyan"),
    )
    make_console(stderr=True).print(line, soft_wrap=True)
    return {
        "step": step.name,
        "command": f"rejudge {step.name} {typed}",
        "seconds": round(seconds, 2),
        "found_wanting": outcome.has_problems,
    }


def _find_command(name: str) -> click.Command:
    """The command of a step, or the command of a group, such as `prolific rehearse`."""
    first, *rest = name.split()
    found: click.Command = importlib.import_module(f"rejudge.cli.commands.{first}").command
    for word in rest:
        found = found.commands[word]  # type: ignore[attr-defined]  # a group
    return found


def _set_platform(folder: Path) -> None:
    """Have participants come from the platform; the study says nothing else differently."""
    path = folder / "study.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("platform: link ", "platform: prolific ", 1), encoding="utf-8")


def _render(folder: Path, seconds: float) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, what in _OPEN:
        table.add_row(Text(str(folder / name)), what)
    address = follow_links(folder / _OPEN[0][0]).as_uri()
    return (
        Text(
            f"\nA study and its reproduction, simulated in {seconds:.1f} seconds.",
            "bold",
        ),
        table,
        Text(f"\nOpen {address}", "bold"),
        Text("Nothing is left running. Each line above is a command you can run yourself."),
    )
