"""Published figures from public judgments; they are read where they lie and never copied here."""

from __future__ import annotations

import csv
from collections import defaultdict

import numpy as np
import pytest

from rejudge.stats import (
    Comparisons,
    count_table,
    krippendorff_alpha,
    mean_by_system,
    percent_agreement,
    win_table,
)

SYSTEMS = ["vae", "sep_ae", "lbow", "dips"]


def rng():
    return np.random.default_rng(7)


def codes(words):
    return np.unique(np.array(words), return_inverse=True)[1]


@pytest.fixture
def choices(published):
    """Comparisons of paraphrases by the people who passed the distractor check, and the figures."""
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


def test_wins_losses_and_scores_are_the_published_ones(choices):
    rows, figures = choices
    table = win_table(
        Comparisons(
            np.array([SYSTEMS.index(row["system_a"]) for row in rows]),
            np.array([SYSTEMS.index(row["system_b"]) for row in rows]),
            np.array([float(row["choice"] == "A") for row in rows]),
            codes([row["item"] for row in rows]),
            codes([row["rater"] for row in rows]),
            len(SYSTEMS),
        )
    )
    found = {
        f"{name}.{SYSTEMS[standing.system]}": value
        for standing in table
        for name, value in (
            ("wins", standing.wins),
            ("losses", standing.losses),
            ("scale", standing.score),
            ("winpct", standing.win_percent.value),
        )
    }
    expected = {name: figures[name]["value"] for name in found}
    assert found == pytest.approx(expected)
    assert {standing.win_percent.participants for standing in table} == {120}


def test_agreement_on_choices_is_the_published_one(choices):
    """Choices are coded as shown (A or B), as in the publication."""
    rows, figures = choices
    unit = codes([f"{r['item']} {r['system_a']} {r['system_b']}" for r in rows])
    table = count_table(unit, np.array([float(row["choice"] == "A") for row in rows]))
    assert table.n == 1200
    found = krippendorff_alpha(table, "nominal", rng=rng()).value
    assert found == pytest.approx(figures["alpha"]["value"], abs=figures["alpha"]["tolerance"])
    assert percent_agreement(table, rng=rng()).value == pytest.approx(77.05555555555555)


@pytest.mark.parametrize(
    ("name", "people"),
    [("alpha3.2 raters", {"001", "002"}), ("alpha3.10 raters", {f"{n:03}" for n in range(1, 11)})],
)
def test_ordinal_alpha_of_ratings_is_the_published_one(ratings, name, people):
    rows, figures = ratings
    kept = [row for row in rows if row["rater"] in people]
    table = count_table(
        codes([row["item"] for row in kept]), np.array([float(row["score"]) for row in kept])
    )
    found = krippendorff_alpha(table, "ordinal", rng=rng()).value
    assert found == pytest.approx(figures[name]["value"], abs=figures[name]["tolerance"])


def test_mean_ratings_are_the_published_ones(ratings):
    rows, figures = ratings
    systems = ["DEXPERT", "GEDI", "SVM-RERANK"]
    means = mean_by_system(
        np.array([float(row["score"]) for row in rows]),
        np.array([systems.index(row["system"]) for row in rows]),
        item=codes([row["item"] for row in rows]),
        participant=codes([row["rater"] for row in rows]),
        systems=3,
    )
    found = {f"html.all.mean.{s}": m.value for s, m in zip(systems, means, strict=True)}
    assert found == pytest.approx({name: figures[name]["value"] for name in found}, abs=0.005)


def test_the_honest_interval_is_wider_than_that_of_pooled_ratings(ratings):
    """Seven to ten people per item: pooling understates the standard error by far."""
    rows, _ = ratings
    score = defaultdict(list)
    for row in rows:
        score[row["system"]].append(float(row["score"]))
    pooled = np.std(score["GEDI"], ddof=1) / np.sqrt(len(score["GEDI"]))
    kept = [row for row in rows if row["system"] == "GEDI"]
    (mean,) = mean_by_system(
        np.array([float(row["score"]) for row in kept]),
        np.zeros(len(kept), dtype=int),
        item=codes([row["item"] for row in kept]),
        participant=codes([row["rater"] for row in kept]),
        systems=1,
    )
    assert mean.standard_error > 2 * pooled
