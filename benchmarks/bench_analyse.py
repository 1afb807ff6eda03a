"""How long `rejudge analyse` takes on a table alone, from the file to all its numbers.

Beside it what one would do by hand in the same time: read with pandas, group means, one t-test,
which gives no interval that holds and no agreement. Then ten million rows from CSV and from
Parquet, each in a process of its own, with the most memory that it took. Last, how long a study's
own judgments.csv of 100,000 rows takes to be read. Writes results/analyse.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet
from scipy.stats import ttest_ind

from rejudge import Results, analyse, read_judgments
from rejudge.judgments.judgments_csv import read_csv, to_csv

_LARGE = 10_000_000


def main() -> None:
    """Measure ratings and choices at two sizes, then at ten million rows, then our own file."""
    rng = np.random.default_rng(1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for judgments in (10_000, 100_000):
            for name, table in (
                ("ratings", _ratings(judgments, rng)),
                ("choices", _choices(judgments, rng)),
            ):
                path = Path(folder) / f"{name}.csv"
                table.to_csv(path, index=False)
                rows.append(_measure(name, path, len(table)))
                print(_said(rows[-1]))
    own = _own_file(rng)
    print(f"our own file of {own['rows']:,} rows is read in {own['read_s']:.2f} s")
    large = []
    for row in _large():
        print(_said_of_large(row), flush=True)
        large.append(row)
    result = Path(__file__).parent / "results" / "analyse.json"
    content = {"rows": rows, "own_file": own, "large": large}
    result.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _said(row: dict[str, object]) -> str:
    return (
        f"{row['judgments']:>8,} {row['table']}: {row['analyse_s']:.1f} s for {row['findings']} "
        f"numbers; left out: {row['left_out'] or 'nothing'}; by hand {row['by_hand_s']:.2f} s"
    )


def _own_file(rng: np.random.Generator) -> dict[str, object]:
    text = to_csv(read_judgments(_with_times(_ratings(100_000, rng), rng)))
    read_csv(text[: 10 * text.index("\n")].rpartition("\n")[0])  # so that imports do not count
    start = time.process_time()
    rows = len(read_csv(text))
    return {"rows": rows, "read_s": round(time.process_time() - start, 2)}


def _with_times(table: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    moments = np.datetime64("2026-03-01T09:00:00") + np.sort(rng.integers(0, 10**6, len(table)))
    return table.assign(
        seconds=np.round(rng.exponential(20, len(table)), 3),
        submitted_at=pd.Series(moments).dt.tz_localize("UTC"),
    )


def _large() -> Iterator[dict[str, object]]:
    """Ten million rows: a process makes the table, others read and analyse it."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ratings", "choices"):
            for ending in ("csv", "parquet"):
                path = Path(folder) / f"{name}.{ending}"
                _in_own_process("make", path)
                yield {"table": name, "file": ending, **_in_own_process("analyse", path)}
                path.unlink()


def _in_own_process(what: str, path: Path) -> dict[str, object]:
    words = [sys.executable, __file__, what, str(path)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def _make(path: Path) -> dict[str, object]:
    made = {"ratings": _ratings, "choices": _choices}[path.stem]
    table = pa.Table.from_pandas(made(_LARGE, np.random.default_rng(1)))
    (csv.write_csv if path.suffix == ".csv" else parquet.write_table)(table, path)
    return {"judgments": len(table)}


def _analyse(path: Path) -> dict[str, object]:
    clock, start = time.perf_counter(), time.process_time()
    judgments = read_judgments(path)
    read, read_gb = time.process_time() - start, _peak_gb()
    results = analyse(judgments, seed=1)
    return {
        "judgments": len(judgments),
        "read_s": round(read, 1),
        "read_peak_gb": round(read_gb, 2),
        "both_s": round(time.process_time() - start, 1),
        "both_clock_s": round(time.perf_counter() - clock, 1),
        "peak_gb": round(_peak_gb(), 2),
        "findings": len(results.findings),
        "left_out": _left_out(results),
    }


def _peak_gb() -> float:
    """The most memory that this process had; unlike ru_maxrss it knows nothing of the parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kilobytes = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
    return int(kilobytes) * 1024 / 1e9


def _said_of_large(row: dict[str, object]) -> str:
    return (
        f"{row['judgments']:>10,} {row['table']} from {row['file']}: read in {row['read_s']} s, "
        f"{row['read_peak_gb']} GB; analysed in {row['both_s']} s in all, {row['peak_gb']} GB; "
        f"{row['findings']} numbers; left out: {row['left_out'] or 'nothing'}"
    )


def _left_out(results: Results) -> list[str]:
    return sorted({f.by for f in results.findings if f.note.startswith("Left out")})


def _measure(name: str, path: Path, judgments: int) -> dict[str, object]:
    start = time.process_time()
    results = analyse(read_judgments(path), seed=1)
    ours = time.process_time() - start
    start = time.process_time()
    _by_hand(path)
    by_hand = time.process_time() - start
    return {
        "table": name,
        "judgments": judgments,
        "analyse_s": round(ours, 2),
        "by_hand_s": round(by_hand, 3),
        "findings": len(results.findings),
        "left_out": _left_out(results),
    }


def _by_hand(path: Path) -> None:
    table = pd.read_csv(path)
    if "score" in table:
        table.groupby("system")["score"].agg(["mean", "std"])
        groups = [rows["score"] for _, rows in table.groupby("system")]
        ttest_ind(groups[0], groups[1])
    else:
        table.groupby(["system_a", "system_b"])["choice"].value_counts(normalize=True)


def _ratings(judgments: int, rng: np.random.Generator) -> pd.DataFrame:
    """Four systems; each output is rated by five people out of a crowd."""
    items = judgments // 20
    item, system, seat = (
        axis.ravel()
        for axis in np.meshgrid(np.arange(items), np.arange(4), np.arange(5), indexing="ij")
    )
    person = (item // 10) * 5 + seat
    value = np.clip(np.round(3 + 0.2 * system + rng.normal(0, 1, len(item))), 1, 5)
    names = np.array(["north", "south", "east", "west"])
    return pd.DataFrame(
        {"participant": person, "item": item, "system": names[system], "score": value.astype(int)}
    )


def _choices(judgments: int, rng: np.random.Generator) -> pd.DataFrame:
    """All pairs of four systems, each judged by three people of a batch of five inputs."""
    pairs = np.array([(a, b) for a in range(4) for b in range(a + 1, 4)])
    items = judgments // 18
    item, pair, seat = (
        axis.ravel()
        for axis in np.meshgrid(np.arange(items), np.arange(6), np.arange(3), indexing="ij")
    )
    names = np.array(["north", "south", "east", "west"])
    turned = rng.random(len(item)) < 0.5
    first = np.where(turned, pairs[pair, 1], pairs[pair, 0])
    second = np.where(turned, pairs[pair, 0], pairs[pair, 1])
    odds = 1 / (1 + np.exp(-0.3 * (first - second)))
    return pd.DataFrame(
        {
            "participant": (item // 5) * 3 + seat,
            "item": item,
            "system_a": names[first],
            "system_b": names[second],
            "choice": np.where(rng.random(len(item)) < odds, "a", "b"),
        }
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _, what, path = sys.argv
        print(json.dumps({"make": _make, "analyse": _analyse}[what](Path(path))))
    else:
        main()
