"""What rules read of a study, and how their findings list things."""

from __future__ import annotations

import pytest
from good_study import make_plan, make_study

from rejudge.lint.evidence import StudyEvidence, abridge, in_quotes, share_text


def test_a_long_list_names_the_first_and_counts_the_rest():
    assert abridge(["a", "b"]) == "a, b"
    assert abridge(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert abridge(["a", "b", "c"], 2, between="; ") == "a; b and 1 more"


def test_words_of_a_file_are_quoted():
    assert in_quotes(["10 minutes", "£5"]) == "“10 minutes”, “£5”"


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(1, 2, "50 %"), (46, 100, "46 %"), (1, 1000, "under 1 %")]
)
def test_a_small_share_is_never_shown_as_nothing(part, whole, text):
    assert share_text(part, whole) == text


def test_with_a_plan_only_its_items_are_judged():
    study = make_study()
    everything = StudyEvidence(study)
    planned = StudyEvidence(study, make_plan(study))
    assert len(everything.judged_items) == 8
    assert [item.id for item in planned.judged_items] == ["q1", "q2", "q3", "q4"]


def test_comparisons_are_those_of_the_plan_or_all_that_are_possible():
    study = make_study()
    assert len(list(StudyEvidence(study).comparisons(2))) == 8 * 3
    assert len(list(StudyEvidence(study, make_plan(study)).comparisons(2))) == 4 * 3


def test_an_item_is_found_by_its_line():
    study = make_study()
    assert StudyEvidence(study).line(study.items[0]).startswith(f"{study.spec.items.file}:")
