"""Simulated levels of summaries over labs: within limits, and as the guide has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LABS = json.loads((ROOT / "benchmarks/results/labs.json").read_text(encoding="utf-8"))
GUIDE = (ROOT / "docs/guide/compare.md").read_text(encoding="utf-8")
SUMMARIES = [
    pytest.param(row[by], id=f"{row['design']}, {by}")
    for row in LABS["rows"]
    for by in ("pooled", "random-effects")
]


@pytest.mark.parametrize("found", SUMMARIES)
def test_tests_over_labs_keep_their_level_and_intervals_hold_the_truth(found):
    rejected, covered = found["rejected_percent"], found["covered_percent"]
    assert found["studies"] >= 2000
    assert rejected is None or rejected <= LABS["most_rejected_percent"]
    assert covered is None or covered >= LABS["least_covered_percent"]


@pytest.mark.parametrize("found", SUMMARIES)
def test_intervals_for_a_further_lab_hold_its_difference(found):
    covered = found["further_lab_covered_percent"]
    assert covered is None or covered >= LABS["least_covered_percent"]


@pytest.mark.parametrize("row", LABS["rows"], ids=lambda row: row["design"])
def test_the_guide_shows_what_was_measured(row):
    cells = [row["design"], *(shown(row[by]) for by in ("pooled", "random-effects"))]
    assert f"| {' | '.join(cells)} | {row['without_labs_rejected_percent']:g} |" in GUIDE


def shown(found):
    """Rejected, covered, and covered for a further lab."""
    names = ("rejected_percent", "covered_percent", "further_lab_covered_percent")
    return " · ".join("–" if found[name] is None else f"{found[name]:g}" for name in names)


GUESSING = json.loads((ROOT / "benchmarks/results/guessing.json").read_text(encoding="utf-8"))
ANALYSE = (ROOT / "docs/guide/analyse.md").read_text(encoding="utf-8")
MOST_HONEST_FLAGGED = 1.0  # percent


@pytest.mark.parametrize("row", GUESSING["rows"], ids=lambda row: row["design"])
def test_few_honest_participants_look_like_guessing_and_the_guide_says_how_many(row):
    flagged = row["flagged_percent"]
    assert flagged["honest"] <= MOST_HONEST_FLAGGED
    kinds = (flagged.get(kind, "–") for kind in ("guessers", "other_taste"))
    cells = [row["design"], f"{flagged['honest']:g}", f"{row['studies_percent']:g}"]
    assert f"| {' | '.join([*cells, *map(str, kinds)])} |" in ANALYSE
