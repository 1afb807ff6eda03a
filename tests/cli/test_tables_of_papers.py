"""Tables and figures of published reproductions, made again by the commands that the guide names.

Printed figures stand as in the papers; where a paper is in error, the test says what is right.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from functools import cache
from itertools import combinations

import pytest
from click.testing import CliRunner

from findings_by_key import by_id, by_key
from judged_rows import rows_in
from rejudge.cli import main
from rejudge.findings.model import Group

CHOICES = "hosking2021_arvan2025"
RATINGS = "august2022_miltenburg2024"
FIRST = "participants=003,004,005,006,007,008,009,010"
SECOND = "participants=001,002,003,004,005,006,007,008"
DURATIONS = ("--columns", "seconds=published_duration_seconds")
MODEL = "score ~ system + category + domain + (1 | rater)"


@cache
def said(*words: str):
    result = CliRunner().invoke(main, [*words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def judged(published, study, *words: str):
    folder, _ = published(study)
    return said("analyse", str(folder / "judgments.csv"), *words)


def frames_in(results, name):
    """The columns of the descriptive tables of this name."""
    return [frame["columns"] for frame in results["frames"] if frame["name"] == name]


def printed(comparison, run=None):
    return {
        (each["measure"], each["system"]): (each["printed"], each["is_reproduced"])
        for each in comparison["printed"]
        if run in (None, each["run"])
    }


# ── Steen & Markert 2025, and the other reproduction of the same study (Arvan & Parde 2025) ──────


@pytest.mark.slow
def test_agreement_by_pair_of_systems(published):
    """Their table 1, for the other lab's judgments: share of pairs of people who chose the same
    output, counted from the file."""
    folder, _ = published(CHOICES)
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    fooled = {row["rater"] for row in rows if chosen(row) == "distractor"}
    votes = defaultdict(list)
    for row in rows:
        if row["control"] == "False" and row["rater"] not in fooled:
            pair = tuple(sorted((row["system_a"], row["system_b"])))
            votes[pair, row["item"]].append(chosen(row))
    shares = defaultdict(list)
    for (pair, _), chose in votes.items():
        same = [one == other for one, other in combinations(chose, 2)]
        shares[pair].append(100 * sum(same) / len(same))
    results = judged(published, CHOICES, "--exclude", "chose=distractor")
    ours = {
        key.systems: (found["value"], found["n"])
        for key, found in by_key(results).items()
        if key.method == "percent" and len(key.systems) == 2 and not key.case
    }
    assert len(ours) == 6
    for pair, each in shares.items():
        assert ours[pair] == (pytest.approx(sum(each) / len(each)), 200)
    overall = [share for each in shares.values() for share in each]
    assert by_id(results)["meaning.percent"]["value"] == pytest.approx(sum(overall) / len(overall))


def chosen(row):
    return row["system_a"] if row["choice"] == "A" else row["system_b"]


def test_relative_preferences_and_cv_star():
    """Table 2 and figure 3. CV* of Sep. and LBoW hold only within the rounding of the scores."""
    found = printed(said("compare", "hosking-2021", "steen-2025"))
    assert {key[1]: value for key, value in found.items() if key[0] == "cv-star"} == {
        "vae": ("0.49", True),
        "separator": ("3.47", True),
        "lbow": ("3.83", True),
        "dips": ("12.14", True),
    }
    assert found["pearson", None] == ("0.994", True)


def test_wins_of_the_other_reproduction(published):
    """Arvan & Parde 2025: wins, losses, win percentage and best–worst scale of each system."""
    _, figures = published(CHOICES)
    results = by_id(judged(published, CHOICES, "--exclude", "chose=distractor"))
    for system in ("vae", "sep_ae", "lbow", "dips"):
        won = results[f"meaning.wins.{system}"]
        assert won["tally"]["wins"] == figures[f"wins.{system}"]["value"]
        assert won["tally"]["losses"] == figures[f"losses.{system}"]["value"]
        assert won["value"] == pytest.approx(figures[f"winpct.{system}"]["value"])
        scale = results[f"meaning.best-worst.{system}"]["value"]
        assert scale == pytest.approx(figures[f"scale.{system}"]["value"])


@pytest.mark.slow
def test_the_heat_map_has_every_pair_both_ways(published):
    (wins,) = frames_in(judged(published, CHOICES, "--exclude", "chose=distractor"), "wins")
    cells = dict(
        zip(zip(wins["row"], wins["column"], strict=True), wins["win_percent"], strict=True)
    )
    assert len(cells) == 12
    assert all(cells[a, b] + cells[b, a] == pytest.approx(100) for a, b in cells)


@pytest.mark.slow
def test_analysis_of_variance_and_coefficients_of_the_other_reproduction(published):
    """F = 140.08 over items; alpha and Fleiss' kappa .539. Their sums over nine judgments are
    nine times our means."""
    _, figures = published(CHOICES)
    findings = by_id(
        judged(
            published, CHOICES, "--exclude", "chose=distractor",
            "--test", "one-way-anova:item", "--agreement", "fleiss-kappa",
        )
    )  # fmt: skip
    anova = findings["meaning.one-way-anova-by-item"]
    assert anova["value"] == pytest.approx(figures["anova.F"]["value"])
    assert findings["meaning.krippendorff-alpha"]["value"] == pytest.approx(0.539, abs=5e-4)
    assert findings["meaning.fleiss-kappa"]["value"] == pytest.approx(0.539, abs=5e-4)
    tukey = findings["meaning.one-way-anova-by-item.lbow.sep_ae"]
    assert -9 * tukey["value"] == pytest.approx(figures["tukey.lbow-sep_ae.diff"]["value"])
    assert tukey["p"] == pytest.approx(figures["tukey.lbow-sep_ae.p"]["value"], abs=1e-4)


@pytest.mark.slow
def test_time_on_the_task_page_as_histogram_and_ecdf(published):
    """Page times of 120 people, each list of 32 on one page: shares rise from 1/120 to 1."""
    results = judged(
        published, CHOICES, "--columns", "seconds=task_page_seconds",
        "--exclude", "chose=distractor",
    )  # fmt: skip
    (page,) = rows_in(results, "times-pages")
    assert (page["page"], page["n"]) == ("batch", 120)
    shares = rows_in(results, "times-shares")
    assert shares[0]["share"] == pytest.approx(1 / 120, abs=1 / 120)
    assert shares[-1]["share"] == 1


# ── Arvan & Parde 2024, from what is printed ─────────────────────────────────────────────────────


def test_scores_precision_and_correlation_of_paraphrases():
    """Table 1. Spearman's p is .083 over all orders of four, not .00."""
    found = printed(said("compare", "hosking-2022", "arvan-2024"))
    assert {key[1]: value for key, value in found.items() if key[0] == "cv-star"} == {
        "vae": ("0.76", True),
        "latent-bow": ("1.74", True),
        "separator": ("7.88", True),
        "hrq-vae": ("3.08", True),
    }
    assert sum(not is_met for _, is_met in found.values()) == 1


def test_claims_are_verified_or_out_of_scope():
    """Table 3: two verified, three not asked about."""
    claims = said("compare", "hosking-2022", "arvan-2024")["claims"]
    verdicts = [each["verdict"] for each in claims]
    assert verdicts.count("supported") == 2


# ── Ito et al. 2023, from what is printed ────────────────────────────────────────────────────────


@pytest.mark.slow
def test_four_cases_of_a_reproduction():
    """Tables 1 and 2: 128 cells, and r, matching accuracy and F1 of each case."""
    comparison = said("compare", "lin-2022", "ito-2023")
    assert len(comparison["printed"]) == 12
    assert all(each["is_reproduced"] for each in comparison["printed"])
    keys = [each["key"] for each in comparison["findings"]]
    assert sum(key["measure"] == "mean" and key["runs"] == ["ito-2023"] for key in keys) == 128


# ── van Miltenburg et al. 2024 ───────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left_out", "means"),
    [
        (FIRST, {"SVM-RERANK": (3.12, 0.92), "GEDI": (2.57, 1.21), "DEXPERT": (2.28, 1.00)}),
        (SECOND, {"SVM-RERANK": (3.62, 0.64), "GEDI": (3.23, 0.94), "DEXPERT": (2.27, 0.92)}),
    ],
    ids=["table 1", "table 3"],
)
def test_means_and_sds_of_both_reproductions(published, left_out, means):
    """DExpert's 2.28 is rounded up from 2.275."""
    findings = by_id(judged(published, RATINGS, "--exclude", left_out, "--test", "t-test"))
    for system, (mean, sd) in means.items():
        found = findings[f"fluency.mean.{system}"]
        assert found["value"] == pytest.approx(mean, abs=0.00501)
        assert found["spread"]["sd"] == pytest.approx(sd, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left_out", "gedi", "dexpert"),
    [(FIRST, (5.157, 0.516), (8.819, 0.882)), (SECOND, (4.903, 0.490), (17.155, 1.716))],
    ids=["R1", "R2"],
)
def test_t_and_effect_sizes_of_both_reproductions(published, left_out, gedi, dexpert):
    """Table 4, and t(398) of sections 3.1 and 5.4: two raters of 100 items, pooled."""
    findings = by_id(judged(published, RATINGS, "--exclude", left_out, "--test", "t-test"))
    for other, (t, d) in (("GEDI", gedi), ("DEXPERT", dexpert)):
        found = findings[f"fluency.t-test.{other}.SVM-RERANK"]
        assert -found["statistic"]["value"] == pytest.approx(t, abs=5e-4)
        assert found["statistic"]["df"] == [398]
        assert -found["effect"]["value"] == pytest.approx(d, abs=5e-4)


def test_effect_sizes_across_runs_from_what_is_printed():
    """Table 4, with the two effects of the original that only its own paper can show."""
    runs = ("august-2022", "miltenburg-2024", "miltenburg-2024-second")
    found = {
        (*each["key"]["systems"], *each["key"]["runs"]): each["value"]
        for each in said("compare", *runs)["findings"]
        if (each["key"]["measure"], each["key"]["method"]) == ("effect", "d")
    }
    assert [found["svm", "gedi", run] for run in runs] == pytest.approx([0.60, 0.516, 0.490])
    assert [found["svm", "dexpert", run] for run in runs] == pytest.approx([1.88, 0.882, 1.716])


def test_cv_star_was_printed_on_a_scale_that_does_not_begin_at_0():
    """Table 1 prints 17.225, 21.772 and 2.163; right is 24.357, 33.322 and 3.820."""
    found = printed(said("compare", "august-2022", "miltenburg-2024"))
    assert found["cv-star", "svm"] == ("17.225", False)
    assert found["pearson", None] == ("0.95", True)


def test_minutes_per_list_of_thirty(published):
    """Table 2, all ten participants and the whole: min, max, mean, median, SD and total."""
    _, figures = published(RATINGS)
    results = judged(published, RATINGS, *DURATIONS)
    (page,) = rows_in(results, "times-pages")
    overall = page | {"seconds": page["mean"] * page["n"], "pages": page["n"]}
    rows = {str(int(row["participant"])): row for row in rows_in(results, "times-people")}
    for who, row in (rows | {"Overall": overall}).items():
        ours = {
            "min": row["least"],
            "max": row["most"],
            "mean": row["seconds"] / row["pages"],
            "med": row["median"],
            "std": row["sd"],
            "total": row["seconds"],
        }
        theirs = {part: figures[f"T2.{who}.{part}"]["value"] for part in ours}
        assert {part: ours[part] / 60 for part in ours} == pytest.approx(theirs, abs=0.501)


@pytest.mark.slow
def test_whether_systems_differ_between_domains(published):
    """Each definition is by one system. F of lmerTest 3.1-3: system:domain of score ~ system *
    domain + (1 | rater) + (1 | rater:domain) + (1 | rater:system) + (1 | rater:system:domain) +
    (1 | item), two systems at a time."""
    dealt = ("--scale", "1..4", "--items-dealt-at-random", "--by", "domain")
    found = {
        key.systems: f["statistic"]["value"]
        for key, f in by_key(judged(published, RATINGS, *dealt)).items()
        if key.measure == "interaction" and key.group == (Group("domain"),)
    }
    assert found == {
        ("DEXPERT", "GEDI"): pytest.approx(8.418, abs=0.001),
        ("DEXPERT", "SVM-RERANK"): pytest.approx(2.5145, abs=0.001),
        ("GEDI", "SVM-RERANK"): pytest.approx(3.0402, abs=0.001),
    }


def test_correlations_between_participants(published):
    """Figure 2: 44 of the 45 pairs are printed; those of 3 and 4 is left out."""
    _, figures = published(RATINGS)
    (pairs,) = frames_in(judged(published, RATINGS, *DURATIONS), "people-pairs")
    assert len(pairs["first"]) == 45
    ours = {
        f"F2.rho.{int(first)}-{int(second)}": value
        for first, second, value in zip(
            pairs["first"], pairs["second"], pairs["spearman"], strict=True
        )
    }
    theirs = {name: each["value"] for name, each in figures.items() if name.startswith("F2.rho")}
    assert len(theirs) == 44
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=0.00501)


@pytest.mark.slow
def test_the_distribution_of_scores_split_by_complexity(published):
    """Figure 3: six bars; of the best system more than 80 % of scores are 3 or 4."""
    whole, *parts = frames_in(judged(published, RATINGS, *DURATIONS), "scores")
    assert len(parts) == 2
    assert all(len(part["system"]) == 3 * 4 for part in parts)
    assert [sum(both) for both in zip(*(p["count"] for p in parts), strict=True)] == whole["count"]
    for part in parts:
        best = [n for n, system in zip(part["count"], part["system"], strict=True)
                if system == "SVM-RERANK"]  # fmt: skip
        assert sum(best[2:]) > 0.8 * sum(best)


@pytest.mark.slow
def test_fixed_effects_of_their_mixed_model(published):
    """Table 5: estimates, standard errors and t; variance .09 of raters."""
    _, figures = published(RATINGS)
    (model,) = judged(published, RATINGS, "--model", MODEL)["models"]
    for term in model["terms"]:
        place = f"T5.{term['term']}{term['level'] or ''}".replace("intercept", "(Intercept)")
        ours = {"est": term["value"], "se": term["standard_error"], "t": term["t"]}
        theirs = {part: figures[f"{place}.{part}"]["value"] for part in ours}
        assert ours == pytest.approx(theirs, abs=0.00501)
    variances = {part["group"]: part["variance"] for part in model["variances"]}
    assert variances["rater"] == pytest.approx(0.09, abs=0.005)
    assert model["n"] == 1920


@pytest.mark.slow
def test_the_agreement_of_all_ten_and_of_the_first_two(published):
    everybody = by_id(judged(published, RATINGS, *DURATIONS))
    first = by_id(judged(published, RATINGS, "--exclude", FIRST, "--test", "t-test"))
    assert everybody["fluency.krippendorff-alpha"]["value"] == pytest.approx(0.549, abs=5e-4)
    assert first["fluency.krippendorff-alpha"]["value"] == pytest.approx(0.519, abs=5e-4)
