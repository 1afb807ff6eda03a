"""The plan: complete, balanced, seeded."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from studies import BEST_WORST, GOLD, RATING, make_study, studies

from property_settings import examples
from rejudge.design.balance import measure_balance
from rejudge.design.draw import draw
from rejudge.errors import DesignError

SEGMENTS = {"id": "red", "kind": "segments", "prompt": "Redundant?", "points": 3, "lowest": 0}


@settings(max_examples=examples(30), deadline=None)
@given(studies())
def test_a_plan_is_whole_and_in_order(study):
    """Everything is there once; checks are never first; repeats follow their originals."""
    plan = draw(study)
    real = Counter((task.item, frozenset(task.options)) for task in plan.tasks() if task.is_real)
    assert set(real.values()) == {1}
    assert len({task.id for task in plan.tasks()}) == sum(len(b.tasks) for b in plan.batches)
    for batch in plan.batches:
        assert batch.tasks[0].is_real
        place = {task.id: number for number, task in enumerate(batch.tasks)}
        assert all(place[t.repeats] < place[t.id] for t in batch.tasks if t.repeats is not None)
        assert all((t.repeats is not None) == (t.kind == "repeat") for t in batch.tasks)
    assert measure_balance(study, plan).most_uneven_in_a_batch <= 1


@settings(max_examples=examples(30), deadline=None)
@given(studies())
def test_the_same_study_gives_the_same_plan(study):
    assert draw(study) == draw(study)


@settings(max_examples=examples(40), deadline=None)
@given(studies())
def test_inputs_stay_together_apart_or_anywhere_as_asked(study):
    plan = draw(study)
    groups = {
        batch.id: Counter(study.item[task.item].group for task in batch.real) for batch in plan.main
    }
    if study.spec.design.inputs == "together":
        assert sum(len(found) for found in groups.values()) == len(set().union(*groups.values()))
    if study.spec.design.inputs == "apart":
        assert all(set(found.values()) == {1} for found in groups.values())
        assert all(
            (other in plan.conflicts[batch]) == bool(groups[batch].keys() & groups[other].keys())
            for batch in groups
            for other in groups
            if batch != other
        )


def test_five_inputs_by_six_pairs_and_two_checks_make_sixty_batches_of_thirty_two():
    """The shape of Arvan & Parde (2024): 300 sentences, 4 systems, 3 people per batch."""
    study = make_study(inputs=330, datasets=3, sample=300, checks=[{**GOLD, "per_batch": 2}])
    plan = draw(study)
    assert [len(batch.tasks) for batch in plan.batches] == [32] * 60
    assert plan.places == 180
    assert all(len({task.item for task in batch.real}) == 5 for batch in plan.batches)


def test_sides_are_exactly_even_over_sixty_equal_batches():
    """Every pair is shown 300 times, so 150 each way; every system 900 times, 450 each way."""
    study = make_study(inputs=300)
    balance = measure_balance(study, draw(study))
    assert set(balance.sides_by_pair.values()) == {(150, 150)}
    assert set(balance.places_by_system.values()) == {(450, 450)}
    assert balance.most_uneven_in_a_batch == 1  # five of each pair cannot be split evenly


def test_ten_shared_and_thirty_each_of_a_hundred_dialogues():
    """The shape of Ito et al. (2023): three people, four systems, two summaries per dialogue."""
    study = make_study(
        inputs=100,
        items_per_input=2,
        questions=[SEGMENTS],
        design={"batch": {"inputs": 30}, "participants_per_batch": 1, "calibration": 10},
    )
    plan = draw(study)
    inputs = [len({study.item[t.item].group for t in b.real}) for b in plan.batches]
    assert inputs == [10, 30, 30, 30]
    assert [batch.participants for batch in plan.batches] == [3, 1, 1, 1]
    assert [len(batch.tasks) for batch in plan.batches] == [80, 240, 240, 240]
    assert plan.batches[0].is_calibration
    assert plan.people == 3


def test_ten_lists_of_thirty_show_each_system_ten_times():
    """The shape of van Miltenburg et al. (2024): 100 terms, 3 systems, 10 lists of 30."""
    study = make_study(
        inputs=100,
        systems=3,
        datasets=2,
        questions=[RATING],
        design={
            "inputs": "anywhere",
            "batch": {"tasks": 30},
            "participants_per_batch": 2,
            "batches_per_participant": 10,
        },
    )
    plan = draw(study)
    assert [len(batch.tasks) for batch in plan.batches] == [30] * 10
    assert all(
        set(Counter(task.options[0] for task in batch.tasks).values()) == {10}
        for batch in plan.batches
    )
    assert plan.people == 2


def test_every_text_scored_by_segments_is_cut_in_the_plan():
    study = make_study(inputs=6, questions=[SEGMENTS])
    plan = draw(study)
    assert len(plan.segments) == 6 * 4
    first, second = plan.segments["i0/sys0"]
    assert study.output("i0", "sys0")[:first].strip() == "Output 0/0 of 0."
    assert second == len(study.output("i0", "sys0"))


def test_two_ways_of_cutting_the_same_text_are_refused():
    other = {**SEGMENTS, "id": "flu", "split": "lines"}
    with pytest.raises(DesignError, match="split it in different ways"):
        draw(make_study(questions=[SEGMENTS, other]))


def test_named_pairs_are_the_only_ones_compared():
    pairs = [["sys0", "sys1"], ["sys0", "sys2"]]
    study = make_study(design={"pairs": pairs})
    found = {frozenset(task.options) for task in draw(study).tasks()}
    assert found == {frozenset(pair) for pair in pairs}


def test_best_worst_tuples_are_a_balanced_design_for_every_input():
    """Four systems, three at a time: four tuples, each two systems meet twice."""
    study = make_study(inputs=6, questions=[BEST_WORST])
    plan = draw(study)
    met = Counter(
        (task.item, pair) for task in plan.tasks() for pair in combinations(sorted(task.options), 2)
    )
    assert set(met.values()) == {2}
    assert plan.notes == ("Batches are not equally long: 4 to 20 tasks.",)


def test_tuples_that_cannot_be_balanced_are_near_balanced_and_say_so():
    """Seven systems, three at a time: 7 blocks, so 5 inputs × 2 tuples go round 1 and 3/7 times.

    Once round shows each system three times. Three lines of the Fano plane that do not all meet
    in one point cross in three points and miss one, so 3 + 0 to 3 + 2 times in all.
    """
    study = make_study(inputs=5, systems=7, questions=[BEST_WORST], design={"tuples_per_input": 2})
    plan = draw(study)
    (note,) = plan.notes
    assert "near-balanced" in note
    assert "shown 3 to 5 times" in note


def test_tuples_of_all_inputs_together_can_be_a_balanced_design():
    """7 inputs × 1 tuple of 3 out of 7 systems: the Fano plane once."""
    study = make_study(inputs=7, systems=7, questions=[BEST_WORST], design={"tuples_per_input": 1})
    met = Counter(p for t in draw(study).tasks() for p in combinations(sorted(t.options), 2))
    assert set(met.values()) == {1}
    assert len(met) == 21


def test_nobody_can_be_given_more_batches_than_share_no_input():
    study = make_study(
        inputs=10, questions=[RATING], design={"inputs": "apart", "batches_per_participant": 3}
    )
    with pytest.raises(DesignError, match="3 batches without seeing an input twice"):
        draw(study)


def test_lists_need_inputs_with_equally_many_tasks():
    """One group of two items × 4 systems among groups of one: 4 to 8 tasks."""
    study = make_study(inputs=6, questions=[RATING], design={"inputs": "apart"})
    joined = tuple(replace(item, group="i0") if item.id == "i1" else item for item in study.items)
    with pytest.raises(DesignError, match="inputs have 4 to 8 tasks"):
        draw(replace(study, items=joined))


def test_an_input_too_large_for_a_batch_is_refused():
    with pytest.raises(DesignError, match="an input has 6 tasks, but a batch holds 5"):
        draw(make_study(design={"batch": {"tasks": 5}}))


def test_calibration_must_leave_inputs_for_the_batches():
    with pytest.raises(DesignError, match="10 of 10 inputs are for calibration"):
        draw(make_study(inputs=10, design={"calibration": 10}))


def test_adding_a_check_moves_no_side_and_no_batch():
    """Each part of the plan draws from its own stream of chance."""
    plain = draw(make_study(inputs=40, sample=30))
    checked = draw(make_study(inputs=40, sample=30, checks=[GOLD]))
    assert [[(t.item, t.options) for t in b.real] for b in plain.batches] == [
        [(t.item, t.options) for t in b.real] for b in checked.batches
    ]


def test_another_seed_gives_another_plan():
    assert draw(make_study(seed=1)).batches != draw(make_study(seed=2)).batches


def test_mirrored_repeats_show_the_options_the_other_way_round():
    study = make_study(inputs=10, design={"repeats": {"share": 0.1}})
    plan = draw(study)
    by_id = {task.id: task for task in plan.tasks()}
    repeats = [task for task in plan.tasks() if task.kind == "repeat"]
    assert len(repeats) == 2 * 3  # a tenth of 30 in each of two batches
    assert all(task.options == by_id[task.repeats].options[::-1] for task in repeats)
