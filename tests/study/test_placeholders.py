"""Placeholders in pages: which are found, and how they are filled."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from rejudge.study import PLACEHOLDERS, fill, placeholders


def test_a_word_in_braces_is_a_placeholder():
    assert list(placeholders("{minutes}, {tasks}; {a-b} {c_d}")) == [
        "minutes",
        "tasks",
        "a-b",
        "c_d",
    ]


def test_other_braces_are_text():
    text = "{} {1} { a } {a b} {a,b} {'a': 1} }{ {é}"
    assert list(placeholders(text)) == []
    assert fill(text, {"a": "x"}) == text


def test_doubled_braces_are_braces():
    assert list(placeholders("{{minutes}}")) == []
    assert fill("{{minutes}} is {minutes}", {"minutes": "8"}) == "{minutes} is 8"


def test_a_name_without_a_value_stays():
    assert fill("{minutes} {other}", {"minutes": "8"}) == "8 {other}"


def test_a_value_is_not_filled_again():
    assert fill("{title}", {"title": "{minutes}", "minutes": "8"}) == "{minutes}"


@given(st.text())
def test_any_text_can_be_written_by_doubling_its_braces(text):
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert fill(doubled, dict.fromkeys(PLACEHOLDERS, "?")) == text


@given(st.text().filter(lambda text: "{" not in text and "}" not in text))
def test_text_without_braces_is_left_as_it_is(text):
    assert fill(text, dict.fromkeys(PLACEHOLDERS, "?")) == text


def test_the_guide_explains_every_placeholder():
    guide = Path(__file__).parents[2] / "docs" / "guide" / "participants-site.md"
    text = guide.read_text(encoding="utf-8")
    rows = [f"| `{{{name}}}` | {meaning} |" for name, meaning in PLACEHOLDERS.items()]
    assert "\n".join(rows) in text
