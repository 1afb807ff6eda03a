"""The standard conditions of measurement: keys, words and the values they hold."""

from __future__ import annotations

import pytest

from paper_faults import PAPER, only_problem
from rejudge.paper.conditions import PROPERTIES, property_of


def test_an_unknown_condition_comes_with_the_nearest():
    problem = only_problem("platform: Prolific", "plattform: Prolific")
    assert problem.what == "there is no condition 'plattform'."
    assert problem.remedy.startswith("Did you mean 'platform'?")
    assert "there is no condition" in only_problem("property: platform", "property: weather").what


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("items: 50", "items: many"),
        ("platform: Prolific", "platform: 3"),
        ("blind: true", "blind: perhaps"),
        ("countries: [GB, US]", "countries: GB"),
        ("items: 50", "items: [50]"),
        ("items: 50", "items: "),
        ("items: 50", "items: {a: 1}"),
    ],
)
def test_a_condition_holds_what_it_says(before, after):
    assert only_problem(before, after).field == f"conditions.{before.partition(':')[0]}"


@pytest.mark.parametrize("value", ["3", "[a]", "", "many"])
def test_conditions_are_keys_and_values(value):
    before = PAPER.splitlines()[16]
    assert before.startswith("conditions: ")
    problem = only_problem(before, f"conditions: {value}")
    assert "platform: Prolific" in problem.remedy


def test_every_standard_condition_is_known_once_and_has_words():
    keys = [known.key for known in PROPERTIES]
    assert len(keys) == len(set(keys))
    assert all(
        known.title and known.says and property_of(known.key) == known for known in PROPERTIES
    )


def test_a_condition_of_ones_own_has_a_title():
    own = property_of("x-time-of-day")
    assert own is not None
    assert (own.title, own.group) == ("Time of day", "other")
    assert property_of("x-") is None
    assert property_of("weather") is None
