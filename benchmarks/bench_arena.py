"""Votes of an arena: growth of seconds and memory, next to frames with a Bradley–Terry library.

python benchmarks/bench_arena.py [--largest 8] [--folder DIR]

Each size runs in a process of its own, so that its peak memory is its own. Seconds are of the
processor. The others compute strengths alone: no intervals, no tests, no clusters. Two files of ten
million votes are skewed: one participant gave half of them, and all are in one row group.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "arena.json"
_SMALLEST = 5  # 10 to this power
_BASE = {"rejudge": "import rejudge.analysis.votes", "polars": "import polars, evalica",
         "pandas": "import pandas, evalica"}  # fmt: skip


def rejudge_votes(path: Path) -> None:
    """Win rates, strengths, intervals and tests of all pairs."""
    from rejudge.analysis.votes import analyse_votes
    from rejudge.judgments.votes import vote_columns

    analyse_votes(vote_columns(path))


def polars_votes(path: Path) -> None:
    """Counts of pairs by a streaming group-by, then evalica."""
    import polars as pl

    frame = pl.scan_parquet(path).group_by("model_a", "model_b", "winner").len()
    _strengths(frame.collect(engine="streaming").to_dict(as_series=False))


def pandas_votes(path: Path) -> None:
    """The same, with all rows in memory."""
    import pandas as pd

    frame = pd.read_parquet(path, columns=["model_a", "model_b", "winner"])
    counts = frame.groupby(["model_a", "model_b", "winner"], observed=True).size()
    _strengths(counts.reset_index(name="len").to_dict("list"))


def _strengths(counts: dict[str, list[object]]) -> None:
    import evalica

    words = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
    winners = [words.get(str(each), evalica.Winner.Draw) for each in counts["winner"]]
    evalica.bradley_terry(counts["model_a"], counts["model_b"], winners, weights=counts["len"])


WAYS = {"rejudge": rejudge_votes, "polars": polars_votes, "pandas": pandas_votes}


def measure(way: str, path: Path) -> dict[str, float]:
    """Seconds of the processor and peak memory in MB, in a process of its own."""
    found = subprocess.run(
        [sys.executable, __file__, "--way", way, "--path", str(path)],
        check=True,
        capture_output=True,
        text=True,
    )
    measured: dict[str, float] = json.loads(found.stdout.splitlines()[-1])
    return measured


def _measure_here(way: str, path: Path) -> None:
    exec(_BASE[way])  # noqa: S102 - a fixed import, which is not measured
    start = time.process_time()
    WAYS[way](path)
    used = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": round(used, 2), "megabytes": round(peak)}))


def main() -> None:
    """Measure every size and write the results."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--largest", type=int, default=8, help="10 to this power")
    asked.add_argument("--folder", type=Path, help="where files of votes are kept")
    asked.add_argument("--way", choices=tuple(WAYS))
    asked.add_argument("--path", type=Path)
    given = asked.parse_args()
    if given.way:
        _measure_here(given.way, given.path)
        return
    with tempfile.TemporaryDirectory() as temporary:
        results = [
            _row(power, given.folder or Path(temporary))
            for power in range(_SMALLEST, given.largest + 1)
        ]
        skewed = _skewed(given.folder or Path(temporary))
    found = {"systems": 100, "rows": results, "skewed": skewed}
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")


def _skewed(folder: Path) -> dict[str, dict[str, float]]:
    """Ten million votes, half of them by one participant; and in one row group."""
    busy, whole = folder / "busy.parquet", folder / "whole.parquet"
    _write(busy, 7, "--busiest", "0.5")
    _write(whole, 7, "--row-group", str(10**7))
    found = {"half by one participant": measure("rejudge", busy),
             "one row group": measure("rejudge", whole)}  # fmt: skip
    print(found)
    return found


def _write(path: Path, power: int, *options: str) -> None:
    """In a process of its own: the peak memory of a process counts that of the one it began in."""
    if not path.exists():
        script = Path(__file__).with_name("arena_votes.py")
        command = [sys.executable, str(script), str(path), "--votes", str(10**power), *options]
        subprocess.run(command, check=True)


def _row(power: int, folder: Path) -> dict[str, object]:
    path = folder / f"v{power}.parquet"
    _write(path, power)
    found = {way: measure(way, path) for way in WAYS}
    ratios = {
        f"seconds, rejudge / {way}": round(found["rejudge"]["seconds"] / one["seconds"], 2)
        for way, one in found.items()
        if way != "rejudge" and one["seconds"]
    }
    row = {"votes": 10**power, **found, "ratios": ratios}
    print(row)
    return row


if __name__ == "__main__":
    main()
