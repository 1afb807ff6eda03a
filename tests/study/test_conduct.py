"""How a study is conducted and analysed: planned tests and their options."""

from __future__ import annotations

import pytest

from judged_study import small_study
from rejudge.study import PlannedTest, Practice, Screening, ScreeningQuestion


def test_a_planned_test_without_a_direction_is_written_as_before_there_were_any():
    """So that a study frozen earlier keeps its fingerprint."""
    plain = PlannedTest(question="fluency", test="t-test")
    directed = PlannedTest(question="fluency", test="t-test", alternative="less")
    assert plain.model_dump() == {"question": "fluency", "test": "t-test", "unit": None}
    assert directed.model_dump()["alternative"] == "less"
    assert PlannedTest.model_validate(directed.model_dump()) == directed


def test_a_planned_test_with_the_usual_degrees_of_freedom_is_written_without_them():
    adjusted = PlannedTest(question="fluency", test="mixed-model", df="kenward-roger")
    assert "df" not in PlannedTest(question="fluency", test="mixed-model").model_dump()
    assert adjusted.model_dump()["df"] == "kenward-roger"
    assert PlannedTest.model_validate(adjusted.model_dump()) == adjusted


def test_a_planned_test_with_equal_slopes_is_written_without_them():
    free = PlannedTest(question="fluency", test="mixed-model", slopes="free")
    equal = PlannedTest(question="fluency", test="mixed-model", slopes="equal")
    assert equal.model_dump() == {"question": "fluency", "test": "mixed-model", "unit": None}
    assert free.model_dump()["slopes"] == "free"
    assert PlannedTest.model_validate(free.model_dump()) == free


def test_free_slopes_are_for_a_mixed_model_with_satterthwaites_degrees_of_freedom():
    with pytest.raises(ValueError, match="is for a mixed-model, not for t-test"):
        PlannedTest(question="fluency", test="t-test", slopes="free")
    with pytest.raises(ValueError, match="`df: kenward-roger` is not available with"):
        PlannedTest(question="fluency", test="mixed-model", slopes="free", df="kenward-roger")


def test_only_a_mixed_model_has_a_choice_of_degrees_of_freedom():
    with pytest.raises(ValueError, match="is for a mixed-model, not for t-test"):
        PlannedTest(question="fluency", test="t-test", df="kenward-roger")


# ── screening ────────────────────────────────────────────────────────────────────────────────────

ASKED = {"id": "q", "prompt": "Which?", "options": ["one", "two"], "admit": ["one"]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"options": ["one"]}, "at least 2"),
        ({"admit": []}, "at least 1"),
        ({"admit": ["three"]}, "not one of the options"),
        ({"admit": ["one", "two"]}, "every option is admitted"),
        ({"options": ["one", "one", "two"]}, "listed twice"),
    ],
)
def test_a_screening_question_decides_something(change, words):
    with pytest.raises(ValueError, match=words):
        ScreeningQuestion.model_validate(ASKED | change)


def test_screening_questions_have_different_ids_and_pay_is_above_zero():
    with pytest.raises(ValueError, match="have the id 'q'"):
        Screening.model_validate({"questions": [ASKED, ASKED]})
    with pytest.raises(ValueError, match="greater than 0"):
        Screening.model_validate({"reward": 0})


def test_a_pass_mark_of_practice_can_be_reached():
    example = {"input": "i", "outputs": ["x"], "answers": {"q": 1}, "explanation": "e"}
    with pytest.raises(ValueError, match="cannot be reached"):
        Practice.model_validate({"pass_mark": 2, "examples": [example]})


def test_studies_from_before_screening_existed_keep_their_fingerprint():
    written = small_study().spec.to_json()
    assert "screening" not in written["recruitment"]
    own = small_study(site={"codes": {"completed": "C"}}).spec.to_json()
    assert set(own["site"]["codes"]) == {"completed", "declined", "full"}
    given = small_study(recruitment={"screening": {"questions": [ASKED]}}).spec.to_json()
    assert given["recruitment"]["screening"]["questions"][0]["admit"] == ["one"]
