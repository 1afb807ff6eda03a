"""The plans of the starters; the numbers of the four `--like` folders are those of the papers."""

from __future__ import annotations

from collections import Counter

import pytest

from rejudge.design.balance import measure_balance
from rejudge.design.duration import estimate_duration
from rejudge.design.plan import items_on_task


def sizes(plan):
    return {len(batch.tasks) for batch in plan.main}


def datasets_of(study, plan):
    judged = {task.item for task in plan.tasks() if task.is_real}
    return Counter(study.item[item].dataset for item in judged)


def test_the_plan_is_even_in_everything_that_is_measured(study, plan):
    assert measure_balance(study, plan).is_even
    assert plan.notes == ()


def test_stated_minutes_are_near_the_estimate(study, plan):
    """Within a half and twice of it: both are rough, but of the same size."""
    stated, estimated = study.spec.payment.minutes, estimate_duration(study, plan).minutes
    assert estimated / 2 < stated < 2 * estimated


def test_paraphrase_pairs_are_60_batches_of_32_tasks_for_3_people(study_of, plan_of):
    """300 sentences × 6 pairs = 1,800 tasks = 60 × 30, and 2 checks in each batch."""
    plan = plan_of("paraphrase-pairs")
    assert (len(plan.main), sizes(plan), plan.places) == (60, {32}, 180)
    assert {len(batch.real) for batch in plan.main} == {30}
    assert datasets_of(study_of("paraphrase-pairs"), plan) == {
        "web-questions": 100,
        "forum": 100,
        "captions": 100,
    }


def test_question_paraphrases_are_40_batches_of_32_tasks_for_3_people(study_of, plan_of):
    """200 questions × 6 pairs = 1,200 tasks = 40 × 30, and one check of each kind per batch."""
    plan = plan_of("question-paraphrases")
    assert (len(plan.main), sizes(plan), plan.places) == (40, {32}, 120)
    checks = [Counter(task.check for task in batch.tasks if task.check) for batch in plan.main]
    assert all(found == {"other-question": 1, "unchanged-question": 1} for found in checks)
    assert datasets_of(study_of("question-paraphrases"), plan) == {
        "encyclopaedia": 100,
        "advice": 100,
    }


def test_dialogue_summaries_are_10_shared_dialogues_and_30_for_each_of_three(study_of, plan_of):
    """10 + 3 × 30 = 100 dialogues; a dialogue has 2 roles × 4 systems = 8 tasks."""
    study, plan = study_of("dialogue-summaries"), plan_of("dialogue-summaries")
    shared = [batch for batch in plan.batches if batch.is_calibration]
    assert [(len(batch.tasks), batch.participants) for batch in shared] == [(80, 3)]
    assert [(len(batch.tasks), batch.participants) for batch in plan.main] == [(240, 1)] * 3
    dialogues = [{study.item[task.item].group for task in b.tasks} for b in plan.batches]
    assert [len(groups) for groups in dialogues] == [10, 30, 30, 30]
    assert len(set().union(*dialogues)) == 100


def test_definitions_are_10_lists_of_30_for_the_same_two_people(plan_of):
    plan = plan_of("definitions")
    assert (len(plan.main), sizes(plan), plan.places, plan.people) == (10, {30}, 20, 2)
    assert all(
        Counter(task.options[0] for task in batch.tasks)
        == {"rerank": 10, "steerlm": 10, "twomodel": 10}
        for batch in plan.main
    )


@pytest.mark.parametrize(
    ("kind", "batches", "tasks"),
    [
        ("pairwise", 6, 2 * 6 + 2),  # 2 inputs × 6 pairs, 2 checks
        ("rating", 4, 3 * 4 + 2),  # 3 inputs × 4 systems
        ("slider", 3, 4 * 4 + 2),
        ("best-worst", 6, 2 * 4 + 2),  # 4 threes of 4 systems
        ("ranking", 3, 4 + 1),  # all systems at once
        ("segments", 6, 2 * 4 + 1),
    ],
)
def test_the_small_starters_use_12_inputs_and_keep_4_for_checks(
    study_of, plan_of, kind, batches, tasks
):
    study, plan = study_of(kind), plan_of(kind)
    assert (len(plan.main), sizes(plan), plan.main[0].participants) == (batches, {tasks}, 3)
    assert datasets_of(study, plan) == {"town": 6, "science": 6}
    assert len(study.items) == 16


@pytest.mark.parametrize("name", ["paraphrase-pairs", "question-paraphrases"])
def test_checks_contrast_sentences_that_differ_at_a_glance(plan_of, name):
    """The files repeat 27 frames in order with other words; two of one frame are too alike."""
    checks = [task for task in plan_of(name).tasks() if task.kind == "check"]
    shown = [{(item[0], int(item[1:]) % 27) for item in items_on_task(task)} for task in checks]
    assert all(
        len(frames) == len(items_on_task(t)) for frames, t in zip(shown, checks, strict=True)
    )
