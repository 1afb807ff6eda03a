"""Systems and pairs on each question."""

from __future__ import annotations

from rejudge.report.results import _disagreements


def test_many_pairs_whose_test_and_check_disagree_are_one_warning():
    said = [f"Pair {number}." for number in range(5)]
    warning, fold = _disagreements(said, 66)
    assert warning.text == "For 5 of 66 pairs, the headline test and its check disagree."
    assert [block.text for block in fold.blocks] == said
    assert [block.text for block in _disagreements(said[:2], 66)] == said[:2]
