"""Rules about a size that a pilot fills in."""

from __future__ import annotations

from dataclasses import replace

import pytest
from good_study import make_study

from rejudge.lint import check
from rejudge.study import FilledSize

SIZE = FilledSize(
    "r", "p", 10, 3, 6, 0.64, reached=False, judgments=60, hours=1.0, cost=None, currency=None,
    on="2026-11-17", source="pilot", engine="numpy",
)  # fmt: skip


def ruled(**parts: object):
    asked = make_study({}).spec.questions[0].id
    rule = {"effect": {asked: 5}, "pilot": "pilot", "inputs": [10, 20]}
    return make_study({"sample_size": rule, **parts})


def codes(study) -> set[str]:
    return {each.code for each in check(study)} & {"R441", "R442", "R443"}


def test_a_study_without_a_rule_is_left_alone():
    assert codes(make_study({})) == set()


def test_a_rule_is_filled_in_before_the_study_runs():
    study = ruled(recruitment={"platform": "link"})

    assert codes(study) == {"R441"}
    assert codes(replace(study, size=replace(SIZE, reached=True))) == set()


def test_a_size_below_its_power_is_noted():
    assert codes(replace(ruled(recruitment={"platform": "link"}), size=SIZE)) == {"R443"}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, {"R441", "R442"}),
        ({"site": {"exclude_studies": ["pilot"]}}, {"R441"}),
    ],
)
def test_participants_of_the_pilot_stay_out(parts, expected):
    assert codes(ruled(recruitment={"platform": "prolific"}, **parts)) == expected
