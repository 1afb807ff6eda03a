"""Which files of a study folder a purge deletes, and what it leaves elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.cli.commands.backup import BACKUP
from rejudge.cli.commands.privacy import EXPORTED
from rejudge.cli.participants import FOLDER
from rejudge.english import count
from rejudge.incoming import follow_links

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.store.records import LogEntry
    from rejudge.study.conduct import Erasure
    from rejudge.study.model import Study

_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class FolderContents:
    """Which files of a folder are deleted, and which stay although they may contain such data."""

    deleted: tuple[Path, ...]
    archives: tuple[Path, ...]  # bundles that stay
    unread: tuple[Path, ...]  # archives that could not be read


def find_files(
    folder: Path, erased: Collection[Erasure], *, study: Study, plan: Plan
) -> FolderContents:
    """The files that a purge of these data concerns."""
    from rejudge.bundle.privacy import find_participant
    from rejudge.files.disk import unfinished_files

    is_all = "everything" in erased
    archives = find_participant(folder, None, study=study, plan=plan)
    deleted = [*unfinished_files(folder)]
    if is_all or "platform-ids" in erased:
        deleted += _invitations(folder)
    if is_all or {"times", "free-text"} & set(erased):
        deleted += _computed_files(folder, is_all=is_all)
        deleted += archives.found if is_all else archives.downloads
    left = tuple(path for path in archives.found if path not in deleted)
    return FolderContents(tuple(dict.fromkeys(deleted)), left, archives.unread)


def remainders(
    folder: Path, contents: FolderContents, log: Collection[LogEntry], *, plan: Plan, database: str
) -> Iterator[str]:
    """What may still contain the deleted data, as far as rejudge knows."""
    yield from _backups(folder, log, database)
    for path in contents.archives:
        yield f"Bundle: {path} (without platform ids; others may have copies)"
    for path in contents.unread:
        yield f"Could not be searched: {path}"
    if plan.lists:
        yield "plan.json names the people who have their own lists"
    yield from _handed_out(log)
    if "://" in database and not database.startswith("sqlite"):
        yield "PostgreSQL's write-ahead log and its own backups, until the server replaces them"
    yield "Copies elsewhere, such as mails, shared drives, file-system snapshots and the platform"


def _backups(folder: Path, log: Collection[LogEntry], database: str) -> Iterator[str]:
    known = {entry.reason: entry.at for entry in log if entry.what == BACKUP}
    for name, at in known.items():
        is_there = Path(name).exists()
        state = "delete it, or keep it as safe as before" if is_there else "no longer there"
        yield f"Backup of {at:%Y-%m-%d}: {name} ({state})"
    for path in _databases(folder, database):
        if str(follow_links(path)) not in known:
            yield f"Another database in the folder: {path}"


def _handed_out(log: Collection[LogEntry]) -> Iterator[str]:
    downloads = sum(entry.what.startswith("downloaded") for entry in log)
    if downloads:
        yield f"{count(downloads, 'download')} from the dashboard, wherever they were saved"
    exports = sum(entry.what == EXPORTED for entry in log)
    if exports:
        yield f"{count(exports, 'export')} for participants who asked for their data"


def _invitations(folder: Path) -> list[Path]:
    home = folder / FOLDER
    return sorted(path for path in home.glob("*") if path.is_file()) if home.is_dir() else []


def _computed_files(folder: Path, *, is_all: bool) -> list[Path]:
    """What shows answers or was computed with them."""
    from rejudge.cli.commands.withdraw import derived_files
    from rejudge.cli.folders import holds_site_judgments
    from rejudge.files.step_files import EXCLUDED, JUDGMENTS
    from rejudge.platforms import DEMOGRAPHICS, own_platforms

    made = derived_files(folder)
    if is_all or holds_site_judgments(folder / JUDGMENTS):  # else it cannot be written again
        made += [folder / JUDGMENTS, folder / EXCLUDED]
    if is_all:
        made += [folder / DEMOGRAPHICS]
        made += [folder / name for each in own_platforms().values() for name in each.personal_files]
    return [path for path in made if path.is_file()]


def _databases(folder: Path, database: str) -> Iterator[Path]:
    from rejudge.files.step_files import REHEARSAL

    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink() or path.name.startswith(REHEARSAL):
            continue
        with path.open("rb") as stream:
            is_database = stream.read(len(_SQLITE)) == _SQLITE
        if is_database and follow_links(path) != follow_links(Path(database)):
            yield path
