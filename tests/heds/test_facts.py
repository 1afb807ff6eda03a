"""What is counted of a study for its datasheet."""

from __future__ import annotations

from judged_study import PAIRWISE, RATING
from sheet_facts import actual_facts, planned_facts


def test_items_are_counted_by_system_before_and_after():
    planned, actual = planned_facts(RATING), actual_facts(RATING)
    assert planned.items_by_system == {"ash": 12, "beech": 12, "cedar": 12}
    assert actual.items_by_system == planned.items_by_system


def test_both_systems_of_a_comparison_count():
    assert actual_facts(PAIRWISE).items_by_system == {"ash": 12, "beech": 12, "cedar": 12}


def test_only_judgments_that_count_are_counted():
    facts = actual_facts(RATING)
    is_ash = facts.kept.system.codes == facts.kept.system.code("ash")
    first = facts.kept.item.codes == facts.kept.item.codes[0]
    kept = facts.kept.take(~(is_ash & first))
    fewer = type(facts)(facts.study, facts.plan, results=facts.results, kept=kept)
    assert fewer.items_by_system == {"ash": 11, "beech": 12, "cedar": 12}


def test_there_are_no_findings_before_data_collection():
    assert planned_facts().findings("fluency") == ()
    assert actual_facts().findings("fluency")
