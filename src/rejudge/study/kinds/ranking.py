"""Several outputs in order, the best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
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


class Ranking(ComparisonQuestion):
    """The outputs in order, the best first; all systems, or `of` of them."""

    kind: Literal["ranking"] = Field(description="Outputs in order, the best first.")
    of: int | None = Field(
        None, ge=2, le=8, description="How many outputs to rank; all systems when left out."
    )

    usual_level: ClassVar[Level] = "ordinal"
    is_order: ClassVar[bool] = True
    is_implied: ClassVar[bool] = True
    seconds: ClassVar[float] = 5.0  # nothing is published: guessed from pairs
    seconds_per: ClassVar[Literal["answer", "output", "segment"]] = "output"
    fault: ClassVar[str] = "fault_ranking"

    @property
    def stated_outputs(self) -> int | None:
        return self.of

    @property
    def task_in_words(self) -> str:
        return "ranking of outputs"

    @property
    def elicitation(self) -> str:
        return "ranking of outputs"

    def shows(self, systems: int) -> int:
        return self.of or systems

    def parse(self, raw: str, parts: int) -> tuple[str, ...]:
        answer = tuple(raw.split(","))
        if sorted(answer) != sorted(LETTERS[:parts]):
            raise self._refuse(raw, f"Give each of {', '.join(LETTERS[:parts])} once, best first.")
        return answer

    def decided_pairs(self, raw: str, parts: int) -> tuple[DecidedPair, ...]:
        places = [LETTERS.index(letter) for letter in self.parse(raw, parts)]
        return tuple(DecidedPair(winner, loser) for winner, loser in combinations(places, 2))

    def simulated_answer(self, opinion: Opinion, parts: int) -> str:  # noqa: ARG002 - all are seen
        return ",".join(by_preference(opinion.compare()))

    def first_answer(self, parts: int) -> str:
        return ",".join(LETTERS[:parts])

    def raw_answer(self, form: Mapping[str, str], name: str, parts: int) -> str | None:
        """Letters in the order of the places given; what is not an order is refused later."""
        places = {letter: form.get(f"{name}:{letter}", "") for letter in LETTERS[:parts]}
        if not any(places.values()):
            return None
        wanted = [str(number) for number in range(1, len(places) + 1)]
        if sorted(places.values()) != sorted(wanted):
            return ",".join(places.values())
        return ",".join(sorted(places, key=lambda letter: int(places[letter])))

    def controls(self, name: str, raw: str) -> dict[str, str]:
        return {f"{name}:{letter}": str(n) for n, letter in enumerate(raw.split(","), start=1)}

    def answer_in_words(self, raw: str, words: Callable[[str], str]) -> str:  # noqa: ARG002 - letters
        return " > ".join(raw.upper().split(","))
