"""Descriptive tables lie beside the findings."""

from __future__ import annotations

import pytest

from judged_study import PAIRWISE, RATING, SLIDER, analysed, small_study


@pytest.mark.parametrize("question", [PAIRWISE, RATING, SLIDER], ids=lambda q: q["kind"])
def test_descriptive_tables_are_no_findings(question):
    """They never enter a family of tests."""
    results = analysed(small_study(question))
    assert {frame.question for frame in results.frames if frame.question} == {question["id"]}
    assert results.frame("people", question["id"]).size == results.flow.participants_kept
