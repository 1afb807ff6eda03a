"""rejudge bundle: one archive that another lab can check and run again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli import steps
from rejudge.cli.console import Outcome, is_asked, speaks
from rejudge.cli.databases import database_of, database_option
from rejudge.english import count
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from rejudge.bundle import KnownPrivacy, Licence, PackedBundle
    from rejudge.design import Plan
    from rejudge.study import Study

_SHOWN = 5  # changes that nobody gave a reason for


@click.command("bundle")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where to write; ID.zip here when left out."
)
@click.option(
    "--licence",
    "--license",
    "licence",
    metavar="ID|URL",
    help="Under which terms others may use it, such as CC-BY-4.0.",
)
@click.option(
    "--accept",
    multiple=True,
    metavar="FILE",
    help="What looks private in this file of yours was looked at and may stay; may be repeated.",
)
@click.option(
    "--with-remarks",
    is_flag=True,
    help="Keep what participants wrote in their own words; without it, remarks are left out.",
)
@database_option
@click.option("--force", is_flag=True, help="Replace a bundle that holds something else.")
@speaks
def command(
    folder: Path,
    *,
    out: Path | None,
    licence: str | None,
    accept: tuple[str, ...],
    with_remarks: bool,
    database: str | None,
    force: bool,
) -> Outcome:
    """Pack the STUDY in a folder into one zip: design, judgments, results, environment.

    Judgments are taken from the database where there is one, so whoever withdrew is not in it.
    Refused are files with platform ids, e-mail addresses, network addresses or local paths.
    """
    from rejudge.bundle import FinishedStudy, bundle
    from rejudge.files import write_bytes

    study, plan = steps.read_plan(folder)
    judgments = steps.collect_judgments(folder, study, plan, database, force=False)
    packed = bundle(
        FinishedStudy(folder, study, plan, judgments),
        licence=_licence(licence),
        published=datetime.now(UTC).date(),
        known=_known(folder, study, plan, database),
        accept=accept,
        with_remarks=with_remarks,
    )
    target = out or Path(f"{study.spec.id}.zip")
    write_bytes(target, packed.content, force=force)
    notes = tuple(_notes(folder, study, packed))
    return Outcome(_json(target, packed, notes), _shown(target, packed, notes))


def _licence(given: str | None) -> Licence:
    from rejudge.bundle import LICENCES, licence_of

    if given is None and is_asked():
        known = ", ".join(LICENCES)
        given = click.prompt(f"Under which licence ({known}, or an address)", err=True)
    if given is None:
        remedy = "Say under which terms others may use it, such as --licence CC-BY-4.0."
        raise UsageError(Problem("a bundle needs a licence.", remedy))
    return licence_of(given)


def _known(folder: Path, study: Study, plan: Plan, database: str | None) -> KnownPrivacy:
    """What must not be in the bundle: ids that the database knows, and where it was made."""
    from rejudge.bundle import KnownPrivacy
    from rejudge.store import open_existing

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
        paths=(str(folder.resolve()), str(Path.home())),
        contact=contact.email if contact else None,
    )


def _notes(folder: Path, study: Study, packed: PackedBundle) -> Iterator[str]:
    from rejudge.bundle import ORIGINAL, open_bundle, origin_of, unstated_changes

    if packed.manifest.is_simulated:
        yield "The judgments were made by a program; everything in the bundle says so."
    if packed.remarks_left_out:
        remarks = count(packed.remarks_left_out, "remark")
        yield f"Left out as personal data: {remarks} of participants; --with-remarks keeps them."
    contact = study.spec.contact
    if contact is not None:
        yield "The study's contact stays in it, as participants read it."
    origin = origin_of(folder)
    if origin is None or not (folder / ORIGINAL).exists():
        return
    for change in unstated_changes(open_bundle(folder / ORIGINAL).study, study, origin)[:_SHOWN]:
        yield f"Differs from the original, and nobody said why: {change}."


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


def _shown(
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
    """What the search for private things came to; files that were accepted are not searched."""
    told = "No platform id, e-mail address, network address or local path was found"
    return f"{told}; not looked at: {', '.join(accepted)}." if accepted else f"{told}."
