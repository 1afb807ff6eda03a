"""A key of study.yaml is changed, and the rest stays as it was written."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bundled
from property_settings import examples
from rejudge.bundle.yaml_edit import key_path, set_key, typed_value
from rejudge.errors import UsageError
from rejudge.study.yaml_file import read_yaml

TEXT = bundled.STUDY


def values(text):
    return read_yaml(text, file="study.yaml").values


def lines(text, key, given):
    """The lines that a change takes out and puts in."""
    new = set_key(text, key, typed_value(given))
    found = difflib.ndiff(text.splitlines(), new.splitlines())
    return [line for line in found if line[0] in "+-"]


@pytest.mark.parametrize(
    ("key", "given", "shown"),
    [
        (
            "recruitment.platform",
            "prolific",
            ["-   platform: link", "+   platform: prolific"],
        ),
        (
            "design.participants_per_batch",
            "15",
            [
                "-   participants_per_batch: 3   # how many people judge each batch",
                "+   participants_per_batch: 15  # how many people judge each batch",
            ],
        ),
        (
            "questions.fluency.points",
            "7",
            ["-     points: 5          # from 1", "+     points: 7          # from 1"],
        ),
        (
            "payment.reward",
            "2",
            ["- payment: {reward: 1.5, minutes: 4}", "+ payment: {reward: 2, minutes: 4}"],
        ),
        (
            "payment.currency",
            "EUR",
            [
                "- payment: {reward: 1.5, minutes: 4}",
                "+ payment: {reward: 1.5, minutes: 4, currency: EUR}",
            ],
        ),
        ("recruitment.regions", "[GB, US]", ['+   regions: ["GB", "US"]']),
        ("systems.beech.name", "", ["-     name: Beech"]),
        ("practice.attempts", "2", ['+ practice: {"attempts": 2}']),
        ("ethics", "", ["- ethics: Board of trees, 2026-7"]),
        (
            "title",
            "Which: one #3?",
            ["- title: Which sentence is better?", '+ title: "Which: one #3?"'],
        ),
        (
            "claims.best.says",
            "ash > beech on meaning",
            [
                "-   - {id: best, says: ash best on meaning}",
                "+   - {id: best, says: ash > beech on meaning}",
            ],
        ),
        (
            "analysis.tests",
            "[{question: meaning, test: sign-flip}]",
            [
                "-   tests:",
                "-     - {question: meaning, test: cluster-robust}",
                "-     - {question: fluency, test: mixed-model}",
                '+   tests: [{"question": "meaning", "test": "sign-flip"}]',
            ],
        ),
    ],
)
def test_only_the_lines_of_the_key_change(key, given, shown):
    assert sorted(lines(TEXT, key, given)) == sorted(shown)


def test_a_key_is_taken_out_of_braces_too():
    assert lines(TEXT, "payment.reward", "") == [
        "- payment: {reward: 1.5, minutes: 4}",
        "+ payment: {minutes: 4}",
    ]


def test_where_the_layout_cannot_be_kept_the_values_are():
    whole = set_key("id: trees\nsystems: [ash, beech]\n", "systems.ash", None)
    assert values(whole) == {"id": "trees", "systems": ["beech"]}


def test_taking_away_what_is_not_there_changes_nothing():
    assert set_key(TEXT, "practice.attempts", None) == TEXT


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("5", 5), ("2.50", 2.5), ("false", False), ("", None), ("null", None), ("link", "link"),
        ("[GB, US]", ["GB", "US"]), ("{inputs: 4}", {"inputs": 4}), ("'5'", "5"),
        ("Which: one", "Which: one"), ("Nr #3", "Nr #3"), ("{broken", "{broken"),
        ("a, b", "a, b"), ("*star", "*star"),
    ],
)  # fmt: skip
def test_a_value_is_typed_as_in_study_yaml_and_words_need_no_quotes(given, value):
    assert typed_value(given) == value


def test_ids_with_dots_in_them_are_found():
    entries = {"systems": [{"id": "t5"}, {"id": "t5.1", "name": "T5"}]}
    assert key_path(entries, "systems.t5.1.name") == ("systems", 1, "name")
    assert key_path(entries, "systems.t5.name") == ("systems", 0, "name")


def test_an_entry_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(UsageError, match="The entries are meaning, fluency"):
        set_key(TEXT, "questions.adequacy.points", 7)


@pytest.mark.parametrize("key", ["", ".", "design..seed", "design."])
def test_what_is_no_key_is_refused(key):
    with pytest.raises(UsageError, match="is not a key"):
        set_key(TEXT, key, 1)


@settings(max_examples=examples(50))
@given(
    st.sampled_from(
        ["title", "ethics", "payment.reward", "site.back", "questions.fluency.prompt", "contact"]
    ),
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), min_size=1)
    | st.lists(st.sampled_from(["GB", "no", "1", "~"]), min_size=1),
)
def test_whatever_is_written_reads_back_as_that_and_all_else_as_before(key, value):
    new = values(set_key(TEXT, key, value))
    path = key_path(new, key)
    found, rest = new, values(TEXT)
    for step in path:
        found = found.get(step) if isinstance(found, dict) else found[step]
    assert found == value
    top = path[0]
    assert {k: v for k, v in new.items() if k != top} == {k: v for k, v in rest.items() if k != top}
