"""How long Bradley–Terry takes: 20 systems, a million comparisons, one fit.

Side by side with evalica (Apache-2.0), which fits the same model to the rows.
Writes results/bradley_terry.json.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import evalica
import numpy as np

from rejudge.stats import BradleyTerry, Comparisons, bradley_terry

T = TypeVar("T")

SYSTEMS = 20
COMPARISONS = 1_000_000
ITEMS = 2_000
PARTICIPANTS = 500


def main() -> None:
    """Time each way, the quickest of three, check that the strengths agree, and write the file."""
    comparisons = _judged()
    model_s, model = _quickest(lambda: bradley_terry(comparisons, errors="model"))
    davidson_s, _ = _quickest(lambda: bradley_terry(_with_ties(comparisons), ties="davidson"))
    sandwich_s, sandwich = _quickest(lambda: bradley_terry(comparisons))
    evalica_s, _ = _quickest(_evalica(comparisons))
    scores = _evalica(comparisons, tolerance=1e-12)()
    apart = float(np.abs(_strengths(model) - (np.log(scores) - np.log(scores).mean())).max())
    result = {
        "what": f"{SYSTEMS} systems, {COMPARISONS:,} comparisons, {ITEMS:,} items, "
        f"{PARTICIPANTS} participants; CPU seconds, the quickest of three",
        "python": platform.python_version(),
        "evalica": version("evalica"),
        "cores": os.cpu_count(),
        "load_at_the_end": round(os.getloadavg()[0], 1),
        "one_fit_s": round(model_s, 4),
        "one_fit_with_two_way_errors_s": round(sandwich_s, 4),
        "one_fit_davidson_with_two_way_errors_s": round(davidson_s, 4),
        "evalica_one_call_s": round(evalica_s, 4),
        "largest_difference_of_strengths_from_evalica": apart,
        "mean_standard_error": {
            "model": _mean_error(model),
            "two-way": _mean_error(sandwich),
        },
    }
    print(
        f"One fit {model_s * 1000:.0f} ms (two-way errors {sandwich_s * 1000:.0f} ms), evalica "
        f"{evalica_s * 1000:.0f} ms. Strengths agree to {apart:.0e}."
    )
    path = Path(__file__).parent / "results" / "bradley_terry.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _judged() -> Comparisons:
    rng = np.random.default_rng(1)
    strength = rng.normal(0, 0.7, SYSTEMS)
    first = rng.integers(0, SYSTEMS, COMPARISONS)
    second = (first + rng.integers(1, SYSTEMS, COMPARISONS)) % SYSTEMS
    item = rng.integers(0, ITEMS, COMPARISONS)
    taste = rng.normal(0, 0.5, (ITEMS, SYSTEMS))  # what makes comparisons of an item alike
    odds = strength[first] - strength[second] + taste[item, first] - taste[item, second]
    preference = (rng.random(COMPARISONS) < 1 / (1 + np.exp(-odds))).astype(np.float64)
    participant = rng.integers(0, PARTICIPANTS, COMPARISONS)
    return Comparisons(first, second, preference, item, participant, SYSTEMS)


def _with_ties(comparisons: Comparisons) -> Comparisons:
    preference = comparisons.preference.copy()
    preference[::5] = 0.5
    parts = (comparisons.item, comparisons.participant, comparisons.systems)
    return Comparisons(comparisons.first, comparisons.second, preference, *parts)


def _evalica(comparisons: Comparisons, *, tolerance: float = 1e-6) -> Callable[[], np.ndarray]:
    """One call of evalica, at its own tolerance unless told otherwise, on lists that are ready for
    it; its scores by system."""
    first, second = comparisons.first.tolist(), comparisons.second.tolist()
    sides = (evalica.Winner.Y, evalica.Winner.X)
    winner = [sides[int(side)] for side in comparisons.preference]

    def call() -> np.ndarray:
        fit = evalica.bradley_terry(first, second, winner, tolerance=tolerance, limit=1000)
        scores = fit.scores
        return np.array([scores[system] for system in range(SYSTEMS)])

    return call


def _strengths(result: BradleyTerry) -> np.ndarray:
    return np.array([strength.value for strength in result.strengths], dtype=np.float64)


def _mean_error(result: BradleyTerry) -> float:
    return round(float(np.mean([s.standard_error or np.nan for s in result.strengths])), 5)


def _quickest(function: Callable[[], T]) -> tuple[float, T]:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        value = function()
        best = min(best, time.process_time() - start)
    return best, value


if __name__ == "__main__":
    main()
