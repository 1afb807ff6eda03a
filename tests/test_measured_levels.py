"""Simulated levels of summaries over labs, and of tests of groups, are within limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LABS = json.loads((ROOT / "benchmarks/results/labs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("found", LABS["rows"], ids=lambda row: row["design"])
def test_tests_over_labs_keep_their_level_and_intervals_hold_the_truth(found):
    rejected, covered = found["rejected_percent"], found["covered_percent"]
    assert found["studies"] >= 2000
    assert rejected is None or rejected <= LABS["most_rejected_percent"]
    assert covered is None or covered >= LABS["least_covered_percent"]


INTERACTIONS = json.loads((ROOT / "benchmarks/results/interaction.json").read_text("utf-8"))


@pytest.mark.parametrize("row", INTERACTIONS, ids=lambda row: row["study"])
def test_tests_of_groups_keep_their_level(row):
    assert row["studies"] >= 1000
    assert row["rejected"] <= LABS["most_rejected_percent"]


SAMPLES = json.loads((ROOT / "benchmarks/results/item_samples.json").read_text(encoding="utf-8"))
DRAWN = [row for row in SAMPLES["settings"] if row["sample"]["method"] != "listed"]


@pytest.mark.parametrize("row", DRAWN, ids=lambda row: f"{row['name']} of {row['inputs']}")
def test_weighted_intervals_hold_the_difference_on_all_inputs_of_the_file(row):
    assert SAMPLES["studies"] >= 2000
    assert row["weighted"]["coverage"] >= LABS["least_covered_percent"]


POWER = json.loads((ROOT / "benchmarks/results/power_levels.json").read_text(encoding="utf-8"))
ENOUGH_PEOPLE = [
    row for row in (*POWER["scores"], *POWER["choices"]) if not row["design"].endswith("× 3")
]


@pytest.mark.parametrize("row", ENOUGH_PEOPLE, ids=lambda row: row["design"])
def test_planned_tests_of_simulated_studies_keep_their_level(row):
    assert POWER["studies"] >= 8000
    assert row["tests"]["mixed-model"]["level"] <= LABS["most_rejected_percent"]
    assert row["tests"]["cluster-robust"]["level"] <= LABS["most_rejected_percent"]


@pytest.mark.parametrize("row", POWER["scores"], ids=lambda row: row["design"])
def test_pooled_tests_of_simulated_studies_have_too_many_false_positives(row):
    assert row["tests"]["t-test"]["level"] > 2 * LABS["most_rejected_percent"] - 5


@pytest.mark.parametrize("row", POWER["closed"], ids=lambda row: f"{row['test']}, {row['design']}")
def test_simulated_power_agrees_with_its_formula(row):
    assert row["simulated"] == pytest.approx(row["closed"], abs=2.0)
