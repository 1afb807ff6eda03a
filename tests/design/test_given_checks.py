"""Checks among given batches: recognised by their texts or named, with their answers."""

from __future__ import annotations

from typing import Any

import pytest
from given_tables import mturk_input, paraphrase_study, problems, read
from studies import make_study


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
