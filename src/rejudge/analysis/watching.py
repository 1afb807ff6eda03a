"""How far an analysis has come, for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Watch: TypeAlias = Callable[[str, float], None]  # what is being done, and the share that is done

# Shares of the time of one question, measured with a million scores.
ESTIMATES: Final = ("means and differences", 0.15)
TESTS: Final = ("tests and models", 0.45)
AGREEMENT: Final = ("agreement", 0.1)
BEHAVIOUR: Final = ("repeated judgments and order effects", 0.05)
PEOPLE: Final = ("participants and items", 0.15)
REACH: Final = ("precision and reliability", 0.1)


@dataclass(slots=True)
class Steps:
    """Counts what is done of the questions' steps and tells it to a watch."""

    questions: int
    watch: Watch | None = None
    _done: float = 0.0
    _name: str = ""
    _size: float = field(default=0.0)

    def begin(self, question: str, step: tuple[str, float]) -> None:
        """The step before is over, and this one begins."""
        self._done += self._size
        what, share = step
        self._name, self._size = f"{question}: {what}", share / max(self.questions, 1)
        self.within(0.0)

    def within(self, share: float) -> None:
        """So much of the present step is done."""
        if self.watch is not None:
            self.watch(self._name, min(1.0, self._done + share * self._size))
