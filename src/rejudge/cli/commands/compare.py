"""rejudge compare: what of a study was reproduced, under which conditions."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, speaks
from rejudge.cli.print_fonts import font_note, font_option
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rejudge.compare import Comparison, Run


@click.command("compare")
@click.argument("original", metavar="ORIGINAL")
@click.argument("reproductions", metavar="[REPRODUCTION]…", nargs=-1)
@click.option(
    "--conditions",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Conditions of results that have no study: a YAML file; one for each, in their order.",
)
@click.option(
    "--systems",
    multiple=True,
    help="Systems that are called otherwise in a reproduction: theirs=ours,…",
)
@click.option(
    "--criteria",
    multiple=True,
    help="Criteria that are called otherwise in a reproduction: theirs=ours,…",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to write comparison.json, tables, figures and the page.",
)
@click.option("--force", is_flag=True, help="Replace a comparison that says something else.")
@font_option
@speaks
def command(
    original: str,
    *,
    reproductions: tuple[str, ...],
    conditions: tuple[Path, ...],
    systems: tuple[str, ...],
    criteria: tuple[str, ...],
    out: Path | None,
    font: Path | None = None,
    force: bool,
) -> Outcome:
    """Set one REPRODUCTION or more beside the ORIGINAL.

    Each is the name of a paper that comes with rejudge, a paper.yaml, the folder of a study with
    its results, results.json, or a bundle. A study that `rejudge reproduce` began knows its
    original: give it alone.
    """
    from rejudge.cli.compared import shown
    from rejudge.cli.runs import read_runs, renames, with_its_original
    from rejudge.compare import compare, renamed
    from rejudge.report.comparison import pictures

    if not reproductions:
        original, reproductions = with_its_original(original)
    (first, *further), *rest = read_runs((original, *reproductions), conditions)
    if further:
        raise UsageError(
            Problem(
                f"{original} analyses its judgments in {1 + len(further)} ways, so it is not clear "
                "which is the original.",
                "Keep one case in a copy of the file.",
            )
        )
    ours = {
        "systems": renames(systems, "--systems"),
        "criteria": renames(criteria, "--criteria"),
    }
    others = [renamed(run, **ours) for runs in rest for run in runs]
    comparison = compare(first, *others)
    written = _write(out, comparison, (first, *others), font=font, force=force)
    notes = font_note(pictures(comparison), font) if out else ()
    said = {"written": written, "notes": notes, **asdict(comparison)}
    return Outcome(said, (*shown(comparison, written), *notes))


def _write(
    out: Path | None,
    comparison: Comparison,
    runs: tuple[Run, ...],
    *,
    font: Path | None,
    force: bool,
) -> list[str]:
    from rejudge.files import COMPARISON, encoded, write_files
    from rejudge.report.comparison import comparison_files
    from rejudge.report.drawing import check_font

    if out is None:
        return []
    if font:
        check_font(font)
    made_from = {run.id: run.fingerprint for run in runs}
    again = f"rejudge compare {' '.join(run.id for run in runs)} --out {out.name} --force"
    files = {
        COMPARISON: encoded(comparison, made_from=made_from),
        **comparison_files(comparison, again, font),
    }
    write_files(out, files, force=force)
    each = {name.rpartition(".")[0] for name in files}  # written in three formats
    kinds = Counter(name.partition("/")[0] for name in each)
    return [
        str(out / COMPARISON),
        str(out / "report" / "index.html"),
        f"{kinds['figures']} figures",
        f"{kinds['tables']} tables",
    ]
