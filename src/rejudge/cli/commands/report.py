"""rejudge report: one page of the results that needs nothing else."""

from __future__ import annotations

from pathlib import Path

import click

from rejudge.cli.console import Outcome, speaks
from rejudge.cli.steps import read_plan, read_results


@click.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace a report that says something else.")
@speaks
def command(folder: Path, *, force: bool) -> Outcome:
    """Write report/index.html for the study in DIR, from its results."""
    from rich.text import Text

    from rejudge.design import Frozen, changes
    from rejudge.files import FROZEN, REPORT, read, write_bytes
    from rejudge.report import build, to_html

    study, plan = read_plan(folder)
    results = read_results(folder, study, plan)
    frozen = read(Frozen, folder / FROZEN) if (folder / FROZEN).exists() else None
    since = None if frozen is None else changes(frozen, study, plan)
    page = build(study, plan, results, changes=since, folder=str(folder))
    write_bytes(folder / REPORT, to_html(page).encode("utf-8"), force=force)
    said = {
        "written": str(folder / REPORT),
        "answer": list(page.answer),
        "simulated": page.is_simulated,
    }
    return Outcome(said, (Text(" ".join(page.answer)), Text(f"Written: {folder / REPORT}")))
