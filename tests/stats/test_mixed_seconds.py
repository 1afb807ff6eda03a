"""The estimate of how long a mixed model takes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from mixed_examples import crowd

from rejudge.stats import estimated_fit_seconds

MEASURED = json.loads(
    (Path(__file__).parents[2] / "benchmarks" / "results" / "mixed.json").read_text("utf-8")
)


@pytest.mark.parametrize("shape", ["crowd", "panel"])
@pytest.mark.parametrize("program", ["rejudge", "rejudge with coverage"])
def test_estimates_are_near_what_the_benchmark_measured(shape, program):
    """From a second on, within a factor of two and a half; below, a model is never left out."""
    rows = [row for row in MEASURED[shape][program].values() if isinstance(row, dict)]
    assert rows
    for row in (row for row in rows if row["cpu_seconds"] > 1):
        ratio = row["estimated_seconds"] / row["cpu_seconds"]
        assert 0.4 < ratio < 2.5


def test_estimates_grow_with_judgments_effects_and_levels():
    _, _, few = crowd(1, 20, 10)
    _, _, many = crowd(1, 200, 10)
    _, _, levels = crowd(1, 200, 300)
    assert estimated_fit_seconds(few, 5) < estimated_fit_seconds(many, 5)
    assert estimated_fit_seconds(many, 5) < estimated_fit_seconds(many, 13)
    assert estimated_fit_seconds(many, 5) < estimated_fit_seconds(levels, 5)


def test_nothing_takes_no_time():
    assert estimated_fit_seconds({}, 1) == 0
    assert estimated_fit_seconds({"item": np.zeros(0, dtype=np.int64)}, 1) == 0
