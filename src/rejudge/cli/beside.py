"""Files of `--conditions`: one for each table or results, or one with a section for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rejudge.paper import Paper


@dataclass(slots=True)
class Beside:
    """What is given beside runs, and which of it has been used."""

    files: list[tuple[Path, Paper]] = field(default_factory=list)  # not used yet, in order
    sections: dict[str, tuple[Path, Paper]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, paths: Sequence[Path]) -> Beside:
        """Read all files, so that their faults come before anything is computed."""
        found = cls()
        for path in paths:
            told = _read(path)
            if not isinstance(told, Mapping):
                found.files.append((path, told))
                continue
            for name, section in told.items():
                if name in found.sections:
                    what = f"'{name}' has a section in {found.sections[name][0]} already."
                    raise UsageError(Problem(what, "Keep one of them.", file=str(path)))
                found.sections[name] = (path, section)
        return found

    def section(self, run: str) -> Paper | None:
        """What is given for a run by name."""
        if run not in self.sections:
            return None
        self.used.add(run)
        return self.sections[run][1]

    def next_file(self) -> Paper | None:
        """The next file without sections."""
        return self.files.pop(0)[1] if self.files else None

    def refuse_unused(self, runs: Sequence[str]) -> None:
        """Refuse files and sections that belong to no run."""
        problems = [
            Problem(
                f"--conditions {path} belongs to nothing.",
                "It is for tables and results without a study; papers and studies state their own "
                "conditions.",
            )
            for path, _ in self.files
        ]
        known = ", ".join(runs)
        problems += [
            Problem(
                f"the section '{name}' belongs to no table or results.",
                f"The runs are {known}; papers and studies state their own conditions.",
                file=str(path),
            )
            for name, (path, _) in self.sections.items()
            if name not in self.used
        ]
        if problems:
            raise UsageError(*problems)


def _read(path: Path) -> Mapping[str, Paper] | Paper:
    from rejudge.incoming import TEXT_BYTES, read_bytes
    from rejudge.paper import parse_run_conditions
    from rejudge.study import decode

    remedy = "Write `conditions:` and what is known of them into it."
    text = read_bytes(path, remedy=remedy, limit=TEXT_BYTES)
    return parse_run_conditions(decode(text, file=str(path)), file=str(path))
