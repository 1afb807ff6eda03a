"""What became of a batch on the site decides whether its judgments count."""

from __future__ import annotations

import pytest

from judged_study import PAIRWISE, hand_plan, small_study
from rejudge.design import Task
from rejudge.judgments import Answer, exclude, read_csv, tabulate, to_csv

STUDY = small_study(PAIRWISE)
ITEM = STUDY.items[0].id
PLAN = hand_plan(STUDY, Task("t1", ITEM, STUDY.system_ids[:2]), participants=1)
BATCH = PLAN.batches[0].id


def judged(**states: str | None):
    answers = [
        Answer(name, BATCH, "t1", PAIRWISE["id"], "a", position=1, state=state)  # type: ignore[arg-type]
        for name, state in states.items()
    ]
    return tabulate(STUDY, PLAN, answers)


def left_out(**states: str | None) -> dict[str, str]:
    found = exclude(STUDY, PLAN, judged(**states))
    return {each.participant: each.rule for each in found.exclusions}


@pytest.mark.parametrize(
    ("state", "rule"),
    [
        ("returned", "returned"),
        ("held", "incomplete"),
        ("expired", "incomplete"),
        ("excluded", "excluded"),
        ("surplus", "surplus"),
    ],
)
def test_work_in_such_a_state_is_left_out_by_a_rule_of_its_own(state, rule):
    assert left_out(done="submitted", other=state) == {"other": rule}


def test_work_that_was_handed_in_or_accepted_counts():
    assert left_out(p="submitted") == left_out(q="accepted") == {}


def test_a_place_that_was_added_makes_no_surplus():
    """The plan has one place; the site, which was given another, knows better."""
    assert left_out(p="submitted", q="accepted") == {}


def test_a_table_without_states_is_counted_by_the_plan():
    study = small_study(PAIRWISE, analysis={"exclude": {"surplus": True}})
    plan = hand_plan(study, Task("t1", ITEM, study.system_ids[:2]), participants=1)
    answers = [Answer(name, BATCH, "t1", PAIRWISE["id"], "a", position=1) for name in "pq"]
    found = exclude(study, plan, tabulate(study, plan, answers))
    assert [each.rule for each in found.exclusions] == ["surplus"]


def test_the_state_is_in_the_file_where_it_is_known_and_nowhere_else():
    assert "state" not in to_csv(judged(p=None))
    text = to_csv(judged(p="returned", q=None))
    assert text.splitlines()[0].endswith(",state")
    assert read_csv(text).state.words() == ["returned", None]


def test_a_file_from_before_there_were_states_opens():
    table = read_csv("participant,item,question,value,system\np,i,q,3,s\n")
    assert table.state.words() == [None]
