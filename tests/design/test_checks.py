"""Tasks with a known right answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from given_tables import mturk_input, paraphrase_study, problems, read
from hypothesis import given, settings
from studies import BEST_WORST, GOLD, RATING, make_study, studies

from property_settings import examples
from rejudge.design.balance import measure_balance
from rejudge.design.draw import draw
from rejudge.design.plan import items_on_task, option_text
from rejudge.errors import DesignError


@settings(max_examples=examples(24), deadline=None)
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
    assert measure_balance(study, plan).answers_by_check == {"gold": {"a": 60, "b": 60}}


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


def test_the_control_tasks_are_recognised_with_their_answers():
    study = paraphrase_study()
    text = mturk_input(study)
    checks = [task for task in read(study, text).plan.batches[0].tasks if task.check]
    assert [task.check for task in checks] == ["other", "copy"]
    assert [task.expected.question for task in checks if task.expected] == [
        "meaning",
        "dissimilarity",
    ]
    assert [task.expected.best for task in checks if task.expected] == ["a", "b"]


def test_a_misspelt_system_with_its_text_is_not_taken_for_a_check():
    study = paraphrase_study()
    item = study.items[0]
    text = (
        "batch,item,a,b,outputa,outputb\n"
        f"x,{item.id},vaee,dips,vae asks for mscoco 0,dips asks for mscoco 0\n"
    )
    assert "no system 'vaee'. Did you mean 'vae'?" in problems(study, text)[0]


def test_a_control_task_without_a_check_in_the_study_says_what_to_add():
    study = make_study(systems=2, inputs=2)
    found = problems(study, "batch,item,a,b\nx,i0,reference,input\n")
    assert "contrast: input" in found[0]


def test_an_instruction_check_needs_its_answer():
    checks = [{"kind": "instruction", "id": "look", "question": "meaning"}]
    study = make_study(systems=2, inputs=2, checks=checks)
    head = "batch,item,a,b,check,answer\nx,i0,sys0,sys1,,\nx,i1,sys0,sys1,look,"
    assert "answer that this instruction asks for is missing" in problems(study, head + "\n")[0]
    task = read(study, head + "B\n").plan.batches[0].tasks[1]
    assert task.expected is not None
    assert (task.expected.best, task.instruction) == (
        "b",
        "This is an attention check. Please choose B.",
    )


def pair_study(*checks: Any):
    return make_study(systems=2, inputs=3, checks=list(checks))


OTHER = {"kind": "gold", "id": "other", "question": "meaning"}


COPY = {"kind": "gold", "id": "copy", "question": "meaning", "contrast": "input"}


@pytest.mark.parametrize(
    ("options", "check", "best"),
    [
        ("reference,input", "copy", "a"),
        ("@input,gold", "copy", "b"),
        ("reference,@reference:i1", "other", "a"),
    ],
)
def test_names_of_texts_say_which_check_it_is(options, check, best):
    study = pair_study(OTHER, COPY)
    task = read(study, f"batch,item,a,b\nx,i0,{options}\nx,i2,sys0,sys1\n").plan.batches[0].tasks[0]
    assert task.check == check
    assert task.expected is not None
    assert task.expected.best == best


def test_two_checks_that_fit_need_a_name():
    study = pair_study(COPY, {**COPY, "id": "copy2"})
    rows = "batch,item,a,b{}\nx,i0,reference,input{}\nx,i1,sys0,sys1{}\n"
    assert "any of the checks 'copy', 'copy2'" in problems(study, rows.format("", "", ""))[0]
    named = read(study, rows.format(",check", ",copy2", ",")).plan
    assert named.batches[0].tasks[0].check == "copy2"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("x,i0,reference,input,copie,", "no check 'copie'"),
        ("x,i0,reference,input,copy,c", "'c' is not one of 'a', 'b'"),
        ("x,i0,reference,mystery,copy,", "its text is not given"),
        ("x,i0,reference,@reference:i99,copy,", "its text is not given"),
    ],
)
def test_a_check_that_cannot_be_used_says_why(row, said):
    found = problems(pair_study(COPY), f"batch,item,a,b,check,answer\n{row}\n")
    assert any(said in each for each in found)


def test_a_text_of_its_own_is_kept_with_the_plan():
    study = pair_study({**OTHER, "id": "own"})
    text = (
        "batch,item,a,b,outputa,outputb\n"
        f"x,i0,gold,bad,{study.items[0].reference},Something else altogether.\n"
        "x,i1,sys0,sys1,,\n"
    )
    plan = read(study, text).plan
    assert list(plan.texts.values()) == ["Something else altogether."]
