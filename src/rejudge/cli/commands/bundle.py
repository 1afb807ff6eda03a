"""rejudge bundle: one archive that another lab can verify and run again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli import folders
from rejudge.cli.console import Outcome, is_interactive, print_outcome
from rejudge.cli.folders import database_of, database_option
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.incoming import follow_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from rejudge.bundle.archive import Licence
    from rejudge.bundle.build import PackedBundle
    from rejudge.bundle.privacy import KnownPrivacy
    from rejudge.design.plan import Plan
    from rejudge.study.model import Study

_SHOWN = 5  # changes that nobody gave a reason for


@click.command("bundle")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to write.  [default: ID.zip in the current folder]",
)
@click.option(
    "--licence",
    "--license",
    "licence",
    metavar="ID|URL",
    help="Licence for reuse, such as CC-BY-4.0.",
)
@click.option(
    "--accept",
    multiple=True,
    metavar="FILE",
    help="Confirm that what looks private in this file may stay; repeatable.",
)
@click.option(
    "--with-remarks",
    is_flag=True,
    help="Include participants' remarks, which are left out by default.",
)
@click.option(
    "--croissant",
    "with_croissant",
    is_flag=True,
    help="Add croissant.json, CITATION.cff, .zenodo.json and a dataset card.",
)
@database_option
@click.option("--force", is_flag=True, help="Overwrite a different bundle.")
@print_outcome
def command(
    folder: Path,
    *,
    out: Path | None,
    licence: str | None,
    accept: tuple[str, ...],
    with_remarks: bool,
    with_croissant: bool,
    database: str | None,
    force: bool,
) -> Outcome:
    """Pack STUDY into one zip file: design, judgments, results and environment.

    Without judgments and results, the study and its plan are packed, for another lab to run.

    Judgments are read from the database if there is one, so people who withdrew are not included.
    Files with platform ids, email addresses, network addresses or local paths are rejected.
    """
    from rejudge.bundle.build import FinishedStudy, bundle
    from rejudge.files.disk import write_bytes

    study, plan = folders.read_plan(folder)
    judgments = folders.collect_judgments_if_any(folder, study, plan, database)
    packed = bundle(
        FinishedStudy(folder, study, plan, judgments),
        licence=choose_licence(licence or study.spec.publication.licence or None),
        published=datetime.now(UTC).date(),
        known=known_privacy(folder, study, plan, database),
        accept=accept,
        with_remarks=with_remarks,
        with_croissant=with_croissant,
    )
    target = out or Path(f"{study.spec.id}.zip")
    write_bytes(target, packed.content, force=force)
    notes = (*_notes(folder, study, packed), *_unstated(study, packed))
    return Outcome(_json(target, packed, notes), _render(target, packed, notes))


def choose_licence(given: str | None) -> Licence:
    """The licence that was given, or else what is typed; a bundle is never without one."""
    from rejudge.bundle.archive import LICENCES, licence_of

    if given is None and is_interactive():
        known = ", ".join(LICENCES)
        given = click.prompt(f"Under which licence ({known}, or an address)", err=True)
    if given is None:
        remedy = "State how others may use it, such as --licence CC-BY-4.0."
        raise UsageError(Problem("a bundle needs a licence.", remedy))
    return licence_of(given)


def known_privacy(folder: Path, study: Study, plan: Plan, database: str | None) -> KnownPrivacy:
    """What must not be in the bundle: platform ids in the database, and local paths."""
    from rejudge.bundle.privacy import KnownPrivacy
    from rejudge.store.store import open_existing

    url = database_of(folder, database)
    identities: set[str] = set()
    if database is not None or Path(url).exists():
        store = open_existing(url, study, plan)
        try:
            identities = {
                word for each in store.identities() for word in (each.person, each.session)
            }
        finally:
            store.close()
    contact = study.spec.contact
    return KnownPrivacy(
        identities=identities - {""},
        paths=(str(follow_links(folder)), str(Path.home())),
        contact=contact.email if contact else None,
    )


def _notes(folder: Path, study: Study, packed: PackedBundle) -> Iterator[str]:
    from rejudge.bundle.original import original_of, unstated_changes

    if packed.manifest.is_simulated:
        yield "The judgments are simulated, and are marked as such throughout the bundle."
    if packed.remarks_left_out:
        remarks = count(packed.remarks_left_out, "remark")
        yield f"Left out as personal data: {remarks} by participants; --with-remarks includes them."
    contact = study.spec.contact
    if contact is not None:
        yield "The study's contact is included, as participants saw it."
    original = original_of(study, folder)
    if original is None or original.study is None:
        return
    changes = unstated_changes(original.study, study)
    for change in changes[:_SHOWN]:
        yield f"Differs from the original without a reason under `deviations`: {change}."
    if len(changes) > _SHOWN:
        yield f"{count(len(changes) - _SHOWN, 'more difference')} without a reason."


def _unstated(study: Study, packed: PackedBundle) -> Iterator[str]:
    """What croissant.json leaves out, since only the authors can say it."""
    from rejudge.bundle.describe import CROISSANT, unstated_keys

    keys = unstated_keys(study)
    if CROISSANT in packed.sizes and keys:
        yield f"{CROISSANT} is incomplete: state {', '.join(keys)} in study.yaml."


def _json(target: Path, packed: PackedBundle, notes: tuple[str, ...]) -> dict[str, object]:
    manifest = packed.manifest
    return {
        "written": str(target),
        "sha256": packed.sha256,
        "bytes": len(packed.content),
        "study": manifest.study,
        "reproduces": manifest.reproduces,
        "licence": manifest.licence.id,
        "published": manifest.published,
        "simulated": manifest.is_simulated,
        "accepted": list(manifest.accepted),
        "files": [{"name": name, "bytes": size} for name, size in packed.sizes.items()],
        "notes": list(notes),
    }


def _render(
    target: Path, packed: PackedBundle, notes: tuple[str, ...]
) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    for name, size in packed.sizes.items():
        table.add_row(Text(name), f"{size:,}")
    return (
        Text(
            f"{packed.manifest.study}: {count(len(packed.sizes), 'file')}, "
            f"{len(packed.content):,} bytes, {packed.manifest.licence.id}",
            "bold",
        ),
        table,
        Text(_searches(packed.manifest.accepted)),
        *(Text(note) for note in notes),
        Text(f"sha256 {packed.sha256}"),
        Text(f"Written: {target}"),
    )


def _searches(accepted: tuple[str, ...]) -> str:
    """The result of the search for private data; accepted files are not searched."""
    result = "No platform id, email address, network address or local path was found"
    return f"{result}; not searched: {', '.join(accepted)}." if accepted else f"{result}."
