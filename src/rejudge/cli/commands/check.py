"""rejudge check: problems of a study, its cost, its duration, and what it can detect."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, explain_rule, print_outcome
from rejudge.cli.study_estimates import (
    StudyEstimates,
    estimate_study,
    estimate_table,
    estimates_json,
)
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.lint.rules import LintFinding
    from rejudge.study.model import Study

_PLACES_SHOWN = 5
_PLACES_WRITTEN = 100  # in JSON; the rest is counted
_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold"}


@click.command("check")
@click.argument("folder", metavar="[STUDY]", required=False, type=click.Path(path_type=Path))
@click.option("--only", metavar="CODE", multiple=True, help="Check only for this code; repeatable.")
@click.option("--explain", metavar="CODE", help="Explain a code, such as R101.")
@print_outcome
def command(folder: Path | None, *, only: tuple[str, ...], explain: str | None) -> Outcome:
    """Find problems in STUDY; estimate its cost, duration and what it can detect.

    Nothing is written. Without a plan.json, a plan is drawn in memory.
    """
    from rejudge.files.step_files import open_study
    from rejudge.lint.rules import check, rule_of
    from rejudge.starters.folders import templates

    if explain is not None:
        return explain_rule(rule_of(explain))
    if folder is None:
        raise UsageError(Problem("No folder given.", "Write `rejudge check STUDY`."))
    wanted = {rule_of(code).code for code in only}
    study = open_study(folder)
    today = datetime.now(UTC).date()
    known = estimate_study(study, folder, on=today)
    found = check(
        study,
        known.stored or known.plan,
        frozen_changes=known.changes,
        quote=known.quote,
        duration=known.duration,
        obstacles=known.obstacles,
        templates=templates(),
        today=today,
        is_frozen=known.is_frozen,
    )
    kept = tuple(finding for finding in found if not wanted or finding.code in wanted)
    return Outcome(
        _json(study, kept, known),
        (*_render_findings(kept), *estimate_table(study, known)),
        has_problems=any(finding.severity != "note" for finding in kept),
    )


def _json(
    study: Study, findings: tuple[LintFinding, ...], known: StudyEstimates
) -> dict[str, object]:
    counts = Counter(finding.severity for finding in findings)
    return {
        "study": study.spec.id,
        "plan": known.source,
        "counts": {severity: counts[severity] for severity in ("error", "warning", "note")},
        "findings": [
            {
                "code": finding.code,
                "name": finding.name,
                "severity": finding.severity,
                "message": finding.message,
                "places": list(finding.places[:_PLACES_WRITTEN]),
                "place_count": len(finding.places),
                "remedy": finding.remedy,
            }
            for finding in findings
        ],
        **estimates_json(study, known),
    }


def _render_findings(findings: tuple[LintFinding, ...]) -> list[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    if not findings:
        return [Text("✓ Nothing found.", "green")]
    pieces: list[RenderableType] = []
    for severity in dict.fromkeys(finding.severity for finding in findings):
        alike = [finding for finding in findings if finding.severity == severity]
        table = Table(box=None, padding=(0, 2, 1, 0), show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for finding in alike:
            table.add_row(Text(finding.code, _STYLES[severity]), _finding(finding))
        plural = "" if len(alike) == 1 else "s"
        pieces += [Text(f"{len(alike)} {severity}{plural}", _STYLES[severity]), table]
    codes = list(dict.fromkeys(finding.code for finding in findings))
    pieces.append(Text(f"What a code means: rejudge check --explain {codes[0]}\n", "dim"))
    return pieces


def _finding(finding: LintFinding) -> Text:
    from rich.text import Text

    rest = len(finding.places) - _PLACES_SHOWN
    places = ", ".join(finding.places[:_PLACES_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")
    return Text("\n").join(
        [
            Text(finding.name, "bold"),
            Text(finding.message),
            *([Text(f"at {places}", "dim")] if places else []),
            Text(f"→ {finding.remedy}", "cyan"),
        ]
    )
