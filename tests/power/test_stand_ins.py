"""What is simulated instead of tests and questions without a fast simulation."""

from __future__ import annotations

import pytest

from planned_studies import PAIRWISE, RATING, planned_study
from rejudge.design.draw import draw
from rejudge.errors import DesignError
from rejudge.power.planned_tests import plan_tests
from rejudge.power.stand_ins import with_stand_ins, without_dropout
from rejudge.simulate.parameters import Parameters

BEST_WORST = "kind: best-worst, id: meaning, prompt: Best and worst, of: 3"


def simulated(question: str, test: str, systems: str = "[a, b, c]", *, is_quick: bool = False):
    study = planned_study((question,), test, systems=systems)
    return with_stand_ins(study, draw(study), plan_tests(study), is_quick=is_quick)


STAND_INS = [
    (RATING, "ordinal-mixed-model", "mixed-model"),
    (RATING, "wilcoxon", "paired-t"),
    (RATING, "mann-whitney", "t-test"),
    (PAIRWISE, "bradley-terry", "joint-mixed-model"),
]


@pytest.mark.parametrize(("question", "planned", "expected"), STAND_INS)
def test_a_planned_test_decides_by_itself_beside_its_stand_in(question, planned, expected):
    asked = "fluency" if question == RATING else "meaning"
    found = simulated(question, f"{{question: {asked}, test: {planned}}}").plan

    assert (found.tests[0].test, found.is_fitted) == (expected, True)
    assert found.as_planned.tests[0].test == planned
    assert not any("is simulated as" in note for note in found.notes)


@pytest.mark.parametrize(("question", "planned", "expected"), STAND_INS)
def test_a_stand_in_alone_must_be_asked_for_and_is_named(question, planned, expected):
    asked = "fluency" if question == RATING else "meaning"
    found = simulated(question, f"{{question: {asked}, test: {planned}}}", is_quick=True).plan

    assert found.as_planned.tests[0].test == expected
    assert any("is simulated as" in note for note in found.notes)


@pytest.mark.parametrize(
    ("question", "planned"),
    [(RATING, "mixed-model"), (PAIRWISE, "cluster-robust"), (PAIRWISE, "sign-flip")],
)
def test_a_fast_test_needs_no_stand_in(question, planned):
    asked = "fluency" if question == RATING else "meaning"
    found = simulated(question, f"{{question: {asked}, test: {planned}}}").plan

    assert (found.tests[0].test, found.is_fitted) == (planned, False)


def test_a_test_that_cannot_be_computed_from_tables_has_a_stand_in_that_is_named():
    found = simulated(BEST_WORST, "{question: meaning, test: cluster-robust}", is_quick=True).plan

    assert found.as_planned.tests[0].test == "joint-mixed-model"
    assert any("is simulated as" in note for note in found.notes)


def test_sentences_are_simulated_as_whole_texts():
    found = simulated(
        "kind: segments, id: fluency, prompt: How fluent, points: 4, lowest: 0",
        "{question: fluency, test: mixed-model}",
        is_quick=True,
    )

    assert found.questions["fluency"].question.kind == "rating"
    assert found.questions["fluency"].question.values == (0, 1, 2, 3)


def test_sets_of_some_systems_are_simulated_as_the_choices_they_imply():
    """3 of 4 systems in a whole block design: 4 tasks per item, each decides 3 pairs of 6."""
    found = simulated(
        BEST_WORST, "{question: meaning, test: cluster-robust}", "[a, b, c, d]", is_quick=True
    )
    asked = found.questions["meaning"]

    assert asked.question.kind == "pairwise"
    assert asked.judgments == pytest.approx(2.0)
    assert "shows 3 of 4 systems" in asked.note


def test_people_who_leave_are_replaced():
    assert without_dropout(Parameters(dropout=0.2)) == Parameters()


@pytest.mark.parametrize(
    "question",
    [
        "kind: segments, id: fluency, prompt: How fluent, points: 4, lowest: 0",
        "kind: slider, id: fluency, prompt: How fluent, low: bad, high: good",
    ],
)
def test_models_of_points_are_refused_where_there_are_none(question):
    """The analysis leaves them out, so there is no power to state."""
    with pytest.raises(DesignError, match="it is for points of a scale"):
        simulated(question, "{question: fluency, test: ordinal-mixed-model}")


def test_a_question_that_is_simulated_as_another_has_a_stand_in_alone():
    found = simulated(
        BEST_WORST, "{question: meaning, test: bradley-terry}", "[a, b, c, d]", is_quick=True
    ).plan

    assert not found.is_fitted
    assert any("is simulated as the joint mixed model" in note for note in found.notes)


def test_without_haste_questions_and_tests_stay_as_planned():
    """Complete studies are simulated for them."""
    found = simulated(BEST_WORST, "{question: meaning, test: bradley-terry}", "[a, b, c, d]")

    assert found.questions["meaning"].question.kind == "best-worst"
    assert (found.plan.tests[0].test, found.plan.notes) == ("bradley-terry", ())


def test_a_test_without_a_similar_one_cannot_be_quick():
    with pytest.raises(DesignError, match=r"no similar test that is fast\. Leave out --quick"):
        simulated(BEST_WORST, "{question: meaning, test: sign-flip}", is_quick=True)
