"""Which tests are simulated."""

from __future__ import annotations

import pytest

from planned_studies import PAIRWISE, RATING, planned_study, rating_study
from rejudge.errors import StudyError, UsageError
from rejudge.power.plan import plan_tests


def test_the_planned_tests_with_all_pairs_are_one_family():
    study = planned_study(
        (RATING, PAIRWISE),
        "{question: fluency, test: mixed-model}, {question: meaning, test: cluster-robust}",
        systems="[a, b, c]",
    )
    found = plan_tests(study)

    assert [test.test for test in found.tests] == ["mixed-model", "cluster-robust"]
    assert found.comparisons == 6
    assert found.is_planned


def test_one_question_keeps_the_size_of_the_family():
    study = planned_study(
        (RATING, PAIRWISE),
        "{question: fluency, test: mixed-model}, {question: meaning, test: cluster-robust}",
        systems="[a, b, c]",
    )
    found = plan_tests(study, ["meaning"])

    assert found.questions == ("meaning",)
    assert (found.others, found.comparisons) == (3, 6)


def test_a_test_of_all_systems_counts_but_is_not_simulated():
    found = plan_tests(
        planned_study(
            (PAIRWISE,),
            "{question: meaning, test: friedman}, {question: meaning, test: cluster-robust}",
            systems="[a, b, c]",
        )
    )

    assert (len(found.tests), found.others) == (1, 1)
    assert "Friedman" in found.notes[0]


def test_pairs_that_are_not_compared_are_not_tested():
    study = planned_study(
        (PAIRWISE,),
        "{question: meaning, test: cluster-robust}",
        systems="[a, b, c]",
        design="{seed: 1, batch: {inputs: 5}, pairs: [[c, a], [a, b]]}",
    )

    assert plan_tests(study).tests[0].pairs == (("a", "c"), ("a", "b"))


def test_without_a_plan_the_mixed_model_is_assumed_and_said():
    found = plan_tests(planned_study((RATING,), ""))

    assert found.tests[0].test == "mixed-model"
    assert found.notes == ("The study plans no analysis; the linear mixed model is assumed.",)


def test_without_a_plan_rankings_have_the_model_of_whole_judgments_as_in_the_analysis():
    ranking = "kind: ranking, id: order, prompt: Put them in order"
    found = plan_tests(planned_study((ranking,), "", systems="[a, b, c]"))

    assert found.tests[0].test == "joint-mixed-model"
    assert found.notes == (
        "The study plans no analysis; the joint mixed model of all choices is assumed.",
    )


def test_one_system_has_nothing_to_detect():
    with pytest.raises(StudyError, match="no difference to detect"):
        plan_tests(planned_study((RATING,), "", systems="[a]"))


def test_an_unknown_question_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="Its questions are fluency"):
        plan_tests(rating_study(), ["fluent"])


def test_a_plan_without_any_test_of_two_systems_is_refused():
    study = planned_study((PAIRWISE,), "{question: meaning, test: friedman}", systems="[a, b, c]")
    with pytest.raises(StudyError, match="no planned test compares two systems: friedman"):
        plan_tests(study)
