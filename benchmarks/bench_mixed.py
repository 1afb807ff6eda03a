"""How long a crossed mixed model takes: rejudge, mixedlm, statsmodels and R's lme4, side by side.

300 items × 10 participants (3,000 judgments) and 2,000 items × 500 participants, 50 for each item
(100,000). All fit value ~ system + (1|participant) + (1|item) by REML; ours includes
Satterthwaite's degrees of freedom. All run in one process, in turn, with one thread for linear
algebra, since threads wait for each other on a machine that is shared; the quickest of six runs
counts. statsmodels runs once and takes the small size only (its dense matrix would need 80 GB at
the large one); lme4 runs where `Rscript` is found.
Writes results/mixed.json.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import platform
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rejudge.stats import linear_mixed, ordinal_mixed

SIZES = {"3,000": (300, 10, 10), "100,000": (2_000, 500, 50)}  # items, participants, each item
SMALL, RUNS = 3_000, 6
R_PROGRAM = """
library(lme4); d <- read.csv(commandArgs(TRUE)[1])
for (n in c("system", "participant", "item")) d[[n]] <- factor(d[[n]])
seconds <- system.time(m <- lmer(value ~ system + (1|participant) + (1|item), d))[["elapsed"]]
cat(seconds, REMLcrit(m))
"""


@dataclass(frozen=True)
class Judged:
    """Simulated judgments by column."""

    value: np.ndarray
    system: np.ndarray
    participant: np.ndarray
    item: np.ndarray

    def frame(self) -> Any:  # pandas is a second road here, not a dependency
        import pandas as pd

        names = {n: getattr(self, n).astype(str) for n in ("system", "participant", "item")}
        names["system"] = pd.Categorical(names["system"])
        return pd.DataFrame({"value": self.value, **names})


def main() -> None:
    """Fit both sizes with every program that is there, compare criteria, write the ratios."""
    warnings.simplefilter("ignore")
    sizes = {name: _compare(_simulate(*size), name) for name, size in SIZES.items()}
    result = {
        "what": "value ~ system + (1|participant) + (1|item), REML, seconds",
        "python": platform.python_version(),
        "threads": os.environ["OPENBLAS_NUM_THREADS"],
        "sizes": sizes,
    }
    path = Path(__file__).parent / "results" / "mixed.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _simulate(items: int, participants: int, each: int) -> Judged:
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(items), each)
    drawn = [rng.choice(participants, each, replace=False) for _ in range(items)]
    participant = np.concatenate(drawn)
    system = rng.integers(0, 4, items)[item]
    value = (
        3
        + 0.2 * system
        + rng.normal(0, 0.7, items)[item]
        + rng.normal(0, 0.3, participants)[participant]
        + rng.normal(0, 0.65, len(item))
    )
    return Judged(value, system, participant, item)


def _compare(judged: Judged, name: str) -> dict[str, Any]:
    rows = _in_turn({"rejudge": lambda: _ours(judged), "mixedlm": _mixedlm(judged)}, RUNS)
    if len(judged.value) <= SMALL:
        rows |= _in_turn({"statsmodels": lambda: _statsmodels(judged)}, 1)
    if shutil.which("Rscript"):
        rows["lme4"] = _lme4(judged)
    for program, row in rows.items():
        row["times_ours"] = round(row["seconds"] / rows["rejudge"]["seconds"], 1)
        print(
            f"{name:>8} {program:12} {row['seconds']:8.3f} s  ×{row['times_ours']:<7} "
            f"REML criterion {row['reml']:.6f}"
        )
    scale = np.clip(np.round(judged.value), 1, 5)
    start = time.perf_counter()
    ordinal_mixed(scale, {"system": judged.system}, _groups(judged))
    seconds = round(time.perf_counter() - start, 3)
    print(f"{name:>8} cumulative link model, rejudge {seconds:.2f} s")
    return {"programs": rows, "ordinal_rejudge_seconds": seconds}


def _in_turn(fits: dict[str, Callable[[], float]], runs: int) -> dict[str, dict[str, float]]:
    """Seconds and criterion of each program, run in turn so that all meet the same load."""
    taken: dict[str, list[float]] = {name: [] for name in fits}
    found = {}
    for name, fit in list(fits.items()) * runs:
        start = time.perf_counter()
        found[name] = fit()
        taken[name].append(time.perf_counter() - start)
    return {
        name: {
            "seconds": round(min(taken[name]), 4),
            "first_seconds": round(taken[name][0], 4),
            "reml": found[name],
        }
        for name in fits
    }


def _groups(judged: Judged) -> dict[str, np.ndarray]:
    return {"participant": judged.participant, "item": judged.item}


def _ours(judged: Judged) -> float:
    found = linear_mixed(judged.value, {"system": judged.system}, _groups(judged)).criterion
    return float("nan") if found is None else found


def _mixedlm(judged: Judged) -> Callable[[], float]:
    import mixedlm

    frame = judged.frame()
    formula = "value ~ system + (1|participant) + (1|item)"
    return lambda: float(mixedlm.lmer(formula, frame).REMLcrit())


def _statsmodels(judged: Judged) -> float:
    from statsmodels.formula.api import mixedlm

    parts = {"participant": "0 + C(participant)", "item": "0 + C(item)"}
    frame = judged.frame().assign(all=1)
    fit = mixedlm("value ~ system", frame, groups="all", vc_formula=parts, re_formula="0").fit()
    return float(-2 * fit.llf)


def _lme4(judged: Judged) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        table, program = Path(folder) / "judgments.csv", Path(folder) / "fit.R"
        judged.frame().to_csv(table, index=False)
        program.write_text(R_PROGRAM, encoding="utf-8")
        done = subprocess.run(
            ["Rscript", str(program), str(table)],  # noqa: S607 - found on the path just before
            capture_output=True,
            text=True,
            check=True,
        )
    seconds, criterion = (float(word) for word in done.stdout.split()[-2:])
    return {"seconds": seconds, "reml": criterion}


if __name__ == "__main__":
    main()
