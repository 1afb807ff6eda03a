"""How far each participant's answers go with those of the others; described, never used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParticipantCompetence:
    """One participant on one question. Undefined is None."""

    participant: str
    judgments: int
    shared: int  # of units that somebody else judged, too
    competence: float | None  # MACE: how often they give the likely answer on purpose
    accuracy: float | None  # Dawid–Skene: the probability of the likely answer
    reliability: float | None  # 〃 beyond chance: 1 always, 0 as a guesser
    p_guessing: float | None  # one-sided, against answers that do not depend on the unit
    p_below: float | None  # 〃 against going with the others as everybody does; Holm
    is_like_guessing: bool = False


@dataclass(frozen=True, slots=True)
class Competence:
    """Everybody on one question; `total` is how many there are, however few are listed.

    Low competence is disagreement with the others. Where systems are equal there is no right
    answer, and it says nothing about how somebody worked.
    """

    question: str
    total: int = 0
    units: int = 0  # that two or more people judged
    like_guessing: int = 0  # how many participants are
    typical: float | None = None  # how far answers go with the others', of everybody together
    rows: tuple[ParticipantCompetence, ...] = ()
    method: str = ""
    note: str = ""
