"""What a random effect of item × participant does to the headline model of scores.

Where one person judges several systems on an item, their opinion of the item is in all of these
judgments and cancels in a difference. Simulated are crossed designs with that variance and without,
and the model is fitted with the term and without: false-positive rate without any difference, and
power with one, at 5 %, for the first of three pairs.

Run: python benchmarks/bench_opinions.py [studies]
"""

from __future__ import annotations

import sys
from itertools import product
from typing import TypeAlias

import numpy as np

from rejudge import stats

SIZES = ((10, 20), (6, 12))  # participants, items; three systems, everybody judges all
OPINIONS = (0.0, 1.0)  # variance of item × participant
LIKINGS = (0.0, 1.0)  # how far items and people favour systems, in the usual standard deviations
STUDIES = 1_000
SYSTEMS = 3
EFFECT = {0.0: 0.2, 1.0: 0.35}  # where nobody favours a system, less is found


Study: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def study(
    rng: np.random.Generator,
    size: tuple[int, int],
    *,
    opinion: float,
    liking: float,
    effect: float,
) -> Study:
    """Scores of a study; the first system is better by the effect."""
    people, items = size
    person, item, system = (
        axis.ravel()
        for axis in np.meshgrid(range(people), range(items), range(SYSTEMS), indexing="ij")
    )
    value = (
        rng.normal(0, 0.6, people)[person]
        + rng.normal(0, 0.6, items)[item]
        + liking * rng.normal(0, 0.3, (items, SYSTEMS))[item, system]
        + liking * rng.normal(0, 0.2, (people, SYSTEMS))[person, system]
        + rng.normal(0, opinion**0.5, (people, items))[person, item]
        + rng.normal(0, 0.5 + 0.3 * liking, len(person))
        + effect * (system == 0)
    )
    return value, person, item, system


def p_values(
    value: np.ndarray, person: np.ndarray, item: np.ndarray, system: np.ndarray
) -> list[float | None]:
    """p of the first pair without the term and with it, as the analysis fits the model."""
    groups = stats.random_groupings(system, {"participant": person, "item": item})
    found = []
    for chosen in ({k: v for k, v in groups.items() if k != "item × participant"}, groups):
        fit = stats.linear_mixed(value, {"system": system}, chosen)
        name = "system × participant" if "system × participant" in chosen else "participant"
        limit = stats.limit_of_df(fit, name, (name,))
        most = None if limit is None else 2 * (min(len(set(person)), len(set(item))) - 1)
        pair = stats.level_contrasts(fit, "system", adjust="none", df_limit=most)[0]
        found.append(pair.p)
    return found


def main() -> None:
    """Print the share of studies with p < 0.05."""
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else STUDIES
    print(f"{studies} studies; share with p < 0.05, the term left out → fitted")
    for size, liking, opinion, is_real in product(SIZES, LIKINGS, OPINIONS, (False, True)):
        effect = EFFECT[liking] if is_real else 0.0
        rng = np.random.default_rng([*size, int(liking), int(opinion), is_real])
        found = np.array(
            [
                p_values(*study(rng, size, opinion=opinion, liking=liking, effect=effect))
                for _ in range(studies)
            ]
        )
        before, after = (found < 0.05).mean(axis=0)
        what = "power" if is_real else "level"
        print(
            f"{size[0]:3} × {size[1]:3}, likings {liking:g}, opinions {opinion:g}: {what} "
            f"{before:.3f} → {after:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
