"""Verdicts on claims, and conclusions that depend on how judgments are combined."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, by_id, small_study
from rejudge.analysis import (
    AgreementEvidence,
    Evidence,
    Finding,
    Further,
    Interval,
    PairInterval,
    PairTest,
    analyse,
    evidence_of,
    judge,
    method_of,
)
from rejudge.analysis.conclusions import combine_judgments as treated
from rejudge.errors import DataError, UsageError
from rejudge.judgments import ExclusionRules, Judgment, Judgments, exclude_rows
from rejudge.study import Claim


def claim(says: str) -> Claim:
    return Claim(id="c", says=says)


def shown(a: float, b: float, **more: object) -> Evidence:
    """Two systems with these scores."""
    return Evidence(("a", "b"), {"a": a, "b": b}, **more)  # type: ignore[arg-type]  # by name


def a_test(difference: float | None, p: float | None, **more: object) -> tuple[PairTest, ...]:
    return (PairTest("a", "b", "t-test", difference, p, **more),)  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize(
    ("scores", "tests", "expected"),
    [
        ((3, 2), (), "upheld"),
        ((3, 2), a_test(1, 0.489), "upheld"),  # the claim says nothing of p
        ((2, 3), (), "undecided"),
        ((2, 3), a_test(-1, 0.489), "undecided"),
        ((2, 3), a_test(-1, 0.01), "contradicted"),
        ((2, 3), a_test(-1, 0.04, is_significant=False), "undecided"),  # corrected by the analysis
        ((2, 3), a_test(-1, None, p_below=0.001), "contradicted"),
        ((2, 3), a_test(None, 0.01), "undecided"),  # significant, but which way is not known
        ((2, 3), a_test(1, 0.01), "undecided"),  # the model sees it the other way round
        ((2, 2), a_test(0, 1.0), "undecided"),
    ],
)
def test_a_claim_about_order_is_contradicted_only_by_a_supported_reverse(scores, tests, expected):
    assert judge(claim("a > b on q"), shown(*scores, tests=tests)).verdict == expected


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        (a_test(0.3, 0.2), "upheld"),
        (a_test(-0.3, 0.2), "undecided"),
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
        (a_test(1, 0.01), "upheld"),
        (a_test(1, 0.489), "not-upheld"),
        (a_test(-1, 0.489), "not-upheld"),
        (a_test(-1, 0.01), "contradicted"),
        ((), "not-testable"),
    ],
)
def test_a_claim_about_significance_is_judged_by_the_test(test, expected):
    found = judge(claim("a > b on q with p < 0.05"), shown(2, 3, tests=test))
    assert found.verdict == expected


def test_one_supported_reverse_among_several_pairs_contradicts_an_order():
    scores = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 2.5}
    weak = PairTest("b", "c", "t-test", -1.0, 0.3)
    strong = PairTest("d", "b", "t-test", 1.5, 0.001)
    evidence = Evidence(tuple("abcd"), scores, (weak,))
    order = claim("order a > b > c > d on q")
    assert judge(order, evidence).verdict == "undecided"
    found = judge(order, Evidence(tuple("abcd"), scores, (weak, strong)))
    assert found.verdict == "contradicted"
    assert found.because.startswith("c above b; d above b; d above c: a 3.0, d 2.5, c 2.0, b 1.0; ")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-0.1, 0.15, "upheld"), (-0.1, 0.3, "not-upheld"), (0.3, 0.5, "contradicted")],
)
def test_equivalence_is_judged_by_the_interval_whichever_system_comes_first(low, high, expected):
    says = claim("a ~ b on q within 0.2")
    one = shown(1, 1, intervals=(PairInterval("a", "b", Interval(low, high, 0.95)),))
    two = shown(1, 1, intervals=(PairInterval("b", "a", Interval(-high, -low, 0.95)),))
    assert judge(says, one) == judge(says, two)
    assert judge(says, one).verdict == expected


@pytest.mark.parametrize(
    ("difference", "df", "expected", "tests"),
    [  # p of (difference ± bound) / 0.1 by scipy.stats.t.sf and norm.sf
        (0.02, 20, "upheld", "above −0.2 p = 0.020, below 0.2 p = 0.043"),
        (0.04, 20, "not-upheld", "above −0.2 p = 0.013, below 0.2 p = 0.063"),
        (0.03, None, "upheld", "above −0.2 p = 0.011, below 0.2 p = 0.045"),
        (0.45, 20, "contradicted", "above −0.2 p < 0.001, below 0.2 p = 0.989"),
    ],
)
def test_equivalence_needs_both_one_sided_tests_at_5_percent(difference, df, expected, tests):
    """0.02 ± 0.1 t(.95; 20) = −0.15 to 0.19 lies inside ±0.2; 0.02 ± 0.1 t(.975; 20) does not."""
    reach = 0.1 * (1.96 if df is None else 2.086)
    whole = Interval(difference - reach, difference + reach, 0.95)
    one = PairInterval("a", "b", whole, difference, 0.1, df)
    found = judge(claim("a ~ b on q within 0.2"), shown(1, 1, intervals=(one,)))
    assert found.verdict == expected
    assert "(90 %)" in found.because
    assert found.because.endswith(tests)
    reverse = shown(1, 1, intervals=(one.in_order("b"),))
    assert judge(claim("a ~ b on q within 0.2"), reverse) == found


def test_the_error_of_a_share_of_wins_is_stretched_as_the_share_is():
    """51 % ± 3 is 2 ± 6 on the scale from −100 to 100: (2 ± 13) / 6 with 40 df."""
    wins = finding(
        "win-percent", ("a", "b"), 51.0, interval=Interval(45, 57, 0.95), standard_error=3.0, df=40
    )
    found = judge(claim("a ~ b on q within 13"), evidence_of([wins], "q"))
    assert found.verdict == "upheld"
    assert found.because.endswith("above −13 p = 0.008, below 13 p = 0.037")


@pytest.mark.parametrize(
    ("value", "interval", "expected"),
    [
        (0.61, None, "upheld"),
        (0.58, Interval(0.5, 0.66, 0.95), "not-upheld"),
        (0.55, Interval(0.5, 0.59, 0.95), "contradicted"),
        (0.1, None, "not-upheld"),
    ],
)
def test_low_agreement_contradicts_only_with_an_interval_below_the_bound(value, interval, expected):
    found = shown(1, 1, agreement=(AgreementEvidence("krippendorff-alpha", value, interval),))
    assert judge(claim("alpha >= 0.6 on q"), found).verdict == expected


def test_what_was_not_asked_or_did_not_take_part_is_out_of_scope():
    assert judge(claim("a > b on q"), None).verdict == "out-of-scope"
    assert judge(claim("a > c on q"), shown(1, 2)).verdict == "out-of-scope"
    alone = Evidence(("a",), {"a": 1.0})
    assert judge(claim("a best on q"), alone).verdict == "out-of-scope"


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
        f"q.{measure}",
        "q",
        measure,
        by,
        systems,
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
    assert found.verdict == "upheld"
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
    assert found.verdict == "upheld"


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


def rated(*rows: tuple[str, str, str, float]):
    return Judgments.from_rows(
        Judgment(person, item, "fluency", float(value), system=system)
        for person, item, system, value in rows
    )


@pytest.mark.parametrize(
    ("multiple", "value"),
    [("first", 1), ("mean", 2.5), ("median", 2), ("majority", 1), ("participant:p3", 5)],
)
def test_four_judgments_of_one_output_become_one(multiple, value):
    """p1 1, p2 1, p3 5, p4 3: mean 10/4, median between 1 and 3, mode 1."""
    table = rated(*((f"p{n}", "i0", "ash", v) for n, v in enumerate((1, 1, 5, 3), start=1)))
    assert treated(table, multiple).value.tolist() == [value]


def test_each_judgment_can_count():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 5))
    assert treated(table, "each").value.tolist() == [1, 5]


def test_of_equally_frequent_values_the_majority_is_their_mean():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4))
    assert treated(table, "majority").value.tolist() == [2.5]


def test_where_one_person_gave_no_judgment_the_first_counts():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4), ("p1", "i1", "ash", 2))
    assert sorted(treated(table, "participant:p2").value.tolist()) == [2, 4]


@pytest.mark.parametrize("way", ["participant:p9", "participant:", "mode", "", "Mean"])
def test_an_unknown_person_or_way_is_refused(way):
    with pytest.raises((DataError, UsageError), match=r"p9|participant ''|not a case"):
        analyse(rated(("p1", "i0", "ash", 1)), further=Further(cases=(way,)))


def test_somebody_who_was_excluded_cannot_be_asked_for():
    rows = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4))
    cleaned = exclude_rows(rows, ExclusionRules(participants=("p2",)))
    with pytest.raises(DataError, match="no judgment by a participant 'p2' counts"):
        analyse(cleaned, further=Further(cases=("participant:p2",)))


@pytest.mark.parametrize(
    ("choices", "majority"),
    [("aab", "a"), ("ab", "tie"), ("at", "tie"), ("abt", "tie"), ("att", "tie"), ("btb", "b")],
)
def test_the_majority_of_choices_is_a_choice(choices, majority):
    """Where no choice is more frequent than every other, it is a tie: never three quarters."""
    words = {"a": "a", "b": "b", "t": "tie"}
    table = Judgments.from_rows(
        Judgment(f"p{n}", "i0", "meaning", words[each], system_a="ash", system_b="beech")
        for n, each in enumerate(choices)
    )
    (row,) = treated(table, "majority").take(np.array([0])).value
    assert {1.0: "a", 0.5: "tie", 0.0: "b"}[row] == majority


def test_outputs_that_several_people_judged_can_be_dropped():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4), ("p1", "i1", "ash", 2))
    assert treated(table, "drop").value.tolist() == [2]


def test_a_table_has_cases_like_a_study():
    """Ito et al.'s four: each participant's judgments of the shared items, and their mean."""
    ways = ("participant:p1", "participant:p2", "participant:p3", "mean")
    table = Judgments.from_rows(partly_shared())
    results = analyse(table, level="interval", further=Further(cases=ways))
    planned = of_shared()
    for ours, theirs in zip(results.cases, planned.cases, strict=True):
        assert ours.multiple == theirs.multiple
        assert ours.rows == theirs.rows == 200
        mine = {f.id: f for f in ours.findings}
        for finding in theirs.findings:
            if finding.id in mine:
                assert mine[finding.id].interval == finding.interval
    assert results.signature.options["cases"] == ways


def test_a_table_where_every_output_was_judged_by_several_can_drop_them_all():
    table = rated(*((p, f"i{n}", s, n % 5) for p in ("p1", "p2") for n in range(5) for s in "ab"))
    (case,) = analyse(table, further=Further(cases=("drop",))).cases
    assert case.rows == 0
    assert all(finding.value is None for finding in case.findings)


def test_choices_shown_either_way_round_are_counted_for_the_same_system():
    """ash is preferred twice, beech once: the majority is for ash, the mean 2/3."""
    rows = [("p1", "ash", "beech", "a"), ("p2", "beech", "ash", "b"), ("p3", "ash", "beech", "b")]
    table = Judgments.from_rows(
        Judgment(person, "i0", "meaning", value, system_a=a, system_b=b)
        for person, a, b, value in rows
    )
    assert treated(table, "majority").value.tolist() == [1]
    assert treated(table, "mean").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("question", [RATING, PAIRWISE], ids=lambda q: q["kind"])
def test_a_study_gives_the_same_numbers_for_every_case(question):
    cases = [{"id": way.split(":")[0], "multiple": way} for way in WAYS]
    study = small_study(question, analysis={"cases": cases})
    rng = np.random.default_rng(3)
    rows = [_judged(question, f"p{p}", f"i{i}", rng) for p in range(1, 4) for i in range(8)]
    results = analyse(
        Judgments.from_rows([row for each in rows for row in each], systems=study.system_ids),
        study=study,
    )
    assert [case.id for case in results.cases] == [way.split(":")[0] for way in WAYS]
    ids = [{finding.id for finding in case.findings} for case in results.cases]
    assert all(each == ids[0] for each in ids)
    whole = by_id(results)
    for finding in results.cases[1].findings:  # each
        assert finding.value == whole[finding.id].value


def _judged(question, person, item, rng) -> list[Judgment]:
    if question is RATING:
        return [
            Judgment(person, item, "fluency", float(rng.integers(1, 6)), system=system)
            for system in ("ash", "beech")
        ]
    return [
        Judgment(person, item, "meaning", "ab"[rng.integers(2)], system_a="ash", system_b="beech")
    ]


def test_a_comparison_that_hangs_on_the_choice_is_named():
    """The first person always prefers ash by 2, the other two beech by 3 (with a little noise)."""
    ways = [{"id": "first", "multiple": "first"}, {"id": "majority", "multiple": "majority"}]
    study = small_study(RATING, analysis={"cases": ways})
    rows = []
    for i in range(12):
        scores = {"p1": (4 + i % 2, 2), "p2": (1, 4 + i % 2), "p3": (1, 4 + i % 2)}
        rows += [
            Judgment(person, f"i{i}", "fluency", float(value), system=system)
            for person, pair in scores.items()
            for system, value in zip(("ash", "beech"), pair, strict=True)
        ]
    results = analyse(Judgments.from_rows(rows, systems=study.system_ids), study=study)
    (found,) = [each for each in results.depends if each.choice == "cases"]
    assert found.finding == "fluency.cluster-robust.ash.beech"
    assert found.outcomes["majority"] == "second"
    assert found.outcomes["first"] != "second"


def partly_shared() -> list[Judgment]:
    """Three people judge 10 items together and 30 more each, as Ito et al. (2023) had it.

    beech is better by a little on nearly every item, by about as much in everybody's eyes, so that
    every way to treat the ten gives nearly the same difference.
    """
    rng = np.random.default_rng(11)
    rows = []
    for place, person in enumerate(("p1", "p2", "p3")):
        for item in (*range(10), *range(10 + 30 * place, 40 + 30 * place)):
            better = 1.0 if rng.random() < (0.2, 0.45, 0.9)[place] else 0.0
            rows += [
                Judgment(person, f"i{item}", "fluency", 3.0, system="ash"),
                Judgment(person, f"i{item}", "fluency", 3.0 + better, system="beech"),
            ]
    return rows


ITO = [{"id": f"case-{n}", "multiple": f"participant:p{n}"} for n in (1, 2, 3)]
ITO += [{"id": "case-4", "multiple": "mean"}]


def of_shared(*tests: str):
    tests = [{"question": "fluency", "test": test} for test in tests or ("cluster-robust",)]
    study = small_study(RATING, inputs=100, analysis={"cases": ITO, "tests": tests})
    return analyse(Judgments.from_rows(partly_shared(), systems=study.system_ids), study=study)


def test_a_change_of_the_method_alone_is_no_change_of_the_conclusion():
    """A mean belongs to nobody. With participants as clusters in three of the cases (2 degrees of
    freedom) and without them in the fourth, the last alone would be significant."""
    results = of_shared()
    found = [
        next(f for f in case.findings if f.id == "fluency.cluster-robust.ash.beech")
        for case in results.cases
    ]
    assert max(f.value for f in found) - min(f.value for f in found) < 0.1
    assert results.depends == ()
    assert {f.df for f in found} == {99}
    assert {f.participants for f in found} == {None}
    assert all("cluster-robust by item, t" in f.method for f in found)


def test_cases_that_all_know_their_participants_keep_them_as_clusters():
    ways = [{"id": "first", "multiple": "first"}, {"id": "each", "multiple": "each"}]
    study = small_study(RATING, inputs=100, analysis={"cases": ways})
    judgments = Judgments.from_rows(partly_shared(), systems=study.system_ids)
    results = analyse(judgments, study=study)
    names = {f.participants for case in results.cases for f in case.findings}
    assert names <= {3, 0}
    whole = by_id(results)
    for finding in results.cases[1].findings:  # each
        assert finding.interval == whole[finding.id].interval


def test_a_test_that_one_case_lacks_is_no_dependence():
    """Mean scores are no points of an ordinal scale, so case 4 has no ordinal model."""
    assert of_shared("cluster-robust", "ordinal-mixed-model").depends == ()


@pytest.mark.parametrize("name", ["mean", "1", "participant:p1", "p1 ", "ann, bob", "山田"])
def test_participants_of_any_name_can_be_asked_for(name):
    table = rated(("p0", "i0", "ash", 1), (name, "i0", "ash", 5))
    assert treated(table, f"participant:{name}").value.tolist() == [5]


def test_a_model_that_the_analysis_leaves_out_is_left_out_of_its_cases():
    """Three people cannot show how people vary, however their judgments are combined."""
    judgments = Judgments.from_rows(partly_shared())
    results = analyse(judgments, further=Further(cases=("each", "mean")))
    models = {f.by: f.note for f in results.findings if f.by.endswith("mixed-model")}
    assert all(note.startswith("Left out: ") for note in models.values())
    assert len(models) == 2
    assert not models.keys() & {f.by for case in results.cases for f in case.findings}


@pytest.mark.parametrize(
    ("ways", "is_by_items"), [(("first", "each"), False), (("each", "majority"), True)]
)
def test_the_sentence_on_cases_says_where_participants_are_no_clusters(ways, is_by_items):
    assert ("items as the only clusters" in method_of(ways)) == is_by_items
