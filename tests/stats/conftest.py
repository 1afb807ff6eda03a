"""Public judgments that several published figures are computed from."""

from __future__ import annotations

import csv

import pytest


@pytest.fixture
def choices(published):
    """Comparisons of paraphrases by the people who never chose a distractor, and the figures."""
    folder, figures = published("hosking2021_arvan2025")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    fooled = {
        row["rater"]
        for row in rows
        if row["system_a" if row["choice"] == "A" else "system_b"] == "distractor"
    }
    kept = [r for r in rows if r["control"] == "False" and r["rater"] not in fooled]
    return kept, figures


@pytest.fixture
def ratings(published):
    """Fluency ratings of definitions, first attempts only, and the figures."""
    folder, figures = published("august2022_miltenburg2024")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["attempt"] == "1"]
    return rows, figures
