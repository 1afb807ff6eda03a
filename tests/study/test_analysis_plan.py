"""The analysis plan: planned tests, as study.yaml writes them and as they are kept."""

from __future__ import annotations

import pytest

from rejudge.study.analysis_plan import PlannedTest


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
