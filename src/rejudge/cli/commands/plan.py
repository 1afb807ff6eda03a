"""rejudge plan: assign tasks, and report what is balanced and what cannot be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import plan_size
from rejudge.english import count

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.design import Balance, Plan


@click.command("plan")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite a different plan.json.")
@click.option("--dry-run", is_flag=True, help="Show the plan's numbers without writing anything.")
@print_outcome
def command(folder: Path, *, force: bool, dry_run: bool) -> Outcome:
    """Draw the plan of the study in DIR and write plan.json."""
    from rejudge.design import draw, measure
    from rejudge.files import PLAN, open_study, write

    study = open_study(folder)
    plan = draw(study)
    balance = measure(study, plan)
    if not dry_run:
        made_from = {"study": plan.study, "items": study.items_fingerprint}
        write(plan, folder / PLAN, made_from=made_from, force=force)
    written = None if dry_run else str(folder / PLAN)
    return Outcome(_json(plan, balance, written), _render(plan, balance, written))


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
        "inputs_by_dataset": dict(balance.inputs_by_dataset),
        "sides_by_pair": {" / ".join(k): list(v) for k, v in balance.sides_by_pair.items()},
        "is_even": balance.is_even,
    }


def _render(plan: Plan, balance: Balance, written: str | None) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    for statement in balance.statements:
        mark = Text("✓ ", "green") if statement.is_even else Text("• ", "yellow")
        table.add_row(mark + Text(statement.what), statement.detail)
    where = f"Written: {written}" if written else "Nothing written (--dry-run)."
    return (Text(plan_size(plan), "bold"), Text(_work(plan)), Text(), table, Text(), Text(where))


def _work(plan: Plan) -> str:
    kinds = Counter(task.kind for task in plan.main[0].tasks)
    others = (count(kinds["check"], "check"), count(kinds["repeat"], "repeat"))
    in_batch = ", ".join([f"{kinds['real']} to judge", *(o for o in others if o[0] != "0")])
    shared = [batch for batch in plan.batches if batch.is_calibration]
    calibration = (
        f" Before that, everybody judges {count(len(shared[0].tasks), 'shared task')}."
        if shared
        else ""
    )
    return (
        f"A batch has {in_batch}.{calibration} {count(plan.people, 'person')} are needed if each "
        f"does {plan.batches_per_participant}; {plan.judgments_per_question:,} judgments per "
        "question."
    )
