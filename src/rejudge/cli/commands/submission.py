"""rejudge submission: what ReproNLP asks for, in one folder with a README."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli import folders
from rejudge.cli.commands.bundle import choose_licence, known_privacy
from rejudge.cli.commands.report import read_comparisons, read_subject
from rejudge.cli.console import Outcome, print_outcome, progress
from rejudge.cli.folders import database_option
from rejudge.english import count
from rejudge.incoming import follow_links, path_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from rejudge.bundle.build import PackedBundle
    from rejudge.bundle.privacy import KnownPrivacy
    from rejudge.bundle.submission import SubmissionFolder
    from rejudge.report.subject import Subject
    from rejudge.study.model import Study


@click.command("submission")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("comparison", metavar="COMPARISON", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to write.  [default: ID-submission in the current folder]",
)
@click.option("--licence", "--license", "licence", metavar="ID|URL", help="Licence of the data.")
@click.option(
    "--accept",
    multiple=True,
    metavar="FILE",
    help="Confirm that what looks private in this file may stay; repeatable.",
)
@database_option
@click.option("--force", is_flag=True, help="Overwrite different files.")
@print_outcome
def command(
    folder: Path,
    comparison: Path,
    *,
    out: Path | None,
    licence: str | None,
    accept: tuple[str, ...],
    database: str | None,
    force: bool,
) -> Outcome:
    """Collect datasheet, QRA tables, deviations, bundle and report of a reproduction.

    STUDY is the folder of the reproduction with its results; COMPARISON is what `rejudge compare
    --out` wrote for it. The README lists what is missing.
    """
    from rejudge.bundle.submission import SubmissionParts, submission
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import COMPARISON
    from rejudge.incoming import read_bytes
    from rejudge.report.comparison.page import comparison_page
    from rejudge.report.files import compose

    (compared,) = read_comparisons((comparison,))
    composed = compose(_for_public(read_subject(folder, (comparison,)), folder))
    study, packed, known = _bundle(folder, licence=licence, accept=accept, database=database)
    with progress("figures", len(composed.pictures)) as step:
        report = composed.files(step)
    found = submission(
        SubmissionParts(
            folder=folder,
            packed=packed,
            comparison=compared,
            comparison_file=read_bytes(comparison / COMPARISON, remedy="Compare again."),
            report=report,
            answer=comparison_page(compared).answer,
            known=known,
        )
    )
    home = out or Path(f"{study.spec.id}-submission")
    write_files(home, found.files, force=force)
    document = {
        "written": str(home),
        "files": sorted(found.files),
        "sha256": packed.sha256,
        "notes": list(found.notes),
    }
    return Outcome(document, tuple(_render(home, found)))


def _for_public(subject: Subject, folder: Path) -> Subject:
    """Without what participants wrote, which is personal data, and without paths."""
    results = subject.results.without_remarks()
    return replace(subject, results=results, folder=path_text(follow_links(folder).name))


def _bundle(
    folder: Path, *, licence: str | None, accept: tuple[str, ...], database: str | None
) -> tuple[Study, PackedBundle, KnownPrivacy]:
    """The bundle of the study, with its descriptions where authors are stated."""
    from rejudge.bundle.build import FinishedStudy, bundle

    study, plan = folders.read_plan(folder)
    judgments = folders.collect_judgments(folder, study, plan, database, force=False)
    known = known_privacy(folder, study, plan, database)
    packed = bundle(
        FinishedStudy(folder, study, plan, judgments),
        licence=choose_licence(licence or study.spec.publication.licence or None),
        published=datetime.now(UTC).date(),
        known=known,
        accept=accept,
        with_croissant=bool(study.spec.publication.authors),
    )
    return study, packed, known


def _render(home: Path, found: SubmissionFolder) -> Iterator[Text]:
    from rich.text import Text

    yield Text(f"Written: {home}, {count(len(found.files), 'file')}", "bold")
    yield from (Text(f"Open: {note}", "yellow") for note in found.notes)
