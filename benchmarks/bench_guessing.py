"""How often honest participants, guessers and people of another taste look like guessing.

    python benchmarks/bench_guessing.py [--studies 1000]

Two systems are compared in pairs. How much the first is better differs between items; where systems
are equal everybody's choice is a coin flip, so that nobody can be right. Each item's pair is judged
by `per` of the participants, each of whom judges `each` pairs and leans a little to one side.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rejudge.stats import find_guessing

RESULTS = Path(__file__).parent / "results" / "guessing.json"
SEED = 2027
HONEST, GUESSER, OTHER = 0, 1, 2


@dataclass(frozen=True)
class Design:
    """One kind of study; log odds of choosing the first system have this mean and spread."""

    name: str
    mean: float
    spread: float
    participants: int
    per: int
    each: int
    guessers: int = 0  # half of them at random, half always the first
    others: int = 0  # whose preferences are the opposite


DESIGNS = (
    Design("equal systems, 12 participants × 30", 0, 0, 12, 3, 30),
    Design("equal systems, 12 participants × 100", 0, 0, 12, 4, 100),
    Design("close systems, 12 participants × 30", 0.1, 0.5, 12, 3, 30),
    Design("close systems, 12 participants × 100", 0.1, 0.5, 12, 4, 100),
    Design("close systems, 30 participants × 40, 3 guessers", 0.1, 0.5, 30, 5, 40, guessers=3),
    Design("clear differences, 12 participants × 30", 0.5, 2, 12, 3, 30),
    Design("clear differences, 30 participants × 40, 3 guessers", 0.5, 2, 30, 5, 40, guessers=3),
    Design("clear differences, 30 participants × 40, 3 of another taste", 0.5, 2, 30, 5, 40, 0, 3),
)


def main() -> None:
    """Measure every design and write the results."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    studies = parser.parse_args().studies
    rows = [measured(place, design, studies) for place, design in enumerate(DESIGNS)]
    text = json.dumps({"studies": studies, "rows": rows}, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


def measured(place: int, design: Design, studies: int) -> dict[str, object]:
    """Percent flagged of each kind of people, and of studies with an honest person flagged."""
    kinds = kinds_of(design)
    flagged = np.array(
        [
            find_guessing(
                *study(design, np.random.default_rng([SEED, place, each]))
            ).is_like_guessing
            for each in range(studies)
        ]
    )
    shares = {
        name: round(100 * float(flagged[:, kinds == kind].mean()), 2)
        for kind, name in ((HONEST, "honest"), (GUESSER, "guessers"), (OTHER, "other_taste"))
        if (kinds == kind).any()
    }
    some = round(100 * float(flagged[:, kinds == HONEST].any(axis=1).mean()), 1)
    return {"design": design.name, "flagged_percent": shares, "studies_percent": some}


def kinds_of(design: Design) -> np.ndarray:
    """What each participant is."""
    kinds = np.full(design.participants, HONEST)
    kinds[: design.guessers] = GUESSER
    kinds[design.guessers : design.guessers + design.others] = OTHER
    return kinds


def study(design: Design, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit, participant and choice (1 first, 0 second, one half a tie) of one study."""
    people, units = design.participants, design.participants * design.each // design.per
    first = np.arange(units) * people // units
    turns = np.arange(design.per)[:, np.newaxis] * (people // design.per)
    seat = rng.permutation(people)
    unit, participant = (
        np.tile(np.arange(units), design.per),
        seat[(first + turns) % people].ravel(),
    )
    sign = np.where(kinds_of(design) == OTHER, -1, 1)
    lean = rng.normal(0, 0.3, people) * (design.spread > 0)
    odds = rng.normal(design.mean, design.spread, units)[unit] * sign[participant]
    odds = odds + lean[participant]
    choice = (rng.random(len(unit)) < 1 / (1 + np.exp(-odds))).astype(np.float64)
    choice[rng.random(len(unit)) < 0.15 * np.exp(-np.abs(odds))] = 0.5
    for who in np.flatnonzero(kinds_of(design) == GUESSER).tolist():
        own = participant == who
        choice[own] = 1.0 if who % 2 else rng.integers(0, 2, int(own.sum()))
    return unit, participant, choice


if __name__ == "__main__":
    main()
