"""The estimate of how long a mixed model with free slopes takes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from slope_examples import judged

from rejudge.stats import estimated_slopes_seconds

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "slopes_seconds.json"
LONG = [row for row in json.loads(RESULTS.read_text("utf-8"))["rows"] if row["seconds"] > 1]


@pytest.mark.parametrize("row", LONG)
def test_estimates_are_near_what_the_benchmark_measured(row):
    assert 0.5 < row["estimate"] / row["seconds"] < 2


def test_a_large_table_takes_longer():
    small, large = (
        (system, {"item": item, "participant": person})
        for _, system, item, person in (judged(12, 6, 2), judged(60, 40, 3))
    )
    assert 0 < estimated_slopes_seconds(*small) < estimated_slopes_seconds(*large)


def test_a_crowd_of_thousands_takes_hours():
    many = np.arange(300_000)
    crowd = {"item": many // 6, "participant": many % 7_919}
    assert estimated_slopes_seconds(many % 3, crowd) > 7_200


def test_nothing_takes_no_time():
    none = np.arange(0)
    assert estimated_slopes_seconds(none, {"item": none}) == 0
