"""Scores that are computed from others, and agreement over several criteria."""

from __future__ import annotations

import pytest

from judged_study import RATING, SEGMENTS, SLIDER, analysed, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.derived_scores import DerivedFormula, bounds_of
from rejudge.errors import DataError, UsageError
from rejudge.judgments.table import Judgment, Judgments
from rejudge.study.score_formula import ScoreFormula

CRITERIA = ("informativeness", "non-redundancy", "fluency")
OVERALL = DerivedFormula(
    "overall", ScoreFormula.parse('(informativeness + "non-redundancy" + fluency) / 3')
)


def rows():
    """Three raters, six outputs of two systems on three criteria, 0 to 2."""
    return [
        Judgment(
            f"r{r}",
            f"i{i}",
            q,
            float((i * 2 + k + c + (r * i * (c + 1)) % 3 // 2) % 3),
            system=s,
        )
        for r in range(3)
        for i in range(6)
        for k, s in enumerate(("both", "multi"))
        for c, q in enumerate(CRITERIA)
    ]


def derived(judged, *formulas: DerivedFormula, **more: object):
    return analyse(Judgments.from_rows(judged), scale=(0, 2), derived=formulas, **more)


def mean_of(results, question: str, system: str) -> float:
    return next(f.value for f in results.select(question, "mean") if f.systems == (system,))


def test_a_derived_score_has_the_mean_of_its_formula_in_a_complete_table():
    results = derived(rows(), OVERALL)
    parts = [mean_of(results, name, "both") for name in CRITERIA]
    assert mean_of(results, "overall", "both") == pytest.approx(sum(parts) / 3)
    (score,) = results.derived
    assert (score.n, score.missing, score.low, score.high) == (36, 0, 0, 2)
    assert any(each.role == "headline" for each in results.findings if each.question == "overall")


def test_a_derived_score_changes_no_other_number_and_no_count():
    plain, with_it = derived(rows()), derived(rows(), OVERALL)
    others = tuple(f for f in with_it.findings if f.question != "overall")
    assert others == plain.findings
    assert with_it.flow == plain.flow
    assert with_it.signature.judgments == plain.signature.judgments


def test_what_lacks_a_part_has_no_score_and_is_counted():
    judged = [row for row in rows() if (row.participant, row.item, row.question) != (
        "r0", "i0", "fluency")]  # fmt: skip
    (score,) = derived(judged, OVERALL).derived
    assert (score.n, score.missing) == (34, 2)
    assert "2 lack a part" in score.says


def test_a_division_by_zero_is_no_score_and_is_counted():
    ratio = DerivedFormula("ratio", ScoreFormula.parse("informativeness / fluency"))
    results = derived(rows(), ratio)
    zero = sum(row.value == 0 for row in rows() if row.question == "fluency")
    (score,) = results.derived
    assert (score.n, score.undefined) == (36 - zero, zero)
    assert (score.low, score.high) == (None, None)


def test_a_score_of_one_person_never_takes_a_part_from_another():
    """One rater gave one part, another the other: there is nothing to compute."""
    judged = [
        Judgment("r0", "i0", "informativeness", 2.0, system="both"),
        Judgment("r1", "i0", "fluency", 1.0, system="both"),
    ]
    total = DerivedFormula("total", ScoreFormula.parse("informativeness + fluency"))
    (score,) = derived(judged, total).derived
    assert (score.n, score.missing) == (0, 2)


def test_scores_by_nobody_in_particular_cannot_be_put_together():
    judged = [
        Judgment(None, "i0", q, 1.0, system="both")
        for q in ("informativeness", "fluency")
        for _ in range(2)
    ]
    total = DerivedFormula("total", ScoreFormula.parse("informativeness + fluency"))
    with pytest.raises(DataError, match="not known who judged"):
        derived(judged, total)


def segmented(numbers: dict[str, int]):
    """This many sentences on each criterion of each output, with the scores 0, 1, 2, 0 …"""
    return [
        Judgment("r0", f"i{i}", q, float((i + k) % 3), system=s, segment=k + 1)
        for i in range(4)
        for s in ("both", "multi")
        for q, n in numbers.items()
        for k in range(n)
    ]


def test_parts_with_the_same_segments_are_put_together_segment_by_segment():
    larger = DerivedFormula("larger", ScoreFormula.parse("max(informativeness, fluency)"))
    (score,) = derived(segmented({"informativeness": 3, "fluency": 3}), larger).derived
    assert score.is_by_segment
    assert score.n == 24


def test_parts_with_other_segments_are_averaged_by_output_first():
    """Two sentences of the reference and three of the output: i0 has means 0.5 and 1."""
    judged = segmented({"informativeness": 2, "fluency": 3})
    total = DerivedFormula("total", ScoreFormula.parse("informativeness + fluency"))
    results = derived([row for row in judged if row.item == "i0"], total)
    (score,) = results.derived
    assert not score.is_by_segment
    assert score.n == 2
    assert mean_of(results, "total", "both") == pytest.approx(1.5)


def test_a_derived_score_alone_can_be_analysed():
    results = derived(rows(), OVERALL, questions=("overall",))
    assert results.questions == ("overall",)
    assert results.signature.options["question"] == ("overall",)


@pytest.mark.parametrize(
    ("wanted", "what"),
    [
        (DerivedFormula("fluency", ScoreFormula.parse("informativeness")), "already"),
        (DerivedFormula("x", ScoreFormula.parse("fluent")), "no judgments on 'fluent'"),
    ],
)
def test_a_formula_that_does_not_fit_the_table_is_refused(wanted, what):
    with pytest.raises(UsageError, match=what):
        derived(rows(), wanted)


@pytest.mark.parametrize(
    ("formula", "bounds"),
    [
        ("(a + b) / 2", (1.0, 5.5)),
        ("a - b", (-5.0, 4.0)),
        ("-a", (-5.0, -1.0)),
        ("a * b", (1.0, 30.0)),
        ("a / b", (1 / 6, 5.0)),
        ("min(a, b, 3)", (1.0, 3.0)),
        ("mean(a, b)", (1.0, 5.5)),
        ("1 / (a - 3)", None),
    ],
)
def test_the_ends_of_the_scale_follow_from_those_of_the_parts(formula, bounds):
    parsed = ScoreFormula.parse(formula)
    assert bounds_of(parsed.term, {"a": (1.0, 5.0), "b": (1.0, 6.0)}) == pytest.approx(bounds)


def test_a_planned_derived_score_is_tested_claimed_and_of_the_family():
    tests = [
        {"question": "fluency", "test": "paired-t", "pairs": [["ash", "beech"]]},
        {"question": "overall", "test": "paired-t", "pairs": [["ash", "beech"]]},
    ]
    study = small_study(
        RATING,
        SLIDER,
        analysis={
            "tests": tests,
            "derived": [{"id": "overall", "formula": "fluency + ease / 20"}],
        },
        claims=[{"id": "c", "says": "ash > beech on overall"}],
    )
    results = analysed(study)
    planned = [f for f in results.findings if f.by == "paired-t" and f.is_planned]
    smallest = min(planned, key=lambda f: f.p)
    assert len(planned) == 2
    assert smallest.p_adjusted == pytest.approx(min(1, 2 * smallest.p))
    assert results.claims[0].verdict != "not-testable"
    assert (results.derived[0].low, results.derived[0].high) == (1, 10)


def test_derived_scores_of_segments_can_be_planned():
    study = small_study(
        SEGMENTS,
        analysis={
            "tests": [{"question": "doubled", "test": "mixed-model"}],
            "derived": [{"id": "doubled", "formula": "facts * 2"}],
        },
    )
    results = analysed(study)
    assert mean_of(results, "doubled", "ash") == pytest.approx(2 * mean_of(results, "facts", "ash"))


def test_kappa_over_all_criteria_is_that_of_the_concatenated_values():
    """scikit-learn 1.9.1, cohen_kappa_score of the 36 values of two raters: 2/3, 2/3, 19/55."""
    further = Further(agreement=("cohen-kappa",), pooled_agreement=True)
    pooled = derived(rows(), OVERALL, further=further).pooled
    kappa = next(f for f in pooled if f.by == "cohen-kappa")
    (names,) = {f.key.pooled for f in pooled}
    assert set(names) == set(CRITERIA)
    assert kappa.value == pytest.approx((2 / 3 + 2 / 3 + 0.34545454545454546) / 3)
    assert kappa.n == 36
    assert "over items" in kappa.method
    assert kappa.interval is not None


def test_criteria_of_other_scales_are_not_pooled():
    study = small_study(
        RATING,
        SLIDER,
        analysis={
            "tests": [{"question": "fluency", "test": "mixed-model"}],
            "pooled_agreement": True,
        },
    )
    assert analysed(study).pooled == ()


def test_agreement_is_pooled_only_where_somebody_asks_for_it():
    assert derived(rows()).pooled == ()
