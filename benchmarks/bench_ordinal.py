"""How long a cumulative link mixed model takes, beside R's ordinal::clmm.

    rating ~ system + (1|participant) + (1|item) + (1|system:participant) + (1|system:item)

The shapes and values are those of bench_mixed.py, rounded to whole points from 1 to 5. Each fit
runs in a process of its own, with one thread for linear algebra; seconds of the processor count.
Each program stops at the first size that takes longer than `--patience` seconds. Writes
results/ordinal.json.

    python benchmarks/bench_ordinal.py [--largest 100000] [--patience 120]
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench_mixed import SHAPES, SIZES, Judged

RESULTS = Path(__file__).parent / "results" / "ordinal.json"
R_PROGRAM = """
suppressMessages(library(ordinal)); d <- read.csv(commandArgs(TRUE)[1])
for (n in names(d)) d[[n]] <- factor(d[[n]])
t <- system.time(m <- clmm(value ~ system + (1|g1) + (1|g2) + (1|g3) + (1|g4), d))
cat(t[["user.self"]] + t[["sys.self"]], m$logLik, "\n")
"""


def main() -> None:
    """Measure every shape, program and size in turn, or one of them for the parent process."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--largest", type=int, default=100_000)
    options.add_argument("--patience", type=float, default=120.0)
    options.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        program, shape, size = given.one
        print(json.dumps(PROGRAMS[program](_rated(SHAPES[shape](int(size))))))
        return
    sizes = [size for size in SIZES if size <= given.largest]
    result: dict[str, Any] = {"what": "seconds of one processor"}
    result["python"] = platform.python_version()
    for shape in SHAPES:
        for program in PROGRAMS:
            rows = _measured(program, shape, sizes, given.patience)
            result.setdefault(shape, {})[program] = rows
            RESULTS.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _measured(program: str, shape: str, sizes: list[int], patience: float) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for size in sizes:
        row: dict[str, Any] | str = _in_own_process(program, shape, size, patience)
        rows[f"{size:,}"] = row
        print(f"{shape:6} {program:8} {size:>8,} {row}", flush=True)
        if isinstance(row, str):
            break
    return rows


def _in_own_process(program: str, shape: str, size: int, patience: float) -> dict[str, Any] | str:
    command = [sys.executable, __file__, "--one", program, shape, str(size)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return f"no result within {patience:g} s, or not installed"
    row = dict(json.loads(done.stdout.splitlines()[-1]))
    return str(row["note"]) if row.get("note") else row


def _rated(judged: Judged) -> Judged:
    return Judged(np.clip(np.round(judged.value), 1, 5), judged.system, judged.groups)


def _ours(judged: Judged) -> dict[str, Any]:
    from rejudge.stats import ordinal_mixed
    from rejudge.stats.mixed import ordinal_search

    small = _rated(SHAPES["crowd"](300))
    ordinal_mixed(small.value, {"system": small.system}, small.groups)  # what is loaded first
    looks, evaluate = 0, ordinal_search.evaluate_laplace

    def counted(*arguments: Any) -> Any:  # as `evaluate_laplace` has them
        nonlocal looks
        looks += 1
        return evaluate(*arguments)

    ordinal_search.evaluate_laplace = counted
    start = time.process_time()
    fit = ordinal_mixed(judged.value, {"system": judged.system}, judged.groups)
    seconds = time.process_time() - start
    return {
        "n": fit.n,
        "cpu_seconds": round(seconds, 3),
        "evaluations": looks,
        "log_likelihood": fit.log_likelihood,
        "note": fit.note if fit.solution is None else "",
    }


def _clmm(judged: Judged) -> dict[str, Any]:
    if not shutil.which("Rscript"):
        raise SystemExit(1)
    with tempfile.TemporaryDirectory() as folder:
        table, program = Path(folder) / "judgments.csv", Path(folder) / "fit.R"
        judged.frame().to_csv(table, index=False)
        program.write_text(R_PROGRAM, encoding="utf-8")
        command = ["Rscript", str(program), str(table)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, log_likelihood = (float(word) for word in done.stdout.split()[-2:])
    return {"n": len(judged.value), "cpu_seconds": seconds, "log_likelihood": log_likelihood}


PROGRAMS: dict[str, Callable[[Judged], dict[str, Any]]] = {"rejudge": _ours, "clmm": _clmm}


if __name__ == "__main__":
    main()
