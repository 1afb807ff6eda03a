"""`sample_size` and `stop` in study.yaml."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from rejudge.errors import StudyError
from rejudge.study.sample_size import SizeRule, read_filled_size
from small_site import study_of

GOOD = "stop: {looks: 3, question: meaning, systems: [north, south]}"


def test_looks_are_at_equal_steps_unless_fractions_are_given():
    stop = study_of(4, more=GOOD)[0].spec.stop
    assert stop is not None
    assert stop.shares == pytest.approx((1 / 3, 2 / 3, 1))
    assert stop.boundary == "obrien-fleming"
    given = GOOD.replace("}", ", fractions: [0.5, 0.75, 1]}")
    found = study_of(4, more=given)[0].spec.stop
    assert found is not None
    assert found.shares == (0.5, 0.75, 1)


def test_a_plan_does_not_depend_on_looks():
    assert study_of(4, more=GOOD)[0].fingerprint != study_of(4)[0].fingerprint
    assert study_of(4, more=GOOD)[1].fingerprint == study_of(4)[1].fingerprint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("stop: {looks: 1, question: meaning, systems: [north, south]}", "looks"),
        ("stop: {looks: 2, question: meaning, systems: [north, north]}", "with itself"),
        ("stop: {looks: 2, question: meaning, systems: [north, nroth]}", "nroth"),
        ("stop: {looks: 2, question: meanings, systems: [north, south]}", "meanings"),
        ("stop: {looks: 2, question: meaning, systems: [north]}", "systems"),
        (GOOD.replace("}", ", boundary: haybittle}"), "boundary"),
        (GOOD.replace("}", ", fractions: [0.5, 1]}"), "2 fractions for 3 looks"),
        (GOOD.replace("}", ", fractions: [0.5, 0.4, 1]}"), "above the one before"),
        (GOOD.replace("}", ", fractions: [0.5, 0.6, 0.9]}"), "1 as the last fraction"),
        (GOOD.replace("}", ", fractions: [0.5, .nan, 1]}"), "fractions"),
        ("stop: yes please", "stop"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(text, words):
    with pytest.raises(StudyError, match=words):
        study_of(4, more=text)


RULE = {"effect": {"meaning": 0.3}, "pilot": "pilot", "inputs": [50, 100]}


def test_a_rule_is_named_by_all_that_it_says():
    rule = SizeRule.model_validate(RULE)
    same = SizeRule.model_validate(RULE | {"power": 0.8})  # the default
    assert rule.fingerprint == same.fingerprint
    assert rule.fingerprint != SizeRule.model_validate(RULE | {"power": 0.9}).fingerprint


@pytest.mark.parametrize(
    "change", [{"pair": ["a", "a"]}, {"effect": {}}, {"power": 1}, {"inputs": []}]
)
def test_a_rule_that_fixes_nothing_is_refused(change):
    with pytest.raises(ValidationError):
        SizeRule.model_validate(RULE | change)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"content": {}}', b"\xff"])
def test_a_size_that_rejudge_did_not_write_is_refused(content):
    with pytest.raises(StudyError, match="not a sample size"):
        read_filled_size(content, SizeRule.model_validate(RULE))
