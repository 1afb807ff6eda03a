"""Published wins, scores, means, deviations and times, from public judgments.

The judgments are read where they lie and never copied here. A figure that rests on a questionable
definition is met by that definition and, beside it, the right value is shown to differ; figures
that are errors of their publication must not be met.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import product

import numpy as np
import pytest
import scipy.stats

from rejudge.stats import (
    Comparisons,
    block_contrasts,
    distribution,
    distributions,
    pair_rates,
    relative_preference,
    scores_by_block,
    share_of_first,
    win_matrix,
    win_table,
)

SYSTEMS = ["vae", "sep_ae", "lbow", "dips"]
GENERATORS = {"SVM": "SVM-RERANK", "GeDi": "GEDI", "DExpert": "DEXPERT"}
ORIGINAL_MEANS = {"SVM": 3.71, "GeDi": 3.20, "DExpert": 2.33}  # printed by the original study
PEOPLE = [*map(str, range(1, 11)), "Overall"]
DURATIONS = ("min", "max", "mean", "med", "std", "total")


def codes(words):
    return np.unique(np.array(words), return_inverse=True)[1]


def approximately(figure):
    """As far from the printed figure as its last digit allows, ends included."""
    return pytest.approx(figure["value"], abs=figure["tolerance"] * (1 + 1e-9))


# ── comparisons of paraphrases ───────────────────────────────────────────────────────────────────


def comparisons_of(rows):
    return Comparisons(
        np.array([SYSTEMS.index(row["system_a"]) for row in rows]),
        np.array([SYSTEMS.index(row["system_b"]) for row in rows]),
        np.array([float(row["choice"] == "A") for row in rows]),
        codes([row["item"] for row in rows]),
        codes([row["rater"] for row in rows]),
        len(SYSTEMS),
    )


STANDING = {
    "wins": lambda standing: standing.wins,
    "losses": lambda standing: standing.losses,
    "score": lambda standing: standing.wins - standing.losses,
    "scale": lambda standing: standing.score,
    "winpct": lambda standing: standing.win_percent.value,
}


@pytest.mark.parametrize(("name", "system"), [*product(STANDING, SYSTEMS)])
def test_wins_losses_and_scores_are_the_published_ones(choices, name, system):
    rows, figures = choices
    standing = win_table(comparisons_of(rows))[SYSTEMS.index(system)]
    assert STANDING[name](standing) == approximately(figures[f"{name}.{system}"])
    assert standing.win_percent.participants == 120


def test_the_win_matrix_and_the_relative_preference_say_the_same(choices):
    rows, figures = choices
    comparisons = comparisons_of(rows)
    matrix = win_matrix(comparisons)
    assert matrix.wins.sum(axis=1).tolist() == [figures[f"wins.{s}"]["value"] for s in SYSTEMS]
    assert [p.value for p in relative_preference(comparisons)] == pytest.approx(
        [figures[f"scale.{s}"]["value"] for s in SYSTEMS]
    )
    assert {rate.win_percent.n for rate in pair_rates(comparisons)} == {600}


@pytest.mark.parametrize(("system", "swapped"), [("sep_ae", "lbow"), ("lbow", "sep_ae")])
def test_swapped_rows_of_a_published_table_are_not_met(choices, system, swapped):
    rows, figures = choices
    figure = figures[f"corrcsv.reproduced_value.{system}"]
    assert figure["reproducible"] is False
    table = win_table(comparisons_of(rows))
    assert table[SYSTEMS.index(system)].score != approximately(figure)
    assert table[SYSTEMS.index(swapped)].score == approximately(figure)


@pytest.mark.parametrize("dataset", ["qqp", "wa"])
def test_inputs_by_dataset_are_the_published_ones(choices, dataset):
    rows, figures = choices
    inputs = sorted({(row["dataset"], row["item"]) for row in rows})
    names = ["qqp", "wa"]
    group = np.array([names.index(name) for name, _ in inputs])
    counts = distributions(np.ones(len(inputs)), group, groups=2)
    assert counts[names.index(dataset)].n == approximately(figures[f"datasets.{dataset}"])


def test_scores_by_input_give_the_published_analysis_of_variance(choices):
    """One-way, on 200 summed scores of each system, as published; scipy's F on our scores."""
    rows, figures = choices
    scores = scores_by_block(comparisons_of(rows))
    assert scores.sums.shape == (200, 4)
    found = scipy.stats.f_oneway(*scores.sums.T)
    assert found.statistic == approximately(figures["anova.F"])


@pytest.mark.parametrize(
    "pair", ["dips-lbow", "dips-sep_ae", "dips-vae", "lbow-sep_ae", "lbow-vae", "sep_ae-vae"]
)
def test_differences_of_scores_by_input_are_the_published_ones(choices, pair):
    """Published as second minus first."""
    rows, figures = choices
    first, second = (SYSTEMS.index(name) for name in pair.split("-"))
    contrasts = block_contrasts(scores_by_block(comparisons_of(rows)).sums)
    found = {(c.second, c.first): c.value for c in contrasts}
    assert found[first, second] == approximately(figures[f"tukey.{pair}.diff"])


def test_the_share_of_the_first_side_is_the_recorded_one(choices):
    """`choice_A_rate` beside the published figures: .53222."""
    rows, _ = choices
    comparisons = comparisons_of(rows)
    found = share_of_first(
        comparisons.preference, item=comparisons.item, participant=comparisons.participant
    )
    assert found.value == pytest.approx(53.22222222222222)


# ── ratings of definitions ───────────────────────────────────────────────────────────────────────


def ratings_of(rows, people=None):
    """The distribution of the ratings of each system, by the names of table 1."""
    kept = [row for row in rows if people is None or row["rater"] in people]
    names = list(GENERATORS.values())
    value = np.array([float(row["score"]) for row in kept])
    system = np.array([names.index(row["system"]) for row in kept])
    return dict(zip(GENERATORS, distributions(value, system, groups=3), strict=True))


FIRST, SECOND = {"001", "002"}, {"009", "010"}


@pytest.mark.parametrize(
    ("table", "people", "system"),
    [(table, people, s) for table, people in (("T1", FIRST), ("T3", SECOND)) for s in GENERATORS],
)
def test_means_and_deviations_of_both_reproductions_are_the_published_ones(
    ratings, table, people, system
):
    rows, figures = ratings
    found = ratings_of(rows, people)[system]
    assert found.n == 200
    assert found.mean == approximately(figures[f"{table}.mean.{system}"])
    assert found.standard_deviation == approximately(figures[f"{table}.sd.{system}"])


@pytest.mark.parametrize("system", GENERATORS)
def test_means_and_deviations_of_all_ten_people_are_the_published_ones(ratings, system):
    rows, figures = ratings
    found = ratings_of(rows)[system]
    name = GENERATORS[system]
    assert found.mean == approximately(figures[f"html.all.mean.{name}"])
    assert found.standard_deviation == approximately(figures[f"html.all.sd.{name}"])


def printed(value):
    """Two decimals as the publication prints means: 3.125 as 3.12, 3.625 as 3.62, 2.275 as 2.28."""
    return float(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_EVEN))


def gaps(rows, system, shown=printed):
    """Absolute differences of the means of the original and both reproductions."""
    original = ORIGINAL_MEANS[system]
    first, second = (shown(ratings_of(rows, who)[system].mean) for who in (FIRST, SECOND))
    return {
        "OR1": abs(original - first),
        "OR2": abs(original - second),
        "R1R2": abs(first - second),
    }


@pytest.mark.parametrize(
    ("gap", "system"),
    [("OR1", "SVM"), ("OR2", "SVM"), ("R1R2", "SVM"), ("OR2", "GeDi"), ("OR1", "DExpert"),
     ("OR2", "DExpert"), ("R1R2", "DExpert")],
)  # fmt: skip
def test_differences_of_printed_means_are_the_published_ones(ratings, gap, system):
    rows, figures = ratings
    assert gaps(rows, system)[gap] == approximately(figures[f"T3.delta.{gap}.{system}"])


@pytest.mark.parametrize(("gap", "right"), [("OR1", 0.63), ("R1R2", 0.66)])
def test_two_differences_that_were_printed_wrong_are_not_met(ratings, gap, right):
    rows, figures = ratings
    figure = figures[f"T3.delta.{gap}.GeDi"]
    assert figure["reproducible"] is False
    assert gaps(rows, "GeDi")[gap] != approximately(figure)
    assert gaps(rows, "GeDi")[gap] == pytest.approx(right)


# ── durations ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def durations(published):
    """Minutes of each session by person, as published and as they were, and the figures."""
    folder, figures = published("august2022_miltenburg2024")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["attempt"] == "1"]
    sessions = {(row["rater"], row["batch"]): row for row in rows}
    columns = {"printed": "published_duration_seconds", "true": "session_wall_seconds"}
    minutes = {kind: defaultdict(list) for kind in columns}
    for (person, _), row in sessions.items():
        for kind, column in columns.items():
            minutes[kind][str(int(person))].append(float(row[column]) / 60)
            minutes[kind]["Overall"].append(float(row[column]) / 60)
    found = {
        kind: {who: distribution(np.array(times)) for who, times in people.items()}
        for kind, people in minutes.items()
    }
    return found, figures


def part(found, name):
    return {
        "min": found.minimum,
        "max": found.maximum,
        "mean": found.mean,
        "med": found.median,
        "std": found.standard_deviation,
        "total": found.total,
    }[name]


@pytest.mark.parametrize(("who", "name"), [*product(PEOPLE, DURATIONS)])
def test_minutes_per_list_are_the_published_ones(durations, who, name):
    found, figures = durations
    assert part(found["printed"][who], name) == approximately(figures[f"T2.{who}.{name}"])


@pytest.mark.parametrize("who", [who for who in PEOPLE if who not in {"1", "2", "Overall"}])
def test_true_minutes_are_the_published_ones_where_no_session_was_lost(durations, who):
    found, figures = durations
    assert found["true"][who].total == approximately(figures[f"T2.{who}.total"])


def test_a_printed_duration_had_lost_its_days(durations):
    """595,449 s are 9,924 minutes; without its six days 1,284, as printed."""
    found, figures = durations
    longest = found["true"]["1"].maximum
    assert longest == pytest.approx(595_449 / 60)
    assert longest != approximately(figures["T2.1.max"])
    assert longest % (24 * 60) == approximately(figures["T2.1.max"])


@pytest.mark.parametrize(
    ("who", "name", "right"),
    [
        # six days more, and one list whose printed time (7,909 s) is of another session (2,724 s)
        ("1", "total", 1946 + 6 * 1440 - (7909 - 2724) / 60),
        ("1", "mean", (1946 + 6 * 1440 - (7909 - 2724) / 60) / 10),
        # three lists were done twice: printed are 606 + 567 + 204 s, the first took 447, 1002, 1139
        ("2", "total", 113 + (447 + 1002 + 1139 - 606 - 567 - 204) / 60),
    ],
)
def test_true_totals_differ_from_the_printed_ones_where_sessions_were_lost(
    durations, who, name, right
):
    found, figures = durations
    value = part(found["true"][who], name)
    assert value == pytest.approx(right, abs=0.5)
    assert value != approximately(figures[f"T2.{who}.{name}"])


@pytest.mark.parametrize("name", ["max", "mean", "std", "total"])
def test_what_was_lost_shows_in_the_figures_over_all_people(durations, name):
    found, figures = durations
    assert part(found["true"]["Overall"], name) != approximately(figures[f"T2.Overall.{name}"])
