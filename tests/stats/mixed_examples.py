"""Judgments for tests of mixed models: three published examples and simulated studies."""

from __future__ import annotations

import numpy as np

# Davies (1947): yield of dyestuff in grams, five samples of each of six batches.
DYESTUFF = np.array(
    [
        1545, 1440, 1440, 1520, 1580, 1540, 1555, 1490, 1560, 1495,
        1595, 1550, 1605, 1510, 1560, 1445, 1440, 1595, 1465, 1545,
        1595, 1630, 1515, 1635, 1625, 1520, 1455, 1450, 1480, 1445,
    ],
    dtype=float,
)  # fmt: skip
DYESTUFF_BATCH = np.repeat(np.arange(6), 5)

# Box, Hunter & Hunter (1978): yield of penicillin, four treatments in each of five blends.
PENICILLIN = np.array(
    [89, 84, 81, 87, 79, 88, 77, 87, 92, 81, 97, 92, 87, 89, 80, 94, 79, 85, 84, 88], dtype=float
)
PENICILLIN_TREATMENT = np.repeat(np.arange(4), 5)
PENICILLIN_BLEND = np.tile(np.arange(5), 4)

# Randall (1989): bitterness of wine from 1 to 5, nine judges by eight bottles.
WINE = np.array(
    [
        2, 3, 3, 4, 4, 4, 5, 5, 1, 2, 1, 3, 2, 3, 5, 4, 2, 3, 3, 2, 5, 5, 4, 4,
        3, 2, 3, 2, 3, 2, 5, 3, 2, 3, 4, 3, 3, 3, 3, 3, 3, 2, 3, 2, 2, 4, 5, 4,
        1, 1, 2, 2, 2, 3, 2, 3, 2, 2, 2, 3, 3, 3, 3, 4, 1, 2, 3, 2, 3, 2, 4, 4,
    ],
    dtype=float,
)  # fmt: skip
WINE_JUDGE = np.repeat(np.arange(9), 8)
WINE_WARM = np.tile([0, 0, 0, 0, 1, 1, 1, 1], 9)
WINE_CONTACT = np.tile([0, 0, 1, 1, 0, 0, 1, 1], 9)


def study(seed=1, *, items=40, people=9, systems=3, drop=0.3):
    """A crossed study with gaps: value, fixed effects, groups."""
    rng = np.random.default_rng(seed)
    item, participant = (a.ravel() for a in np.mgrid[:items, :people])
    kept = rng.random(item.size) >= drop
    item, participant = item[kept], participant[kept]
    system = item % systems
    length = rng.normal(10, 3, items)[item]
    value = (
        3
        + 0.4 * system
        + 0.05 * length
        + rng.normal(0, 0.6, items)[item]
        + rng.normal(0, 0.4, people)[participant]
        + rng.normal(0, 0.7, item.size)
    )
    return (
        value,
        {"system": system, "length": length},
        {"participant": participant, "item": item},
    )


def codes(rows, name):
    return np.unique([row[name] for row in rows], return_inverse=True)[1]


def favoured(seed, items=30, people=12, systems=3):
    """A simulated study in which items and participants favour systems: every output is judged by
    three or four people. Gives value, fixed effects and four groupings."""
    rng = np.random.default_rng(seed)
    output = np.repeat(np.arange(items * systems), 3 + np.arange(items * systems) % 2)
    item, system = np.divmod(output, systems)
    person = rng.integers(0, people, len(output))
    liking = person * systems + system
    value = (
        3
        + 0.3 * system
        + rng.normal(0, 0.6, items)[item]
        + rng.normal(0, 0.4, people)[person]
        + rng.normal(0, 0.5, items * systems)[output]
        + rng.normal(0, 0.4, people * systems)[liking]
        + rng.normal(0, 0.8, len(output))
    )
    groups = {"participant": person, "item": item, "output": output, "liking": liking}
    return value, {"system": system}, groups


def crowd(seed, items, people, *, systems=5, tail=0.0, favour_participant=0.25):
    """A simulated crowd: three judgments of each output, by people who judge more or
    less often (Zipf's law with the exponent `tail`)."""
    rng = np.random.default_rng(seed)
    output = np.repeat(np.arange(systems * items), 3)
    item, system = np.divmod(output, systems)
    often = 1 / np.arange(1, people + 1) ** tail
    person = rng.choice(people, len(output), p=often / often.sum())
    liking = person * systems + system
    value = (
        3
        + 0.1 * system
        + rng.normal(0, 0.7, items)[item]
        + rng.normal(0, 0.5, people)[person]
        + rng.normal(0, 0.4, systems * items)[output]
        + rng.normal(0, favour_participant, systems * people)[liking]
        + rng.normal(0, 1, len(output))
    )
    groups = {"participant": person, "item": item}
    groups |= {"system × participant": liking, "system × item": output}
    return value, {"system": system}, groups


def rated(seed=1):
    """A simulated crossed study on a scale from 1 to 5."""
    value, fixed, groups = study(seed)
    return np.clip(np.round(value), 1, 5), {"system": fixed["system"]}, groups


def rated_by_a_crowd():
    value, fixed, groups = crowd(3, 30, 12)
    return np.clip(np.round(value), 1, 5), fixed, groups
