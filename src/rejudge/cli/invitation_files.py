"""The files that `rejudge invite` writes, and the parts about one person."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = "invitations"
MERGE: Final = "invitations.csv"


@dataclass(frozen=True, slots=True)
class InvitationFiles:
    """What names one person: texts of their own, and the table for the mail merge without them."""

    texts: tuple[Path, ...] = ()
    table: Path | None = None
    rest: str = ""  # of the table

    @property
    def paths(self) -> list[Path]:
        """All files that name them."""
        return [*self.texts, *([] if self.table is None else [self.table])]

    def remove(self) -> None:
        """Delete the texts, and the person's rows of the table."""
        from rejudge.files import write_bytes

        for path in self.texts:
            path.unlink()
        if self.table is not None:
            write_bytes(self.table, self.rest.encode("utf-8-sig"), force=True)


def find_invitations(folder: Path, names: Collection[str]) -> InvitationFiles:
    """What is left of people by the names in their links; nothing where nobody was invited."""
    from rejudge.collect import PERSONAL_NAME
    from rejudge.files import read_bytes
    from rejudge.spreadsheet import csv_rows, csv_text
    from rejudge.study import decode

    home = folder / FOLDER
    usable = [name for name in names if PERSONAL_NAME.fullmatch(name)]  # never a path
    texts = tuple(path for name in usable if (path := home / f"{name}.txt").is_file())
    table = home / MERGE
    if not usable or not table.is_file():
        return InvitationFiles(texts)
    head, *rows = csv_rows(decode(read_bytes(table, remedy=""), file=str(table))) or ([],)
    if "participant" not in head:
        return InvitationFiles(texts)
    at = head.index("participant")
    kept = [row for row in rows if not set(row[at : at + 1]) & set(usable)]
    if len(kept) == len(rows):
        return InvitationFiles(texts)
    return InvitationFiles(texts, table, csv_text((head, *kept)))
