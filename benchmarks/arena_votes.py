"""Votes as they come from an arena: popular systems, many one-vote participants, ties.

python benchmarks/arena_votes.py votes.parquet --votes 10_000_000 [--names own] [--systems 100]
    [--busiest 0.5] [--row-group 10_000_000]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

_REGULAR = 0.5  # of the votes: by people who vote often
_PART = 1_000_000  # votes that are made and written at once
_NAMES = {
    "arena": ("question_id", "judge", "model_a", "model_b", "winner"),
    "own": ("item", "participant", "system_a", "system_b", "value"),
}
_OUTCOMES = {"arena": ("model_a", "model_b", "tie", "tie (bothbad)"), "own": ("a", "b", "tie")}


def strengths(systems: int, seed: int = 1) -> np.ndarray:
    """The true strengths, on the scale of log odds."""
    return np.random.default_rng((seed, systems)).normal(0, 0.8, systems)


def write_votes(
    path: Path,
    votes: int,
    *,
    systems: int = 100,
    names: str = "arena",
    seed: int = 1,
    busiest: float = 0.0,
    row_group: int = 131_072,
) -> None:
    """Write a Parquet file of votes, part by part; `busiest`: the share of one participant.

    A row group of more than a million votes is put together in memory first.
    """
    schema = pa.schema(
        [
            (_NAMES[names][0], pa.string()),
            (_NAMES[names][1], pa.string()),
            *((name, pa.dictionary(pa.int32(), pa.string())) for name in _NAMES[names][2:]),
        ]
    )
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        waiting: list[pa.Table] = []
        for columns in parts(votes, systems=systems, names=names, seed=seed, busiest=busiest):
            arrays = [
                pa.array(column).cast(kind.type)
                for column, kind in zip(columns.values(), schema, strict=True)
            ]
            waiting.append(pa.Table.from_arrays(arrays, schema=schema))
            if sum(map(len, waiting)) >= row_group:
                writer.write_table(pa.concat_tables(waiting), row_group_size=row_group)
                waiting = []
        if waiting:
            writer.write_table(pa.concat_tables(waiting), row_group_size=row_group)


def parts(
    votes: int, *, systems: int, names: str, seed: int, busiest: float = 0.0
) -> Iterator[dict[str, pa.Array]]:
    """The votes in parts of a million; each part has a seed of its own."""
    for number, start in enumerate(range(0, votes, _PART)):
        size = min(_PART, votes - start)
        yield _part(size, start, systems=systems, names=names, seed=(seed, number), busiest=busiest)


def _part(
    size: int, start: int, *, systems: int, names: str, seed: tuple[int, int], busiest: float
) -> dict[str, pa.Array]:
    rng = np.random.default_rng(seed)
    labels = pa.array([f"system-{place:03d}" for place in range(systems)])
    strength = strengths(systems)
    popularity = 1 / np.arange(1, systems + 1) ** 0.7  # the first is met often, the last rarely
    popularity /= popularity.sum()
    first = rng.choice(systems, size, p=popularity)
    second = rng.choice(systems, size, p=popularity)
    again = first == second
    second[again] = (first[again] + 1 + rng.integers(0, systems - 1, again.sum())) % systems
    edge = strength[first] - strength[second] + 0.05  # the side shown first has an advantage
    outcome = np.where(rng.random(size) < 1 / (1 + np.exp(-edge)), 0, 1)
    tied = rng.random(size) < 0.25 * np.exp(-np.abs(edge))
    kinds = len(_OUTCOMES[names])
    outcome[tied] = rng.integers(2, kinds, tied.sum())
    # The others vote once; the busiest of 50,000 regulars gives two votes in three hundred.
    often = rng.random(size) < _REGULAR
    regulars = (50_000 * rng.random(size) ** 2.5).astype(np.int64)
    person = np.where(often, regulars, 1_000_000 + start + np.arange(size))
    person = np.where(rng.random(size) < busiest, 0, person)
    columns = (
        pa.array(start + np.arange(size)),
        pa.array(person),
        pa.DictionaryArray.from_arrays(pa.array(first.astype(np.int32)), labels),
        pa.DictionaryArray.from_arrays(pa.array(second.astype(np.int32)), labels),
        pa.DictionaryArray.from_arrays(
            pa.array(outcome.astype(np.int32)), pa.array(_OUTCOMES[names])
        ),
    )
    return dict(zip(_NAMES[names], columns, strict=True))


def main() -> None:
    """Write the file that the arguments describe."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("path", type=Path)
    asked.add_argument("--votes", type=int, default=1_000_000)
    asked.add_argument("--systems", type=int, default=100)
    asked.add_argument("--names", choices=tuple(_NAMES), default="arena")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--busiest", type=float, default=0.0, help="share of one participant")
    asked.add_argument("--row-group", type=int, default=131_072, help="votes of a row group")
    given = asked.parse_args()
    write_votes(
        given.path,
        given.votes,
        systems=given.systems,
        names=given.names,
        seed=given.seed,
        busiest=given.busiest,
        row_group=given.row_group,
    )


if __name__ == "__main__":
    main()
