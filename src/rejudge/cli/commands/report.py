"""rejudge report: a self-contained page with tables, figures and paragraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from rejudge.cli.console import Outcome, print_outcome, progress
from rejudge.cli.folders import read_plan, read_results, recorded_database
from rejudge.cli.options import figure_options, font_note
from rejudge.english import count
from rejudge.errors import DesignError, FileError, Problem, UsageError
from rejudge.incoming import follow_links, path_text

if TYPE_CHECKING:
    from rich.text import Text

    from rejudge.compare.comparison import Comparison
    from rejudge.design.pay import Earnings, Quote
    from rejudge.design.plan import Plan
    from rejudge.judgments.table import Judgments
    from rejudge.report.figures.registry import Formats
    from rejudge.report.files import ReportFiles
    from rejudge.report.subject import Subject
    from rejudge.study.model import Study

_FOLDER = "report"


@click.command("report")
@click.argument("what", metavar="FOLDER", type=click.Path(path_type=Path))
@click.argument("comparisons", metavar="[COMPARISON]…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite a different report.")
@figure_options
@print_outcome
def command(what: Path, *, comparisons: tuple[Path, ...], formats: Formats, force: bool) -> Outcome:
    """Write a report on FOLDER: a study, results without a study, or a comparison.

    Comparisons that follow a study are included in its report. Writes report/index.html, tables
    (CSV, LaTeX), figures (SVG), paragraphs on methods and limitations for a
    paper, and the Responsible NLP checklist with the study's facts.
    """
    from rejudge.files.disk import write_files
    from rejudge.report.files import PAGE

    composed = _compose(what, comparisons)
    with progress("figures", len(composed.pictures)) as step:
        files = composed.files(step, formats)
    notes = font_note(composed.pictures, formats)
    home = what / _FOLDER
    write_files(home, files, force=force)
    document = {
        "written": str(home / PAGE),
        "answer": list(composed.page.answer),
        "simulated": composed.page.is_simulated,
        "files": [str(home / name) for name in sorted(files)],
        "notes": list(notes),
    }
    return Outcome(document, (*_render(home, files, composed), *notes))


def _compose(what: Path, comparisons: tuple[Path, ...]) -> ReportFiles:
    from rejudge.report.files import compose, compose_comparison

    if not is_comparison(what):
        return compose(read_subject(what, comparisons))
    found = read_comparisons((what, *comparisons))
    runs = " ".join(run.id for run in found[0].runs)
    again = f"rejudge compare {runs} --out {what.name} --force"
    return compose_comparison(*found, again=again)


def _render(home: Path, files: Mapping[str, bytes], composed: ReportFiles) -> Iterator[Text]:
    from rich.text import Text

    each = {name.rpartition(".")[0] for name in files if "/" in name}  # in several formats
    kinds = Counter(name.partition("/")[0] for name in each)
    texts = ", ".join(sorted(name for name in files if "/" not in name and name != "index.html"))
    yield Text(" ".join(composed.page.answer))
    tables, figures = count(kinds["tables"], "table"), count(kinds["figures"], "figure")
    yield Text(f"Written: {home}/index.html, {tables}, {figures}, {texts}")
    yield Text(f"Open {follow_links(home / 'index.html').as_uri()}")


T = TypeVar("T")


def is_comparison(folder: Path) -> bool:
    """Whether a folder contains a comparison and no study."""
    from rejudge.files.step_files import COMPARISON, STUDY

    return (folder / COMPARISON).exists() and not (folder / STUDY).exists()


def read_subject(folder: Path, comparisons: Sequence[Path]) -> Subject:
    """A study with its results, or results alone, and the comparisons to include."""
    from rejudge.files.step_files import RESULTS, STUDY
    from rejudge.incoming import refuse_no_folder

    refuse_no_folder(
        folder,
        absent=f"Start a study with `rejudge new {folder}`.",
        file="Give the folder of a study, of results or of a comparison.",
    )
    if (folder / STUDY).exists():
        return _study_subject(folder, comparisons)
    if (folder / RESULTS).exists():
        return _results_subject(folder, comparisons)
    raise FileError(
        Problem(
            f"there is neither {STUDY} nor {RESULTS} nor comparison.json in this folder.",
            "Give the folder of a study, or what `rejudge analyse --out` or `rejudge compare "
            "--out` wrote.",
            file=str(folder),
        )
    )


def read_comparisons(folders: Sequence[Path]) -> tuple[Comparison, ...]:
    """The comparisons in these folders; any other folder is rejected."""
    from rejudge.compare.comparison import Comparison
    from rejudge.files.step_files import COMPARISON, read

    strange = [folder for folder in folders if not is_comparison(folder)]
    if strange:
        raise UsageError(
            Problem(
                f"{strange[0]} is not a comparison.",
                "Give one study, and after it only folders written by `rejudge compare --out`.",
            )
        )
    return tuple(_restore_order(read(Comparison, folder / COMPARISON)) for folder in folders)


def _restore_order(comparison: Comparison) -> Comparison:
    """Restore the order of systems, which sets colours: a file sorts its keys."""
    found = [each.systems[0] for each in comparison.select("cv-star") if each.systems]
    return replace(comparison, systems=_sort_by_appearance(comparison.systems, found))


def _sort_by_appearance(names: Mapping[str, T], met: Sequence[str | None]) -> dict[str, T]:
    order = dict.fromkeys([*(each for each in met if each is not None and each in names), *names])
    return {each: names[each] for each in order}


def _study_subject(folder: Path, comparisons: Sequence[Path]) -> Subject:
    from rejudge.design.freeze import Frozen, changes_since_freeze
    from rejudge.files.step_files import FROZEN, read, read_baselines, read_judgments, read_power
    from rejudge.report.subject import PlannedStudy, Subject

    study, plan = read_plan(folder)
    results = read_results(folder, study, plan)
    frozen = read(Frozen, folder / FROZEN) if (folder / FROZEN).exists() else None
    judgments = read_judgments(folder, plan)
    period = _period(judgments)
    frozen_on = frozen.at.date() if frozen else None
    quoted = read_quote(study, plan, on=frozen_on or (period[0] if period else None))
    return Subject(
        results=results,
        title=study.spec.title,
        folder=path_text(folder),
        designed=PlannedStudy(
            study=study,
            plan=plan,
            changes=None if frozen is None else changes_since_freeze(frozen, study, plan),
            frozen_on=frozen_on,
            quote=quoted,
            earned=_earnings(folder, study, plan, quoted),
            power=read_power(folder, study),
            is_imported=judgments.is_imported,
        ),
        period=None if results.flow.is_simulated else period,
        comparisons=_comparisons(comparisons, results.signature.judgments),
        baselines=read_baselines(folder, results),
    )


def _results_subject(folder: Path, comparisons: Sequence[Path]) -> Subject:
    from rejudge.analysis.results import Results
    from rejudge.files.step_files import RESULTS, read
    from rejudge.report.subject import Subject

    results = read(Results, folder / RESULTS)
    if results.signature.study is not None:
        raise FileError(
            Problem(
                "these results belong to a study that is not in this folder.",
                "Give the folder of the study.",
                file=str(folder / RESULTS),
            )
        )
    return Subject(
        results=results,
        title=path_text(follow_links(folder).name),
        folder=path_text(folder),
        comparisons=_comparisons(comparisons, results.signature.judgments),
    )


def _comparisons(folders: Sequence[Path], judgments: str) -> tuple[Comparison, ...]:
    """The runs with the same judgments; a comparison without one is rejected."""
    from rejudge.files.step_files import COMPARISON

    found = read_comparisons(folders)
    for folder, comparison in zip(folders, found, strict=True):
        if judgments not in {run.fingerprint for run in comparison.runs}:
            raise FileError(
                Problem(
                    "none of the runs compared here uses the judgments of this report.",
                    "Compare again with `rejudge compare … --force`, or leave it out.",
                    file=str(folder / COMPARISON),
                )
            )
    return found


def _period(judgments: Judgments) -> tuple[date, date] | None:
    """The first and the last day on which somebody answered, if times are known."""
    import numpy as np

    known = judgments.submitted_at[~np.isnat(judgments.submitted_at)]
    if not len(known):
        return None
    first, last = (each.astype("datetime64[D]").item() for each in (known.min(), known.max()))
    return first, last


def read_quote(study: Study, plan: Plan, *, on: date | None) -> Quote | None:
    """The promised pay; None if it depends on a wage of a day that is unknown."""
    from rejudge.design.pay import quote_price

    payment = study.spec.payment
    if payment is None:
        return None
    if on is None and (payment.living_wage or payment.minimum_wage):
        return None
    try:
        return quote_price(study, plan, on=on or date.min)
    except DesignError:  # `rejudge check` says what is wrong; a report need not fail for it
        return None


def _earnings(folder: Path, study: Study, plan: Plan, quoted: Quote | None) -> Earnings | None:
    """Hourly pay by the times that the site recorded; None if the study was run elsewhere."""
    from datetime import UTC, datetime

    from rejudge.collect.assignment import earned_by_clock
    from rejudge.files.step_files import DATABASE
    from rejudge.store.store import open_existing

    is_here = (folder / DATABASE).exists() and recorded_database(folder) is None
    if quoted is None or not is_here:
        return None
    store = open_existing(str(folder / DATABASE), study, plan)
    try:
        return earned_by_clock(quoted, plan, store.people(now=datetime.now(UTC)))
    finally:
        store.close()
