"""How long `rejudge analyse` takes on a table alone, from the file to all its numbers.

Beside it what one would do by hand in the same time: read with pandas, group means, one t-test,
which gives no interval that holds and no agreement. Writes results/analyse.json.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from rejudge import analyse, read_judgments


def main() -> None:
    """Measure ratings and choices at two sizes."""
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
    result = Path(__file__).parent / "results" / "analyse.json"
    result.write_text(json.dumps({"rows": rows}, indent=2) + "\n", encoding="utf-8")


def _said(row: dict[str, object]) -> str:
    return (
        f"{row['judgments']:>8,} {row['table']}: {row['analyse_s']:.1f} s for {row['findings']} "
        f"numbers; left out: {row['left_out'] or 'nothing'}; by hand {row['by_hand_s']:.2f} s"
    )


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
        "left_out": sorted({f.by for f in results.findings if f.note.startswith("Left out")}),
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
    turned = rng.random(len(item)) < 0.5  # noqa: PLR2004 - a fair coin
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
    main()
