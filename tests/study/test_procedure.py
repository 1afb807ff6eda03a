"""What participants are given: checks and instructions."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from small_study import minimal


def test_an_instruction_says_which_answer_to_give():
    check = {"kind": "instruction", "id": "c", "question": "q", "text": "Choose well."}
    with pytest.raises(ValidationError, match=r"Write \{answer\}"):
        minimal(checks=[check])
