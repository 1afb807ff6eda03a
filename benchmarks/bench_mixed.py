"""How long a mixed model takes from a thousand to a million ratings, beside other programs.

    value ~ system + (1|participant) + (1|item) + (1|system:participant) + (1|system:item), by REML

Two shapes. A *crowd*: five systems, three judgments of each output, one participant for every 60
judgments, who judge by Zipf's law (exponent 0.8). A *dense panel*: ten participants judge every
output of five systems. Each fit runs in a process of its own, with one thread for linear algebra;
seconds of the processor count, since the machine may be shared, and elapsed ones are kept beside
them. Memory is the peak of the process less what it held before the fit. Statsmodels, gpboost and
R's lme4 run where they are installed, each until the first size that takes longer than `--patience`
seconds. Writes results/mixed.json.

    python benchmarks/bench_mixed.py [--largest 1000000] [--patience 80] [--only rejudge]
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import math
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (1_000, 3_333, 10_000, 33_333, 100_000, 333_333, 1_000_000, 3_333_333, 10_000_000)
SYSTEMS = 5
SPREAD = {"participant": 0.5, "item": 0.7, "system × participant": 0.25, "system × item": 0.4}
RESULTS = Path(__file__).parent / "results" / "mixed.json"
R_PROGRAM = """
library(lme4); d <- read.csv(commandArgs(TRUE)[1])
for (n in setdiff(names(d), "value")) d[[n]] <- factor(d[[n]])
t <- system.time(m <- lmer(value ~ system + (1|g1) + (1|g2) + (1|g3) + (1|g4), d))
v <- as.data.frame(VarCorr(m)); rownames(v) <- v$grp
cat(t[["user.self"]] + t[["sys.self"]], v[c("g1", "g2", "g3", "g4", "Residual"), "vcov"])
"""


@dataclass(frozen=True)
class Judged:
    """Simulated judgments by column."""

    value: np.ndarray
    system: np.ndarray
    groups: dict[str, np.ndarray]

    def frame(self) -> Any:  # pandas is not a dependency
        import pandas as pd

        names = {f"g{k}": codes for k, codes in enumerate(self.groups.values(), 1)}
        return pd.DataFrame({"value": self.value, "system": self.system, **names})


def main() -> None:
    """Measure every shape, size and program in turn, or one of them for the parent process."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--largest", type=int, default=1_000_000)
    options.add_argument("--patience", type=float, default=80.0)
    options.add_argument("--only", choices=PROGRAMS, help="keep the results of the other programs")
    options.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        program, shape, size = given.one
        print(json.dumps(PROGRAMS[program](SHAPES[shape](int(size)))))
        return
    sizes = [size for size in SIZES if size <= given.largest]
    result = json.loads(RESULTS.read_text("utf-8")) if given.only else {}
    result |= {"what": "REML; seconds of one processor", "python": platform.python_version()}
    for shape in SHAPES:
        for program in [given.only] if given.only else PROGRAMS:
            rows = _measured(program, shape, sizes, given.patience)
            result.setdefault(shape, {})[program] = rows
            text = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
            RESULTS.write_text(text, encoding="utf-8")


def _measured(program: str, shape: str, sizes: list[int], patience: float) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for size in sizes:
        row = _in_own_process(program, shape, size, patience)
        if row is None:
            rows[f"{size:,}"] = f"no result within {patience:g} s, or not installed"
            break
        rows[f"{size:,}"] = row
        print(f"{shape:6} {program:20} {size:>10,} {row}", flush=True)
    return rows | {"growth_exponent": _growth(rows)}


def _in_own_process(program: str, shape: str, size: int, patience: float) -> dict[str, Any] | None:
    command = [sys.executable, __file__, "--one", program, shape, str(size)]
    limit = None if program.startswith("rejudge") else patience
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _growth(rows: dict[str, Any]) -> float | None:
    """Seconds grow as judgments to this power, over the upper half of the sizes measured."""
    known = [(row["n"], row["cpu_seconds"]) for row in rows.values() if isinstance(row, dict)]
    upper = known[len(known) // 2 :]
    if len(upper) < 2:
        return None
    return round(float(np.polyfit(*np.log(np.array(upper)).T, 1)[0]), 2)


# ── shapes ───────────────────────────────────────────────────────────────────────────────────────


def _crowd(n: int) -> Judged:
    rng = np.random.default_rng(1)
    items, people = max(2, n // (3 * SYSTEMS)), max(5, n // 60)
    output = np.repeat(np.arange(items * SYSTEMS), 3)
    often = 1 / np.arange(1, people + 1) ** 0.8
    person = rng.choice(people, len(output), p=often / often.sum())
    return _judged(rng, output // SYSTEMS, output % SYSTEMS, person)


def _panel(n: int) -> Judged:
    rng = np.random.default_rng(1)
    shape = (max(2, n // (10 * SYSTEMS)), SYSTEMS, 10)
    item, system, person = (each.ravel() for each in np.indices(shape))
    return _judged(rng, item, system, person)


def _judged(
    rng: np.random.Generator, item: np.ndarray, system: np.ndarray, person: np.ndarray
) -> Judged:
    groups = {"participant": person, "item": item}
    groups |= {f"system × {name}": codes * SYSTEMS + system for name, codes in groups.items()}
    value = 3 + 0.1 * system + rng.normal(0, 1, len(item))
    for name, codes in groups.items():
        value += rng.normal(0, SPREAD[name], int(codes.max()) + 1)[codes]
    return Judged(value, system, groups)


# ── programs ─────────────────────────────────────────────────────────────────────────────────────


def _ours(judged: Judged) -> dict[str, Any]:
    return _fit(judged, {"system": judged.system})


def _with_coverage(judged: Judged) -> dict[str, Any]:
    """〃 where systems were judged on different shares of the items, with two covariates for each
    system but the last."""
    kept = np.random.default_rng(2).random(len(judged.value)) < 0.5 + 0.1 * judged.system
    groups = {name: codes[kept] for name, codes in judged.groups.items()}
    judged = Judged(judged.value[kept], judged.system[kept], groups)
    fixed = {"system": judged.system}
    for name in ("item", "participant"):
        codes = judged.groups[name]
        for system in range(SYSTEMS - 1):
            counts = np.maximum(np.bincount(codes), 1)
            share = (np.bincount(codes, judged.system == system) / counts)[codes]
            fixed[f"{name} {system}"] = share - share.mean()
    return _fit(judged, fixed)


def _fit(judged: Judged, fixed: dict[str, np.ndarray]) -> dict[str, Any]:
    from rejudge.stats import linear_mixed
    from rejudge.stats.mixed import search

    linear_mixed(*_small())  # what is loaded at the first fit
    looks = 0
    look = search.Likelihood.at

    def counted(*arguments: Any) -> Any:  # as `look` has them
        nonlocal looks
        looks += 1
        return look(*arguments)

    search.Likelihood.at = counted
    with _timed() as row:
        found = linear_mixed(judged.value, fixed, judged.groups)
    row |= {"evaluations": looks, "is_exact": found.criterion is not None}
    return row | _kept([part.variance for part in found.components], judged)


def _small() -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
    small = _crowd(300)
    return small.value, {"system": small.system}, small.groups


def _statsmodels(judged: Judged) -> dict[str, Any]:
    from statsmodels.formula.api import mixedlm

    frame = judged.frame().assign(all=1)
    parts = {name: f"0 + C({name})" for name in ("g1", "g2", "g3", "g4")}
    with _timed() as row, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mixedlm("value ~ C(system)", frame, groups="all", vc_formula=parts, re_formula="0")
        found = model.fit()
    return row | _kept([*found.vcomp, found.scale], judged)


def _gpboost(judged: Judged) -> dict[str, Any]:
    import gpboost

    columns = np.column_stack([judged.system == k for k in range(SYSTEMS)]).astype(float)
    with _timed() as row:
        model = gpboost.GPModel(group_data=np.column_stack([*judged.groups.values()]))
        model.fit(y=judged.value, X=columns)
    residual, *parts = np.asarray(model.get_cov_pars()).ravel()[:5]
    return row | _kept([*parts, residual], judged)


def _lme4(judged: Judged) -> dict[str, Any]:
    if not shutil.which("Rscript"):
        raise SystemExit(1)
    with tempfile.TemporaryDirectory() as folder:
        table, program = Path(folder) / "judgments.csv", Path(folder) / "fit.R"
        judged.frame().to_csv(table, index=False)
        program.write_text(R_PROGRAM, encoding="utf-8")
        command = ["Rscript", str(program), str(table)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, *variances = (float(word) for word in done.stdout.split()[-6:])
    return {"cpu_seconds": seconds} | _kept(variances, judged)


def _kept(variances: list[Any], judged: Judged) -> dict[str, Any]:
    names = (*judged.groups, "residual")
    found = {name: round(float(v), 5) for name, v in zip(names, variances, strict=True)}
    levels = {name: int(codes.max()) + 1 for name, codes in judged.groups.items()}
    return {"n": len(judged.value), "levels": levels, "variances": found}


@contextmanager
def _timed() -> Iterator[dict[str, Any]]:
    row: dict[str, Any] = {}
    held, cpu, wall = _peak_megabytes(), time.process_time(), time.perf_counter()
    yield row
    row["cpu_seconds"] = round(time.process_time() - cpu, 3)
    row["elapsed_seconds"] = round(time.perf_counter() - wall, 3)
    row["megabytes"] = math.ceil(_peak_megabytes() - held)


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


SHAPES: dict[str, Callable[[int], Judged]] = {"crowd": _crowd, "panel": _panel}
PROGRAMS: dict[str, Callable[[Judged], dict[str, Any]]] = {
    "rejudge": _ours,
    "rejudge with coverage": _with_coverage,
    "gpboost": _gpboost,
    "lme4": _lme4,
    "statsmodels": _statsmodels,
}


if __name__ == "__main__":
    main()
