"""rejudge analyse: every planned number of a study, or the usual ones of any table of judgments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rejudge.cli import steps
from rejudge.cli.console import Outcome, speaks
from rejudge.cli.databases import database_option
from rejudge.cli.findings import shown, where
from rejudge.cli.further import Wanted, shown_further, with_further, with_options
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rejudge.analysis import Results
    from rejudge.judgments import Cleaned, ReadTable
    from rejudge.study import Level

_COEFFICIENTS = ("cohen-kappa", "fleiss-kappa", "icc")
_LEVELS = ("nominal", "ordinal", "interval", "ratio")
_SCALE = re.compile(r"(-?[0-9.]+)\.\.(-?[0-9.]+)")


@click.command("analyse")
@click.argument("source", metavar="STUDY|FILE", type=click.Path(path_type=Path))
@click.option("--columns", help="Columns of a FILE by role: participant=rater,value=score,…")
@click.option("--wide", help="How a wide FILE is to be read, such as participant=rater_*.")
@click.option("--sheet", help="Which sheet of an Excel FILE; the first when left out.")
@click.option(
    "--duplicates",
    type=click.Choice(("error", "first", "last", "repeat")),
    help="What to do where somebody judged the same twice in a FILE: refuse it, or keep one.",
)
@click.option(
    "--exclude",
    "rules",
    multiple=True,
    help="A rule by which rows of a FILE are left out, such as failed_checks=1; may be repeated.",
)
@click.option(
    "--level", type=click.Choice(_LEVELS), help="Level of measurement of a FILE's scores."
)
@click.option("--scale", help="Ends of the scale of a FILE's scores, such as 1..4.")
@click.option("--question", "questions", multiple=True, help="Only this one; may be repeated.")
@click.option(
    "--test",
    "tests",
    multiple=True,
    help="A test of a FILE's systems beside the usual ones, such as t-test or paired-t:item; "
    "may be repeated.",
)
@click.option(
    "--agreement",
    multiple=True,
    type=click.Choice(_COEFFICIENTS),
    help="A coefficient of a FILE beside the usual two; may be repeated.",
)
@click.option(
    "--cases",
    multiple=True,
    help="How to treat outputs of a FILE that several people judged: first, each, mean, median, "
    "majority, drop or participant:ID; may be repeated, to see them side by side.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    help="A mixed model over a FILE's columns, such as 'score ~ system + domain + (1 | rater)'.",
)
@click.option(
    "--profile",
    multiple=True,
    help="A column of a FILE that says something of each participant, to be counted.",
)
@click.option(
    "--coding",
    type=click.Choice(("side", "winner")),
    default="side",
    show_default=True,
    help="How choices are coded for agreement: by the side chosen, or by the system that won.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed of the resampling behind intervals; the results name the one that was used.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where to write; a study's own folder."
)
@database_option
@click.option("--force", is_flag=True, help="Replace results that say something else.")
@speaks
def command(  # noqa: PLR0913 - each is an option of its own
    source: Path,
    *,
    columns: str | None = None,
    wide: str | None = None,
    sheet: str | None = None,
    duplicates: str | None = None,
    rules: tuple[str, ...] = (),
    level: Level | None = None,
    scale: str | None = None,
    questions: tuple[str, ...] = (),
    tests: tuple[str, ...] = (),
    agreement: tuple[str, ...] = (),
    cases: tuple[str, ...] = (),
    models: tuple[str, ...] = (),
    profile: tuple[str, ...] = (),
    coding: Literal["side", "winner"] = "side",
    seed: int | None = None,
    out: Path | None = None,
    database: str | None = None,
    force: bool = False,
) -> Outcome:
    """Compute every planned number of a STUDY's folder, or the usual ones of a FILE of judgments.

    A study that was served is read from its database; judgments.csv is then written from it.
    Writes results.json, excluded.csv and tables (CSV and LaTeX) to the study's folder or --out.
    """
    from rejudge.analysis import DEFAULT_SEED, analyse, with_visitors
    from rejudge.judgments import ExclusionRules, exclude, exclude_rows

    labels: dict[str, str] = {}
    seed = DEFAULT_SEED if seed is None else seed
    if source.is_file() or (source.suffix and not source.exists()):  # a file that is not there
        reading = {"columns": columns, "wide": wide, "duplicates": duplicates, "sheet": sheet}
        wanted = Wanted(tests, agreement, models, profile, cases)
        further = wanted.further()
        table = _read_table(source, questions, reading, wanted.columns)
        cleaned = exclude_rows(table.judgments, ExclusionRules.parse(rules))
        results = analyse(
            cleaned,
            level=level,
            scale=_ends(scale),
            questions=questions,
            coding=coding,
            seed=seed,
            further=further,
        )
        results = with_further(results, table, cleaned, wanted, questions=questions)
        results = with_options(results, click.get_current_context())
        target = out
    else:
        of_table = {"columns": columns, "wide": wide, "level": level, "scale": scale}
        of_table |= {"sheet": sheet, "duplicates": duplicates}
        listed = {"exclude": rules, "test": tests, "agreement": agreement, "cases": cases}
        listed |= {"model": models, "profile": profile}
        of_table |= {name: "".join(given) or None for name, given in listed.items()}
        _refuse_of_table(of_table)
        study, plan = steps.read_plan(source)

        collected = steps.collect_judgments(source, study, plan, database, force=force)
        cleaned = exclude(study, plan, collected)
        labels = {system.id: system.label for system in study.spec.systems}
        results = analyse(
            cleaned, study=study, plan=plan, questions=questions, coding=coding, seed=seed
        )
        visitors = steps.collect_visitors(
            source, study, plan, database=database, judgments=collected
        )
        results = with_visitors(results, cleaned.of_questions(questions), visitors, study=study)
        target = out or source
    written = _write(target, results, cleaned, labels=labels, force=force)
    told = (*shown(results, labels), *shown_further(results), where(written))
    return Outcome({"written": written, **asdict(results)}, told)


def _read_table(
    source: Path,
    questions: Sequence[str],
    reading: Mapping[str, str | None],
    beside: Sequence[str],
) -> ReadTable:
    """Judgments that were collected anywhere."""
    from rejudge.judgments import Wide, read_table

    columns = dict(_named(pair) for pair in (reading["columns"] or "").split(",") if pair)
    wide = reading["wide"]
    return read_table(
        source,
        columns=columns,
        wide=Wide.parse(wide) if wide else None,
        duplicates=reading["duplicates"] or "error",  # type: ignore[arg-type]  # a click.Choice
        question=questions[0] if len(questions) == 1 else None,
        sheet=reading["sheet"],
        beside=beside,
    )


def _named(pair: str) -> tuple[str, str]:
    role, equals, name = pair.partition("=")
    if not equals or not role.strip():
        raise UsageError(
            Problem(
                f"--columns {pair} is unclear.", "Write role=column, such as participant=rater."
            )
        )
    return role.strip(), name.strip()


def _refuse_of_table(given: Mapping[str, str | None]) -> None:
    """A study says itself what these say of a table."""
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise UsageError(
            Problem(
                f"--{wrong[0]} is for a table of judgments; a study has its own words for it.",
                "Leave it out, or give the file in place of the folder.",
            )
        )


def _ends(scale: str | None) -> tuple[float, float] | None:
    if scale is None:
        return None
    found = _SCALE.fullmatch(scale.replace(" ", ""))
    try:
        ends = (float(found[1]), float(found[2])) if found else (0.0, 0.0)
    except ValueError:
        ends = (0.0, 0.0)
    if ends[0] >= ends[1]:
        raise UsageError(
            Problem(f"'{scale}' is no scale.", "Write its lowest and highest point, such as 1..4.")
        )
    return ends


def _write(
    target: Path | None,
    results: Results,
    cleaned: Cleaned,
    *,
    labels: Mapping[str, str],
    force: bool,
) -> list[str]:
    from rejudge.files import EXCLUDED, RESULTS, encoded, write_files
    from rejudge.judgments import excluded_csv
    from rejudge.report import sheet_files

    if target is None:
        return []
    signature = results.signature
    known = {"study": signature.study, "plan": signature.plan, "judgments": signature.judgments}
    made_from = {name: print_ for name, print_ in known.items() if print_ is not None}
    files = {
        RESULTS: encoded(results, made_from=made_from),
        EXCLUDED: excluded_csv(cleaned).encode("utf-8"),
        **sheet_files(results, labels),
    }
    write_files(target, files, force=force)
    return [str(target / name) for name in files]
