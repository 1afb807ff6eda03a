"""Agreement in an analysis: which units are independent, and which kappa a crowd has."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from judged_study import RATING, by_id, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.build import build
from rejudge.report.subject import Subject
from rejudge.stats import count_table as counted
from rejudge.stats import krippendorff_alpha, pooled_kappa
from rejudge.stats.reasons import Why
from rejudge.tables.wording import name_of_coefficient


def found_in(rows, further=None):
    return by_id(analyse(Judgments.from_rows(rows), further=further))


def copied_sentences(copies):
    """Three people score ten outputs; each sentence of an output has the same scores."""
    return [
        Judgment(
            f"p{person}",
            f"i{item}",
            "facts",
            float((item + person * (item % 3)) % 4),
            system="ash",
            segment=segment,
        )
        for item in range(10)
        for person in range(3)
        for segment in range(1, copies + 1)
    ]


def ranked(people=4, items=8):
    """Everybody ranks four systems: six comparisons in each answer."""
    rng = np.random.default_rng(4)
    systems = ("ash", "beech", "cedar", "dogwood")
    rows = []
    for item in range(items):
        good = rng.normal(size=4)
        for person in range(people):
            heard = good + rng.normal(size=4)
            rows += [
                Judgment(
                    f"p{person}",
                    f"i{item}",
                    "rank",
                    "a" if heard[a] > heard[b] else "b",
                    system_a=systems[a],
                    system_b=systems[b],
                    task=f"t{item}",
                )
                for a, b in combinations(range(4), 2)
            ]
    return rows


def test_more_sentences_that_say_the_same_make_no_agreement_surer():
    once, often = (found_in(copied_sentences(copies)) for copies in (1, 8))
    for name in ("facts.percent", "facts.krippendorff-alpha"):
        narrow, wide = once[name].interval, often[name].interval
        assert wide.high - wide.low == pytest.approx(narrow.high - narrow.low, rel=0.1)
    alpha = often["facts.krippendorff-alpha"]
    assert "one item left out at a time" in alpha.method
    assert "t over items" in often["facts.percent"].method
    new = once["facts.krippendorff-alpha"].interval_for_new_people
    assert alpha.interval_for_new_people.low == pytest.approx(new.low, abs=0.1)


def test_pairs_of_one_ranking_are_one_item_in_a_table_too():
    rows = ranked()
    alpha = found_in(rows)["rank.krippendorff-alpha"]
    assert (alpha.n, alpha.n_of) == (48, "units")
    assert "one item left out at a time" in alpha.method


def test_choices_of_pairs_are_units_of_their_own():
    rows = [
        Judgment(f"p{n % 3}", f"i{n // 3}", "best", "ab"[n % 4 == 0], system_a="x", system_b="y")
        for n in range(30)
    ]
    assert "resamples of units" in found_in(rows)["best.krippendorff-alpha"].method


EVERY_COEFFICIENT = (
    "percent",
    "krippendorff-alpha",
    "fleiss-kappa",
    "cohen-kappa",
    "gwet-ac1",
    "gwet-ac2",
    "icc",
)


def rated(systems, *, people=6, items=12):
    """Everybody rates the outputs of an item alike, whichever system wrote them."""
    rng = np.random.default_rng(8)
    latent = 3 + rng.normal(size=(items, 1)) + rng.normal(size=(items, people))
    value = np.clip(np.round(latent), 1, 5)
    return [
        Judgment(f"p{p}", f"i{i}", "fluency", float(value[i, p]), system=system)
        for system in systems
        for i in range(items)
        for p in range(people)
    ]


@pytest.fixture(scope="module")
def one_and_four():
    """The findings of one system, and of four whose outputs got the same ratings."""
    wanted = Further(agreement=EVERY_COEFFICIENT)
    four = ("ash", "beech", "cedar", "dogwood")
    return [found_in(rated(systems), wanted) for systems in (four[:1], four)]


@pytest.mark.parametrize("coefficient", EVERY_COEFFICIENT)
def test_outputs_of_one_item_make_no_agreement_surer(one_and_four, coefficient):
    """Four systems whose outputs got the same ratings say as much as one system does."""
    one, four = (found[f"fluency.{coefficient}"] for found in one_and_four)
    assert four.n == 4 * one.n
    assert four.value == pytest.approx(one.value, abs=0.02)
    width = one.interval.high - one.interval.low
    assert four.interval.high - four.interval.low == pytest.approx(width, rel=0.3)
    assert "item" in four.method
    assert "item" not in one.method


def test_pairs_of_one_items_outputs_are_no_units_of_their_own():
    """Three systems give three pairs of each item; each pair alone is one unit of its item."""
    rows = [
        Judgment(f"p{p}", f"i{i}", "best", "ab"[(i * p + a) % 3 == 0], system_a=a, system_b=b)
        for i in range(12)
        for p in range(4)
        for a, b in combinations(range(3), 2)
    ]
    rows = [replace(row, system_a=f"s{row.system_a}", system_b=f"s{row.system_b}") for row in rows]
    found = found_in(rows)
    assert "one item left out at a time" in found["best.krippendorff-alpha"].method
    assert "t over items" in found["best.percent"].method
    assert "resamples of units" in found["best.krippendorff-alpha.s0.s1"].method


def test_the_intraclass_correlation_of_several_outputs_has_an_interval_for_new_participants():
    wanted = Further(agreement=("icc", "krippendorff-alpha"))
    found = found_in(rated(("ash", "beech")), wanted)
    icc = found["fluency.icc"]
    assert icc.interval_for_new_people.low < icc.value < icc.interval_for_new_people.high
    assert "Krippendorff's alpha for interval values" in icc.note


def test_gwets_coefficients_of_an_analysis_know_all_points_of_the_scale():
    """Two people, four outputs on five points: 5 5 | 5 5 | 5 4 | 4 4; nobody gave 1, 2 or 3.

    AC1: P_a = 3/4; π = 3/8 and 5/8; P_e = 2 · (3/8 · 5/8) / (5 − 1) = 15/128;
    (96 − 15)/(128 − 15) = 81/113.
    """
    values = ((5, 5), (5, 5), (5, 4), (4, 4))
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", float(value), system="ash")
        for i, pair in enumerate(values)
        for p, value in enumerate(pair)
    ]
    study = small_study(RATING, analysis={"agreement": ["gwet-ac1", "gwet-ac2"]})
    found = by_id(analyse(Judgments.from_rows(rows, systems=study.system_ids), study=study))
    first, second = found["fluency.gwet-ac1"], found["fluency.gwet-ac2"]
    assert first.value == pytest.approx(81 / 113)
    assert first.is_planned
    assert second.value > first.value
    assert "ordinal weights" in second.method
    assert name_of_coefficient(second) == "Gwet’s AC2"


def test_choices_have_no_ac2_and_say_why():
    rows = [
        Judgment(f"p{n % 2}", f"i{n // 2}", "best", "a", system_a="x", system_b="y")
        for n in range(8)
    ]
    wanted = Further(agreement=("gwet-ac1", "gwet-ac2"))
    found = found_in(rows, wanted)
    assert found["best.gwet-ac1"].value == 1
    assert found["best.gwet-ac2"].value is None
    assert found["best.gwet-ac2"].has(Why.WRONG_KIND)


def test_in_a_crowd_cohens_kappa_is_pooled_and_says_why():
    """200 outputs by three of 100 people each: nobody shares ten with anybody."""
    rng = np.random.default_rng(2)
    rows = []
    for item in range(200):
        truth = rng.integers(1, 4)
        for person in rng.choice(100, 3, replace=False):
            value = truth if rng.random() < 0.8 else rng.integers(1, 4)
            rows.append(Judgment(f"p{person}", f"i{item}", "fluency", float(value), system="ash"))
    kappa = found_in(rows, further=Further(agreement=("cohen-kappa",)))["fluency.cohen-kappa"]
    unit, person, value = (
        np.array(column)
        for column in (
            [int(row.item[1:]) for row in rows],
            [int(row.participant[1:]) for row in rows],
            [row.value for row in rows],
        )
    )
    expected = pooled_kappa(unit, person, value)
    assert kappa.value == pytest.approx(expected.value)
    wide = kappa.interval_for_new_people
    assert wide.low == min(expected.interval.low, kappa.interval.low)
    assert wide.high == max(expected.interval.high, kappa.interval.high)
    nominal = krippendorff_alpha(counted(unit, value), "nominal", rng=np.random.default_rng(1))
    assert kappa.interval.low == pytest.approx(nominal.interval.low, abs=0.02)
    assert kappa.interval.low < kappa.value < kappa.interval.high
    assert "account for 0 % of all pairs of judgments" in kappa.note
    assert name_of_coefficient(kappa) == "Cohen’s kappa, pooled"


def test_few_people_who_share_all_units_keep_the_mean_of_their_kappas():
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", float(1 + (i + p * (i % 4 == 0)) % 3), system="ash")
        for i in range(12)
        for p in range(3)
    ]
    study = small_study(RATING, analysis={"agreement": ["cohen-kappa"]})
    kappa = by_id(analyse(Judgments.from_rows(rows, systems=study.system_ids), study=study))
    assert kappa["fluency.cohen-kappa"].method.startswith("mean of Cohen's kappas")
    assert name_of_coefficient(kappa["fluency.cohen-kappa"]) == "Cohen’s kappa, mean of pairs"


def test_agreement_does_not_depend_on_which_system_of_a_choice_is_named_first():
    """A table that names the winner first shows the same agreement as one in a fixed order."""
    rng = np.random.default_rng(2)
    leaning = rng.normal(0, 1.2, 30)
    wins = [(p, i, leaning[i] + rng.normal() > 0) for i in range(30) for p in range(5)]
    fixed = Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", "q", "a" if x else "b", system_a="x", system_b="y")
        for p, i, x in wins
    )
    winner_first = Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", "q", "a", system_a="x" if x else "y", system_b="y" if x else "x")
        for p, i, x in wins
    )
    one, other = (
        {f.by: f.value for f in analyse(table).select("q", "agreement")}
        for table in (fixed, winner_first)
    )
    assert one["krippendorff-alpha"] > 0.2
    assert other == pytest.approx(one)


def test_scores_without_an_order_have_no_correlation_and_a_report():
    """Everybody judges all twelve items, enough for a measure of each two people."""
    rng = np.random.default_rng(4)
    results = analyse(
        Judgments.from_rows(
            Judgment(f"p{p}", f"i{i}", "kind", int(rng.integers(1, 4)), system=s)
            for p in range(5)
            for i in range(12)
            for s in "AB"
        ),
        level="nominal",
    )
    people = results.frame("people", "kind")
    assert people.facts["measure"] == "percent"
    assert set(people.columns["correlation"]) == {None}
    assert build(Subject(results, "kinds"), pictures=()).sections


def test_a_task_of_its_own_for_every_answer_changes_no_agreement():
    """Exports number answers, not what was shown: the unit is the item with the systems shown."""
    shared = ranked()
    own = [replace(row, task=f"{row.participant}-{row.item}") for row in shared]
    one, other = (found_in(rows)["rank.krippendorff-alpha"] for rows in (shared, own))
    assert one.value is not None
    assert other.value == pytest.approx(one.value)
    assert other.n == one.n


def test_ratings_agree_whatever_number_each_row_has_as_a_task():
    rows = copied_sentences(1)
    numbered = [replace(row, task=str(place)) for place, row in enumerate(rows)]
    one, other = (found_in(each)["facts.krippendorff-alpha"] for each in (rows, numbered))
    assert other.value == pytest.approx(one.value)


def test_the_same_two_systems_in_other_company_are_another_unit():
    """ash and beech meet once with cedar and once with dogwood; each is judged by everybody."""
    rows = [
        Judgment(f"p{p}", f"i{i}", "best", "a", system_a=a, system_b=b, task=f"{p}-{i}-{third}")
        for p in range(3)
        for i in range(6)
        for third in ("cedar", "dogwood")
        for a, b in (("ash", "beech"), ("ash", third), ("beech", third))
    ]
    assert found_in(rows)["best.percent"].n == 6 * 2 * 3


def answers_of(items, people):
    """Everybody judges every item; answers vary from 1 to 4."""
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", float(1 + (p * (i + 1) + i * i) % 4), system="ash")
        for p in range(people)
        for i in range(items)
    ]
    return {f.by: f for f in analyse(Judgments.from_rows(rows)).select("fluency", "agreement")}


@pytest.mark.parametrize("items", [5, 6, 12])
@pytest.mark.parametrize("coefficient", ["percent", "krippendorff-alpha"])
def test_an_interval_for_new_participants_is_never_narrower_than_that_for_these(items, coefficient):
    found = answers_of(items, 30)[coefficient]
    assert found.interval_for_new_people.low <= found.interval.low
    assert found.interval_for_new_people.high >= found.interval.high


@pytest.mark.parametrize("coefficient", ["percent", "krippendorff-alpha"])
def test_fewer_than_five_units_give_no_interval(coefficient):
    found = answers_of(4, 30)[coefficient]
    assert found.value is not None
    assert (found.interval, found.interval_for_new_people) == (None, None)
    assert "4 units judged by two or more people cannot show" in found.note
    assert "interval for new participants" not in found.note
