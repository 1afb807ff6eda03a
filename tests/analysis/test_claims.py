"""Verdicts on claims."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from rejudge.analysis.claims import judge
from rejudge.analysis.evidence import Evidence, evidence_of, turned
from rejudge.findings.model import Finding, Key
from rejudge.stats import Interval
from rejudge.study.claims import Claim


def claim(says: str) -> Claim:
    return Claim(id="c", says=says)


def shown(a: float, b: float, **more: object) -> Evidence:
    """Two systems with these scores."""
    return Evidence(("a", "b"), {"a": a, "b": b}, **more)  # type: ignore[arg-type]  # by name


def coefficient(value: float, interval: Interval | None) -> Finding:
    name = "krippendorff-alpha"
    return Finding(Key("q", "agreement", name), name, value, 9, "units", (), interval=interval)


def pair_test(
    first: str, second: str, difference: float | None, p: float | None, **more: object
) -> Finding:
    key = Key("q", "mean-difference", "t-test", (first, second))
    return Finding(key, "t-test", difference, 9, "judgments", (), p=p, **more)  # type: ignore[arg-type]  # by name


def pair_interval(
    first: str, second: str, interval: Interval, difference: float | None = None,
    error: float | None = None, df: float | None = None,
) -> Finding:  # fmt: skip
    test = pair_test(first, second, difference, None)
    return replace(test, interval=interval, standard_error=error, df=df)


def a_test(difference: float | None, p: float | None, **more: object) -> tuple[Finding, ...]:
    return (pair_test("a", "b", difference, p, **more),)


@pytest.mark.parametrize(
    ("scores", "tests", "expected"),
    [
        ((3, 2), (), "same-direction"),
        ((3, 2), a_test(1, 0.489), "same-direction"),
        ((3, 2), a_test(1, 0.01), "supported"),
        ((3, 2), a_test(1, 0.04, is_supported=False), "same-direction"),
        ((3, 2), a_test(1, None, p_below=0.001), "supported"),
        ((3, 2), a_test(None, 0.01), "same-direction"),  # significant, but which way is not known
        ((3, 2), a_test(-1, 0.01), "same-direction"),  # the model sees it the other way round
        ((2, 3), (), "opposite-direction"),
        ((2, 3), a_test(-1, 0.489), "opposite-direction"),
        ((2, 3), a_test(-1, 0.01), "contradicted"),
        ((2, 3), a_test(-1, 0.04, is_supported=False), "opposite-direction"),  # after correction
        ((2, 3), a_test(-1, None, p_below=0.001), "contradicted"),
        ((2, 3), a_test(None, 0.01), "opposite-direction"),
        ((2, 3), a_test(1, 0.01), "opposite-direction"),
        ((2, 2), a_test(0, 1.0), "opposite-direction"),
    ],
)
def test_a_claim_about_order_and_its_reverse_need_the_same_support(scores, tests, expected):
    assert judge(claim("a > b on q"), shown(*scores, tests=tests)).verdict == expected


@pytest.mark.parametrize(("p", "for_it"), [(0.95, "same-direction"), (0.001, "supported")])
@pytest.mark.parametrize("level", ["", " with p < 0.05"])
def test_a_tiny_difference_one_way_is_treated_like_one_the_other_way(p, for_it, level):
    """1.356 and 1.347 with p = .95 support neither system."""
    against = {"same-direction": "opposite-direction", "supported": "contradicted"}[for_it]
    ahead = shown(1.356, 1.347, tests=a_test(0.009, p))
    behind = shown(1.347, 1.356, tests=a_test(-0.009, p))
    says = claim(f"a > b on q{level}")
    assert judge(says, ahead).verdict == for_it
    assert judge(says, behind).verdict == against


def test_an_order_is_supported_only_if_all_its_pairs_are():
    tests = (pair_test("a", "b", 1.0, 0.001), pair_test("a", "c", 2.0, 0.3))
    evidence = Evidence(("a", "b", "c"), {"a": 3.0, "b": 2.0, "c": 1.0}, tests)
    assert judge(claim("a best on q"), evidence).verdict == "same-direction"
    assert judge(claim("a > b on q"), evidence).verdict == "supported"


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        (a_test(0.3, 0.2), "same-direction"),
        (a_test(0.3, 0.01), "supported"),
        (a_test(-0.3, 0.2), "opposite-direction"),
        (a_test(-0.3, 0.01), "contradicted"),
        (a_test(None, None), "not-testable"),
        ((), "not-testable"),
    ],
)
def test_scores_over_different_items_decide_nothing(tests, expected):
    """The means say a > b by far; the test that compares them within items decides."""
    evidence = shown(4.0, 2.0, tests=tests, has_comparable_scores=False)
    assert judge(claim("a > b on q"), evidence).verdict == expected


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (a_test(1, 0.01), "supported"),
        (a_test(1, 0.489), "same-direction"),
        (a_test(-1, 0.489), "opposite-direction"),
        (a_test(-1, 0.01), "contradicted"),
        ((), "not-testable"),
    ],
)
def test_a_claim_about_significance_is_judged_by_the_test(test, expected):
    found = judge(claim("a > b on q with p < 0.05"), shown(2, 3, tests=test))
    assert found.verdict == expected


def test_one_supported_reverse_among_several_pairs_contradicts_an_order():
    scores = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 2.5}
    weak = pair_test("b", "c", -1.0, 0.3)
    strong = pair_test("d", "b", 1.5, 0.001)
    evidence = Evidence(tuple("abcd"), scores, (weak,))
    order = claim("order a > b > c > d on q")
    assert judge(order, evidence).verdict == "opposite-direction"
    found = judge(order, Evidence(tuple("abcd"), scores, (weak, strong)))
    assert found.verdict == "contradicted"
    assert found.because.startswith("c above b; d above b; d above c: a 3.0, d 2.5, c 2.0, b 1.0; ")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.1, 0.15, "supported"),
        (-0.1, 0.3, "same-direction"),
        (0.1, 0.5, "opposite-direction"),
        (0.3, 0.5, "contradicted"),
    ],
)
def test_equivalence_is_judged_by_the_interval_whichever_system_comes_first(low, high, expected):
    says = claim("a ~ b on q within 0.2")
    one = shown(1, 1, differences=(pair_interval("a", "b", Interval(low, high, 0.95)),))
    two = shown(1, 1, differences=(pair_interval("b", "a", Interval(-high, -low, 0.95)),))
    assert judge(says, one) == judge(says, two)
    assert judge(says, one).verdict == expected


@pytest.mark.parametrize(
    ("difference", "df", "expected", "tests"),
    [  # p of (difference ± bound) / 0.1 by scipy.stats.t.sf and norm.sf
        (0.02, 20, "supported", "above −0.2 p = 0.020, below 0.2 p = 0.043"),
        (0.04, 20, "same-direction", "above −0.2 p = 0.013, below 0.2 p = 0.063"),
        (0.03, None, "supported", "above −0.2 p = 0.011, below 0.2 p = 0.045"),
        (0.45, 20, "contradicted", "above −0.2 p < 0.001, below 0.2 p = 0.989"),
    ],
)
def test_equivalence_needs_both_one_sided_tests_at_5_percent(difference, df, expected, tests):
    """0.02 ± 0.1 t(.95; 20) = −0.15 to 0.19 lies inside ±0.2; 0.02 ± 0.1 t(.975; 20) does not."""
    reach = 0.1 * (1.96 if df is None else 2.086)
    whole = Interval(difference - reach, difference + reach, 0.95)
    one = pair_interval("a", "b", whole, difference, 0.1, df)
    found = judge(claim("a ~ b on q within 0.2"), shown(1, 1, differences=(one,)))
    assert found.verdict == expected
    assert "(90 %)" in found.because
    assert found.because.endswith(tests)
    reverse = shown(1, 1, differences=(turned(one),))
    assert judge(claim("a ~ b on q within 0.2"), reverse) == found


def test_the_error_of_a_share_of_wins_is_stretched_as_the_share_is():
    """51 % ± 3 is 2 ± 6 on the scale from −100 to 100: (2 ± 13) / 6 with 40 df."""
    wins = finding(
        "win-percent", ("a", "b"), 51.0, interval=Interval(45, 57, 0.95), standard_error=3.0, df=40
    )
    found = judge(claim("a ~ b on q within 13"), evidence_of([wins], "q"))
    assert found.verdict == "supported"
    assert found.because.endswith("above −13 p = 0.008, below 13 p = 0.037")


@pytest.mark.parametrize(
    ("value", "interval", "expected"),
    [
        (0.61, None, "same-direction"),
        (0.65, Interval(0.58, 0.72, 0.95), "same-direction"),
        (0.70, Interval(0.61, 0.79, 0.95), "supported"),
        (0.58, Interval(0.5, 0.66, 0.95), "opposite-direction"),
        (0.55, Interval(0.5, 0.59, 0.95), "contradicted"),
        (0.1, None, "opposite-direction"),
    ],
)
def test_agreement_is_judged_by_an_interval_on_one_side_of_the_bound(value, interval, expected):
    found = shown(1, 1, agreement=(coefficient(value, interval),))
    assert judge(claim("alpha >= 0.6 on q"), found).verdict == expected


def test_what_was_not_asked_or_did_not_take_part_is_out_of_scope():
    assert judge(claim("a > b on q"), None).verdict == "not-testable"
    assert judge(claim("a > c on q"), shown(1, 2)).verdict == "not-testable"
    alone = Evidence(("a",), {"a": 1.0})
    assert judge(claim("a best on q"), alone).verdict == "not-testable"


@pytest.mark.parametrize(
    ("sign", "p"), list(product((-1, 0, 1), (None, 0.001, 0.049, 0.051, 0.489, 1.0)))
)
def test_nothing_is_contradicted_without_significance(sign, p):
    """For every form of claim about order, with and without its own level."""
    evidence = shown(2 + sign, 2, tests=a_test(sign, p))
    forms = ("a > b", "order a > b", "a best", "b worst")
    says = [f"{form} on q{level}" for form in forms for level in ("", " with p < 0.05")]
    verdicts = {judge(claim(each), evidence).verdict for each in says}
    assert ("contradicted" in verdicts) == (sign < 0 and p is not None and p < 0.05)


# ── evidence from findings ───────────────────────────────────────────────────────────────────────


def finding(measure: str, systems: tuple[str, ...], value: float, **more: object) -> Finding:
    by = more.pop("by", "cluster-robust")
    return Finding(
        Key("q", measure, by, systems),  # type: ignore[arg-type]  # by name
        by,
        value,
        10,
        "judgments",
        "",
        **more,  # type: ignore[arg-type]  # by name
    )


def test_an_equivalence_claim_finds_an_interval_of_any_kind():
    """The planned test has no interval; another analysis of the same pair has one."""
    planned = finding("test", ("a", "b"), 3.0, by="sign-flip", p=0.4, is_supported=False)
    other = finding(
        "win-percent", ("b", "a"), 52.0, interval=Interval(48, 56, 0.95), is_planned=False
    )
    found = judge(claim("a ~ b on q within 15"), evidence_of([planned, other], "q"))
    assert found.verdict == "supported"
    # 48 and 56 % won by b are −4 and 12 on the scale from −100 to 100, so −12 to 4 for a.
    assert found.because == "the difference lies between -12 and 4 (95 %), the bounds are ±15"


def test_an_interval_on_another_scale_does_not_count():
    odds = finding("latent-difference", ("a", "b"), 0.1, interval=Interval(-0.1, 0.3, 0.95))
    found = judge(claim("a ~ b on q within 1"), evidence_of([odds], "q"))
    assert found.verdict == "not-testable"


def test_the_interval_of_means_comes_before_that_of_medians():
    median = finding("median-difference", ("a", "b"), 1.0, interval=Interval(-2, 2, 0.95))
    mean = finding(
        "mean-difference", ("a", "b"), 0.0, interval=Interval(-0.1, 0.1, 0.95), is_planned=False
    )
    found = judge(claim("a ~ b on q within 0.5"), evidence_of([median, mean], "q"))
    assert found.verdict == "supported"


def test_a_study_without_the_question_gives_no_evidence():
    assert evidence_of([finding("mean", ("a",), 3.0)], "other") is None


def test_of_comparisons_only_shares_of_wins_are_on_the_scale():
    """A t-test of wins (1) and losses (−1) has its interval on another scale."""
    t_test = finding(
        "mean-difference", ("a", "b"), 0.5, by="t-test", interval=Interval(0.3, 0.7, 1)
    )
    wins = finding(
        "win-percent", ("a", "b"), 75.0, interval=Interval(65, 85, 0.95), is_planned=False
    )
    found = judge(claim("a ~ b on q within 5"), evidence_of([t_test, wins], "q"))
    assert found.verdict == "contradicted"  # the difference lies between 30 and 70


WAYS = ("first", "each", "mean", "median", "majority", "participant:p3")
