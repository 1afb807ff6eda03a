"""Small tables of ratings whose numbers are known from other programs."""

from __future__ import annotations

import numpy as np

Table = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def complete() -> Table:
    """Six items, four participants, two systems: scores, systems, items, participants."""
    scores = "435433422231223354554353334231224453433312322121"  # the systems alternate
    y = np.array([float(score) for score in scores])
    item, participant, system = (part.ravel() for part in np.indices((6, 4, 2)))
    return y, system, item, participant


def uneven() -> Table:
    """The same without the second system on items 0, 2 and 4, which are the better ones."""
    y, system, item, participant = complete()
    kept = (system == 0) | np.isin(item, [1, 3, 5])
    return y[kept], system[kept], item[kept], participant[kept]


def six_units():
    """Six units, three judgments each: units, participants, values."""
    values = "112 333 221 443 111 344"
    people = "012 013 123 023 012 123"
    said, by = (np.array([int(one) for one in row.replace(" ", "")]) for row in (values, people))
    return np.repeat(np.arange(6), 3), by, said


def rated_by_some(seed, units, people, *, each=3, strictness=0.6):
    """Five-point ratings by some of many people."""
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(units), each)
    person = np.concatenate([rng.choice(people, each, replace=False) for _ in range(units)])
    worth, bias = rng.normal(size=units), strictness * rng.normal(size=people)
    value = np.clip(
        np.round(3 + worth[unit] + bias[person] + 0.7 * rng.normal(size=len(unit))), 1, 5
    )
    return unit, person, value
