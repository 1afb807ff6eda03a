"""rejudge analyse: every planned number, with its interval and its signature."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, speaks
from rejudge.cli.steps import read_judgments, read_plan

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from rejudge.analysis import Finding, Results
    from rejudge.study import Study


@click.command("analyse")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Of the resampling behind intervals.",
)
@click.option("--force", is_flag=True, help="Replace results that say something else.")
@speaks
def command(folder: Path, *, seed: int, force: bool) -> Outcome:
    """Compute every planned number of the study in DIR; write results.json and excluded.csv."""
    from rejudge.analysis import analyse
    from rejudge.files import EXCLUDED, RESULTS, encoded, write_files
    from rejudge.judgments import exclude, excluded_csv

    study, plan = read_plan(folder)
    cleaned = exclude(study, plan, read_judgments(folder, plan))
    results = analyse(study, cleaned, plan=plan, seed=seed)
    signature = results.signature
    made_from = {
        "study": signature.study,
        "plan": signature.plan,
        "judgments": signature.judgments,
    }
    files = {
        RESULTS: encoded(results, made_from=made_from),
        EXCLUDED: excluded_csv(cleaned).encode("utf-8"),
    }
    write_files(folder, files, force=force)
    written = [str(folder / name) for name in files]
    return Outcome({"written": written, **asdict(results)}, _shown(study, results, written))


def _shown(study: Study, results: Results, written: list[str]) -> tuple[RenderableType, ...]:
    from rich.text import Text

    from rejudge.analysis import NOT_YET

    flow = results.flow
    counts = (
        f"{flow.participants_kept:,} of {flow.participants:,} participants and "
        f"{flow.real_rows_kept:,} of {flow.real_rows:,} judgments count."
    )
    simulated = " They were simulated." if flow.is_simulated else ""
    missing = [finding for finding in results.findings if finding.note == NOT_YET]
    return (
        Text(counts + simulated, "bold"),
        *(_table(study, results, question.id) for question in study.spec.questions),
        *(Text(f"{f.question}, {f.by}: {f.note}", "yellow") for f in missing),
        Text(f"Written: {', '.join(written)}"),
    )


def _table(study: Study, results: Results, question: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    from rejudge.analysis import NOT_YET

    labels = {system.id: system.label for system in study.spec.systems}
    percent = f"{100 * results.signature.level:g} %"
    table = Table(
        box=None, padding=(0, 2, 0, 0), title=Text(f"\n{question}", "bold"), title_justify="left"
    )
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column(f"{percent} interval", justify="right")
    table.add_column("n", justify="right")
    table.add_column("p, corrected", justify="right")
    for finding in results.findings:
        is_shown = finding.note != NOT_YET and finding.measure != "best-worst-score"
        if finding.question == question and is_shown:
            table.add_row(*map(Text, _row(finding, labels)))
    return table


def _row(finding: Finding, labels: dict[str, str]) -> tuple[str, ...]:
    who = " – ".join(labels[system] for system in finding.systems)
    what = {
        "win-percent": f"{who}, % won" if finding.by != "sign-flip" else f"{who}, sign-flip",
        "mean": f"{who}, mean",
        "mean-difference": f"{who}, difference",
        "first-shown-percent": "output shown first, % chosen",
        "agreement": finding.by,
    }[finding.measure]
    interval = finding.interval
    spread = "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    return (
        what,
        "undefined" if finding.value is None else f"{finding.value:.2f}",
        spread,
        f"{finding.n:,}",
        "" if p is None else ("< 0.001" if p < 0.001 else f"{p:.3f}"),  # noqa: PLR2004 - as written
    )
