"""What participants are given: checks and instructions."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from small_study import minimal


@pytest.mark.parametrize(
    ("answer", "kept"),
    [(4, "4"), (2.5, "2.5"), ("a", "a"), (["a", "c"], "a,c"), ([1, 0.5], "1,0.5"), (100.0, "100")],
)
def test_a_right_answer_may_be_written_as_a_number_or_a_list(answer, kept):
    example = {"input": "x", "outputs": ["y"], "answers": {"q": answer}, "explanation": "z"}
    spec = minimal(practice={"examples": [example]})
    assert spec.practice.examples[0].answers == {"q": kept}


def test_an_instruction_says_which_answer_to_give():
    check = {"kind": "instruction", "id": "c", "question": "q", "text": "Choose well."}
    with pytest.raises(ValidationError, match=r"Write \{answer\}"):
        minimal(checks=[check])
