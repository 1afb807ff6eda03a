"""The best and the worst of several outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Literal

from pydantic import Field

from rejudge.study.kinds.question import (
    LETTERS,
    ComparisonQuestion,
    DecidedPair,
    Level,
    Opinion,
    by_preference,
    join_parts,
)

_PARTS = ("best", "worst")


class BestWorst(ComparisonQuestion):
    """The best and the worst of n outputs."""

    kind: Literal["best-worst"] = Field(description="The best and the worst of n.")
    of: int = Field(4, ge=3, le=8, description="How many outputs are shown side by side, 3 to 8.")

    usual_level: ClassVar[Level] = "nominal"
    is_implied: ClassVar[bool] = True
    least_outputs: ClassVar[int] = 3
    seconds: ClassVar[float] = 4.0  # nothing is published: guessed from pairs
    seconds_per: ClassVar[Literal["answer", "output", "segment"]] = "output"
    fault: ClassVar[str] = "fault_best_worst"
    fault_if_blank: ClassVar[str | None] = "best_worst_hint"

    @property
    def stated_outputs(self) -> int | None:
        return self.of

    @property
    def task_in_words(self) -> str:
        return f"best and worst of {self.of} outputs"

    @property
    def elicitation(self) -> str:
        return f"best and worst of {self.of} outputs"

    def shows(self, systems: int) -> int:  # noqa: ARG002 - the question states how many
        return self.of

    def parse(self, raw: str, parts: int) -> tuple[str, ...]:
        answer = tuple(raw.split(","))
        fits = len(answer) == len(_PARTS) and answer[0] != answer[1]
        if not fits or any(letter not in LETTERS[:parts] or not letter for letter in answer):
            raise self._refuse(raw, "Give the best and another one as the worst, such as 'a,c'.")
        return answer

    def decided_pairs(self, raw: str, parts: int) -> tuple[DecidedPair, ...]:
        best, worst = (LETTERS.index(letter) for letter in self.parse(raw, parts))
        others = [place for place in range(parts) if place not in (best, worst)]
        return (
            DecidedPair(best, worst),
            *(DecidedPair(best, other) for other in others),
            *(DecidedPair(other, worst) for other in others),
        )

    def simulated_answer(self, opinion: Opinion, parts: int) -> str:  # noqa: ARG002 - all are seen
        letters = by_preference(opinion.compare())
        return f"{letters[0]},{letters[-1]}"

    def first_answer(self, parts: int) -> str:  # noqa: ARG002 - best and worst
        return ",".join(LETTERS[:2])

    def raw_answer(self, form: Mapping[str, str], name: str, parts: int) -> str | None:  # noqa: ARG002 - 〃
        return join_parts(form.get(f"{name}:{part}", "") for part in _PARTS)

    def controls(self, name: str, raw: str) -> dict[str, str]:
        return {f"{name}:{part}": x for part, x in zip(_PARTS, raw.split(","), strict=True)}

    def answer_in_words(self, raw: str, words: Callable[[str], str]) -> str:
        best, worst = raw.upper().split(",")
        return f"{words('best')}: {best}, {words('worst')}: {worst}"
