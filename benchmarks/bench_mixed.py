"""How long a crossed mixed model takes: rejudge, mixedlm, statsmodels and R's lme4, side by side.

Two models, by REML. With offsets alone, value ~ system + (1|participant) + (1|item): 300 items × 10
participants (3,000 judgments) and 2,000 items × 500 participants, 50 for each item (100,000). And
that of an analysis, in which systems also vary over items and participants, + (1|system:item) +
(1|system:participant): 200 items × 5 systems × 10 judgments by 100 participants (10,000), and 2,000
items by 500 and by 1,000 (100,000). Ours includes Satterthwaite's degrees of freedom.

All run in turn, with one thread for linear algebra, since threads wait for each other on a machine
that is shared; processor seconds count, the fewest of the runs. statsmodels takes the smallest
size only (its dense matrix would need 80 GB at 100,000), mixedlm and lme4 the second model at
10,000 only; lme4 runs where `Rscript` is found.
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

OFFSETS = {"3,000": (300, 10, 10), "100,000": (2_000, 500, 50)}  # items, participants, each item
FAVOURS = {  # items, systems, judgments of each output, participants
    "10,000 by 100": (200, 5, 10, 100),
    "100,000 by 500": (2_000, 5, 10, 500),
    "100,000 by 1,000": (2_000, 5, 10, 1_000),
}
SMALL, MEDIUM = 3_000, 10_000
FORMULA = "value ~ system + (1|participant) + (1|item)"
MORE = " + (1|favour_item) + (1|favour_participant)"
R_PROGRAM = """
library(lme4); d <- read.csv(commandArgs(TRUE)[1])
for (n in setdiff(names(d), "value")) d[[n]] <- factor(d[[n]])
taken <- system.time(m <- lmer(as.formula(commandArgs(TRUE)[2]), d))
cat(taken[["user.self"]] + taken[["sys.self"]], format(REMLcrit(m), digits = 15))
"""


@dataclass(frozen=True)
class Judged:
    """Simulated judgments by column."""

    value: np.ndarray
    system: np.ndarray
    groups: dict[str, np.ndarray]

    @property
    def formula(self) -> str:
        return FORMULA + (MORE if len(self.groups) > 2 else "")  # noqa: PLR2004 - offsets alone

    def frame(self) -> Any:  # pandas is a second road here, not a dependency
        import pandas as pd

        names = {name: codes.astype(str) for name, codes in self.groups.items()}
        system = pd.Categorical(self.system.astype(str))
        return pd.DataFrame({"value": self.value, "system": system, **names})


def main() -> None:
    """Fit every size with every program that is there, compare criteria, write the ratios."""
    warnings.simplefilter("ignore")
    offsets = {name: _compare(_offsets(*size), name) for name, size in OFFSETS.items()}
    favours = {name: _compare(_favours(*size), name) for name, size in FAVOURS.items()}
    for name, size in OFFSETS.items():
        offsets[name]["ordinal_rejudge_seconds"] = _ordinal(_offsets(*size), name)
    result = {
        "what": "REML, processor seconds; offsets: " + FORMULA + "; favours: 〃" + MORE,
        "python": platform.python_version(),
        "threads": os.environ["OPENBLAS_NUM_THREADS"],
        "offsets": offsets,
        "favours": favours,
    }
    path = Path(__file__).parent / "results" / "mixed.json"
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _offsets(items: int, participants: int, each: int) -> Judged:
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
    return Judged(value, system, {"participant": participant, "item": item})


def _favours(items: int, systems: int, each: int, participants: int) -> Judged:
    """Every system writes for every item; ratings on five points."""
    rng = np.random.default_rng(1)
    output = np.repeat(np.arange(items * systems), each)
    item, system = np.divmod(output, systems)
    drawn = [rng.choice(participants, each, replace=False) for _ in range(items * systems)]
    participant = np.concatenate(drawn)
    liking = participant * systems + system
    value = (
        3
        + 0.1 * system
        + rng.normal(0, 0.5, items)[item]
        + rng.normal(0, 0.4, participants)[participant]
        + rng.normal(0, 0.4, items * systems)[output]
        + rng.normal(0, 0.25, participants * systems)[liking]
        + rng.normal(0, 0.8, len(output))
    )
    groups = {"participant": participant, "item": item}
    groups |= {"favour_item": output, "favour_participant": liking}
    return Judged(np.clip(np.round(value), 1, 5), system, groups)


def _compare(judged: Judged, name: str) -> dict[str, Any]:
    n, is_plain = len(judged.value), len(judged.groups) == 2  # noqa: PLR2004 - offsets alone
    fits = {"rejudge": lambda: _ours(judged)}
    if is_plain or n <= MEDIUM:
        fits["mixedlm"] = _mixedlm(judged)
    rows = _in_turn(fits, 3 if is_plain or n <= MEDIUM else 1)
    if n <= SMALL:
        rows |= _in_turn({"statsmodels": lambda: _statsmodels(judged)}, 1)
    if shutil.which("Rscript") and (is_plain or n <= MEDIUM):
        rows["lme4"] = _lme4(judged)
    for program, row in rows.items():
        row["times_ours"] = round(row["seconds"] / rows["rejudge"]["seconds"], 1)
        print(
            f"{name:>16} {program:12} {row['seconds']:8.3f} s  ×{row['times_ours']:<7} "
            f"REML criterion {row['reml']:.6f}",
            flush=True,
        )
    return {"programs": rows}


def _ordinal(judged: Judged, name: str) -> float:
    scale = np.clip(np.round(judged.value), 1, 5)
    start = time.process_time()
    ordinal_mixed(scale, {"system": judged.system}, judged.groups)
    seconds = round(time.process_time() - start, 3)
    print(f"{name:>16} cumulative link model, rejudge {seconds:.2f} s", flush=True)
    return seconds


def _in_turn(fits: dict[str, Callable[[], float]], runs: int) -> dict[str, dict[str, float]]:
    """Seconds and criterion of each program, run in turn so that all meet the same load."""
    taken: dict[str, list[float]] = {name: [] for name in fits}
    found = {}
    for name, fit in list(fits.items()) * runs:
        start = time.process_time()
        found[name] = fit()
        taken[name].append(time.process_time() - start)
    return {
        name: {
            "seconds": round(min(taken[name]), 4),
            "first_seconds": round(taken[name][0], 4),
            "reml": found[name],
        }
        for name in fits
    }


def _ours(judged: Judged) -> float:
    found = linear_mixed(judged.value, {"system": judged.system}, judged.groups).criterion
    return float("nan") if found is None else found


def _mixedlm(judged: Judged) -> Callable[[], float]:
    import mixedlm

    frame = judged.frame()
    return lambda: float(mixedlm.lmer(judged.formula, frame).REMLcrit())


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
            ["Rscript", str(program), str(table), judged.formula],  # noqa: S607 - found on the path just before
            capture_output=True,
            text=True,
            check=True,
        )
    seconds, criterion = (float(word) for word in done.stdout.split()[-2:])
    return {"seconds": seconds, "reml": criterion}


if __name__ == "__main__":
    main()
