"""How long the whole command `rejudge analyse FILE` takes, from a thousand rows to ten million.

Two shapes, as in bench_mixed.py: a *crowd* that judges by Zipf's law, and a *dense panel* of ten.
Each file has three questions, a third of its rows each; the largest crowd is measured with one
question too, and from Parquet. Every model and interval is included that the default time limit
allows; what was left out is listed. Seconds of the processor and the most memory are those of the
command's own process; elapsed seconds are right on a quiet machine alone. Writes
results/command.json after each file.

    python benchmarks/bench_command.py [--largest 10000000] [--only crowd|panel]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from bench_mixed import SHAPES, SYSTEMS

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
QUESTIONS = 3
RESULTS = Path(__file__).parent / "results" / "command.json"


def main() -> None:
    """Measure each shape and size in turn."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--largest", type=int, default=SIZES[-1])
    options.add_argument("--only", choices=SHAPES, help="keep the results of the other shape")
    given = options.parse_args()
    result = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for shape in [given.only] if given.only else SHAPES:
        rows: list[dict[str, Any]] = []
        for rows_wanted, questions, ending in _files(shape, given.largest):
            rows.append(_measured(shape, rows_wanted, questions, ending))
            print(shape, rows[-1], flush=True)
            result[shape] = {"rows": rows, "growth_exponent": _growth(rows)}
            text = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
            RESULTS.write_text(text, encoding="utf-8")


def _files(shape: str, largest: int) -> Iterator[tuple[int, int, str]]:
    sizes = [size for size in SIZES if size <= largest]
    for size in sizes:
        yield size, QUESTIONS, "csv"
    yield sizes[-1], QUESTIONS, "parquet"
    if shape == "crowd":
        yield sizes[-1], 1, "csv"
        yield sizes[-1], 1, "parquet"


def _growth(rows: list[dict[str, Any]]) -> float | None:
    """Seconds grow as rows to this power, from 100,000 rows of three questions on."""
    known = [
        (row["rows"], row["cpu_seconds"])
        for row in rows
        if row["file"] == "csv" and row["questions"] == QUESTIONS and row["rows"] > 50_000
    ]
    if len(known) < 2:
        return None
    return round(float(np.polyfit(*np.log(np.array(known)).T, 1)[0]), 2)


def _measured(shape: str, rows: int, questions: int, ending: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"judgments.{ending}"
        # In a process of its own: the peak memory of a process counts that of the one it began in.
        with ProcessPoolExecutor(1, get_context("spawn")) as writer:
            count = writer.submit(_write, shape, rows, questions, path).result()
        out = Path(folder) / "results"
        run = "from rejudge.cli import main; main()"
        command = [sys.executable, "-c", run, "analyse", str(path), "--out", str(out)]
        start = time.perf_counter()
        process = os.posix_spawn(
            sys.executable,
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
        )
        _, status, used = os.wait4(process, 0)
        elapsed = time.perf_counter() - start
        if status:
            raise SystemExit(f"rejudge analyse failed on {count:,} rows")
        content = json.loads((out / "results.json").read_text("utf-8"))["content"]
    return {
        "rows": count,
        "questions": questions,
        "file": ending,
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "elapsed_seconds": round(elapsed, 1),
        "peak_gb": round(used.ru_maxrss * 1024 / 1e9, 2),
        "left_out": [note for note in content["notes"] if note.startswith("Left out because")],
    }


def _write(shape: str, rows: int, questions: int, path: Path) -> int:
    """One row for each judgment and question; nobody judges one output twice."""
    judged = SHAPES[shape](rows // questions)
    person, output = judged.groups["participant"], judged.groups["system × item"]
    once = np.sort(np.unique(output * (int(person.max()) + 1) + person, return_index=True)[1])
    names = {
        "participant": _words("w", person[once]),
        "item": _words("i", output[once] // SYSTEMS),
        "system": _words("s", output[once] % SYSTEMS),
    }
    rng = np.random.default_rng(2)
    parts = []
    for question in range(questions):
        noise = rng.normal(0, 0.5, len(once)) if question else 0.0
        score = np.clip(np.round(judged.value[once] + noise), 1, 5).astype(np.int8)
        asked = _words("q", np.full(len(once), question))
        parts.append(pa.table({**names, "question": asked, "score": score}))
    table = pa.concat_tables(parts)
    (csv.write_csv if path.suffix == ".csv" else parquet.write_table)(table, path)
    return len(table)


def _words(letter: str, codes: np.ndarray) -> pa.Array:
    labels = pa.array([f"{letter}{code}" for code in range(int(codes.max()) + 1)])
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), labels)


if __name__ == "__main__":
    main()
