"""Rules about the analysis plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from good_study import (
    MEANING,
    RATING,
    SLIDER,
    codes,
    good_batches,
    make_plan,
    make_study,
    only,
)

from rejudge.lint.rules import check

STYLE = {**MEANING, "id": "style"}

LINK = {"checks": [], "recruitment.platform": "link", "analysis.exclude": {}}


def test_a_missing_plan_of_analysis_is_found():
    finding = only(make_study({"analysis": None}))
    assert (finding.code, finding.severity) == ("R601", "warning")


def test_a_question_without_a_test_is_noted():
    finding = only(make_study({"questions": [MEANING, STYLE]}))
    assert (finding.code, finding.severity) == ("R603", "note")
    assert finding.places == ("questions[1]",)


def test_agreement_of_one_person_is_found():
    finding = only(make_study({"design.participants_per_batch": 1}))
    assert (finding.code, finding.severity) == ("R604", "warning")
    assert "(percent, krippendorff-alpha)" in finding.message


def test_a_plan_says_how_many_people_there_are():
    study = make_study()
    batches = [replace(batch, participants=1) for batch in good_batches()]
    assert codes(only(study, make_plan(study, batches))) == ["R604"]


def test_a_calibration_set_serves_for_agreement():
    changes = {"design.participants_per_batch": 1, "design.calibration": 1}
    assert check(make_study(changes)) == ()


def test_no_agreement_needs_no_second_person():
    changes = {"design.participants_per_batch": 1, "analysis.agreement": []}
    assert check(make_study(changes)) == ()


def test_fleiss_kappa_needs_equal_numbers():
    study = make_study({"analysis.agreement": ["fleiss-kappa"]})
    one, two = good_batches()
    finding = only(study, make_plan(study, [one, replace(two, participants=4)]))
    assert finding.code == "R604"
    assert "here it is 3, 4" in finding.message


def test_krippendorffs_alpha_bears_unequal_numbers():
    study = make_study()
    one, two = good_batches()
    assert check(study, make_plan(study, [one, replace(two, participants=4)])) == ()


def planned(*names: str):
    return {"analysis.tests": [{"question": "meaning", "test": name} for name in names]}


@pytest.mark.parametrize("test", ["one-way-anova", "t-test", "welch", "mann-whitney"])
def test_a_pooled_test_on_zero_sum_scores_is_found(test):
    finding = only(make_study(planned(test)))
    assert (finding.code, finding.severity) == ("R605", "warning")
    assert "12.4 %" in finding.message
    assert finding.places == ("analysis.tests[0]",)


def test_a_pooled_test_on_ratings_is_found():
    changes = {**LINK, **planned("t-test"), "questions": [{**RATING, "id": "meaning"}]}
    finding = only(make_study(changes))
    assert finding.code == "R605"
    assert "28 %" in finding.message


def test_a_pooled_test_may_stand_beside_one_that_knows_the_design():
    assert check(make_study(planned("one-way-anova", "friedman"))) == ()


def test_comparisons_without_correction_are_found():
    """One test of three systems makes three comparisons."""
    finding = only(make_study({"analysis.correction": "none"}))
    assert (finding.code, finding.severity) == ("R606", "warning")
    assert "3 comparisons are planned (1 test × 3 pairs of systems)" in finding.message


def test_a_single_comparison_needs_no_correction():
    assert check(make_study({"analysis.correction": "none", "systems": ["alder", "birch"]})) == ()


@pytest.mark.parametrize(
    ("kind", "test"),
    [
        (RATING, "bradley-terry"),
        (SLIDER, "bradley-terry"),
        (SLIDER, "ordinal-mixed-model"),
        (RATING, "joint-mixed-model"),
        (MEANING, "ordinal-mixed-model"),
        (RATING, "sign-flip"),
    ],
)
def test_a_test_that_does_not_fit_its_question_is_found(kind, test):
    changes = {**LINK, **planned(test), "questions": [{**kind, "id": "meaning"}]}
    finding = only(make_study(changes))
    assert (finding.code, finding.severity) == ("R607", "error")
    assert f"The test {test} fits" in finding.message


@pytest.mark.parametrize(
    ("kind", "test"),
    [
        (RATING, "mixed-model"),
        (MEANING, "mixed-model"),
        (MEANING, "joint-mixed-model"),
        (RATING, "ordinal-mixed-model"),
        (SLIDER, "mixed-model"),
        (MEANING, "bradley-terry"),
        (MEANING, "sign-flip"),
    ],
)
def test_a_test_that_fits_is_fine(kind, test):
    changes = {**LINK, **planned(test), "questions": [{**kind, "id": "meaning"}]}
    assert check(make_study(changes)) == ()


def test_a_binary_model_needs_a_scale_of_two_points():
    changes = {**LINK, **planned("binary-mixed-model"), "questions": [{**RATING, "id": "meaning"}]}
    finding = only(make_study(changes))
    assert finding.code == "R607"
    assert "needs a scale of 2 points, but 'meaning' has 5" in finding.message
    changes["questions"] = [{**RATING, "id": "meaning", "points": 2}]
    assert "R607" not in [each.code for each in check(make_study(changes))]


@pytest.mark.parametrize("test", ["mixed-model", "ordinal-mixed-model", "paired-t", "friedman"])
def test_a_test_of_labels_without_order_is_found(test):
    labels = {**RATING, "id": "meaning", "measured": "nominal"}
    finding = only(make_study({**LINK, **planned(test), "questions": [labels]}))
    assert (finding.code, finding.severity) == ("R607", "error")
    assert f"The test {test} needs ordered answers, but 'meaning' has labels" in finding.message
    assert check(make_study({**LINK, **planned("cluster-robust"), "questions": [labels]})) == ()


def free_slopes(kind):
    tests = [{"question": "meaning", "test": "mixed-model", "slopes": "free"}]
    return {**LINK, "analysis.tests": tests, "questions": [{**kind, "id": "meaning"}]}


def test_free_slopes_of_choices_are_found():
    finding = only(make_study(free_slopes(MEANING)))
    assert (finding.code, finding.severity) == ("R607", "error")
    assert "`slopes: free` is for scores, but 'meaning' is pairwise" in finding.message


def test_free_slopes_need_more_participants_than_systems():
    study = make_study(free_slopes(RATING))
    assert check(study) == ()
    batches = [replace(batch, participants=1) for batch in good_batches()[:1]]
    found = [each for each in check(study, make_plan(study, batches)) if each.code == "R607"]
    assert "needs more participants than systems" in found[0].message


def test_an_intraclass_correlation_of_choices_is_found():
    finding = only(make_study({"analysis.agreement": ["percent", "icc"]}))
    assert (finding.code, finding.severity) == ("R608", "warning")
    assert "icc fits rating, slider, segments, but the study asks pairwise" in finding.message


def test_a_measure_that_fits_one_of_the_questions_is_fine():
    changes = {
        "questions": [MEANING, RATING],
        "analysis.agreement": ["icc"],
        "analysis.tests": [
            {"question": "meaning", "test": "sign-flip"},
            {"question": "fluency", "test": "mixed-model"},
        ],
    }
    assert check(make_study(changes)) == ()


def test_kappa_on_a_line_from_0_to_100_is_found():
    changes = {**LINK, "questions": [{**SLIDER, "id": "meaning"}],
               "analysis.agreement": ["cohen-kappa"]}  # fmt: skip
    assert codes(only(make_study(changes))) == ["R608"]


def test_planned_pairs_are_counted_where_nothing_corrects_for_them():
    systems = make_study({}).system_ids
    tests = [{"question": "meaning", "test": "cluster-robust", "pairs": [systems[:2]]}]
    study = {"analysis.tests": tests, "analysis.correction": "none"}
    assert "R606" not in {finding.code for finding in check(make_study(study))}
