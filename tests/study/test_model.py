"""The study as a value: what can be asked of it, its fingerprints, claims and placeholders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rejudge.study.model import PLACEHOLDERS, Study, System, fill_placeholders, placeholders
from small_study import FILES, minimal, parse_files

STUDY = parse_files(FILES)


def test_a_system_is_called_by_its_name_in_tables_and_by_its_id_without_one():
    assert System(id="dips", name="DiPS").label == "DiPS"
    assert System(id="dips").label == System(id="dips").output_column == "dips"


def test_outputs_are_found_by_item_and_system():
    assert STUDY.output("one", "vae") == "How fly birds?"
    assert STUDY.output("six", "lbow") == "Crabs swim?"


def test_questions_are_found_by_the_number_of_outputs_side_by_side():
    assert [question.id for question in STUDY.questions_beside(2)] == ["meaning"]
    assert [question.id for question in STUDY.questions_beside(1)] == ["fluency"]
    assert STUDY.questions_beside(3) == ()


def test_a_study_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        STUDY.spec.title = "Other"


def test_the_fingerprint_is_the_same_for_the_same_words_in_another_layout():
    text = FILES["study.yaml"].replace("[vae, dips]", '["vae",   "dips"]').replace("\n", "\r\n")
    again = parse_files({**FILES, "study.yaml": "# a comment\n" + text})
    assert again.fingerprint == STUDY.fingerprint


@pytest.mark.parametrize(
    "other",
    [
        replace(STUDY, pages={"consent": "Yes"}),
        replace(STUDY, items=STUDY.items[:-1]),
        replace(STUDY, items=(replace(STUDY.items[0], input="?"), *STUDY.items[1:])),
        replace(STUDY, spec=minimal()),
    ],
)
def test_the_fingerprint_changes_with_any_word(other: Study):
    assert other.fingerprint != STUDY.fingerprint


def test_the_line_of_an_item_is_no_part_of_its_fingerprint():
    moved = tuple(replace(item, line=item.line + 1) for item in STUDY.items)
    assert replace(STUDY, items=moved).fingerprint == STUDY.fingerprint


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
    assert fill_placeholders(text, {"a": "x"}) == text


def test_doubled_braces_are_braces():
    assert list(placeholders("{{minutes}}")) == []
    assert fill_placeholders("{{minutes}} is {minutes}", {"minutes": "8"}) == "{minutes} is 8"


def test_a_name_without_a_value_stays():
    assert fill_placeholders("{minutes} {other}", {"minutes": "8"}) == "8 {other}"


def test_a_value_is_not_filled_again():
    assert fill_placeholders("{title}", {"title": "{minutes}", "minutes": "8"}) == "{minutes}"


@given(st.text())
def test_any_text_can_be_written_by_doubling_its_braces(text):
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert fill_placeholders(doubled, dict.fromkeys(PLACEHOLDERS, "?")) == text


@given(st.text().filter(lambda text: "{" not in text and "}" not in text))
def test_text_without_braces_is_left_as_it_is(text):
    assert fill_placeholders(text, dict.fromkeys(PLACEHOLDERS, "?")) == text


def test_the_guide_explains_every_placeholder():
    guide = Path(__file__).parents[2] / "docs" / "guide" / "participants-site.md"
    text = guide.read_text(encoding="utf-8")
    rows = [f"| `{{{name}}}` | {meaning} |" for name, meaning in PLACEHOLDERS.items()]
    assert "\n".join(rows) in text
