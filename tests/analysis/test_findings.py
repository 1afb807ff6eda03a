"""Tests that are limited to some pairs of systems: which, in which order, as one family."""

from __future__ import annotations

from functools import cache

import pytest

from judged_study import PAIRWISE, RANKING, RATING, SLIDER, analysed, by_id, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further, FurtherTest
from rejudge.analysis.results import LimitedPairs
from rejudge.errors import UsageError
from rejudge.judgments.table import Judgment, Judgments
from rejudge.study.kinds.pairwise import Pairwise
from rejudge.study.kinds.rating import Rating
from rejudge.study.methods import TESTS, has_direction

OF_PAIRS = [
    test
    for test, method in TESTS.items()
    if has_direction(test)
    and method.fits(Rating)
    and test not in {"sign-flip", "binary-mixed-model"}
]
OF_CHOICES = [
    test for test, method in TESTS.items() if has_direction(test) and method.fits(Pairwise)
]


def limited(question, test, *pairs: list[str], **more: str):
    tests = [{"question": question["id"], "test": test, "pairs": list(pairs), **more}]
    return analysed(small_study(question, analysis={"tests": tests}))


@cache
def of_one_pair(question, first, second):
    """What every test that has a direction finds for one pair, in this order."""
    asked, tests = {"fluency": (RATING, OF_PAIRS), "meaning": (PAIRWISE, OF_CHOICES)}[question]
    planned = [{"question": question, "test": t, "pairs": [[first, second]]} for t in tests]
    found = compared_in(analysed(small_study(asked, analysis={"tests": planned})))
    return {finding.by: finding for finding in reversed(found)}


def compared_in(results):
    return [f for f in results.findings if len(f.systems) == 2 and f.measure != "agreement"]


def test_only_the_planned_pairs_are_tested_and_every_system_is_described():
    results = limited(RATING, "mixed-model", ["ash", "beech"], ["ash", "cedar"])
    assert {f.systems for f in compared_in(results)} == {("ash", "beech"), ("ash", "cedar")}
    assert [f.systems[0] for f in results.select("fluency", "mean")] == ["ash", "beech", "cedar"]
    assert {f.systems for f in compared_in(results) if f.by == "cluster-robust"} == {
        ("ash", "beech"),
        ("ash", "cedar"),
    }
    assert results.limited_pairs == (
        LimitedPairs("fluency", ("mixed-model",), (("ash", "beech"), ("ash", "cedar"))),
    )
    assert {each.systems for each in results.precision} == {("ash", "beech"), ("ash", "cedar")}


def test_planned_pairs_of_all_questions_are_one_family_with_the_other_planned_tests():
    """Two pairs of one question and all three of another: the smallest p times five, by Holm."""
    tests = [
        {"question": "fluency", "test": "paired-t", "pairs": [["ash", "beech"], ["ash", "cedar"]]},
        {"question": "ease", "test": "paired-t"},
    ]
    results = analysed(small_study(RATING, SLIDER, analysis={"tests": tests}))
    planned = [f for f in compared_in(results) if f.is_planned]
    smallest = min(planned, key=lambda f: f.p)
    assert len(planned) == 5
    assert smallest.p_adjusted == pytest.approx(min(1, 5 * smallest.p))


@pytest.mark.parametrize("test", OF_PAIRS)
def test_a_pair_in_the_other_order_has_the_opposite_sign_and_the_same_two_sided_p(test):
    as_listed = of_one_pair("fluency", "ash", "cedar")[test]
    reversed_ = of_one_pair("fluency", "cedar", "ash")[test]
    assert reversed_.systems == ("cedar", "ash")
    assert reversed_.value == pytest.approx(-as_listed.value, abs=1e-6)
    assert reversed_.p == pytest.approx(as_listed.p, rel=1e-3)  # a numerical curvature
    assert reversed_.interval.low == pytest.approx(-as_listed.interval.high, abs=1e-4)


@pytest.mark.parametrize("test", OF_CHOICES)
def test_a_pair_of_choices_in_the_other_order_is_mirrored(test):
    as_listed = of_one_pair("meaning", "ash", "cedar")[test]
    reversed_ = of_one_pair("meaning", "cedar", "ash")[test]
    whole = 100 if as_listed.measure == "win-percent" else 0
    assert reversed_.systems == ("cedar", "ash")
    assert reversed_.value == pytest.approx(whole - as_listed.value, abs=1e-6)
    assert reversed_.p == pytest.approx(as_listed.p, rel=1e-3)


@pytest.mark.parametrize("test", ["mixed-model", "cluster-robust", "paired-t"])
def test_a_one_sided_test_follows_the_order_of_the_pair(test):
    """The p of one direction is one minus that of the other."""
    as_listed = limited(RATING, test, ["ash", "cedar"], alternative="greater")
    reversed_ = limited(RATING, test, ["cedar", "ash"], alternative="greater")
    ps = [next(f for f in compared_in(r) if f.by == test).p for r in (as_listed, reversed_)]
    assert sum(ps) == pytest.approx(1)


def test_pairs_in_both_orders_stand_side_by_side_even_in_a_circle():
    circle = (["ash", "beech"], ["beech", "cedar"], ["cedar", "ash"])
    results = limited(RATING, "mixed-model", *circle)
    found = {f.systems: f.value for f in compared_in(results) if f.by == "mixed-model"}
    assert set(found) == set(map(tuple, circle))
    assert sum(found.values()) == pytest.approx(0, abs=1e-6)


def test_a_ranking_can_be_limited_to_pairs():
    results = limited(RANKING, "mixed-model", ["cedar", "beech"])
    assert {f.systems for f in compared_in(results)} == {("cedar", "beech")}


def test_a_pair_that_nobody_judged_is_listed_as_undefined():
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", float(1 + (p + i) % 5), system=s)
        for p in range(5)
        for i in range(6)
        for s in ("ash", "beech")
    ]
    tests = [{"question": "fluency", "test": "paired-t", "pairs": [["ash", "cedar"]]}]
    study = small_study(RATING, analysis={"tests": tests})
    found = by_id(analyse(Judgments.from_rows(rows, systems=study.system_ids), study=study))
    missing = found["fluency.paired-t.ash.cedar"]
    assert missing.value is None
    assert missing.is_planned
    assert missing.note.startswith("Undefined")


def table():
    return Judgments.from_rows(
        [
            Judgment(f"p{p}", f"i{i}", q, float(1 + (2 * p + i + k) % 5), system=s)
            for q in ("fluency", "ease")
            for p in range(5)
            for i in range(8)
            for k, s in enumerate(("both", "multi", "1.0"))
        ]
    )


def test_a_table_is_tested_on_the_named_pairs_only_and_these_are_the_family():
    results = analyse(table(), further=Further(pairs=(("multi", "both"), ("1.0", "multi"))))
    assert {f.systems for f in compared_in(results)} == {("multi", "both"), ("1.0", "multi")}
    assert results.signature.options["pairs"] == ("multi:both", "1.0:multi")
    headline = [f for f in compared_in(results) if f.role == "headline" and f.question == "ease"]
    smallest = min(headline, key=lambda f: f.p)
    assert smallest.p_adjusted == pytest.approx(min(1, 2 * smallest.p))


@pytest.mark.parametrize(
    ("pairs", "what"),
    [
        ((("both", "x"),), "there is no system 'x'"),
        ((("both", "both"),), "'both' is paired with itself"),
        ((("both", "multi"), ("multi", "both")), "named twice"),
    ],
)
def test_pairs_of_a_table_that_cannot_be_tested_are_refused(pairs, what):
    with pytest.raises(UsageError, match=what):
        analyse(table(), further=Further(pairs=pairs))


def test_a_test_of_all_systems_at_once_cannot_be_limited_to_pairs():
    wanted = Further(tests=(FurtherTest("friedman"),), pairs=(("both", "multi"),))
    with pytest.raises(UsageError, match="compares all systems at once"):
        analyse(table(), further=wanted)


def test_the_headline_of_a_reversed_pair_decides_a_claim_in_either_order():
    tests = [{"question": "fluency", "test": "mixed-model", "pairs": [["cedar", "ash"]]}]
    claims = [
        {"id": "one", "says": "ash > cedar on fluency with p < 0.05"},
        {"id": "two", "says": "cedar > ash on fluency with p < 0.05"},
    ]
    results = analysed(small_study(RATING, analysis={"tests": tests}, claims=claims))
    verdicts = {each.claim: each.verdict for each in results.claims}
    assert set(verdicts) == {"one", "two"}
    assert "not-testable" not in verdicts.values()
    assert verdicts["one"] != "supported" or verdicts["two"] != "supported"


def test_pairs_are_listed_in_the_order_in_which_they_are_named():
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", float((p + i + len(s)) % 5), system=s)
        for p in range(6)
        for i in range(6)
        for s in ("a", "bb", "ccc")
    ]
    named = (("ccc", "a"), ("a", "bb"), ("ccc", "bb"))
    results = analyse(Judgments.from_rows(rows), further=Further(pairs=named))
    assert tuple(f.systems for f in results.findings if f.role == "headline") == named
