"""rejudge audit: whether the numbers printed in papers are possible and consistent."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, explain_rule, print_outcome
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.audit.rules import Audit, AuditFinding
    from rejudge.paper.model import Paper

_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold"}


@click.command("audit")
@click.argument("names", metavar="PAPER…", nargs=-1)
@click.option("--only", metavar="CODE", multiple=True, help="Check only for this code; repeatable.")
@click.option("--explain", metavar="CODE", help="Explain a code, such as A101.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write one audit.json per paper to this folder."
)
@click.option("--force", is_flag=True, help="Overwrite a different audit.")
@print_outcome
def command(
    names: tuple[str, ...],
    *,
    only: tuple[str, ...],
    explain: str | None,
    out: Path | None,
    force: bool,
) -> Outcome:
    """Check whether the numbers printed in papers are consistent, and show the arithmetic.

    PAPER is a paper.yaml, or the name of a paper shipped with rejudge. Papers that it compares
    itself with are looked up among those given, among files in the same folder named after their
    id, and among those shipped with rejudge.
    """
    from rejudge.audit.rules import rule_of

    if explain is not None:
        return explain_rule(rule_of(explain))
    if not names:
        raise UsageError(
            Problem(
                "No paper given.",
                "Write `rejudge audit PAPER`; `rejudge paper list` shows the shipped papers.",
            )
        )
    wanted = {rule_of(code).code for code in only}
    found = [(paper, _filter_findings(each, wanted)) for paper, each in _audit_papers(names)]
    audits = [each for _, each in found]
    written = _write(found, out, force=force) if out is not None else []
    return Outcome(
        {"audits": [_json(each) for each in audits], "written": written},
        tuple(piece for each in audits for piece in _render(each)),
        has_problems=any(f.severity != "note" for each in audits for f in each.findings),
    )


def _audit_papers(names: tuple[str, ...]) -> Iterator[tuple[Paper, Audit]]:
    from rejudge.audit.rules import audit, compared_with
    from rejudge.files.step_files import open_paper

    papers = {name: open_paper(name) for name in names}
    given = {paper.id: paper for paper in papers.values()}
    for name, paper in papers.items():
        others = (given.get(each) or _nearby(each, Path(name)) for each in compared_with(paper))
        yield paper, audit(paper, *(each for each in others if each is not None))


def _nearby(wanted: str, file: Path) -> Paper | None:
    """A paper by its id: in the folder of the paper that names it, or among the shipped ones."""
    from rejudge.files.step_files import open_paper
    from rejudge.paper.paper_file import shipped_ids

    beside = file.parent / f"{wanted}.yaml"
    if file.exists() and beside.exists():
        return open_paper(beside)
    return open_paper(wanted) if wanted in shipped_ids() else None


def _filter_findings(audit: Audit, wanted: set[str]) -> Audit:
    from dataclasses import replace

    if not wanted:
        return audit
    return replace(
        audit,
        findings=tuple(each for each in audit.findings if each.code in wanted),
        looked={code: times for code, times in audit.looked.items() if code in wanted},
    )


def _write(found: list[tuple[Paper, Audit]], folder: Path, *, force: bool) -> list[str]:
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import to_bytes
    from rejudge.fingerprint import of_json

    files = {
        f"{each.paper}.audit.json": to_bytes(
            each, made_from={"paper": of_json(paper.model_dump(mode="json"))}
        )
        for paper, each in found
    }
    write_files(folder, files, force=force)
    return [str(folder / name) for name in files]


def _json(audit: Audit) -> dict[str, object]:
    counts = Counter(finding.severity for finding in audit.findings)
    return {
        "paper": audit.paper,
        "checks": audit.checks,
        "looked": audit.looked,
        "missing": list(audit.missing),
        "counts": {severity: counts[severity] for severity in ("error", "warning", "note")},
        "findings": [asdict(finding) for finding in audit.findings],
    }


def _render(audit: Audit) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    from rejudge.english import count

    yield Text(f"{audit.paper}: {count(audit.checks, 'check')}", "bold")
    if audit.missing:
        yield Text(
            f"Not found: {', '.join(audit.missing)}; figures compared with it were not checked.",
            "yellow",
        )
    if not audit.findings:
        yield Text("✓ Nothing found.\n" if audit.checks else "Nothing to check.\n", "green")
        return
    for severity in dict.fromkeys(finding.severity for finding in audit.findings):
        alike = [finding for finding in audit.findings if finding.severity == severity]
        table = Table(box=None, padding=(0, 2, 1, 0), show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for finding in alike:
            table.add_row(Text(finding.code, _STYLES[severity]), _finding(finding))
        yield Text(count(len(alike), severity), _STYLES[severity])
        yield table
    yield Text(f"What a code means: rejudge audit --explain {audit.findings[0].code}\n", "dim")


def _finding(finding: AuditFinding) -> Text:
    from rich.text import Text

    return Text("\n").join(
        [
            Text(finding.name, "bold"),
            Text(finding.says),
            Text(finding.arithmetic),
            Text(f"at {finding.place}", "dim"),
            Text(f"→ {finding.remedy}", "cyan"),
        ]
    )
