"""How often studies with several looks find a difference that is not there, and what looks save.

    python benchmarks/bench_looks.py [--studies 4000]

Two systems are compared in pairs by participants who each do one batch of items, so that items and
participants are crossed within batches. How much the first is better differs between items and
between participants; the choice has noise of its own. Each study is looked at five times, at equal
steps, with the cluster-robust test of `rejudge analyse`. The effect is such that a single test at
the end has about 80 % power. “Normal scores” are independent normal differences with a t test.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rejudge.stats import (
    Comparisons,
    always_valid_level,
    pair_rates,
    sequential_boundary,
)

RESULTS = Path(__file__).parent / "results" / "looks.json"
SEED = 20261117
ALPHA = 0.05
LOOKS = 5
FRACTIONS = tuple(k / LOOKS for k in range(1, LOOKS + 1))
METHODS = ("one test at the end", "five naive looks", "obrien-fleming", "pocock", "always-valid")


@dataclass(frozen=True)
class Design:
    """A kind of study; spreads and the effect are in units of the noise of one choice."""

    name: str
    batches: int
    inputs: int  # of a batch
    people: int  # of a batch
    item_spread: float
    taste_spread: float
    effect: float
    is_normal: bool = False

    @property
    def clusters(self) -> int:
        """The fewer of items and participants, when all have come."""
        return min(self.batches * self.inputs, self.batches * self.people)


DESIGNS = (
    Design("normal scores, 100 in all", 100, 1, 1, 0, 0, 0.285, is_normal=True),
    Design("normal scores, 25 in all", 25, 1, 1, 0, 0, 0.585, is_normal=True),
    Design("20 batches of 5 items, 3 participants each", 20, 5, 3, 0.6, 0.3, 0.31),
    Design("40 batches of 3 items, 5 participants each", 40, 3, 5, 0.6, 0.3, 0.245),
    Design("40 batches of 3 items, 5 each, strong tastes", 40, 3, 5, 0.6, 1.0, 0.31),
    Design("10 batches of 10 items, 2 participants each", 10, 10, 2, 0.6, 0.3, 0.37),
    Design("10 batches of 4 items, 1 participant each", 10, 4, 1, 0.6, 0.3, 0.75),
)


def main() -> None:
    """Measure every design and write the results."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4000)
    studies = parser.parse_args().studies
    rows = [measured(place, design, studies) for place, design in enumerate(DESIGNS)]
    text = json.dumps({"studies": studies, "rows": rows}, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


def measured(place: int, design: Design, studies: int) -> dict[str, object]:
    """Percent of studies that reject without and with an effect, and the share of places used."""
    row: dict[str, object] = {"design": design.name}
    for name, effect in (("level", 0.0), ("power", design.effect)):
        p = np.array(
            [
                looks_of(design, effect, np.random.default_rng([SEED, place, int(effect > 0), n]))
                for n in range(studies)
            ]
        )
        for method in METHODS:
            crossed = p < levels_of(method, design)
            stopped = crossed.any(axis=1)
            used = np.where(stopped, crossed.argmax(axis=1) + 1, LOOKS) / LOOKS
            row[f"{method}, {name}"] = round(100 * float(stopped.mean()), 2)
            row[f"{method}, places at {name}"] = round(100 * float(used.mean()), 1)
    return row


def levels_of(method: str, design: Design) -> np.ndarray:
    """The level of each look; 0 where there is none."""
    if method == "one test at the end":
        return np.array([0, 0, 0, 0, ALPHA])
    if method == "five naive looks":
        return np.full(LOOKS, ALPHA)
    if method == "always-valid":
        counts = [round(design.clusters * t) for t in FRACTIONS]
        return np.array([always_valid_level(n, planned=design.clusters) for n in counts])
    return np.array(sequential_boundary(FRACTIONS, method, alpha=ALPHA).levels)  # type: ignore[arg-type]


def looks_of(design: Design, effect: float, rng: np.random.Generator) -> list[float]:
    """The p value at each look; 1 where there is none."""
    if design.is_normal:
        score = rng.normal(effect, 1, design.batches)
        return [_t(score[: round(design.batches * t)]) for t in FRACTIONS]
    item, person, batch = _who_judges_what(design)
    lean = (
        effect
        + rng.normal(0, design.item_spread, item.max() + 1)[item]
        + rng.normal(0, design.taste_spread, person.max() + 1)[person]
        + rng.normal(0, 1, len(item))
    )
    wins = np.where(lean > 0, 1.0, 0.0)
    return [_robust(wins, item, person, batch < round(design.batches * t)) for t in FRACTIONS]


def _who_judges_what(design: Design) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    batch, place, who = np.meshgrid(
        range(design.batches), range(design.inputs), range(design.people), indexing="ij"
    )
    item, person = batch * design.inputs + place, batch * design.people + who
    return item.ravel(), person.ravel(), batch.ravel()


def _robust(wins: np.ndarray, item: np.ndarray, person: np.ndarray, rows: np.ndarray) -> float:
    count = int(rows.sum())
    table = Comparisons(
        np.zeros(count, dtype=np.int64),
        np.ones(count, dtype=np.int64),
        wins[rows],
        item[rows],
        person[rows],
        2,
    )
    found = next(iter(pair_rates(table))).p
    return 1.0 if found is None else found


def _t(score: np.ndarray) -> float:
    from scipy.special import stdtr

    n = len(score)
    t = score.mean() / (score.std(ddof=1) / np.sqrt(n))
    return 2 * float(stdtr(n - 1, -abs(t)))


if __name__ == "__main__":
    main()
