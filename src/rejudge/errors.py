"""All exceptions that users can see.

    RejudgeError               something that the user can fix; the command exits with 2
    ├── UsageError             invalid command line: an unknown option, an existing folder
    ├── StudyError             study.yaml, its items or its pages are wrong (all problems at once)
    ├── DesignError            the study is valid, but no plan can be drawn from it
    ├── DataError              judgments or numbers for which a statistic cannot be computed
    ├── FileError              a step file is missing, unreadable, outdated or of a later format
    ├── ExecutionError         worker processes or a cluster did not finish the work
    ├── StoreUnavailable       the database cannot be reached or cannot write; nothing was stored
    ├── ElsewhereOpen          a participant returns while their batch is open in another session
    └── Unfinished             a batch is submitted while a required answer is missing

Each carries one or more `Problem`s: where it is, what is wrong, and what to do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: its place, what it is, and the remedy."""

    what: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        parts = [part for part in (place, self.field) if part]
        where = ", ".join(parts)
        body = f"{self.what} {self.remedy}".rstrip()
        return f"{where}: {body}" if where else body


class RejudgeError(Exception):
    """A problem that the user can fix."""

    def __init__(self, *problems: Problem | str) -> None:
        self.problems: tuple[Problem, ...] = tuple(
            Problem(problem) if isinstance(problem, str) else problem for problem in problems
        )
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> RejudgeError:
        """The same error for many problems: all faults are shown at once."""
        return cls(*problems)


class UsageError(RejudgeError):
    """The words typed do not fit together."""


class StudyError(RejudgeError):
    """study.yaml, its items or its pages are wrong."""


class DesignError(RejudgeError):
    """The study is well-formed, but no plan can be drawn from it."""


class DataError(RejudgeError):
    """A statistic cannot be computed from these judgments or numbers."""


class FileError(RejudgeError):
    """A step file is missing, unreadable, stale or of a later format."""


class ExecutionError(RejudgeError):
    """Worker processes or a cluster cannot be reached, or did not finish the work."""


class StoreUnavailable(RejudgeError):  # noqa: N818 - says what is the case
    """The database cannot be reached or cannot write: what was to be stored is not stored."""


class ElsewhereOpen(RejudgeError):  # noqa: N818 - says what is the case
    """Somebody comes with another session while a batch of theirs is open in an earlier one."""


class Unfinished(RejudgeError):  # noqa: N818 - says what is the case
    """A batch is handed in while a required answer is missing."""


def require_known(name: str, known: Collection[str], *, option: str) -> None:
    """Raise a DataError unless an option is one of the names that it can have.

    For functions in which an unknown name would take the branch of another one.
    """
    if name not in known:
        raise DataError(Problem(f"{option}: {name!r} is unknown.", f"Give {' or '.join(known)}."))
