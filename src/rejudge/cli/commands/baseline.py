"""rejudge baseline: the results of a study when rules answer instead of participants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli import folders
from rejudge.cli.console import Outcome, heading, print_outcome, render_table, step_progress
from rejudge.cli.folders import database_option
from rejudge.cli.results import render_files
from rejudge.errors import Problem, RejudgeError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.analysis.results import Results
    from rejudge.design.plan import Plan
    from rejudge.judgments.exclusions import Cleaned
    from rejudge.simulate.baselines import Baselines
    from rejudge.study.baselines import Baseline
    from rejudge.study.model import Study


@click.command("baseline")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--rules",
    metavar="RULE,…",
    multiple=True,
    help="Use these rules, in this order, instead of the study's baselines, such as "
    "copy-wins,unknown-loses; repeat for several baselines.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Random seed for resampled intervals in the analysis.",
)
@database_option
@click.option("--force", is_flag=True, help="Overwrite different baselines.")
@print_outcome
def command(
    folder: Path,
    *,
    rules: tuple[str, ...] = (),
    seed: int | None = None,
    database: str | None = None,
    force: bool = False,
) -> Outcome:
    """Answer the plan of STUDY by rules such as “the longer output wins”, and analyse the answers.

    The outcome is compared with the participants' judgments, if there are any: how much of the
    result comes out without judging, and which checks a rule passes. Writes baseline.json, tables
    (CSV and LaTeX) and figures to the study's folder; `rejudge report` then has a section on them.
    """
    from rejudge.analysis.analysis_plan import DEFAULT_SEED
    from rejudge.files.step_files import to_json
    from rejudge.report.figures.baselines import baseline_pictures
    from rejudge.report.figures.registry import picture_files
    from rejudge.simulate.baselines import run_baselines

    study, plan = folders.read_plan(folder)
    chosen = tuple(_parse_rules(text) for text in dict.fromkeys(rules))
    participants = _participants(folder, study, plan, database=database)
    with step_progress() as watch:
        found = run_baselines(
            study,
            plan,
            baselines=chosen,
            participants=participants,
            seed=DEFAULT_SEED if seed is None else seed,
            watch=watch,
        )
    labels = {system.id: system.label for system in study.spec.systems}
    pictures = baseline_pictures(found, study)
    written = _write(folder, found, labels, picture_files(pictures), force=force)
    shown = (*_render(found, labels), render_files(written))
    return Outcome({"written": written, **to_json(found), "notes": list(found.notes)}, shown)


def _parse_rules(text: str) -> Baseline:
    """The baseline that an option such as `copy-wins,random` describes: these rules, as typed."""
    from pydantic import ValidationError

    from rejudge.english import did_you_mean
    from rejudge.study.baselines import BASELINE_RULES, Baseline

    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in BASELINE_RULES:
            known = ", ".join(BASELINE_RULES)
            remedy = did_you_mean(name, BASELINE_RULES) or f"The rules are {known}."
            raise UsageError(Problem(f"there is no rule '{name}'.", remedy, field="--rules"))
    try:
        return Baseline.model_validate({"id": "-".join(names), "rules": names, "reversed": []})
    except ValidationError:  # an id that is too long
        return Baseline.model_validate({"id": "rules", "rules": names, "reversed": []})


def _participants(
    folder: Path, study: Study, plan: Plan, *, database: str | None
) -> tuple[Cleaned, Results] | None:
    """The participants' judgments that count and their results; None before data collection."""
    from rejudge.analysis.analyse import analyse
    from rejudge.files.step_files import JUDGMENTS
    from rejudge.judgments.exclusions import exclude

    is_served = folders.answers_database(folder, database) is not None
    if not is_served and not (folder / JUDGMENTS).exists():
        return None
    judgments = folders.collect_judgments(folder, study, plan, database, force=False)
    cleaned = exclude(study, plan, judgments)
    try:
        return cleaned, folders.read_results(folder, study, plan)
    except RejudgeError:  # there are none yet, or they are of other judgments
        with step_progress() as watch:
            return cleaned, analyse(cleaned, study=study, plan=plan, watch=watch)


def _write(
    folder: Path,
    found: Baselines,
    labels: dict[str, str],
    figures: dict[str, bytes],
    *,
    force: bool,
) -> list[str]:
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import BASELINE, to_bytes
    from rejudge.tables.baselines import baseline_tables
    from rejudge.tables.results import table_files

    made_from = {"study": found.study, "plan": found.plan}
    if found.judged is not None:
        made_from["judgments"] = found.judged
    files = {
        BASELINE: to_bytes(found, made_from=made_from),
        **table_files(baseline_tables(found, labels), ("csv", "tex")),
        **figures,
    }
    write_files(folder, files, force=force)
    return [str(folder / name) for name in files]


def _render(found: Baselines, labels: dict[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    from rejudge.tables.baselines import baseline_sentences, baseline_tables

    titles = {
        "baselines": "Baselines",
        "baseline-scores": "Scores",
        "baseline-checks": "Checks",
        "baseline-claims": "Claims",
    }
    if not found.has_participants:
        yield Text("There are no judgments yet, so only the answers of the rules are shown.")
    for sentence in baseline_sentences(found):
        yield Text(sentence, "bold")
    for table in baseline_tables(found, labels):
        yield heading(titles[table.name])
        has_question = any(column.name == "question" for column in table.columns)
        notes = table.columns_as_notes("note")
        yield render_table(notes, by="question" if has_question else "", absent="–")
        yield from (Text(note) for note in notes.notes)
    yield from (Text(note) for note in found.notes)
