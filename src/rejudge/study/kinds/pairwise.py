"""Which of two outputs is better?"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

from pydantic import Field

from rejudge.study.kinds.question import (
    LETTERS,
    ComparisonQuestion,
    DecidedPair,
    Level,
    Opinion,
    by_preference,
)


class Pairwise(ComparisonQuestion):
    """Which of two outputs is better; with `tie`, “about the same” is an answer too."""

    kind: Literal["pairwise"] = Field(description="Two outputs, which is better?")
    tie: bool = Field(False, description="Whether “about the same” can be chosen.")

    usual_level: ClassVar[Level] = "nominal"
    # 32 pairs of short questions for one criterion had a median of 328 seconds in Arvan & Parde
    # (2024) and 427 in the published responses of Arvan & Parde (2025). Three texts of about 9
    # words a page take 218 to read, so 3.4 and 6.5 seconds a pair are left.
    seconds: ClassVar[float] = 5.0

    @property
    def allows_tie(self) -> bool:
        return self.tie

    @property
    def task_in_words(self) -> str:
        return "choice of two outputs, " + ("ties allowed" if self.tie else "no ties")

    @property
    def elicitation(self) -> str:
        return "choice of one of two outputs"

    @property
    def scale_in_words(self) -> str:
        return "A, B or a tie" if self.tie else "A or B"

    def shows(self, systems: int) -> int:  # noqa: ARG002 - a pair is two, whatever the study
        return 2

    def parse(self, raw: str, parts: int = 2) -> str:
        allowed = (*LETTERS[:parts], "tie") if self.tie else tuple(LETTERS[:parts])
        if raw not in allowed:
            raise self._refuse(raw, f"Choose one of {', '.join(allowed)}.")
        return raw

    def decided_pairs(self, raw: str, parts: int) -> tuple[DecidedPair, ...]:
        answer = self.parse(raw, parts)
        if answer == "tie":
            return (DecidedPair(0, 1, is_tie=True),)
        winner = LETTERS.index(answer)
        return (DecidedPair(winner, 1 - winner),)

    def simulated_answer(self, opinion: Opinion, parts: int) -> str:  # noqa: ARG002 - always two
        seen = opinion.compare()
        is_close = abs(seen[0] - seen[1]) < opinion.tie_width
        return "tie" if self.tie and is_close else by_preference(seen)[0]

    def first_answer(self, parts: int) -> str:  # noqa: ARG002 - always two
        return LETTERS[0]

    def other_answer(self, raw: str) -> str:
        return "b" if raw == "a" else "a"

    def answer_in_words(self, raw: str, words: Callable[[str], str]) -> str:
        return words("about_same") if raw == "tie" else raw.upper()
