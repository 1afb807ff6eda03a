"""Published figures from public judgments; they are read where they lie and never copied here."""

from __future__ import annotations

import csv
import json
from collections import defaultdict

import numpy as np
import pytest

from rejudge.stats import (
    compare_participants,
    count_table,
    find_passes,
    fleiss_kappa,
    krippendorff_alpha,
    mean_by_system,
    new_participants_interval,
    percent_agreement,
    self_consistency,
)

SYSTEMS = ["vae", "sep_ae", "lbow", "dips"]


def rng():
    return np.random.default_rng(7)


def codes(words):
    return np.unique(np.array(words), return_inverse=True)[1]


def test_agreement_on_choices_is_the_published_one(choices):
    """Choices are coded as shown (A or B), as in the publication."""
    rows, figures = choices
    unit = codes([f"{r['item']} {r['system_a']} {r['system_b']}" for r in rows])
    table = count_table(unit, np.array([float(row["choice"] == "A") for row in rows]))
    assert table.n == 1200
    found = krippendorff_alpha(table, "nominal", rng=rng()).value
    assert found == pytest.approx(figures["alpha"]["value"], abs=figures["alpha"]["tolerance"])
    assert percent_agreement(table).value == pytest.approx(77.05555555555555)


def test_fleiss_kappa_of_choices_is_the_published_one(choices):
    rows, figures = choices
    unit = codes([f"{r['item']} {r['system_a']} {r['system_b']}" for r in rows])
    table = count_table(unit, np.array([float(row["choice"] == "A") for row in rows]))
    found = fleiss_kappa(table, rng=rng()).value
    assert found == pytest.approx(figures["fleiss"]["value"], abs=figures["fleiss"]["tolerance"])
    assert found == pytest.approx(0.5392, abs=0.00005)  # Arvan & Parde (2025), their own code


def test_of_two_sides_shown_at_random_alpha_is_nearly_twice_the_agreement_minus_one(choices):
    """Steen & Markert (2025) give the agreement alone, since by chance it is one half."""
    rows, _ = choices
    unit = codes([f"{r['item']} {r['system_a']} {r['system_b']}" for r in rows])
    table = count_table(unit, np.array([float(row["choice"] == "A") for row in rows]))
    share = percent_agreement(table).value / 100
    alpha = krippendorff_alpha(table, "nominal", rng=rng()).value
    assert alpha == pytest.approx(2 * share - 1, abs=0.005)


def test_agreement_on_each_pair_of_systems_is_the_published_one(choices, published):
    rows, _ = choices
    folder, _ = published("hosking2021_arvan2025")
    extra = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["extra"]
    pair = np.array(["|".join(sorted((r["system_a"], r["system_b"]))) for r in rows])
    unit = codes([f"{r['item']} {r['system_a']} {r['system_b']}" for r in rows])
    choice = np.array([float(row["choice"] == "A") for row in rows])
    found = {
        str(name): percent_agreement(count_table(unit[pair == name], choice[pair == name])).value
        / 100
        for name in np.unique(pair)
    }
    assert found == pytest.approx(extra["agreement_per_pair_this_lab"])


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


@pytest.mark.parametrize(
    ("name", "people", "has_interval"),
    [
        ("alpha.2 raters", {"001", "002"}, False),
        ("alpha.10 raters", {f"{n:03}" for n in range(1, 11)}, True),
    ],
)
def test_an_interval_for_new_people_holds_the_published_alpha(ratings, name, people, has_interval):
    """The published figure has no interval; ours lies around it, and two people give none."""
    rows, figures = ratings
    kept = [row for row in rows if row["rater"] in people]
    found = new_participants_interval(
        codes([row["item"] for row in kept]),
        codes([row["rater"] for row in kept]),
        np.array([float(row["score"]) for row in kept]),
        "krippendorff-alpha",
        measured="ordinal",
        rng=rng(),
        replicates=200,
    )
    assert found.value == pytest.approx(figures[name]["value"], abs=figures[name]["tolerance"])
    limits = found.interval
    assert (limits is not None and limits.low < found.value < limits.high) == has_interval


def test_alpha_of_ten_people_is_that_of_other_programs(ratings):
    """Ordinal .5489 by evalica 0.4.2 (irrCAC's .5206 has the weights of Gwet). The interval of the
    nominal one, by formula in irrCAC 0.4.4: .2115 to .2855.
    """
    rows, _ = ratings
    table = count_table(
        codes([row["item"] for row in rows]), np.array([float(row["score"]) for row in rows])
    )
    assert krippendorff_alpha(table, "ordinal", rng=rng()).value == pytest.approx(0.5489, abs=5e-5)
    nominal = krippendorff_alpha(table, "nominal", rng=rng())
    assert (nominal.interval.low, nominal.interval.high) == pytest.approx(
        (0.2115, 0.2855), abs=0.005
    )


def correlated(rows):
    return compare_participants(
        codes([row["item"] for row in rows]),
        np.array([int(row["rater"]) for row in rows]),
        np.array([float(row["score"]) for row in rows]),
    )


def test_correlations_between_people_are_those_of_the_published_figure(ratings):
    """Spearman's rho of 44 pairs as printed in figure 2, which lacks the pair 3–4."""
    rows, figures = ratings
    company = correlated(rows)
    found = {
        f"F2.rho.{company.people[a]}-{company.people[b]}": value
        for a, b, value in zip(company.first, company.second, company.value, strict=True)
    }
    assert found.pop("F2.rho.3-4") == pytest.approx(0.55, abs=0.00005)
    printed = {name: figure["value"] for name, figure in figures.items() if name[:6] == "F2.rho"}
    assert len(printed) == 44
    assert found == pytest.approx(printed, abs=0.005)
    assert min(found.values()) == pytest.approx(figures["S5.1.rho.min"]["value"], abs=0.005)
    assert max(found.values()) == pytest.approx(figures["S5.1.rho.max"]["value"], abs=0.005)


def test_the_mean_with_others_is_right_where_the_published_one_is_divided_by_all(ratings):
    """Printed .47 to .65: sums over nine others divided by ten. Right: .517 to .719."""
    rows, figures = ratings
    found = correlated(rows)
    printed = found.mean * found.others / len(found.people)
    assert found.people[found.mean.argmin()] == 2
    assert [found.mean.min(), found.mean.max()] == pytest.approx([0.517, 0.719], abs=0.0005)
    assert [printed.min(), printed.max()] == pytest.approx(
        [figures["S5.1.avgrho.min"]["value"], figures["S5.1.avgrho.max"]["value"]], abs=0.005
    )


@pytest.mark.parametrize(
    ("name", "batches"),
    [
        ("fn10.intra.rho", {"3", "4", "7"}),
        ("nb.intra.rho.list3", {"3"}),
        ("nb.intra.rho.list4", {"4"}),
        ("nb.intra.rho.list7", {"7"}),
    ],
)
def test_the_consistency_of_one_person_is_the_published_one(published, name, batches):
    folder, figures = published("august2022_miltenburg2024")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["batch"] in batches]
    again = find_passes(
        codes([row["item"] for row in rows]),
        codes([row["rater"] for row in rows]),
        np.array([int(row["attempt"]) for row in rows]),
    )
    score = np.array([float(row["score"]) for row in rows])
    found = self_consistency(score[again.first], score[again.second], measured="ordinal", rng=rng())
    assert {rows[row]["rater"] for row in again.first} == {"002"}
    assert found.n == len(batches) * figures["intra.n"]["value"] / 3
    assert found.correlation.value == pytest.approx(figures[name]["value"], abs=0.005)
    assert found.correlation.interval.low < found.correlation.value


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
