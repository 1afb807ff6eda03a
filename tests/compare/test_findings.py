"""Type IV and claims: what a run confirms of the original's findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from scipy.stats import nct, t

from compared import single
from printed_papers import run
from rejudge.compare.compare import compare
from rejudge.compare.comparison import EVERY, SHARE, ClaimVerdict, Comparison
from rejudge.compare.from_results import from_judgments
from rejudge.compare.run import Run
from rejudge.errors import DataError
from rejudge.findings.model import Finding
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgment, Judgments
from rejudge.stats import Interval
from rejudge.tables.comparison import check_in_words, unconfirmed
from rejudge.tables.comparison_summary import unsupported

FOUR_POINTS = {"kind": "rating", "low": 1, "high": 4}
ORIGINAL = {"vae": 58, "separator": -6, "lbow": -12, "dips": -39}
HEIDELBERG = {"vae": 57, "separator": -3, "lbow": -9, "dips": -46}


def a_test(first: str, second: str, p: str | None = None, **more: object) -> dict[str, object]:
    """A printed test of two systems."""
    return {"criterion": "q", "systems": [first, second], "p": p, **more}


def counted(comparison: Comparison, family: str, who: str = "b", criterion: str = "") -> Finding:
    """The share of a run, or of every run."""
    runs = tuple(each.id for each in comparison.runs) if who == "all" else ("a", who)
    measure = EVERY if who == "all" else SHARE
    return single(comparison.findings, measure, *runs, question=criterion, method=family)


def confirmed(share: Finding) -> tuple[float, int]:
    return share.extra["confirmed"], share.n


def missed(comparison: Comparison, share: Finding) -> list[str]:
    return [check_in_words(comparison, each) for each in unconfirmed(comparison, share)]


# ── pairwise ranks ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("original", "reproduction"),
    [
        (
            {"vae": 36, "latent-bow": -16, "separator": -24, "hrq-vae": 4},
            {"vae": 37.04, "latent-bow": -14.52, "separator": -29.78, "hrq-vae": 7.26},
        ),
        (ORIGINAL, HEIDELBERG),
        (ORIGINAL, {"vae": 57, "separator": 26 / 18, "lbow": -242 / 18, "dips": -45}),
    ],
)
def test_three_published_reproductions_confirm_all_pairwise_ranks(original, reproduction):
    """Arvan & Parde (2024), Steen & Markert (2025), Arvan & Parde (2025): 6 of 6 each."""
    found = counted(
        compare(run("a", {"q": original}), run("b", {"q": reproduction})), "pairwise-ranks"
    )
    assert (*confirmed(found), found.value) == (6, 6, 1.0)


def test_ranks_pool_counts_over_criteria_and_name_what_was_not_confirmed():
    comparison = compare(
        run("a", {"q": {"s": 1, "t": 2, "u": 3}, "r": {"s": 1, "t": 1, "u": 2}}, FOUR_POINTS),
        run("b", {"q": {"s": 1, "t": 3, "u": 2}, "r": {"s": 1, "t": 2, "u": 3}}, FOUR_POINTS),
    )
    of_q = counted(comparison, "pairwise-ranks", criterion="q")
    assert missed(comparison, of_q) == ["u > t on q"]
    whole = counted(comparison, "pairwise-ranks")
    assert confirmed(whole) == (4, 6)
    assert missed(comparison, whole) == ["u > t on q", "s = t on r"]
    assert "as printed" in whole.note


def test_what_every_run_confirms_is_counted_by_itself():
    comparison = compare(
        run("a", {"q": {"s": 1, "t": 2, "u": 3}}, FOUR_POINTS),
        run("b", {"q": {"s": 2, "t": 1, "u": 3}}, FOUR_POINTS),
        run("c", {"q": {"s": 1, "t": 3, "u": 2}}, FOUR_POINTS),
    )
    shares = [counted(comparison, "pairwise-ranks", who) for who in ("b", "c", "all")]
    assert [confirmed(each) for each in shares] == [(2, 3), (2, 3), (1, 3)]


# ── significance ─────────────────────────────────────────────────────────────────────────────────


def test_a_rank_may_hold_where_its_significance_does_not():
    """Steen & Markert (2025): all differences are significant but that of Separator and LBoW."""
    pairs = [("vae", "separator"), ("separator", "lbow"), ("separator", "dips")]
    original = [a_test(*pair, is_significant=True) for pair in pairs]
    here = [a_test(*pair, is_significant=pair != pairs[1]) for pair in pairs]
    comparison = compare(
        run("a", {"q": ORIGINAL}, tests=original), run("b", {"q": HEIDELBERG}, tests=here)
    )
    assert counted(comparison, "pairwise-ranks").value == 1
    found = counted(comparison, "significance")
    assert confirmed(found) == (2, 3)
    assert missed(comparison, found) == ["separator > lbow on q"]


def lab(name: str, differences: Sequence[float]) -> Run:
    """Each person prefers one system by so much on each of ten items, with small deviations."""
    rows = [
        Judgment(f"{name}{p}", f"i{i}", "q", 1.5 + i % 4 + gain, system=system)
        for p, apart in enumerate(differences)
        for i in range(10)
        for system, gain in (("s", 0.0), ("t", apart + 0.2 * (i % 3 - 1)))
    ]
    cleaned = exclude_rows(Judgments.from_rows(rows), ExclusionRules())
    return from_judgments(cleaned, name, scale=(0.0, 8.0))


def test_what_a_run_does_not_support_is_told_with_what_it_could_detect():
    """People differ by 2, −1, 1, 0, 2 and −1, so p is not below .05. By scipy's noncentral t, the
    difference that could be detected has a power of 80 %."""
    original, again = lab("a", [1, 1.5, 0.5, 1, 1.2, 0.8]), lab("b", [2, -1, 1, 0, 2, -1])
    (found,) = unsupported(compare(original, again))
    assert (found.key.runs, found.systems) == (("a", "b"), ("t", "s"))
    assert found.extra["effect differs"] == 0
    error, df = math.sqrt(1.9 / 6), 5  # items hardly differ, so the error is that of people
    reach, far = t.ppf(0.975, df), found.extra["detectable"] / error
    power = nct.sf(reach, df, far) + nct.cdf(-reach, df, far)
    assert power == pytest.approx(0.8, abs=0.02)


def test_what_every_run_supports_again_is_not_listed():
    original, again = lab("a", [1, 1.5, 0.5, 1, 1.2, 0.8]), lab("b", [1.1, 1.4, 0.6, 0.9, 1.3])
    assert unsupported(compare(original, again)) == []


def test_a_significant_difference_the_other_way_round_confirms_nothing():
    comparison = compare(
        run(
            "a", {"q": {"s": 2, "t": 3}}, FOUR_POINTS, tests=[a_test("s", "t", is_significant=True)]
        ),
        run(
            "b", {"q": {"s": 3, "t": 2}}, FOUR_POINTS, tests=[a_test("t", "s", is_significant=True)]
        ),
    )
    assert missed(comparison, counted(comparison, "significance")) == ["t > s on q"]


def test_a_pair_that_was_tested_in_two_ways_counts_once_by_the_first():
    twice = [
        a_test("s", "t", is_significant=True, test="t-test"),
        a_test("t", "s", is_significant=False, test="sign test"),
    ]
    comparison = compare(
        run("a", {"q": {"s": 2, "t": 3}}, FOUR_POINTS, tests=twice),
        run("b", {"q": {"s": 2, "t": 3}}, FOUR_POINTS, tests=twice),
    )
    found = counted(comparison, "significance")
    assert confirmed(found) == (1, 1)
    assert single(comparison.findings, "matching-accuracy").n == 1
    assert single(comparison.findings, "significance-f1").extra["significant there"] == 1


def test_what_was_not_tested_again_is_left_out_and_counted():
    comparison = compare(
        run(
            "a", {"q": {"s": 2, "t": 3}}, FOUR_POINTS, tests=[a_test("s", "t", is_significant=True)]
        ),
        run("b", {"q": {"s": 2, "t": 3}}, FOUR_POINTS),
    )
    found = counted(comparison, "significance")
    assert (found.n, found.extra["left out"], found.value) == (0, 1, None)


# ── claims ───────────────────────────────────────────────────────────────────────────────────────


def judged(says: str, scores: dict[str, float], **parts: object) -> ClaimVerdict:
    """What a run with these scores says of one claim of an original with four systems."""
    original = run("a", {"q": ORIGINAL, "other": ORIGINAL}, claims=[{"id": "c", "says": says}])
    (verdict,) = compare(original, run("b", {"q": scores}, **parts)).claims
    return verdict


@pytest.mark.parametrize(
    ("says", "scores", "expected"),
    [
        ("vae best on q", HEIDELBERG, "same-direction"),
        ("vae best on q", {**HEIDELBERG, "dips": 60}, "opposite-direction"),
        ("vae best on q", {**HEIDELBERG, "dips": 57}, "opposite-direction"),
        ("dips worst on q", HEIDELBERG, "same-direction"),
        ("dips worst on q", {**HEIDELBERG, "lbow": -50}, "opposite-direction"),
        ("separator > lbow on q", HEIDELBERG, "same-direction"),
        ("separator > lbow, dips on q", HEIDELBERG, "same-direction"),
        ("separator > lbow, dips on q", {**HEIDELBERG, "lbow": 0}, "opposite-direction"),
        ("separator > lbow on q", {**HEIDELBERG, "lbow": -3}, "opposite-direction"),
        ("order vae > separator > lbow > dips on q", HEIDELBERG, "same-direction"),
        (
            "order vae > separator > lbow > dips on q",
            {**HEIDELBERG, "lbow": 0},
            "opposite-direction",
        ),
        ("order vae > separator > lbow on q", {**HEIDELBERG, "lbow": -3}, "opposite-direction"),
        ("vae best on other", HEIDELBERG, "not-testable"),
        ("vae > dips on q", {"vae": 1, "lbow": 2}, "not-testable"),
    ],
)
def test_a_claim_about_ranks_is_judged_by_the_scores(says, scores, expected):
    """Without tests no order has support, so nothing is supported and nothing contradicted."""
    assert judged(says, scores).verdict == expected


@pytest.mark.parametrize(
    ("p", "is_significant", "expected"),
    [
        ("0.489", False, "opposite-direction"),
        ("0.01", True, "contradicted"),
        ("0.01", None, "contradicted"),
    ],
)
def test_a_reverse_order_contradicts_a_claim_only_where_a_test_supports_it(
    p, is_significant, expected
):
    scores = {**HEIDELBERG, "lbow": 0}
    tests = [a_test("separator", "lbow", p, is_significant=is_significant)]
    found = judged("separator > lbow on q", scores, tests=tests)
    assert found.verdict == expected
    assert found.because.startswith("lbow above separator: lbow 0, separator -3; ")


def test_ranks_that_are_not_confirmed_are_counted_as_contradicted_only_with_support():
    original = run("a", {"q": {"s": 3, "t": 2, "u": 1}}, FOUR_POINTS)
    tests = [
        a_test("s", "t", "0.489", is_significant=False),
        a_test("s", "u", "0.001", is_significant=True),
    ]
    here = run("b", {"q": {"s": 1, "t": 2, "u": 3}}, FOUR_POINTS, tests=tests)
    found = counted(compare(original, here), "pairwise-ranks")
    assert (*confirmed(found), found.extra["contradicted"]) == (0, 3, 1)


def test_the_numbers_that_decide_are_named_and_whether_they_are_significant():
    verdict = judged(
        "separator > lbow on q",
        HEIDELBERG,
        tests=[a_test("separator", "lbow", "0.2", is_significant=False)],
    )
    assert verdict.verdict == "same-direction"
    assert verdict.because == (
        "separator -3, lbow -9; not significant: separator – lbow (p = 0.200)"
    )


def test_a_score_that_is_missing_makes_a_claim_not_testable():
    original = run("a", {"q": ORIGINAL}, claims=[{"id": "c", "says": "vae > dips on q"}])
    here = run("b", {"q": HEIDELBERG}, systems=[{"id": each} for each in HEIDELBERG])
    without = run("b", {"q": {"vae": 1, "lbow": 0}}, systems=[{"id": each} for each in HEIDELBERG])
    assert compare(original, here).claims[0].verdict == "same-direction"
    found = compare(original, without).claims[0]
    assert (found.verdict, found.because) == ("not-testable", "No score of dips.")


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ([a_test("separator", "lbow", "0.01", is_significant=True)], "supported"),
        ([a_test("separator", "lbow", "< 0.001", is_significant=True)], "supported"),
        ([a_test("lbow", "separator", "0.01", is_significant=True)], "supported"),
        ([a_test("separator", "lbow", is_significant=True)], "supported"),
        ([a_test("separator", "lbow", "0.30", is_significant=False)], "same-direction"),
        ([a_test("separator", "lbow", is_significant=False)], "same-direction"),
        ([a_test("separator", "lbow", "0.01", difference="-6")], "contradicted"),
        ([], "not-testable"),
    ],
)
def test_a_claim_about_significance_is_judged_by_the_runs_own_test(tests, expected):
    found = judged("separator > lbow on q with p < 0.05", HEIDELBERG, tests=tests)
    assert found.verdict == expected


def test_a_stricter_level_than_the_one_reported_cannot_be_judged():
    only = [a_test("separator", "lbow", "< 0.05", is_significant=True)]
    found = judged("separator > lbow on q with p < 0.01", HEIDELBERG, tests=only)
    assert found.verdict == "not-testable"


def test_the_test_and_its_correction_are_named():
    told = a_test("separator", "lbow", "0.01", test="t-test", correction="holm", unit="item")
    found = judged("separator > lbow on q with p < 0.05", HEIDELBERG, tests=[told])
    assert found.because == "separator – lbow +6, p = 0.010 (t-test, by item, corrected after Holm)"


@pytest.mark.parametrize(
    ("value", "expected"), [("0.61", "same-direction"), ("0.52", "opposite-direction")]
)
def test_a_claim_about_agreement_is_judged_by_the_coefficient(value, expected):
    agreed = [{"criterion": "q", "coefficient": "krippendorff-alpha", "value": value}]
    assert judged("alpha >= .6 on q", HEIDELBERG, agreement=agreed).verdict == expected
    other = [{"criterion": "q", "coefficient": "fleiss-kappa", "value": value}]
    assert judged("alpha >= .6 on q", HEIDELBERG, agreement=other).verdict == "not-testable"


def test_equivalence_needs_an_interval():
    assert judged("vae ~ dips on q within 5", HEIDELBERG).verdict == "not-testable"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-3, 4, "supported"),
        (-3, 6, "same-direction"),
        (6, 9, "contradicted"),
        (-9, -6, "contradicted"),
    ],
)
def test_equivalence_is_judged_by_the_interval_of_the_difference(low, high, expected):
    """On −1 to 1 the interval is a hundredth; the bounds are on the original's −100 to 100."""
    original = run("a", {"q": ORIGINAL}, claims=[{"id": "c", "says": "vae ~ dips on q within 5"}])
    here = run(
        "b",
        {"q": {"vae": "0.02", "dips": "0.01"}},
        {"kind": "best-worst", "low": -1, "high": 1},
        tests=[a_test("dips", "vae", "0.5")],
    )
    *scores, tested = here.findings
    between = Interval(low / 100, high / 100, 0.95)
    found = compare(original, replace(here, findings=(*scores, replace(tested, interval=between))))
    assert found.claims[0].verdict == expected
    assert "the bounds are ±5" in found.claims[0].because


def test_claims_out_of_scope_leave_the_denominator_and_are_listed():
    """Arvan & Parde (2024): of five claims two are about meaning; here no test supports them."""
    claims = [
        "vae best on meaning",
        "vae worst on variation",
        "hrq-vae > latent-bow, separator on meaning",
        "hrq-vae > vae on variation",
        "hrq-vae > vae on fluency",
    ]
    scores = {"vae": 36, "latent-bow": -16, "separator": -24, "hrq-vae": 4}
    original = run(
        "a",
        {"meaning": scores, "variation": scores, "fluency": scores},
        claims=[{"id": f"c{n}", "says": says} for n, says in enumerate(claims)],
    )
    here = {"vae": 37.04, "latent-bow": -14.52, "separator": -29.78, "hrq-vae": 7.26}
    comparison = compare(original, run("b", {"meaning": here}))
    found = counted(comparison, "claims")
    assert (*confirmed(found), found.extra["left out"]) == (0, 2, 3)
    assert [each.verdict for each in comparison.claims] == [
        "same-direction", "not-testable", "same-direction", "not-testable", "not-testable",
    ]  # fmt: skip


def test_where_lower_is_better_the_lowest_is_best():
    criteria = [{"id": "q", "scale": FOUR_POINTS, "better": "lower"}]
    original = run(
        "a", {"q": {"s": 1, "t": 2}}, criteria=criteria, claims=[{"id": "c", "says": "s best on q"}]
    )
    assert compare(original, run("b", {"q": {"s": 2, "t": 3}}, criteria=criteria)).claims[
        0
    ].verdict == ("same-direction")


def test_the_best_of_fewer_systems_says_which_were_missing():
    fewer = {name: score for name, score in HEIDELBERG.items() if name != "dips"}
    verdict = judged("vae best on q", fewer)
    assert verdict.verdict == "same-direction"
    assert verdict.because.endswith("; dips not in this run")


def test_runs_without_a_system_in_common_are_not_compared():
    with pytest.raises(DataError, match=r"no system can be compared: .*`--systems "):
        judged("vae best on q", {"ours": 50, "theirs": 40})
