"""How often tests of system × group reject where systems differ equally in all groups.

People and items favour systems, and do so differently in different groups. Writes
results/interaction.json, design by design.

    python benchmarks/bench_interaction.py [STUDIES]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from rejudge.stats import Interaction, choice_interaction, score_interaction, unit_interaction

RESULTS = Path(__file__).parent / "results" / "interaction.json"
SEED = 20261117
ALPHA = 0.05
SHOWN_FIRST = 3  # times of seven
NOTICED = 0.3  # a smaller difference is a tie


@dataclass(frozen=True)
class Design:
    words: str
    grouped: str  # items, people, or both: every item and every person is in every group
    people: int = 8
    items: int = 20
    groups: int = 2
    missing: float = 0.0
    favourites: float = 1.0  # how much people and items favour systems; 0: not at all
    these_people: bool = False  # people favour none: what a test by item speaks for


@dataclass(frozen=True)
class Drawn:
    y: np.ndarray
    is_first: np.ndarray
    group: np.ndarray
    item: np.ndarray
    person: np.ndarray


def draw(design: Design, rng: np.random.Generator) -> Drawn:
    axes = (range(design.people), range(design.items), range(design.groups), range(2))
    p, i, g, s = (axis.ravel() for axis in np.meshgrid(*axes))
    kept = {"items": i % design.groups == g, "people": p % design.groups == g}.get(
        design.grouped, np.ones(len(p), dtype=bool)
    )
    kept &= rng.random(len(p)) >= design.missing
    p, i, g, s = p[kept], i[kept], g[kept], s[kept]
    shape = (design.groups, 2)
    liked = design.favourites * (not design.these_people)
    y = 0.4 * g + 0.3 * s + rng.normal(0, 0.7, len(p))
    y += rng.normal(0, 0.4, design.people)[p] + rng.normal(0, 0.5, design.items)[i]
    y += liked * rng.normal(0, 0.3, (design.people, 2))[p, s]
    y += liked * rng.normal(0, 0.2, (design.people, *shape))[p, g, s]
    y += design.favourites * rng.normal(0, 0.4, (design.items, 2))[i, s]
    y += design.favourites * rng.normal(0, 0.2, (design.items, *shape))[i, g, s]
    return Drawn(y, s == 0, g, i, p)


def by_scores(drawn: Drawn) -> Interaction:
    columns = drawn.y, drawn.is_first, drawn.group
    return score_interaction(*columns, item=drawn.item, participant=drawn.person)


def by_items(drawn: Drawn) -> Interaction:
    return unit_interaction(drawn.y, drawn.is_first, drawn.group, drawn.item)


def by_choices(drawn: Drawn) -> Interaction:
    """Each person prefers the output of an item that they would score noticeably higher."""
    first = drawn.is_first
    gap = drawn.y[first] - drawn.y[~first] + 0.3
    preference = np.where(gap > NOTICED, 1.0, np.where(gap < -NOTICED, 0.0, 0.5))
    group, item, person = (c[first] for c in (drawn.group, drawn.item, drawn.person))
    side = np.where((3 * item + 5 * person + group) % 7 < SHOWN_FIRST, 1.0, -1.0)
    return choice_interaction(preference, group, item=item, participant=person, side=side)


DESIGNS: tuple[tuple[Callable[[Drawn], Interaction], Design], ...] = (
    (by_scores, Design("scores, groups of items", "items")),
    (by_scores, Design("scores, groups of items, few of each", "items", people=5, items=10)),
    (by_scores, Design("scores, three groups of items", "items", items=30, groups=3)),
    (by_scores, Design("scores, groups of items, 40 % missing", "items", missing=0.4)),
    (by_scores, Design("scores, groups of items, no favourites", "items", favourites=0.0)),
    (by_scores, Design("scores, groups of people", "people")),
    (by_scores, Design("scores, groups of three people each", "people", people=6, items=12)),
    (by_scores, Design("scores, three groups of people", "people", people=20, items=10, groups=3)),
    (by_scores, Design("scores, groups of people, 40 % missing", "people", people=12, missing=0.4)),
    (by_scores, Design("scores, groups of people, no favourites", "people", favourites=0.0)),
    (by_scores, Design("scores, everybody and every item in both groups", "both")),
    (by_choices, Design("choices, groups of items", "items")),
    (by_choices, Design("choices, three groups of items", "items", people=10, items=30, groups=3)),
    (by_choices, Design("choices, groups of people", "people")),
    (by_choices, Design("choices, everybody and every item in both groups", "both")),
    (by_items, Design("three people, by item, groups of items", "items", 3, these_people=True)),
    (by_items, Design("three people, by item, three groups", "items", 3, 24, 3, these_people=True)),
    (by_items, Design("three people, by item, items in both groups", "both", 3, these_people=True)),
)  # fmt: skip


def measure(place: int, studies: int) -> dict[str, object]:
    """How often the test of one design rejects, in percent."""
    test, design = DESIGNS[place]
    rng = np.random.default_rng((SEED, place))
    found = [test(draw(design, rng)).p for _ in range(studies)]
    known = [p for p in found if p is not None]
    return {
        "study": design.words,
        "participants": design.people,
        "items": design.items,
        "rejected": round(100 * sum(p < ALPHA for p in known) / len(known), 2),
        "studies": len(known),
    }


def main() -> None:
    """Simulate the designs two at a time, and write each as soon as it is done."""
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rows = []
    with ProcessPoolExecutor(2) as pool:
        for row in pool.map(partial(measure, studies=studies), range(len(DESIGNS))):
            print(row, flush=True)
            rows.append(row)
            text = json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
            RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
