"""Published tests, effects, correlations and coefficients of variation, from public judgments.

They are read where they lie and never copied here. Where the published definition is questionable,
the published figure and the right one both come out, each by asking for it.
"""

from __future__ import annotations

import csv
import math
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from rejudge.stats import (
    CohenF,
    EtaSquared,
    Interval,
    Summary,
    anova_power,
    anova_sample_size,
    cohen_d,
    cohen_d_from_summary,
    critical_effect,
    cv_star,
    cv_star_interval,
    eta_squared,
    kruskal_wallis,
    levene,
    mann_whitney,
    mann_whitney_r,
    matching_accuracy,
    one_way_anova,
    pearson,
    pooled_sd,
    significance_f1,
    spearman,
    t_test,
    tost,
    tukey_hsd,
)

RATED = "august2022_miltenburg2024"
CHOSEN = "hosking2021_arvan2025"
PRINTED = "lin2022_ito2023_printed"

NAMES = {"SVM": "SVM-RERANK", "GeDi": "GEDI", "DExpert": "DEXPERT"}
ORIGINAL_MEANS = [3.71, 3.20, 2.33]  # of the study that was repeated, in the order of NAMES
PEOPLE = {"R1": {"001", "002"}, "R2": {"009", "010"}}
CHOSEN_SYSTEMS = ["dips", "lbow", "sep_ae", "vae"]
ORIGINAL_SCORES = {"vae": 58, "sep_ae": -6, "lbow": -12, "dips": -39}


def is_met(figure, found) -> bool:
    """Whether a figure comes out, within half a unit of its last printed digit."""
    if isinstance(figure["value"], bool):
        return found is figure["value"]
    return abs(found - figure["value"]) <= figure["tolerance"] * (1 + 1e-9) + 1e-12


# ── ratings of definitions: t tests, d, TOST, ANOVA, Tukey ───────────────────────────────────────


@cache
def read(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def scores(rows, system, people=None):
    return np.array(
        [
            float(row["score"])
            for row in rows
            if row["system"] == system
            and row["attempt"] == "1"
            and (people is None or row["rater"] in people)
        ]
    )


@cache
def found_in_ratings(path):
    rows = read(path)
    first, second = (
        {name: scores(rows, long, PEOPLE[study]) for name, long in NAMES.items()}
        for study in ("R1", "R2")
    )
    whole = {long: scores(rows, long) for long in NAMES.values()}
    return {
        **t_tests(first, second),
        **equivalence(first["SVM"], second["SVM"]),
        **system_level(first),
        **{f"T3.sd.{name}": values.std(ddof=1) for name, values in second.items()},
        **all_ratings(whole),
        "html.t.R1.DEXvGEDI": t_test(first["DExpert"], first["GeDi"]).statistic,
        "html.p.R1.DEXvGEDI": t_test(first["DExpert"], first["GeDi"]).p,
    }


def t_tests(first, second):
    found = {}
    pairs = {
        "S3.1.SVMvGEDI": (first["SVM"], first["GeDi"]),
        "S3.1.SVMvDEX": (first["SVM"], first["DExpert"]),
        "S5.4.SVMvGEDI": (second["SVM"], second["GeDi"]),
        "S5.4.SVMvDEX": (second["SVM"], second["DExpert"]),
        "S5.4.R1vR2.SVM": (first["SVM"], second["SVM"]),
    }
    for name, (one, two) in pairs.items():
        result = t_test(one, two)
        found[f"{name}.t"], found[f"{name}.df"] = result.statistic, result.df
        found[f"{name}.d"] = result.test.effects[0].value
        found[f"{name}.p<0.001"] = result.p < 0.001
    for study, part in (("R1", "S3.1"), ("R2", "S5.4")):
        for pair in ("SVMvGEDI", "SVMvDEX"):
            found[f"T4.d.{pair}.{study}"] = found[f"{part}.{pair}.d"]
    return found


def equivalence(first, second):
    bound, apart = 0.2 * first.std(ddof=1), t_test(first, second)
    wider = 0.5 * first.std(ddof=1)
    return {
        "S5.4.SESOI": critical_effect((200, 200)).value,
        "S5.4.TOST.bound": bound,
        "S5.4.TOST.p": equivalent(apart, bound).p,
        "nb.TOST.p.es0.5": equivalent(apart, wider).p,
    }


def equivalent(apart, reach):
    bounds = Interval(-reach, reach, 1.0)
    return tost(apart.value, apart.standard_error, apart.df, bounds)


def rounded(value):
    """To two decimals as R printed them: 3.125 as 3.12 and 2.275 as 2.28, halves to even."""
    return float(Decimal(repr(float(value))).quantize(Decimal("0.01"), ROUND_HALF_EVEN))


def system_level(first):
    means = [rounded(values.mean()) for values in first.values()]
    correlation, ranks = pearson(ORIGINAL_MEANS, means), spearman(ORIGINAL_MEANS, means)
    return {
        **{
            f"T1.cvstar.{name}": cv_star(both, scale_minimum=1, variant="unshifted").value
            for name, both in zip(NAMES, zip(ORIGINAL_MEANS, means, strict=True), strict=True)
        },
        **{f"T1.sd.{name}": values.std(ddof=1) for name, values in first.items()},
        "T1.pearson": correlation.value,
        "T1.pearson.p": correlation.p,
        "T1.spearman": ranks.value,
        "T1.spearman.p": spearman(ORIGINAL_MEANS, means, p_value="t").p,
    }


def all_ratings(whole):
    groups = [whole[name] for name in ("DEXPERT", "GEDI", "SVM-RERANK")]
    value, group = np.concatenate(groups), np.repeat(range(3), [len(each) for each in groups])
    analysis, height = one_way_anova(value, group), kruskal_wallis(value, group)
    found = {
        "html.anova.F": analysis.statistic,
        "html.anova.SSb": analysis.between,
        "html.anova.SSw": analysis.within,
        "html.anova.peta2": analysis.effects[0].value,
        "html.levene.F": levene(value, group).statistic,
        "html.kw.chi2": height.statistic,
        "html.kw.eta2H": height.effects[0].value,
        "html.mw.p.GEDIvSVM": mann_whitney(groups[1], groups[2]).p,
        "html.t.all.DEXvGEDI": t_test(groups[0], groups[1]).statistic,
        "html.t.all.DEXvSVM": t_test(groups[0], groups[2]).statistic,
        "html.t.all.GEDIvSVM": t_test(groups[1], groups[2]).statistic,
    }
    for one, two in combinations(range(3), 2):
        found[f"html.wilcox.r.{one}{two}"] = abs(mann_whitney_r(groups[one], groups[two]).value)
    for pair in tukey_hsd(groups):  # published as second minus first
        name = f"html.tukey.{pair.second}{pair.first}"
        found[f"{name}.diff"] = -pair.value
        found[f"{name}.lo"], found[f"{name}.hi"] = -pair.interval.high, -pair.interval.low
    return found


RATING_IDS = [
    *(
        f"{name}.{part}"
        for name in (
            "S3.1.SVMvGEDI",
            "S3.1.SVMvDEX",
            "S5.4.SVMvGEDI",
            "S5.4.SVMvDEX",
            "S5.4.R1vR2.SVM",
        )
        for part in ("t", "df", "d", "p<0.001")
    ),
    *(f"T4.d.{pair}.{study}" for pair in ("SVMvGEDI", "SVMvDEX") for study in ("R1", "R2")),
    *("S5.4.SESOI", "S5.4.TOST.bound", "S5.4.TOST.p", "nb.TOST.p.es0.5"),
    *(f"T1.{part}.{name}" for part in ("cvstar", "sd") for name in NAMES),
    *(f"T3.sd.{name}" for name in NAMES),
    *("T1.pearson", "T1.pearson.p", "T1.spearman", "T1.spearman.p"),
    *(f"html.anova.{part}" for part in ("F", "SSb", "SSw", "peta2")),
    *(f"html.tukey.{pair}.{part}" for pair in (10, 20, 21) for part in ("diff", "lo", "hi")),
    *("html.levene.F", "html.kw.chi2", "html.kw.eta2H", "html.mw.p.GEDIvSVM"),
    *(f"html.wilcox.r.{pair}" for pair in ("01", "02", "12")),
    *(f"html.t.all.{pair}" for pair in ("DEXvGEDI", "DEXvSVM", "GEDIvSVM")),
    *("html.t.R1.DEXvGEDI", "html.p.R1.DEXvGEDI"),
]


@pytest.mark.parametrize("name", RATING_IDS)
def test_a_published_figure_of_the_ratings_comes_out(published, name):
    folder, figures = published(RATED)
    assert figures[name]["reproducible"]
    assert is_met(figures[name], found_in_ratings(folder / "judgments.csv")[name])


def test_no_figure_of_these_subjects_is_forgotten(published):
    _, figures = published(RATED)
    subjects = ("S3.1.", "S5.4.", "T4.d", "T1.cvstar", "T1.pearson", "T1.spearman", "nb.TOST",
                "html.anova", "html.tukey", "html.t.", "html.p.", "html.mw", "html.wilcox",
                "html.kw", "html.levene")  # fmt: skip
    wanted = {name for name in figures if name.startswith(subjects)}
    assert wanted == {name for name in RATING_IDS if name.startswith(subjects)} | {
        "T4.d.SVMvGEDI.orig",
        "T4.d.SVMvDEX.orig",
    }


def test_the_interval_of_d_is_the_exact_one(published):
    """R effectsize gives .3162 to .7147; the normal approximation would give .3159 to .7156."""
    folder, _ = published(RATED)
    rows = read(folder / "judgments.csv")
    d = cohen_d(scores(rows, "SVM-RERANK", PEOPLE["R1"]), scores(rows, "GEDI", PEOPLE["R1"]))
    assert d.value == pytest.approx(0.516, abs=0.0005)
    assert (d.interval.low, d.interval.high) == pytest.approx((0.3162, 0.7147), abs=0.00005)


@pytest.mark.parametrize(
    ("pair", "one", "two"),
    [
        ("SVMvGEDI", Summary(3.71, 0.59, 200), Summary(3.20, 1.06, 200)),
        ("SVMvDEX", Summary(3.71, 0.59, 200), Summary(2.33, 0.85, 200)),
    ],
)
def test_the_printed_d_of_the_original_does_not_follow_from_its_means(published, pair, one, two):
    _, figures = published(RATED)
    figure = figures[f"T4.d.{pair}.orig"]
    assert not figure["reproducible"]
    found = cohen_d_from_summary(one, two).value
    assert not is_met(figure, found)
    low, high = figure["feasible"]
    assert low <= found <= high


@pytest.mark.parametrize(("name", "right"), [("SVM", 24.357), ("GeDi", 33.322), ("DExpert", 3.820)])
def test_on_a_scale_from_1_to_4_the_right_spread_is_larger_than_the_published(
    published, name, right
):
    """The published figures leave the scale where it is; from 0 on, it is as given here."""
    folder, figures = published(RATED)
    rows = read(folder / "judgments.csv")
    mean = rounded(scores(rows, NAMES[name], PEOPLE["R1"]).mean())
    original = ORIGINAL_MEANS[list(NAMES).index(name)]
    found = cv_star([original, mean], scale_minimum=1).value
    assert found == pytest.approx(right, abs=0.0005)
    assert not is_met(figures[f"T1.cvstar.{name}"], found)


def test_rounding_of_a_mean_changes_its_spread_by_a_fifth():
    """DExpert's mean is 2.275, printed 2.28 and computed on as 2.27: 199.4011 · .05/4.61 is 2.163,
    199.4011 · .06/4.60 is 2.601.
    """
    low, high = (
        cv_star([2.33, mean], scale_minimum=1, variant="unshifted").value for mean in (2.28, 2.27)
    )
    assert (low, high) == pytest.approx((2.163, 2.601), abs=0.0005)
    assert high / low == pytest.approx(1.2, abs=0.005)


def test_a_perfect_order_of_three_is_one_of_three_by_chance(published):
    """The published p of 0.00 comes from the t approximation; of six orders two are as perfect."""
    _, figures = published(RATED)
    right = spearman(ORIGINAL_MEANS, [3.12, 2.57, 2.28]).p
    assert right == pytest.approx(1 / 3)
    assert not is_met(figures["T1.spearman.p"], right)


def test_a_bound_by_the_pooled_spread_is_narrower_than_the_published(published):
    """0.2 pooled SDs are 0.159, 0.2 SDs of the first reproduction 0.185; p is near 1 for both."""
    folder, _ = published(RATED)
    rows = read(folder / "judgments.csv")
    one, two = (scores(rows, "SVM-RERANK", PEOPLE[study]) for study in ("R1", "R2"))
    apart, sizes = t_test(one, two), (Summary.of(one), Summary.of(two))
    assert 0.2 * pooled_sd(*sizes) == pytest.approx(0.159, abs=0.0005)
    assert equivalent(apart, 0.185).p == pytest.approx(0.999958, abs=5e-5)


# ── choices between paraphrases: ANOVA, Tukey, CV*, correlation ──────────────────────────────────


def sums_by_input(rows):
    """Wins minus losses of each system, one row per input, and its best–worst score."""
    fooled = {
        row["rater"]
        for row in rows
        if row["system_a" if row["choice"] == "A" else "system_b"] == "distractor"
    }
    items = sorted({row["item"] for row in rows if row["control"] == "False"})
    place = {item: number for number, item in enumerate(items)}
    sums = np.zeros((len(items), len(CHOSEN_SYSTEMS)))
    for row in rows:
        if row["control"] == "False" and row["rater"] not in fooled:
            sign = 1 if row["choice"] == "A" else -1
            sums[place[row["item"]], CHOSEN_SYSTEMS.index(row["system_a"])] += sign
            sums[place[row["item"]], CHOSEN_SYSTEMS.index(row["system_b"])] -= sign
    return sums


@cache
def found_in_choices(path):
    sums = sums_by_input(read(path))
    score = dict(zip(CHOSEN_SYSTEMS, sums.sum(axis=0) / 18, strict=True))
    old = [ORIGINAL_SCORES[name] for name in CHOSEN_SYSTEMS]
    analysis = one_way_anova(sums.T.ravel(), np.repeat(range(4), len(sums)))
    correlation = pearson(old, list(score.values()))
    found = {
        "anova.F": analysis.statistic,
        "anova.p": analysis.p,
        "pearson": correlation.value,
        "pearson.p": correlation.p,
        "spearman": spearman(old, list(score.values())).value,
        "power.f0.10.n200": anova_power(CohenF(0.10), groups=4, per_group=200).value,
        "power.f0.25.n200": anova_power(CohenF(0.25), groups=4, per_group=200).value,
        "power.f0.40.n200": anova_power(CohenF(0.40), groups=4, per_group=200).value,
    }
    for name, value in score.items():
        both = [ORIGINAL_SCORES[name], value]
        found[f"cvstar.{name}"] = cv_star(both, scale_minimum=-100).value
        found[f"corrcsv.reproduced_value.{name}"] = value
    for pair in tukey_hsd(list(sums.T)):  # published as second minus first
        name = f"tukey.{CHOSEN_SYSTEMS[pair.first]}-{CHOSEN_SYSTEMS[pair.second]}"
        found[f"{name}.diff"], found[f"{name}.p"] = -pair.value, pair.p
        found[f"{name}.lo"], found[f"{name}.hi"] = -pair.interval.high, -pair.interval.low
    return found


CHOICE_IDS = [
    *("anova.F", "anova.p", "pearson", "pearson.p", "spearman"),
    *(f"cvstar.{name}" for name in CHOSEN_SYSTEMS),
    *(
        f"tukey.{one}-{two}.{part}"
        for one, two in combinations(CHOSEN_SYSTEMS, 2)
        for part in ("diff", "p", "lo", "hi")
    ),
    *(f"power.{design}.n200" for design in ("f0.10", "f0.25", "f0.40")),
]


@pytest.mark.parametrize("name", CHOICE_IDS)
def test_a_published_figure_of_the_choices_comes_out(published, name):
    folder, figures = published(CHOSEN)
    assert figures[name]["reproducible"]
    assert is_met(figures[name], found_in_choices(folder / "judgments.csv")[name])


def test_no_figure_of_the_choices_is_forgotten(published):
    _, figures = published(CHOSEN)
    subjects = ("tukey", "anova", "cvstar", "pearson", "spearman", "power")
    assert {name for name in figures if name.startswith(subjects)} == set(CHOICE_IDS)


@pytest.mark.parametrize("name", ["sep_ae", "lbow"])
def test_scores_joined_to_the_wrong_system_are_not_matched(published, name):
    folder, figures = published(CHOSEN)
    figure = figures[f"corrcsv.reproduced_value.{name}"]
    assert not figure["reproducible"]
    found = found_in_choices(folder / "judgments.csv")[f"corrcsv.reproduced_value.{name}"]
    assert not is_met(figure, found)


def test_eta_squared_taken_for_f_gives_the_power_that_was_published_by_mistake():
    """A first report of the experiment printed power .67 and 395 for .80: eta² .167 as f, 300 as N.

    It comes out only by saying so. The effect is f = √(.167/.833) = .448 and there are 1,200
    values: power 1.000, and .80 needs 15 per system (R pwr gives the same).
    """
    mistaken = anova_power(CohenF(0.167), groups=4, total=300)
    assert mistaken.value == pytest.approx(0.67, abs=0.005)
    needed = anova_sample_size(CohenF(0.167), groups=4)
    assert math.ceil(needed.total_unrounded) == 395
    right = anova_power(EtaSquared(0.167), groups=4, total=1200)
    assert right.value == pytest.approx(1.0, abs=0.0005)
    assert anova_sample_size(EtaSquared(0.167), groups=4).per_group == 15


def test_the_share_of_variance_between_systems_has_an_interval(published):
    folder, _ = published(CHOSEN)
    sums = sums_by_input(read(folder / "judgments.csv"))
    found = eta_squared(sums.T.ravel(), np.repeat(range(4), len(sums)))
    f, (first, second) = 140.0847527540345, (3, 796)  # the published F gives eta² as well
    assert found.value == pytest.approx(f * first / (f * first + second))
    assert found.interval.low < found.value < found.interval.high


# ── printed tables of a study of dialogue summaries ──────────────────────────────────────────────


def cells(folder, study, column):
    return np.array(
        [float(row[column]) for row in read(folder / "table1.csv") if row["study"] == study]
    )


def pairs_of_ways(folder):
    """The places of each `multi` cell and of the `both` cell it is compared with."""
    rows = [row for row in read(folder / "table1.csv") if row["study"] == "original"]
    place = {(row["system"], row["criterion"], row["role"]): i for i, row in enumerate(rows)}
    return [
        (place[system, *rest], place[system.replace("multi", "both"), *rest])
        for system, *rest in place
        if system.endswith("multi")
    ]


def found_in_tables(folder, case):
    values = cells(folder, "original", "value"), cells(folder, case, "value")
    stars = cells(folder, "original", "starred"), cells(folder, case, "starred")
    return {
        f"T2.{case}.pearson": pearson(*values).value,
        f"T2.{case}.A": matching_accuracy(*values, pairs_of_ways(folder)).value,
        f"T2.{case}.F1": significance_f1(*stars).value,
    }


@pytest.mark.parametrize("part", ["pearson", "A", "F1"])
@pytest.mark.parametrize("case", ["case1", "case2", "case3", "case4"])
def test_a_figure_of_the_printed_tables_comes_out_unless_it_is_an_error(published, case, part):
    folder, figures = published(PRINTED)
    figure = figures[f"T2.{case}.{part}"]
    found = found_in_tables(folder, case)[f"T2.{case}.{part}"]
    assert is_met(figure, found) == figure["reproducible"]


@pytest.mark.parametrize(
    ("case", "r"), [("case1", 0.904), ("case2", 0.889), ("case3", 0.897), ("case4", 0.894)]
)
def test_correlations_of_the_printed_tables_to_one_more_digit(published, case, r):
    """From the printed means by scipy 1.17 (pearsonr); the last is printed as .90."""
    folder, _ = published(PRINTED)
    values = cells(folder, "original", "value"), cells(folder, case, "value")
    assert pearson(*values).value == pytest.approx(r, abs=0.0005)


def test_the_counts_behind_the_printed_tables_are_as_derived(published):
    """12, 11, 9 and 10 of 16 pairs; 4 stars in the original, one of them met again in each case."""
    folder, _ = published(PRINTED)
    cases = ["case1", "case2", "case3", "case4"]
    original = cells(folder, "original", "value"), cells(folder, "original", "starred")
    pairs = pairs_of_ways(folder)
    matched = [matching_accuracy(original[0], cells(folder, c, "value"), pairs) for c in cases]
    stars = [significance_f1(original[1], cells(folder, case, "starred")) for case in cases]
    assert [(each.matches, each.n) for each in matched] == [(12, 16), (11, 16), (9, 16), (10, 16)]
    assert [each.reproduction for each in stars] == [4, 3, 4, 4]
    assert {(each.original, each.both, each.n) for each in stars} == {(4, 1, 32)}


def test_a_printed_spread_can_be_checked_against_the_rounding_of_its_scores():
    """Steen & Markert (2025): win rates .58 and .57 give .633; the printed .49 is in reach."""
    limits = cv_star_interval([0.58, 0.57], scale_minimum=-1, half_unit=0.005)
    assert limits.low == 0
    assert limits.high == pytest.approx(1.27, abs=0.005)
    assert limits.low <= 0.49 <= limits.high
