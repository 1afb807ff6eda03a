"""Who is screened out before the tasks."""

from __future__ import annotations

import pytest

from judged_study import small_study
from rejudge.study import Screening, ScreeningQuestion

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


def test_studies_from_before_screening_existed_keep_their_fingerprint():
    written = small_study().spec.to_json()
    assert "screening" not in written["recruitment"]
    own = small_study(site={"codes": {"completed": "C"}}).spec.to_json()
    assert set(own["site"]["codes"]) == {"completed", "declined", "full"}
    given = small_study(recruitment={"screening": {"questions": [ASKED]}}).spec.to_json()
    assert given["recruitment"]["screening"]["questions"][0]["admit"] == ["one"]
