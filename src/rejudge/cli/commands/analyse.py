"""rejudge analyse: the planned analysis of a study, or the default one of a table of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from rejudge.cli import folders
from rejudge.cli.console import Outcome, print_outcome, step_progress
from rejudge.cli.execution import ExecutionOptions, execution_options, keep_freed_memory
from rejudge.cli.folders import database_option, log_of_analysis
from rejudge.cli.options import AnalysisOptions, FurtherCoefficient, TableOptions, table_options
from rejudge.cli.results import render_files, render_results
from rejudge.cli.votes import analyse_streamed, refuse_folder_of_tables, streamed_votes
from rejudge.errors import FileError, Problem, UsageError
from rejudge.judgments.exclusions import exclude

if TYPE_CHECKING:
    from rejudge.analysis.results import Results
    from rejudge.judgments.exclusions import Cleaned

_MOST_WRITTEN = 1_000_000  # judgments that are written again; more would fill the memory
REPORT = "report"  # the folder of the report, which has the tables of an analysis
_READ = 0.1  # of the time that a table takes, reading it


@click.command("analyse")
@click.argument("source", metavar="STUDY|FILE", type=click.Path(path_type=Path))
@table_options
@click.option(
    "--question",
    "questions",
    multiple=True,
    metavar="ID",
    help="Analyse only this question; repeatable.",
)
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="Add a test of a FILE's systems, such as t-test, paired-t:item or t-test:greater "
    "(one-sided); repeatable.",
)
@click.option(
    "--pairs",
    multiple=True,
    metavar="A:B",
    help="Test only this pair of a FILE's systems, such as ours:baseline; repeatable. Differences "
    "are first minus second.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Also compare systems within the groups of this column of a FILE, which describes items "
    "or participants, such as a dataset or a country; repeatable.",
)
@click.option(
    "--derive",
    multiple=True,
    metavar="NAME=FORMULA",
    help="Compute a score from others of a FILE and analyse it like them, such as 'overall = "
    "(fluency + adequacy) / 2'; repeatable.",
)
@click.option(
    "--pooled-agreement",
    is_flag=True,
    help="Also compute agreement over all criteria of a FILE with the same scale.",
)
@click.option(
    "--agreement",
    multiple=True,
    type=FurtherCoefficient(),
    help="Add an agreement coefficient to the two defaults for a FILE; repeatable.",
)
@click.option(
    "--cases",
    multiple=True,
    metavar="CASE",
    help="How to treat outputs of a FILE that several people judged: first, each, mean, median, "
    "majority, drop or participant:ID; repeat to compare several.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="FORMULA",
    help="Fit a mixed model to a FILE's columns, such as 'score ~ system + domain + (1 | rater)'; "
    "repeatable.",
)
@click.option(
    "--profile",
    multiple=True,
    metavar="COLUMN",
    help="Count the values of this column of a FILE, which describes participants; repeatable.",
)
@click.option(
    "--remarks",
    multiple=True,
    metavar="COLUMN",
    help="List the remarks in this column of a FILE in the report; repeatable.",
)
@click.option(
    "--inputs",
    metavar="COLUMN",
    help="Column of a FILE with the input of each item, if items are single outputs. Systems are "
    "then compared on the same inputs.",
)
@click.option(
    "--items-dealt-at-random",
    is_flag=True,
    help="State that the items of each system in a FILE were assigned at random. Systems that "
    "share no items can then be compared by their means.",
)
@click.option(
    "--df",
    type=click.Choice(("satterthwaite", "kenward-roger")),
    default="satterthwaite",
    show_default=True,
    help="Degrees of freedom of linear mixed models of a FILE's scores; kenward-roger also "
    "adjusts the standard errors.",
)
@click.option(
    "--slopes",
    type=click.Choice(("equal", "free")),
    default="equal",
    show_default=True,
    help="Random effects of systems over items and participants in the linear mixed model of a "
    "FILE's scores: equal variances, or a free covariance matrix.",
)
@click.option(
    "--coding",
    type=click.Choice(("side", "winner")),
    default="side",
    show_default=True,
    help="Code choices for agreement by the side chosen, or by the winning system.",
)
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Count the votes of a Parquet FILE without loading them all.  "
    "[default: if there are many votes or pairs of systems]",
)
@execution_options
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Random seed for resampled intervals; recorded in the results.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to write.  [default: STUDY]",
)
@database_option
@click.option("--force", is_flag=True, help="Overwrite different results.")
@print_outcome
def command(
    source: Path,
    *,
    table: TableOptions,
    questions: tuple[str, ...] = (),
    tests: tuple[str, ...] = (),
    pairs: tuple[str, ...] = (),
    by: tuple[str, ...] = (),
    derive: tuple[str, ...] = (),
    pooled_agreement: bool = False,
    agreement: tuple[str, ...] = (),
    cases: tuple[str, ...] = (),
    models: tuple[str, ...] = (),
    profile: tuple[str, ...] = (),
    remarks: tuple[str, ...] = (),
    inputs: str | None = None,
    items_dealt_at_random: bool = False,
    df: Literal["satterthwaite", "kenward-roger"] = "satterthwaite",
    slopes: Literal["equal", "free"] = "equal",
    coding: Literal["side", "winner"] = "side",
    stream: bool | None = None,
    execution: ExecutionOptions,
    seed: int | None = None,
    out: Path | None = None,
    database: str | None = None,
    force: bool = False,
) -> Outcome:
    """Run the planned analysis of STUDY, or the default analysis of a FILE of judgments.

    If the study was run on the site, its judgments are read from the database and written to
    judgments.csv. Writes results.json, excluded.csv and report/tables (CSV and LaTeX) to STUDY or
    --out.
    """
    from rejudge.analysis.analyse import analyse
    from rejudge.analysis.analysis_plan import DEFAULT_SEED

    labels: dict[str, str] = {}
    seed = DEFAULT_SEED if seed is None else seed
    wanted = AnalysisOptions(
        tests=tests,
        agreement=agreement,
        models=models,
        profile=profile,
        remarks=remarks,
        cases=cases,
        pairs=pairs,
        by=by,
        derive=derive,
        pooled_agreement=pooled_agreement,
        items_dealt_at_random=items_dealt_at_random,
        df=df,
        slopes=slopes,
        inputs=inputs,
    )
    if source.is_file() or (source.suffix and not source.is_dir()):  # or one that is not there
        further = wanted.further()
        others = (*wanted.given, *("question" for _ in questions), *_unusual(coding))
        votes = streamed_votes(source, table, others, stream=stream)
        if votes is not None:
            results = analyse_streamed(
                votes,
                table,
                execution,
                seed=seed,
                options=typed_options(click.get_current_context()),
            )
            return _outcome_of_votes(results, out, force=force)
        keep_freed_memory()
        question = questions[0] if len(questions) == 1 else None
        with execution.executor() as executor, step_progress() as watch:
            watch(f"reading {source.name}", 0.0)
            read = table.read(source, question=question, beside=wanted.columns, questions=questions)
            read.require_one_run()
            cleaned = table.clean(read)
            _refuse_other_results(out, {}, cleaned, force=force)
            results = analyse(
                cleaned,
                level=table.level,
                scale=table.ends,
                questions=questions,
                coding=coding,
                seed=seed,
                further=replace(further, pairs=wanted.pairs_of(read)),
                inputs=wanted.inputs_of(read),
                groupings=wanted.groupings_of(read),
                derived=wanted.derived(),
                table=read,
                options=typed_options(click.get_current_context()),
                watch=lambda step, share: watch(step, _READ + (1 - _READ) * share),
                executor=executor,
            )
        target = out
        kept = _judgments_file(source, out, cleaned)
    else:
        _refuse_of_table(source, (*table.given, *wanted.given, *(["stream"] if stream else [])))
        further = wanted.further()
        keep_freed_memory()
        study, plan = folders.read_plan(source)
        collected = folders.collect_judgments(source, study, plan, database, force=force)
        looks = log_of_analysis(source, study, plan, collected, database=database)
        cleaned = exclude(study, plan, collected)
        prints = {"study": study.fingerprint, "plan": plan.fingerprint}
        _refuse_other_results(out or source, prints, cleaned, force=force)
        visitors = folders.collect_visitors(
            source, study, plan, database=database, judgments=collected
        )
        labels = {system.id: system.label for system in study.spec.systems}
        with execution.executor() as executor, step_progress() as watch:
            results = analyse(
                cleaned,
                study=study,
                plan=plan,
                questions=questions,
                coding=coding,
                seed=seed,
                further=further,
                visitors=visitors,
                watch=watch,
                looks=looks,
                executor=executor,
            )
        target = out or source
        kept = {}
    written = _write(target, results, cleaned, labels=labels, beside=kept, force=force)
    output = (*render_results(results, labels), render_files(written))
    return Outcome({"written": written, **_as_json(results)}, output)


def _as_json(results: Results) -> dict[str, Any]:  # JSON
    from rejudge.files.step_files import to_json

    document: dict[str, Any] = to_json(results)
    return document


def _refuse_other_results(
    target: Path | None, prints: Mapping[str, str], cleaned: Cleaned, *, force: bool
) -> None:
    """Say before computing, not after, that results of other files would be overwritten."""
    import json

    from rejudge.files.step_files import RESULTS
    from rejudge.judgments.judgments_csv import fingerprint_of

    if target is None or force or not (target / RESULTS).is_file():
        return
    try:
        known = json.loads((target / RESULTS).read_bytes())["made_from"]
    except (ValueError, KeyError, TypeError):
        known = None  # not a file of results
    if known != {**prints, "judgments": fingerprint_of(cleaned.collected)}:
        what = "there are results of an earlier version of the study, or of other judgments."
        remedy = "Use --force to replace them."
        raise FileError(Problem(what, remedy, file=str(target / RESULTS)))


def _refuse_of_table(folder: Path, given: Sequence[str]) -> None:
    """Reject options for tables: a study states these things in study.yaml."""
    refuse_folder_of_tables(folder)
    if given:
        raise UsageError(
            Problem(
                f"--{given[0]} is for a table of judgments; a study states this in study.yaml.",
                "Leave it out, or give a file instead of the folder.",
            )
        )


def _unusual(coding: str) -> tuple[str, ...]:
    return () if coding == "side" else ("coding",)


def _outcome_of_votes(results: Results, out: Path | None, *, force: bool) -> Outcome:
    written = _write(out, results, None, labels={}, beside={}, force=force)
    output = (*render_results(results, {}), render_files(written))
    return Outcome({"written": written, **_as_json(results)}, output)


def _judgments_file(source: Path, out: Path | None, cleaned: Cleaned) -> dict[str, bytes]:
    """The judgments of a FILE in our own format, so that comparisons and reports can use them."""
    if out is None or len(cleaned.collected) > _MOST_WRITTEN:
        return {}
    from rejudge.files.step_files import JUDGMENTS
    from rejudge.judgments.judgments_csv import to_csv

    content = to_csv(cleaned.collected).encode("utf-8")
    target = out / JUDGMENTS
    if target.exists() and target.samefile(source) and target.read_bytes() != content:
        what = f"the judgments would overwrite {source}, the file they are read from."
        raise UsageError(Problem(what, "Choose another folder for --out.", field="--out"))
    return {JUDGMENTS: content}


def _write(
    target: Path | None,
    results: Results,
    cleaned: Cleaned | None,
    *,
    labels: Mapping[str, str],
    beside: Mapping[str, bytes],
    force: bool,
) -> list[str]:
    if target is None:
        return []
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import EXCLUDED, RESULTS, to_bytes
    from rejudge.judgments.exclusions import excluded_csv
    from rejudge.tables.results import result_tables, table_files

    signature = results.signature
    known = {"study": signature.study, "plan": signature.plan, "judgments": signature.judgments}
    made_from = {name: print_ for name, print_ in known.items() if print_ is not None}
    excluded = {EXCLUDED: excluded_csv(cleaned).encode("utf-8")} if cleaned else {}
    files = {
        RESULTS: to_bytes(results, made_from=made_from),
        **beside,
        **excluded,
        **{
            f"{REPORT}/{name}": content
            for name, content in table_files(result_tables(results, labels), ("csv", "tex")).items()
        },
    }
    write_files(target, files, force=force)
    return [str(target / name) for name in files]


def typed_options(context: click.Context) -> dict[str, tuple[str, ...]]:
    """Every option that was typed and could change a number, for the signature."""
    typed = {
        str(option.opts[0]).lstrip("-"): _words(context.params.get(str(option.name)))
        for option in context.command.params
        if isinstance(option, click.Option)
        and option.name not in _WITHOUT_EFFECT
        and context.params.get(str(option.name)) != option.default
    }
    return {name: words for name, words in typed.items() if words}


_WITHOUT_EFFECT = (
    "out",
    "database",
    "force",
    "as_json",
    "seed",
    "processes",
    "cluster",
    "stream",
)  # the seed is named apart


def _words(given: object) -> tuple[str, ...]:
    if given is None or given is False:
        return ()
    return tuple(dict.fromkeys(map(str, given))) if isinstance(given, tuple) else (str(given),)
