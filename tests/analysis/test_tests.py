"""Every test and coefficient that a study can plan, by hand where the numbers are small."""

from __future__ import annotations

from functools import cache

import pytest

from judged_study import (
    PAIRWISE,
    RATING,
    SLIDER,
    analysed,
    by_id,
    found_in,
    planned,
    rated,
    small_study,
)
from rejudge.findings.words import How
from rejudge.stats.reasons import Why
from rejudge.study.kinds.pairwise import Pairwise
from rejudge.study.kinds.rating import Rating
from rejudge.study.methods import COEFFICIENTS, TESTS

COMPARING = [test for test, method in TESTS.items() if method.fits(Pairwise)]
SCORING = [
    test
    for test, method in TESTS.items()
    if method.fits(Rating) and test not in {"sign-flip", "binary-mixed-model"}
]


@pytest.mark.parametrize("test", COMPARING)
def test_every_test_that_fits_comparisons_gives_a_planned_number(test):
    results = analysed(planned(PAIRWISE, {"test": test}))
    numbers = [f for f in results.findings if f.by == test and f.p is not None and f.is_planned]
    assert numbers
    assert all(finding.p_adjusted >= finding.p for finding in numbers)


@pytest.mark.parametrize("test", SCORING)
def test_every_test_that_fits_ratings_gives_a_planned_number(test):
    results = analysed(planned(RATING, {"test": test}))
    numbers = [f for f in results.findings if f.by == test and f.p is not None and f.is_planned]
    assert numbers
    assert all(finding.p_adjusted >= finding.p for finding in numbers)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_every_coefficient_that_fits_ratings_is_computed(coefficient):
    """Three people who judged the same eight outputs."""
    study = planned(RATING, {"test": "cluster-robust"}, agreement=[coefficient])
    outputs = [(f"i{place // 2}", ("ash", "beech")[place % 2]) for place in range(8)]
    rows = [
        (f"p{person}", *output, 1 + (place + person * place) % 5)
        for person in range(3)
        for place, output in enumerate(outputs)
    ]
    finding = found_in(study, rated(*rows))[f"fluency.{coefficient}"]
    assert finding.value is not None
    assert finding.is_planned


def test_all_planned_comparisons_are_one_family():
    """Two questions of three pairs each: the smallest p of all times 6, by Holm."""
    tests = [{"question": q["id"], "test": "cluster-robust"} for q in (RATING, SLIDER)]
    study = small_study(RATING, SLIDER, analysis={"tests": tests})
    pairs = [f for f in analysed(study).findings if f.by == "cluster-robust"]
    smallest = min(pairs, key=lambda finding: finding.p)
    assert len(pairs) == 6
    assert smallest.p_adjusted == pytest.approx(min(1, 6 * smallest.p))


def test_a_model_of_too_large_a_table_is_left_out_and_says_so(monkeypatch):
    monkeypatch.setattr("rejudge.analysis.score_models.MOST_JUDGMENTS", 5)
    results = analysed(planned(RATING, {"test": "ordinal-mixed-model"}))
    finding = by_id(results)["fluency.ordinal-mixed-model"]
    assert finding.value is None
    assert finding.note.startswith("Left out: the model takes up to 5 judgments; a table of ")
    assert finding.note.endswith(" is too large.")


def test_kendalls_w_orders_the_outputs_that_everybody_judged():
    """Two people, three outputs scored 1 1 2 and 1 2 3: .9286 corrected for ties, .8125 not (by
    hand in tests/stats/testing/test_correlation.py). A fourth output, which only one of them
    judged, is out."""
    study = planned(
        RATING, {"test": "cluster-robust"}, agreement=["kendall-w", "kendall-w-uncorrected"]
    )
    outputs = [("i1", "ash"), ("i2", "ash"), ("i1", "beech")]
    scores = {"p1": (1, 1, 2), "p2": (1, 2, 3)}
    rows = [(p, *output, v) for p in scores for output, v in zip(outputs, scores[p], strict=True)]
    found = found_in(study, rated(*rows, ("p1", "i2", "beech", 4.0)))
    corrected, plain = found["fluency.kendall-w"], found["fluency.kendall-w-uncorrected"]
    assert (corrected.value, plain.value) == pytest.approx((78 / 84, 0.8125))
    assert (corrected.n, corrected.interval, corrected.p) == (3, None, None)
    assert "corrected for ties" in corrected.method
    assert "not corrected for ties" in plain.method
    assert "1 of 4 units were left out, because not everybody judged them." in plain.note


def test_kendalls_w_needs_scores_and_units_that_everybody_judged():
    comparing = planned(PAIRWISE, {"test": "cluster-robust"}, agreement=["kendall-w"])
    scoring = planned(RATING, {"test": "cluster-robust"}, agreement=["kendall-w"])
    chosen = by_id(analysed(comparing))["meaning.kendall-w"]
    apart = found_in(scoring, rated(("p1", "i1", "ash", 2.0), ("p2", "i2", "ash", 3.0)))
    assert chosen.has(Why.WRONG_KIND)
    assert apart["fluency.kendall-w"].value is None
    assert apart["fluency.kendall-w"].has(Why.NEEDS)


def test_a_binary_model_of_two_points_gives_log_odds():
    """The same numbers as the ordinal model, which has one threshold where there are two points."""
    question = {**RATING, "points": 2}
    tests = [{"test": "binary-mixed-model"}, {"test": "ordinal-mixed-model"}]
    found = by_id(analysed(planned(question, *tests)))
    binary = found["fluency.binary-mixed-model.ash.beech"]
    ordinal = found["fluency.ordinal-mixed-model.ash.beech"]
    assert binary.value == pytest.approx(ordinal.value)
    assert binary.measure == "latent-difference"
    assert binary.method.startswith("binary mixed model (logistic): system fixed")
    assert binary.is_planned


def test_a_binary_model_of_five_points_says_that_it_needs_two():
    finding = by_id(analysed(planned(RATING, {"test": "binary-mixed-model"})))[
        "fluency.binary-mixed-model"
    ]
    assert finding.value is None
    assert finding.has(Why.NEEDS_MORE)


DIRECTED = {
    "comparison": ["cluster-robust", "sign-flip", "bradley-terry", "paired-t", "wilcoxon"],
    "score": ["cluster-robust", "mixed-model", "ordinal-mixed-model", "t-test", "mann-whitney"],
}


@cache
def directed(question, side):
    """The findings of all these tests in one direction."""
    asked, tests = {
        PAIRWISE["id"]: (PAIRWISE, DIRECTED["comparison"]),
        RATING["id"]: (RATING, DIRECTED["score"]),
    }[question]
    both = [{"test": test, "alternative": side} for test in tests]
    return analysed(planned(asked, *both)).findings


@pytest.mark.parametrize(
    ("question", "test"),
    [
        *((PAIRWISE, test) for test in DIRECTED["comparison"]),
        *((RATING, test) for test in DIRECTED["score"]),
    ],
)
def test_a_planned_direction_gives_one_sided_p_values(question, test):
    """Those of both directions add up to 1, but for what the observed value itself counts twice;
    the smaller is that of the direction in which the difference points."""
    up, down = (
        {
            f.systems: f
            for f in directed(question["id"], side)
            if f.by == test and len(f.systems) == 2 and f.measure != "agreement"
        }
        for side in ("greater", "less")
    )
    middle = 50 if up["ash", "beech"].measure == "win-percent" else 0
    assert up
    for pair, finding in up.items():
        assert finding.p + down[pair].p >= 1 - 1e-9
        assert (finding.p < down[pair].p) == (finding.value > middle)
        assert finding.alternative == "greater"
        assert "one-sided p: first higher than second" in finding.method
        assert "one-sided p: second higher than first" in down[pair].method


def test_one_sided_p_is_half_the_two_sided_one_where_the_difference_points_there():
    one, two = (
        by_id(analysed(planned(RATING, {"test": "cluster-robust", **side})))
        for side in ({"alternative": "greater"}, {})
    )
    name = "fluency.cluster-robust.ash.beech"
    half = two[name].p / 2
    assert one[name].p == pytest.approx(half if two[name].value > 0 else 1 - half)
    assert one[name].interval == two[name].interval
    assert two[name].alternative == "two-sided"


def test_a_planned_mixed_model_can_have_kenward_and_rogers_degrees_of_freedom():
    """The numbers of `linear_mixed` and `level_contrasts` are checked in tests/stats."""
    plain, adjusted = (
        by_id(analysed(planned(RATING, {"test": "mixed-model", **df})))
        for df in ({}, {"df": "kenward-roger"})
    )
    name = next(id_ for id_ in plain if ".mixed-model." in id_)
    assert adjusted[name].value == plain[name].value
    assert adjusted[name].df != plain[name].df
    assert adjusted[name].standard_error > (1 - 1e-9) * plain[name].standard_error
    assert "Satterthwaite's degrees of freedom" in plain[name].method
    assert "Kenward and Roger's errors and degrees of freedom" in adjusted[name].method
    assert adjusted[name].is_planned


def test_a_planned_mixed_model_can_have_free_slopes():
    """The numbers of `free_slopes_model` are checked in tests/stats."""
    equal, free = (
        by_id(analysed(planned(RATING, {"test": "mixed-model", **slopes})))
        for slopes in ({}, {"slopes": "free"})
    )
    name = next(id_ for id_ in equal if ".mixed-model." in id_)
    assert free[name].p is not None
    assert free[name].standard_error != equal[name].standard_error
    assert (
        "systems random over participant and item, each with its own variance" in free[name].method
    )
    assert free[name].fact(How.VARIANCES).get("ash over participant") > 0
    assert "correlations" not in equal[name].method
    assert free[name].is_planned
    assert free[name].population == equal[name].population


def test_free_slopes_of_too_large_a_table_are_left_out_with_the_reason(monkeypatch):
    monkeypatch.setattr("rejudge.analysis.score_models._MOST_FREE", 1)
    study = planned(RATING, {"test": "mixed-model", "slopes": "free"})
    found = next(f for f in analysed(study).findings if f.by == "mixed-model")
    assert found.p is None
    assert "Left out: the model with free slopes takes up to 1 participants" in found.note


def test_choices_keep_equal_slopes_and_say_so():
    study = planned(PAIRWISE, {"test": "mixed-model", "slopes": "free"})
    found = [f for f in analysed(study).findings if f.by == "mixed-model"]
    assert found
    assert all(each.has(Why.ONLY_OF_SCORES) for each in found)


def test_choices_keep_satterthwaites_degrees_of_freedom_and_say_so():
    study = planned(PAIRWISE, {"test": "mixed-model", "df": "kenward-roger"})
    found = [f for f in analysed(study).findings if f.by == "mixed-model"]
    assert found
    assert all("Kenward and Roger's adjustment is for scores" in each.note for each in found)


def test_a_test_of_all_systems_has_no_direction():
    with pytest.raises(ValueError, match="friedman compares all systems at once"):
        planned(PAIRWISE, {"test": "friedman", "alternative": "greater"})


def test_the_smallest_difference_that_a_one_sided_test_finds_is_smaller():
    one, two = (
        analysed(planned(RATING, {"test": "cluster-robust", **side})).sensitivity[0]
        for side in ({"alternative": "greater"}, {})
    )
    assert one.detects[0].difference < two.detects[0].difference
    assert "one-sided" in one.method
