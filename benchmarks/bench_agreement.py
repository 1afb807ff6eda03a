"""How long Krippendorff's alpha takes with 1,000 resamples, from 1,000 to ten million judgments.

Side by side with evalica (Apache-2.0): one call of its alpha, that call times 1,000 (which is what
resampling units with it would cost, and is labelled as extrapolated), and its own bootstrap, which
resamples pairs within units and is another, narrower interval. One call of krippendorff.alpha (GPL,
no dependency of ours) is measured too where that package is installed. Writes
results/agreement.json.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import resource
import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import evalica
import numpy as np
import pandas as pd

from rejudge.stats import (
    Agreement,
    alpha_jackknife,
    count_table,
    krippendorff_alpha,
    new_participants_interval,
)

T = TypeVar("T")

PEOPLE = 5
RESAMPLES = 1_000
TWO_WAY = 200
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
KALPHA_UP_TO = 100_000  # its bootstrap takes too long beyond
TIMES_OVER = {1_000: 5, 10_000: 5, 100_000: 3}  # the quickest of as many, else of two


def main() -> None:
    """Measure each size, check that the values agree, print and keep the table."""
    rows = [_measure(size) for size in SIZES]
    for row in rows:
        print(
            f"{row['judgments']:>10,} judgments: count {row['count_s']:.3f} s + 1,000 resamples "
            f"{row['resamples_s']:.3f} s; evalica: one alpha {row['evalica_one_s']:.4f} s, "
            f"times 1,000 {row['evalica_times_1000_s_extrapolated']:,.1f} s "
            f"({row['ratio_extrapolated']:,.0f} times as long), krippendorff "
            f"{row['krippendorff_ratio_extrapolated']} times; new participants "
            f"{row['new_participants_200_s']:.2f} s; jackknife {row['jackknife_s']:.3f} s"
        )
    result = {
        "what": "ordinal alpha of 5 participants, 5 values, a tenth missing, rows in random order",
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {
            name: version(name)
            for name in ("numpy", "scipy", "evalica", "pandas", "krippendorff")
            if find_spec(name)
        },
        "times": "seconds of wall clock, quickest of two to five",
        "rows": rows,
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    path = Path(__file__).parent / "results" / "agreement.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _measure(size: int) -> dict[str, object]:
    matrix = _ratings(size)
    unit, participant, value = _long(matrix)
    times = TIMES_OVER.get(size, 2)
    count_s, table = _quickest(lambda: count_table(unit, value), times)
    resamples_s, ours = _quickest(
        lambda: krippendorff_alpha(
            table, "ordinal", rng=np.random.default_rng(1), replicates=RESAMPLES
        ),
        times,
    )
    jackknife_s, left_out = _quickest(lambda: alpha_jackknife(table, "ordinal"), times)
    new_s, new = _quickest(lambda: _for_new_participants(unit, participant, value), 1)
    frame = pd.DataFrame(matrix)
    one_s, theirs = _quickest(lambda: evalica.alpha(frame, distance="ordinal"), times)
    _demand_equal(ours, theirs.alpha)
    gpl_s = _krippendorff(matrix, ours, 1 if size > KALPHA_UP_TO else times)
    all_s = count_s + resamples_s
    return {
        "judgments": len(value),
        "units": table.n,
        "kinds_of_unit": len(table.units),
        "count_s": round(count_s, 4),
        "resamples_s": round(resamples_s, 4),
        "count_and_1000_resamples_s": round(all_s, 4),
        "jackknife_s": round(jackknife_s, 4),
        "new_participants_200_s": round(new_s, 4),
        "evalica_one_s": round(one_s, 5),
        "evalica_times_1000_s_extrapolated": round(1000 * one_s, 2),
        "ratio_extrapolated": round(1000 * one_s / all_s, 1),
        "evalica_own_bootstrap_1000_s": _kalpha(frame, len(value)),
        "krippendorff_one_s": gpl_s and round(gpl_s, 5),
        "krippendorff_times_1000_s_extrapolated": gpl_s and round(1000 * gpl_s, 2),
        "krippendorff_ratio_extrapolated": gpl_s and round(1000 * gpl_s / all_s, 1),
        "alpha": ours.value,
        "interval": _bounds(ours),
        "interval_of_jackknife": _bounds(left_out),
        "interval_for_new_participants": _bounds(new),
    }


def _ratings(size: int) -> np.ndarray:
    """Participants by units: the unit's worth, a participant's strictness, chance; a tenth gone."""
    chance = np.random.default_rng(5)
    units = round(size / PEOPLE / 0.9)
    worth = chance.normal(size=units, scale=1.2).astype(np.float32)
    strictness = chance.normal(size=(PEOPLE, 1), scale=0.4).astype(np.float32)
    noise = chance.standard_normal(size=(PEOPLE, units), dtype=np.float32) * np.float32(0.7)
    matrix = np.clip(np.round(3 + worth + strictness + noise), 1, 5).astype(np.float64)
    matrix[chance.random((PEOPLE, units), dtype=np.float32) < 0.1] = np.nan
    return matrix


def _long(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    participant, unit = np.nonzero(~np.isnan(matrix))
    order = np.random.default_rng(6).permutation(len(unit))
    unit, participant = unit[order], participant[order]
    return unit, participant, matrix[participant, unit]


def _for_new_participants(
    unit: np.ndarray, participant: np.ndarray, value: np.ndarray
) -> Agreement:
    return new_participants_interval(
        unit,
        participant,
        value,
        "krippendorff-alpha",
        measured="ordinal",
        rng=np.random.default_rng(1),
        replicates=TWO_WAY,
    )


def _krippendorff(matrix: np.ndarray, ours: Agreement, times: int) -> float | None:
    try:
        package = importlib.import_module("krippendorff")
    except ImportError:
        return None
    seconds, value = _quickest(
        lambda: package.alpha(reliability_data=matrix, level_of_measurement="ordinal"), times
    )
    _demand_equal(ours, value)
    return seconds


def _kalpha(frame: pd.DataFrame, judgments: int) -> float | None:
    if judgments > 1.1 * KALPHA_UP_TO:
        return None
    seconds, _ = _quickest(
        lambda: evalica.alpha_bootstrap(
            frame, distance="ordinal", n_resamples=RESAMPLES, random_state=1
        ),
        1,
    )
    return round(seconds, 3)


def _demand_equal(ours: Agreement, theirs: float) -> None:
    if ours.value is None or abs(ours.value - theirs) > 1e-9:
        message = f"alpha is {ours.value} here and {theirs} by evalica"
        raise SystemExit(message)


def _bounds(found: Agreement) -> list[float] | None:
    return None if found.interval is None else [found.interval.low, found.interval.high]


def _quickest(function: Callable[[], T], times: int) -> tuple[float, T]:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        value = function()
        best = min(best, time.perf_counter() - start)
    return best, value


if __name__ == "__main__":
    main()
