"""What lies behind the findings of a question."""

from __future__ import annotations

import pytest

from judged_study import PAIRWISE, RATING, SLIDER, analysed, small_study


@pytest.mark.parametrize("question", [PAIRWISE, RATING, SLIDER], ids=lambda q: q["kind"])
def test_details_are_no_findings(question):
    """They never enter a family of tests."""
    results = analysed(small_study(question))
    assert {details.question for details in results.details} == {question["id"]}
    assert results.details[0].people.total == results.flow.participants_kept
