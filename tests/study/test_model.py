"""The study as a value: what can be asked of it, and what its fingerprints notice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError

from rejudge.study import PlannedTest, Study, System
from rejudge.study.spelling import did_you_mean, listed, nearest
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


@pytest.mark.parametrize(
    ("answer", "kept"),
    [(4, "4"), (2.5, "2.5"), ("a", "a"), (["a", "c"], "a,c"), ([1, 0.5], "1,0.5"), (100.0, "100")],
)
def test_a_right_answer_may_be_written_as_a_number_or_a_list(answer, kept):
    example = {"input": "x", "outputs": ["y"], "answers": {"q": answer}, "explanation": "z"}
    spec = minimal(practice={"examples": [example]})
    assert spec.practice.examples[0].answers == {"q": kept}


def test_an_instruction_says_which_answer_to_give():
    check = {"kind": "instruction", "id": "c", "question": "q", "text": "Choose well."}
    with pytest.raises(ValidationError, match=r"Write \{answer\}"):
        minimal(checks=[check])


def test_the_nearest_word_is_found_whatever_its_capitals():
    assert nearest("POINTS", ["id", "points"]) == "points"
    assert nearest("id", ["ID ", "input"]) == "ID "
    assert nearest("xyz", ["id", "points"]) is None
    assert did_you_mean("pionts", ["points"]) == "Did you mean 'points'?"


def test_a_long_list_of_words_is_cut():
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed(str(n) for n in range(35)).endswith("'29' and 5 more")


def test_a_planned_test_without_a_direction_is_written_as_before_there_were_any():
    """So that a study frozen earlier keeps its fingerprint."""
    plain = PlannedTest(question="fluency", test="t-test")
    directed = PlannedTest(question="fluency", test="t-test", alternative="less")
    assert plain.model_dump() == {"question": "fluency", "test": "t-test", "unit": None}
    assert directed.model_dump()["alternative"] == "less"
    assert PlannedTest.model_validate(directed.model_dump()) == directed


def test_a_planned_test_with_the_usual_degrees_of_freedom_is_written_without_them():
    adjusted = PlannedTest(question="fluency", test="mixed-model", df="kenward-roger")
    assert "df" not in PlannedTest(question="fluency", test="mixed-model").model_dump()
    assert adjusted.model_dump()["df"] == "kenward-roger"
    assert PlannedTest.model_validate(adjusted.model_dump()) == adjusted


def test_a_planned_test_with_equal_slopes_is_written_without_them():
    free = PlannedTest(question="fluency", test="mixed-model", slopes="free")
    equal = PlannedTest(question="fluency", test="mixed-model", slopes="equal")
    assert equal.model_dump() == {"question": "fluency", "test": "mixed-model", "unit": None}
    assert free.model_dump()["slopes"] == "free"
    assert PlannedTest.model_validate(free.model_dump()) == free


def test_free_slopes_are_for_a_mixed_model_with_satterthwaites_degrees_of_freedom():
    with pytest.raises(ValueError, match="is for a mixed-model, not for t-test"):
        PlannedTest(question="fluency", test="t-test", slopes="free")
    with pytest.raises(ValueError, match="`df: kenward-roger` is not available with"):
        PlannedTest(question="fluency", test="mixed-model", slopes="free", df="kenward-roger")


def test_only_a_mixed_model_has_a_choice_of_degrees_of_freedom():
    with pytest.raises(ValueError, match="is for a mixed-model, not for t-test"):
        PlannedTest(question="fluency", test="t-test", df="kenward-roger")
