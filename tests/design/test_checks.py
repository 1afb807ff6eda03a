"""Tasks with a known right answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from studies import BEST_WORST, GOLD, RATING, make_study, studies

from property_settings import examples
from rejudge.design import draw, items_on_task, measure, option_text
from rejudge.errors import DesignError


@settings(max_examples=examples(40), deadline=None)
@given(studies())
def test_a_check_shows_only_items_that_nobody_judges(study):
    plan = draw(study)
    judged = {study.item[task.item].group for task in plan.tasks() if task.is_real}
    lent = {
        study.item[i].group for t in plan.tasks() if t.kind == "check" for i in items_on_task(t)
    }
    assert not judged & lent


def test_the_wrong_option_of_a_check_stands_on_both_sides_equally_often():
    """In the study that Arvan & Parde (2024) reproduced it was always A."""
    study = make_study(inputs=330, sample=300, checks=[{**GOLD, "per_batch": 2}])
    plan = draw(study)
    assert measure(study, plan).answers_by_check == {"gold": {"a": 60, "b": 60}}


def test_the_expected_answer_of_a_gold_check_is_its_own_reference():
    study = make_study(inputs=330, sample=300, checks=[GOLD])
    plan = draw(study)
    checks = [task for task in plan.tasks() if task.kind == "check"]
    assert len(checks) == 60
    for task in checks:
        right = task.options["ab".index(task.expected.best)]
        assert option_text(study, plan, task, right) == study.item[task.item].reference


def test_a_check_against_the_input_expects_the_reference():
    study = make_study(inputs=12, sample=10, checks=[{**GOLD, "contrast": "input"}])
    for task in (t for t in draw(study).tasks() if t.kind == "check"):
        assert set(task.options) == {"@reference", "@input"}
        assert task.options["ab".index(task.expected.best)] == "@reference"


def test_a_check_of_one_output_expects_the_lower_half_of_the_scale():
    """Four points 1–4: the lower half ends at 2."""
    study = make_study(
        inputs=14, sample=10, questions=[RATING], checks=[{**GOLD, "question": "fluency"}]
    )
    (expected,) = {t.expected for t in draw(study).tasks() if t.kind == "check"}
    assert (expected.at_least, expected.at_most) == (None, 2)


def test_an_instruction_names_the_answer_that_is_expected():
    check = {"id": "imc", "kind": "instruction", "question": "meaning", "text": "Take {answer}!"}
    study = make_study(inputs=40, sample=30, checks=[check])
    tasks = [t for t in draw(study).tasks() if t.kind == "check"]
    assert {t.instruction for t in tasks} == {"Take A!", "Take B!"}
    assert all(t.instruction == f"Take {t.expected.best.upper()}!" for t in tasks)


def test_nonsense_is_made_of_the_words_of_two_references_and_loses():
    check = {"id": "salad", "kind": "nonsense", "question": "meaning"}
    study = make_study(inputs=14, sample=10, checks=[check])
    plan = draw(study)
    references = {item.reference for item in study.items}
    for task in (t for t in plan.tasks() if t.kind == "check"):
        wrong = task.options["ba".index(task.expected.best)]
        text = option_text(study, plan, task, wrong)
        assert text not in references
        assert max(text.split()) == "part"
        assert text.split().count("Reference") == 2


def test_a_check_aimed_at_a_question_that_is_not_asked_is_refused():
    """Arvan & Parde (2024) kept a check of dissimilarity and asked for meaning only."""
    study = make_study(checks=[{**GOLD, "question": "dissimilarity"}])
    with pytest.raises(DesignError, match="'dissimilarity', which is not asked"):
        draw(study)


def test_checks_use_items_of_other_batches_when_none_is_left_and_say_so():
    study = make_study(inputs=20, checks=[GOLD])
    plan = draw(study)
    assert any("items of other batches" in note for note in plan.notes)
    for batch in plan.batches:
        judged = {task.item for task in batch.real}
        assert not any(judged & set(items_on_task(t)) for t in batch.tasks if t.kind == "check")


def test_a_check_without_any_item_to_make_it_from_is_refused():
    study = make_study(inputs=5, checks=[GOLD])
    with pytest.raises(DesignError, match="no items left to make the check 'gold' from"):
        draw(study)


def test_a_check_of_several_outputs_is_as_wide_as_the_question():
    """Even where most outputs are copies of the input, which are shown last of all."""
    study = make_study(
        inputs=12, sample=10, questions=[BEST_WORST], checks=[{**GOLD, "question": "best"}]
    )
    copied = tuple(replace(item, outputs=(item.input,) * 4) for item in study.items)
    plan = draw(replace(study, items=copied))
    assert {len(task.options) for task in plan.tasks()} == {3}
