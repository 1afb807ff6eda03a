"""How long a plan takes: 5,000 and 50,000 items × 4 systems × all pairs, from files to file.

Side by side with what a researcher would write instead: shuffle rows and flip a coin for the side
(pandas-free, standard library), which balances nothing. Writes results/plan.json.
"""

from __future__ import annotations

import csv
import io
import json
import platform
import random
import resource
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from rejudge.design.balance import measure_balance
from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.files.step_files import PLAN, open_study, read, write

T = TypeVar("T")

SYSTEMS = ("north", "south", "east", "west")
STUDY = """
id: bench
title: Benchmark
systems: [north, south, east, west]
questions:
  - {id: meaning, kind: pairwise, prompt: 'Which keeps the meaning better?'}
design: {seed: 1, batch: {inputs: 5}}
"""


def main() -> None:
    """Measure each size three times and keep the quickest, with the coin-flipping script beside."""
    rows = [_measure(items) for items in (500, 5_000, 50_000)]
    for row in rows:
        print(
            f"{row['items']:>7,} items {row['tasks']:>8,} tasks: read {row['read_s']:.2f} s, "
            f"draw {row['draw_s']:.2f} s, write {row['write_s']:.2f} s, read back "
            f"{row['reread_s']:.2f} s; coin-flipping script {row['script_s']:.2f} s "
            f"(largest side difference within a pair {row['script_worst_pair']} "
            f"against {row['worst_pair']})"
        )
    growth = rows[2]["total_s"] / rows[1]["total_s"]
    script_growth = rows[2]["script_s"] / rows[1]["script_s"]
    print(f"Ten times the items take {growth:.1f} times as long (the script: {script_growth:.1f}).")
    result = {
        "what": "read study and items, draw all pairs of 4 systems in batches of 5, write plan",
        "python": platform.python_version(),
        "rows": rows,
        "growth_5000_to_50000": round(growth, 2),
        "growth_of_the_script": round(script_growth, 2),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    path = Path(__file__).parent / "results" / "plan.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _measure(items: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
        (folder / "items.csv").write_text(_items(items), encoding="utf-8")
        read_s, study = _quickest(lambda: open_study(folder))
        draw_s, plan = _quickest(lambda: draw(study))
        write_s, _ = _quickest(lambda: write(plan, folder / PLAN, made_from={}, force=True))
        reread_s, _ = _quickest(lambda: read(Plan, folder / PLAN))
        script_s, script = _quickest(lambda: _coin_flips(folder / "items.csv", folder / "out.csv"))
        sides = measure_balance(study, plan).sides_by_pair.values()
    return {
        "items": items,
        "tasks": sum(len(batch.tasks) for batch in plan.batches),
        "read_s": round(read_s, 3),
        "draw_s": round(draw_s, 3),
        "write_s": round(write_s, 3),
        "reread_s": round(reread_s, 3),
        "total_s": round(read_s + draw_s + write_s, 3),
        "worst_pair": max(abs(left - right) for left, right in sides),
        "script_s": round(script_s, 3),
        "script_worst_pair": script,
    }


def _quickest(function: Callable[[], T]) -> tuple[float, T]:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        value = function()
        best = min(best, time.process_time() - start)
    return best, value


def _items(count: int) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["id", "dataset", "input", "reference", *SYSTEMS])
    for number in range(count):
        words = f"Sentence number {number} tells of a house on a hill near the river"
        outputs = [f"{words} as seen from place {place}" for place in range(len(SYSTEMS))]
        writer.writerow([f"s{number}", f"set{number % 3}", words, f"{words}.", *outputs])
    return buffer.getvalue()


def _coin_flips(source: Path, target: Path) -> int:
    """What is done by hand: all pairs, a coin for each side, a shuffle, batches of thirty."""
    rng = random.Random(1)
    with source.open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    tasks = []
    balance: dict[tuple[str, str], int] = dict.fromkeys(combinations(SYSTEMS, 2), 0)
    for row in rows:
        for a, b in combinations(SYSTEMS, 2):
            turned = rng.random() < 0.5
            balance[a, b] += -1 if turned else 1
            first, second = (b, a) if turned else (a, b)
            tasks.append([row["id"], first, second, row["input"], row[first], row[second]])
    rng.shuffle(tasks)
    with target.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        for number, task in enumerate(tasks):
            writer.writerow([number // 30, *task])
    return max(abs(difference) for difference in balance.values())


if __name__ == "__main__":
    main()
