"""Makes the numbers of other Python programs that our tests compare with.

Reads the arrays in tests/stats/other_programs.json, computes what stands beside them anew and
writes the file back. In an environment of its own, since krippendorff is under the GPL:

    python -m venv v && v/bin/pip install krippendorff==0.9.0 statsmodels==0.15.0
    v/bin/python tests/reference/other_programs.py

R's numbers are made by other_programs.R. The calls stand in the file under `by`.
"""

from __future__ import annotations

import importlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

KEPT = Path(__file__).parents[1] / "stats" / "other_programs.json"
LEVELS = ("nominal", "ordinal", "interval", "ratio")
METHODS = {"holm": "holm", "bonferroni": "bonferroni", "benjamini-hochberg": "fdr_bh"}


def main() -> None:
    """Compute, compare with what is kept, and write."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    made = json.loads(json.dumps(kept))
    made["versions"] = {name: version(name) for name in kept["versions"]}
    made["alpha"]["values"] = _alphas(kept["alpha"]["matrix"])
    made["two_way"] |= _two_way(kept["two_way"])
    made["difference"] |= _difference(kept["two_way"], kept["difference"]["system"])
    made["multiplicity"]["values"] = _adjusted(kept["multiplicity"]["p"])
    for part in ("alpha", "two_way", "difference", "multiplicity"):
        print(f"{part}: {'as kept' if _is_same(made[part], kept[part]) else 'CHANGED'}")
    if not all(_is_same(made[part], kept[part]) for part in kept if isinstance(kept[part], dict)):
        KEPT.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def _alphas(matrix: list[list[float | None]]) -> dict[str, float]:
    package = importlib.import_module("krippendorff")
    ratings = np.array(matrix, dtype=float)
    return {
        level: float(package.alpha(reliability_data=ratings, level_of_measurement=level))
        for level in LEVELS
    }


def _two_way(case: dict[str, Any]) -> dict[str, float]:
    y = np.array(case["y"])
    return {"mean": float(y.mean())} | _variances(y, np.ones((len(y), 1)), case)


def _difference(case: dict[str, Any], system: list[int]) -> dict[str, float]:
    y, second = np.array(case["y"]), np.array(system)
    slope = float(y[second == 1].mean() - y[second == 0].mean())
    return {"value": slope} | _variances(y, np.column_stack([np.ones(len(y)), second]), case)


def _variances(y: np.ndarray, design: np.ndarray, case: dict[str, Any]) -> dict[str, float]:
    """Of the last coefficient: by both groupings at once, by item and by participant."""
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    fit = OLS(y, design).fit()
    item, participant = np.array(case["item"]), np.array(case["participant"])
    found = cov_cluster_2groups(fit, item, participant, use_correction=False)
    names = ("variance", "by_item", "by_participant")
    return {name: float(part[-1, -1]) for name, part in zip(names, found, strict=True)}


def _adjusted(p: list[float]) -> dict[str, list[float]]:
    from statsmodels.stats.multitest import multipletests

    return {name: multipletests(p, method=method)[1].tolist() for name, method in METHODS.items()}


def _is_same(made: object, kept: object) -> bool:
    if isinstance(made, dict) and isinstance(kept, dict):
        return made.keys() == kept.keys() and all(_is_same(made[key], kept[key]) for key in made)
    if isinstance(made, list) and isinstance(kept, list):
        return len(made) == len(kept) and all(map(_is_same, made, kept))
    if isinstance(made, float) and isinstance(kept, float):
        return abs(made - kept) <= 1e-12 * max(1.0, abs(kept))
    return made == kept


if __name__ == "__main__":
    main()
