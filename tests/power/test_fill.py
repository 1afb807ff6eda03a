"""The size of a study from its rule: deterministic, within its limits, recorded."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from planned_studies import PAY, RATING, planned_study
from rejudge.design.draw import draw
from rejudge.design.freeze import changes_since_freeze, freeze
from rejudge.errors import DesignError, StudyError
from rejudge.files.step_files import to_bytes
from rejudge.power.fill import fill_size
from rejudge.power.grid import power_fingerprint
from rejudge.simulate.sources import read_parameters
from rejudge.study.sample_size import FILLED_SIZE

ON = date(2026, 11, 17)
TESTS = "{question: fluency, test: mixed-model}"
RULE = "sample_size: {{effect: {{fluency: 1.2}}, pilot: pilot, inputs: [5, 10, 15]{more}}}\n"


def ruled(more: str = "", files=None, **changes: Any):
    text = RULE.format(more=more) + PAY
    return planned_study((RATING,), TESTS, more=text, files=files, **changes)


def filled(study):
    return fill_size(study, draw(study), read_parameters(study), pilot="p1", on=ON, precision=0.05)


@pytest.fixture(scope="module")
def usual():
    return filled(ruled())


def test_the_cheapest_size_that_reaches_the_power_is_taken(usual):
    assert usual.size.inputs == 10
    assert usual.size.participants_per_batch == 3
    assert usual.size.reached
    assert usual.size.power >= 0.8
    assert usual.power.planned.items == 10


def test_the_same_rule_and_pilot_give_the_same_size(usual):
    assert filled(ruled()) == usual


def test_a_study_has_the_size_that_was_filled_in(usual):
    content = to_bytes(usual.size, made_from={})
    study = ruled(files={FILLED_SIZE: content})

    assert study.size == usual.size
    assert len({task.item for task in draw(study).tasks()}) == 10
    assert power_fingerprint(study) == usual.power.study


def test_the_numbers_that_a_rule_fills_in_are_no_change_since_the_freeze(usual):
    before = ruled()
    record = freeze(before, draw(before), at=moment())
    after = ruled(files={FILLED_SIZE: to_bytes(usual.size, made_from={})})

    assert changes_since_freeze(record, after, draw(after)) == ()


def test_another_change_is_noticed_beside_the_filled_size(usual):
    before = ruled()
    record = freeze(before, draw(before), at=moment())
    after = ruled(
        files={FILLED_SIZE: to_bytes(usual.size, made_from={})},
        design="{seed: 2, batch: {inputs: 5}, participants_per_batch: 3}",
    )

    assert [change.path for change in changes_since_freeze(record, after, draw(after))] == [
        "design.seed"
    ]


def test_a_plan_of_another_size_is_noticed(usual):
    before = ruled()
    record = freeze(before, draw(before), at=moment())
    after = ruled(files={FILLED_SIZE: to_bytes(usual.size, made_from={})})
    other = draw(ruled(design="{seed: 3, batch: {inputs: 5}, participants_per_batch: 3}"))

    assert [change.path for change in changes_since_freeze(record, after, other)] == ["plan"]


def test_a_size_of_another_rule_is_refused(usual):
    content = to_bytes(usual.size, made_from={})
    with pytest.raises(StudyError, match="filled in for another rule"):
        ruled(", power: 0.9", files={FILLED_SIZE: content})


def test_without_a_size_that_is_enough_the_largest_is_taken_and_said():
    study = ruled(", most_participants: 3")
    found = filled(study)

    assert (found.size.inputs, found.size.reached) == (5, False)


def test_a_rule_can_say_that_no_study_is_run():
    with pytest.raises(DesignError, match="this study should not be run"):
        filled(ruled(", most_participants: 3, otherwise: none"))


def test_limits_that_allow_no_size_are_refused_with_the_reason():
    with pytest.raises(DesignError, match="is more than the maximum cost"):
        filled(ruled(", most_cost: 1"))


def test_more_inputs_than_there_are_items_are_not_chosen():
    study = planned_study(
        (RATING,),
        TESTS,
        items=8,
        more=RULE.format(more=""),
        design="{seed: 1, batch: {inputs: 4}, participants_per_batch: 3}",
    )

    assert filled(study).size.inputs == 5


def test_a_study_without_a_rule_has_nothing_to_fill_in():
    with pytest.raises(StudyError, match="no rule for its size"):
        filled(planned_study((RATING,), TESTS))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{effect: {fluent: 1}, pilot: p, inputs: [5]}", "there is no question 'fluent'"),
        ("{effect: {fluency: 1}, pair: [a, z], pilot: p, inputs: [5]}", "no system 'z'"),
        ("{effect: {fluency: 1}, pair: [a, a], pilot: p, inputs: [5]}", "a pair has two systems"),
        ("{effect: {fluency: -1}, pilot: p, inputs: [5]}", "sample_size.effect"),
        ("{effect: {}, pilot: p, inputs: [5]}", "sample_size.effect"),
        ("{effect: {fluency: 1}, pilot: p, inputs: [5], most_cost: 5}", "what people are paid"),
    ],
)
def test_a_rule_that_does_not_fit_the_study_is_refused_when_it_is_read(rule, message):
    with pytest.raises(StudyError, match=message):
        planned_study((RATING,), TESTS, more=f"sample_size: {rule}\n")


def moment():
    from datetime import UTC, datetime

    return datetime(2026, 11, 17, tzinfo=UTC)
