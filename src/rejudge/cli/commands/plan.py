"""rejudge plan: assign tasks, and report what is balanced and what cannot be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import plan_size, selection_json
from rejudge.english import count, join_words, span, verb
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.design.balance import Balance
    from rejudge.design.plan import Plan
    from rejudge.study.model import Study
    from rejudge.tables_in import NamedFile


@click.command("plan")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "batches",
    type=click.Path(path_type=Path),
    help="Use the batches in this file instead of drawing them: one row per task, or an MTurk "
    "input file.",
)
@click.option(
    "--participants",
    type=click.Path(path_type=Path),
    help="How many people do each batch (batch,participants), or who does which "
    "(participant,batch); with --from.",
)
@click.option("--force", is_flag=True, help="Overwrite a different plan.json.")
@click.option("--dry-run", is_flag=True, help="Show the size of the plan, but write nothing.")
@print_outcome
def command(
    folder: Path, *, batches: Path | None, participants: Path | None, force: bool, dry_run: bool
) -> Outcome:
    """Draw the plan of STUDY and write plan.json.

    With --from, the batches of an earlier study are used unchanged: the same tasks, in the same
    order, on the same sides.
    """
    from rejudge.design.balance import measure_balance
    from rejudge.files.step_files import PLAN, open_study, write

    study = open_study(folder)
    plan, remarks = _draw_or_read(study, batches, participants)
    if plan.selection is not None:
        remarks = (*remarks, plan.selection.describe(study.spec.items.file))
    remarks = (*remarks, *_frozen_otherwise(folder, plan))
    balance = measure_balance(study, plan)
    if not dry_run:
        made_from = {"study": plan.study, "items": study.items_fingerprint}
        write(plan, folder / PLAN, made_from=made_from, force=force)
    written = None if dry_run else str(folder / PLAN)
    said = _json(plan, balance, written) | {"source": plan.source, "remarks": list(remarks)}
    return Outcome(said, _render(plan, balance, written, remarks))


def _draw_or_read(
    study: Study, batches: Path | None, participants: Path | None
) -> tuple[Plan, tuple[str, ...]]:
    """The plan that is drawn or that files describe, with remarks on how they were read."""
    from rejudge.design.draw import draw
    from rejudge.design.given_batches import plan_from_batches

    if batches is None:
        if participants is not None:
            remedy = "Add --from; to draw the batches, set design.participants_per_batch instead."
            raise UsageError(Problem("--participants needs --from.", remedy))
        return draw(study), ()
    given = plan_from_batches(
        study, _file(batches), None if participants is None else _file(participants)
    )
    return given.plan, given.remarks


def _frozen_otherwise(folder: Path, plan: Plan) -> tuple[str, ...]:
    """A remark where another plan was frozen, which stays the one that is served."""
    from rejudge.design.freeze import Frozen
    from rejudge.files.step_files import FROZEN, read

    if not (folder / FROZEN).exists() or read(Frozen, folder / FROZEN).plan == plan.fingerprint:
        return ()
    remark = (
        "frozen.json records another plan, so this one cannot be served. Restore that plan, or "
        "freeze the study again and say why."
    )
    return (remark,)


def _file(path: Path) -> NamedFile:
    from rejudge.incoming import read_bytes
    from rejudge.tables_in import NamedFile

    return NamedFile(path.name, read_bytes(path, remedy="Give the file with the batches."))


def _json(plan: Plan, balance: Balance, written: str | None) -> dict[str, object]:
    return {
        "written": written,
        "study": plan.study,
        "seed": plan.seed,
        "batches": len(plan.main),
        "calibration_batches": len(plan.batches) - len(plan.main),
        "places": plan.places,
        "participants_at_least": plan.people,
        "tasks_per_batch": sorted({len(batch.tasks) for batch in plan.main}),
        "tasks_by_kind": dict(Counter(task.kind for task in plan.tasks())),
        "judgments_per_question": plan.judgments_per_question,
        "balance": [
            {"what": s.what, "even": s.is_even, "detail": s.detail} for s in balance.statements
        ],
        "selection": selection_json(plan),
        "inputs_by_dataset": dict(balance.inputs_by_dataset),
        "sides_by_pair": {" / ".join(k): list(v) for k, v in balance.sides_by_pair.items()},
        "is_even": balance.is_even,
    }


def _render(
    plan: Plan, balance: Balance, written: str | None, remarks: tuple[str, ...]
) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    for statement in balance.statements:
        mark = Text("✓ ", "green") if statement.is_even else Text("• ", "yellow")
        table.add_row(mark + Text(statement.what), statement.detail)
    where = f"Written: {written}" if written else "Nothing written (--dry-run)."
    return (
        Text(plan_size(plan), "bold"),
        Text(_work(plan)),
        *map(Text, remarks),
        Text(),
        table,
        Text(),
        Text(where),
    )


def _work(plan: Plan) -> str:
    kinds = Counter(task.kind for task in plan.main[0].tasks)
    others = (count(kinds["check"], "check"), count(kinds["repeat"], "repeat"))
    tasks = f"{count(kinds['real'], 'task')} to judge"
    in_batch = join_words([tasks, *(each for each in others if each[0] != "0")])
    shared = [batch for batch in plan.batches if batch.is_calibration]
    calibration = (
        f" Before that, everybody judges {count(len(shared[0].tasks), 'shared task')}."
        if shared
        else ""
    )
    each = count(plan.batches_per_participant, "batch")
    needed = verb(plan.people, "is", "are")
    people = f"{count(plan.people, 'participant')} {needed} needed if each does {each}."
    if plan.lists:
        own = span([len(batches) for batches in plan.lists.values()], "batch")
        people = f"There {needed} {count(plan.people, 'named participant')} with {own} each."
    judgments = f"Each question gets {count(plan.judgments_per_question, 'judgment')}."
    return f"A batch has {in_batch}.{calibration} {people} {judgments}"
