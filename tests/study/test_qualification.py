"""Practice and qualification: right answers, pass marks and attempts."""

from __future__ import annotations

import pytest

from rejudge.study.qualification import Practice, Qualification
from small_study import minimal

TASK = {"input": "i", "outputs": ["x"], "answers": {"q": 1, "r": 2}}


@pytest.mark.parametrize(
    ("answer", "kept"),
    [(4, "4"), (2.5, "2.5"), ("a", "a"), (["a", "c"], "a,c"), ([1, 0.5], "1,0.5"), (100.0, "100")],
)
def test_a_right_answer_may_be_written_as_a_number_or_a_list(answer, kept):
    example = {"input": "x", "outputs": ["y"], "answers": {"q": answer}, "explanation": "z"}
    spec = minimal(practice={"examples": [example]})
    assert spec.practice.examples[0].answers == {"q": kept}


def test_a_pass_mark_of_practice_can_be_reached():
    example = {"input": "i", "outputs": ["x"], "answers": {"q": 1}, "explanation": "e"}
    with pytest.raises(ValueError, match="cannot be reached"):
        Practice.model_validate({"pass_mark": 2, "examples": [example]})


def test_each_attempt_at_a_qualification_has_its_own_tasks():
    asked = {"pass_mark": 2, "attempts": 2, "tasks_per_attempt": 2, "tasks": [TASK] * 4}
    found = Qualification.model_validate(asked)
    assert (found.places(1), found.places(2)) == ((0, 1), (2, 3))
    assert found.gold_answers(2) == 4
    with pytest.raises(ValueError, match="need 4 tasks, and there are 3"):
        Qualification.model_validate(asked | {"tasks": [TASK] * 3})
