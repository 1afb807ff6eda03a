"""rejudge paper: published studies as data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.errors import Problem, RejudgeError, StudyError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.paper.model import Paper


@click.group("paper")
def command() -> None:
    """Create, check and show published studies as data, to compare and audit them.

    Each of the commands below takes --json.
    """


@command.command("new")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--reproduces",
    metavar="PAPER",
    help="The original: a file, or a name from `rejudge paper list`.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@print_outcome
def new(file: Path, *, reproduces: str | None, force: bool) -> Outcome:
    """Write a paper file to fill in; `rejudge paper check` then reports what is missing."""
    from rich.text import Text

    from rejudge.files.disk import write_bytes
    from rejudge.files.step_files import open_paper
    from rejudge.paper.paper_file import scaffold

    original = open_paper(reproduces) if reproduces else None
    name = _id_after(file)
    write_bytes(file, scaffold(name, original).encode("utf-8"), force=force)
    follow = f"rejudge paper check {file}"
    document = {
        "written": str(file),
        "id": name,
        "reproduces": original.id if original else None,
        "next": [follow],
    }
    shown = (
        Text(f"Written to {file}.", "bold"),
        Text("Complete the empty fields, and the conditions that the paper reports. Then run:"),
        Text(f"  {follow}"),
    )
    return Outcome(document, shown)


@command.command("check")
@click.argument("files", metavar="PAPER…", nargs=-1, required=True)
@print_outcome
def check(files: tuple[str, ...]) -> Outcome:
    """Check whether paper files are valid, and what a comparison would be missing.

    PAPER is a file, or a name from `rejudge paper list`. All errors of all files are reported at
    once. Impossible numbers are accepted, since papers print them, but listed for checking.
    """
    from rejudge.files.step_files import open_paper

    papers: list[Paper] = []
    problems: list[Problem] = []
    for name in files:
        try:
            papers.append(open_paper(name))
        except RejudgeError as error:
            problems += error.problems
    if problems:
        raise StudyError(*problems)
    rows = [{**_find_problems(paper), "doubtful": _impossible_numbers(paper)} for paper in papers]
    return Outcome({"papers": rows}, _check_notes(rows))


@command.command("list")
@print_outcome
def list_() -> Outcome:
    """List the papers shipped with rejudge, each original followed by its reproductions."""
    from rejudge.paper.paper_file import open_shipped, shipped_ids

    papers = {name: open_shipped(name) for name in shipped_ids()}
    ordered = sorted(papers.values(), key=lambda paper: _family(paper, papers))
    rows = [_find_problems(paper) for paper in ordered]
    return Outcome({"papers": rows}, (_paper_table(rows),))


@command.command("show")
@click.argument("name", metavar="PAPER")
@print_outcome
def show(name: str) -> Outcome:
    """Print the file of a paper shipped with rejudge, as an example or a starting point.

    With --json, print what was read from it; this also works for your own files.
    """
    from rejudge.files.step_files import is_shipped, open_paper, paper_text
    from rejudge.paper.paper_file import shipped_text

    paper = open_paper(name)
    text = shipped_text(name) if is_shipped(name) else paper_text(Path(name))
    return Outcome(paper.model_dump(mode="json", exclude_defaults=True), (text.rstrip("\n"),))


def _find_problems(paper: Paper) -> dict[str, Any]:
    cases = paper.cases
    return {
        "id": paper.id,
        "name": f"{paper.reference.authors} {paper.reference.year}",
        "reproduces": paper.reproduces,
        "systems": len(paper.systems),
        "criteria": len(paper.criteria),
        "cases": len(cases),
        "scores": sum(len(case.scores) for case in cases),
        "agreement": sum(len(case.agreement) for case in cases),
        "contingency": len(paper.contingency),
        "tests": sum(len(case.tests) for case in cases),
        "claims": len(paper.claims),
        "conditions": len(paper.conditions),
        "deviations": len(paper.deviations),
        "reproducibility": len(paper.reproducibility),
        "missing": list(_missing(paper)),
    }


def _impossible_numbers(paper: Paper) -> list[str]:
    """Impossible numbers: mistyped, or misprinted in the paper."""
    from rejudge.audit.rules import audit

    return [
        f"{finding.says} ({finding.code}, {finding.place})"
        for finding in audit(paper).findings
        if finding.code in _SINGLE_NUMBERS
    ]


_SINGLE_NUMBERS = {"A102", "A104", "A105"}  # codes about one entry of the file


def _missing(paper: Paper) -> list[str]:
    """Optional parts that a comparison needs."""
    scores = [score for case in paper.cases for score in case.scores]
    placeless = sum(not score.place for score in scores)
    unsaid = [deviation.property for deviation in paper.deviations if not deviation.reason]
    found = {
        "no scores: there is nothing to compare": not scores,
        "no conditions: a comparison needs them": not paper.conditions,
        "no claims: there is nothing to confirm": paper.reproduces is None and not paper.claims,
        "no deviations: a reproduction should state what was done differently, and why": bool(
            paper.reproduces and not paper.deviations
        ),
        f"{placeless} of {len(scores)} scores without the place in the paper": placeless > 0,
        f"no reason given for the deviation in {', '.join(unsaid)}": bool(unsaid),
    }
    return [words for words, is_so in found.items() if is_so]


def _family(paper: Paper, papers: dict[str, Paper]) -> tuple[int, str, bool, int, str]:
    head = papers.get(paper.reproduces or paper.id, paper)
    of_it = paper.reproduces is not None
    return head.reference.year, head.id, of_it, paper.reference.year, paper.id


def _paper_table(rows: list[dict[str, Any]]) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("published as")
    table.add_column("reproduces", no_wrap=True)
    table.add_column("scores", justify="right")
    for paper in rows:
        row = (paper["id"], paper["name"], paper["reproduces"] or "", str(paper["scores"]))
        table.add_row(*row)
    return table


def _check_notes(rows: list[dict[str, Any]]) -> tuple[RenderableType, ...]:
    from rich.text import Text

    from rejudge.english import count

    pieces: list[RenderableType] = []
    for paper in rows:
        of_it = f", reproduces {paper['reproduces']}" if paper["reproduces"] else ""
        pieces.append(Text(f"✓ {paper['id']} ({paper['name']}{of_it})", "green"))
        pieces.append(Text("  " + ", ".join(count(paper[key], noun) for key, noun in _COUNTED)))
        pieces += [Text(f"  missing: {words}", "yellow") for words in paper["missing"]]
        pieces += [
            Text(f"  check what you typed: {words}", "yellow") for words in paper["doubtful"]
        ]
    return tuple(pieces)


_COUNTED = (
    ("systems", "system"),
    ("scores", "score"),
    ("tests", "test"),
    ("claims", "claim"),
    ("conditions", "condition"),
)


def _id_after(file: Path) -> str:
    """A file's name as an id: letters, digits, points and hyphens."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", file.stem).strip("-._")
    return plain[:64] or "paper"
