"""rejudge compare: which findings of a study were reproduced, and under which conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.options import TableOptions, figure_options, font_note, table_options
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rejudge.cli.runs import RunArgument
    from rejudge.compare.comparison import Comparison
    from rejudge.compare.run import Run
    from rejudge.report.figures.registry import Formats


@click.command("compare")
@click.argument("original", metavar="ORIGINAL")
@click.argument("reproductions", metavar="[REPRODUCTION]…", nargs=-1)
@click.option(
    "--conditions",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Conditions of tables and of results without a study: one YAML file for each, in the "
    "same order, or one file with a section per run.",
)
@click.option(
    "--systems",
    multiple=True,
    metavar="THEIRS=OURS,…",
    help="Match systems that have another name in a reproduction.",
)
@click.option(
    "--criteria",
    multiple=True,
    metavar="THEIRS=OURS,…",
    help="Match criteria that have another name in a reproduction.",
)
@click.option(
    "--match",
    multiple=True,
    metavar="OURS=THEIRS,…",
    help="Match columns of groups that have different names and different groups, such as "
    "role=dataset.",
)
@click.option(
    "--original",
    "chosen",
    metavar="RUN",
    help="Which run is the original, if a FILE has several.  [default: the first]",
)
@click.option(
    "--heds",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Datasheets of the runs, in the same order, one for all cases of a study; their "
    "differences are added; repeatable.",
)
@table_options
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to write comparison.json, tables, figures and the report page.",
)
@click.option("--force", is_flag=True, help="Overwrite a different comparison.")
@figure_options
@print_outcome
def command(
    original: str,
    *,
    reproductions: tuple[str, ...],
    conditions: tuple[Path, ...],
    systems: tuple[str, ...],
    criteria: tuple[str, ...],
    match: tuple[str, ...],
    chosen: str | None,
    heds: tuple[Path, ...],
    table: TableOptions,
    out: Path | None,
    formats: Formats,
    force: bool,
) -> Outcome:
    """Compare the ORIGINAL with one or more REPRODUCTIONs.

    Each argument is the name of a paper shipped with rejudge, a paper.yaml, the folder of an
    analysed study, results.json, a bundle, or a FILE of judgments. A FILE with a column such as
    `lab` has one run per lab and can be given alone. So can a study created by `rejudge reproduce`.
    """
    from rejudge.cli.comparison import render_comparison
    from rejudge.cli.runs import (
        find_original,
        matched_columns,
        read_runs,
        refuse_unknown_names,
        renames,
        renames_in,
    )
    from rejudge.compare.alignment import rename
    from rejudge.compare.compare import compare
    from rejudge.report.figures.comparison import comparison_pictures

    names = (original, *reproductions) if reproductions else find_original(original)
    first, *others = _order_runs(read_runs(names, conditions, table), chosen)
    pairs = {
        "systems": renames(systems, "--systems"),
        "criteria": renames(criteria, "--criteria"),
    }
    refuse_unknown_names(first, others, **pairs)
    others = [rename(run, **renames_in(run, **pairs)) for run in others]
    columns = matched_columns(match, first, others)
    comparison = (
        _compare_with_sheets((first, *others), heds, columns)
        if heds
        else compare(first, *others, columns=columns)
    )
    written = _write(out, comparison, (first, *others), formats=formats, force=force)
    notes = font_note(comparison_pictures(comparison), formats) if out else ()
    from rejudge.files.step_files import to_json

    everything = {**to_json(comparison), "notes": (*comparison.notes, *notes), "written": written}
    return Outcome(everything, (*render_comparison(comparison, written), *notes))


def _order_runs(given: Sequence[RunArgument], chosen: str | None) -> list[Run]:
    """All runs, the original first."""
    runs = [run for each in given for run in each.runs]
    if chosen is not None:
        first = next((one for run in runs if (one := _way_of(run, chosen))), None)
        if first is None:
            known = ", ".join(run.id for run in runs)
            raise UsageError(
                Problem(f"--original: there is no run '{chosen}'.", f"The runs are {known}.")
            )
        runs = [first, *(run for run in runs if run.id != first.id)]
    if runs[0].source == "paper" and len(runs[0].cases) > 1:
        raise UsageError(
            Problem(
                f"{given[0].name} analyses its judgments in {len(runs[0].cases)} ways, so it is "
                "not clear which is the original.",
                f"Name one, such as --original {runs[0].id}:{runs[0].cases[0]}.",
            )
        )
    if len(runs) == 1:
        raise UsageError(
            Problem(
                f"{given[0].name} holds one run, and there is nothing to compare it with.",
                "Give a second FILE, or the column that identifies runs: --columns run=lab.",
            )
        )
    return runs


def _way_of(run: Run, name: str) -> Run | None:
    """The run of this id or name, or in the case of this id; None: it is another one."""
    if name in {run.id, run.name}:
        return run
    case = next((each.case for each in run.by_case() if each.id == name), None)
    return None if case is None else replace(run, cases=(case,))


def _compare_with_sheets(
    runs: tuple[Run, ...], paths: tuple[Path, ...], columns: Mapping[str, str]
) -> Comparison:
    from rejudge.compare.compare import compare
    from rejudge.heds.diff import title_conditions, with_sheets
    from rejudge.heds.sheet import read_sheet

    described = with_sheets(runs, [read_sheet(path) for path in paths])
    return title_conditions(compare(*described, columns=columns))


def _write(
    out: Path | None,
    comparison: Comparison,
    runs: tuple[Run, ...],
    *,
    formats: Formats,
    force: bool,
) -> list[str]:
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import COMPARISON, to_bytes
    from rejudge.report.comparison.files import comparison_files

    if out is None:
        return []
    made_from = {run.id: run.fingerprint for run in runs}
    again = f"rejudge compare {' '.join(run.id for run in runs)} --out {out.name} --force"
    files = {
        COMPARISON: to_bytes(comparison, made_from=made_from),
        **comparison_files(comparison, again, formats),
    }
    write_files(out, files, force=force)
    each = {name.rpartition(".")[0] for name in files}  # written in several formats
    kinds = Counter(name.partition("/")[0] for name in each)
    return [
        str(out / COMPARISON),
        str(out / "report" / "index.html"),
        f"{kinds['figures']} figures",
        f"{kinds['tables']} tables",
    ]
