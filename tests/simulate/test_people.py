"""Simulated people judge a plan as they were told to, and take every place of it."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import (
    BEST_WORST,
    EVERY_KIND,
    PAIRWISE,
    RANKING,
    RATING,
    checked_study,
    drawn,
    small_study,
)
from rejudge.errors import DataError
from rejudge.judgments import check_counts, exclude, tabulate
from rejudge.simulate import SimulatedPeople, judge, seats


def answers_to(study, *, seed=1, people=None, quality=None):
    plan = drawn(study)
    rng = np.random.default_rng(seed)
    return plan, judge(study, plan, rng=rng, people=people, quality=quality)


def won(table, system):
    is_a = table.system_a.codes == table.system_a.code(system)
    is_b = table.system_b.codes == table.system_b.code(system)
    return float(np.concatenate([table.value[is_a], 1 - table.value[is_b]]).mean())


@pytest.mark.parametrize("question", EVERY_KIND, ids=[q["kind"] for q in EVERY_KIND])
def test_every_kind_of_question_gets_an_answer_that_it_accepts(question):
    """`tabulate` refuses what is no answer."""
    study = checked_study(question)
    plan, answers = answers_to(study, people=SimulatedPeople(careless=0.3))
    tabulate(study, plan, answers)
    expected = sum(batch.participants * len(batch.tasks) for batch in plan.batches)
    assert len(answers) == expected


def test_several_questions_on_one_page_share_its_time():
    study = small_study(PAIRWISE, {**PAIRWISE, "id": "style"})
    _, answers = answers_to(study)
    seconds = defaultdict(set)
    for answer in answers:
        seconds[answer.participant, answer.task].add(answer.seconds)
    assert {len(each) for each in seconds.values()} == {1}


def test_the_same_seed_gives_the_same_answers():
    study = checked_study(PAIRWISE)
    assert answers_to(study, seed=3)[1] == answers_to(study, seed=3)[1]
    assert answers_to(study, seed=3)[1] != answers_to(study, seed=4)[1]


def test_better_systems_win_more_often():
    study = small_study(PAIRWISE, inputs=60)
    quality = {"ash": -1.0, "beech": 0.0, "cedar": 1.0}
    plan, answers = answers_to(study, quality=quality)
    table = tabulate(study, plan, answers)
    assert won(table, "cedar") > won(table, "beech") > won(table, "ash")


def test_equal_systems_win_half_of_the_time():
    """60 inputs × 3 pairs × 3 people = 540 comparisons; ±4 standard errors with clusters of 3."""
    study = small_study(PAIRWISE, inputs=60)
    plan, answers = answers_to(study, quality=dict.fromkeys(("ash", "beech", "cedar"), 0.0))
    assert won(tabulate(study, plan, answers), "ash") == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("question", [RANKING, BEST_WORST])
def test_better_systems_stand_higher_among_several(question):
    study = small_study(question, inputs=40)
    plan, answers = answers_to(study, quality={"ash": 1.0, "beech": 0.0, "cedar": -1.0})
    table = tabulate(study, plan, answers)
    assert won(table, "ash") > won(table, "beech") > won(table, "cedar")


def test_better_systems_score_higher():
    study = small_study(RATING, inputs=40)
    plan, answers = answers_to(study, quality={"ash": 1.0, "beech": 0.0, "cedar": -1.0})
    table = tabulate(study, plan, answers)
    means = [table.value[table.system.codes == code].mean() for code in range(3)]
    assert means[0] > means[1] > means[2]


def test_a_bias_of_side_pulls_to_what_is_shown_first():
    study = small_study(PAIRWISE, inputs=60)
    plan, answers = answers_to(study, people=SimulatedPeople(side_bias=1.5))
    chosen = Counter(answer.raw for answer in answers)
    assert chosen["a"] > 1.5 * chosen["b"]
    assert plan.places == len({answer.participant for answer in answers})


def test_careless_people_fail_checks_and_attentive_ones_hardly_ever():
    study = checked_study(RATING, inputs=60)
    plan, answers = answers_to(study, people=SimulatedPeople(careless=1.0))
    (careless,) = check_counts(study, plan, tabulate(study, plan, answers))
    plan, answers = answers_to(study, people=SimulatedPeople(careless=0.0, slip=0.0))
    (attentive,) = check_counts(study, plan, tabulate(study, plan, answers))
    assert careless.failed > careless.answered / 4
    assert attentive.failed == 0


def test_careless_people_are_fast_and_are_left_out():
    study = checked_study(PAIRWISE, inputs=60)
    plan, answers = answers_to(study, people=SimulatedPeople(careless=0.5))
    found = exclude(study, plan, tabulate(study, plan, answers))
    assert np.median(found.excluded.seconds) < np.median(found.kept.seconds) / 2


def test_without_a_quality_systems_get_worse_in_the_order_of_the_study():
    study = small_study(PAIRWISE, inputs=60)
    plan, answers = answers_to(study)
    table = tabulate(study, plan, answers)
    assert won(table, "ash") > won(table, "cedar")


def test_a_quality_for_a_system_that_is_not_there_is_refused():
    with pytest.raises(DataError, match="'oak' is in only one"):
        answers_to(small_study(PAIRWISE), quality={"ash": 1, "beech": 0, "cedar": 0, "oak": 0})


def taken(**design: int | str):
    plan = drawn(small_study(PAIRWISE, design=design))
    return plan, seats(plan)


@given(people=st.integers(1, 4), batches=st.integers(1, 4))
def test_every_place_is_taken_once(people, batches):
    plan, found = taken(participants_per_batch=people, batches_per_participant=batches)
    places = Counter(seat.batch.id for own in found for seat in own)
    assert places == {batch.id: batch.participants for batch in plan.main}
    numbers = Counter((seat.batch.id, seat.number) for own in found for seat in own)
    assert set(numbers.values()) == {1}


@given(batches=st.integers(1, 4))
def test_nobody_gets_more_batches_than_the_plan_allows_or_one_twice(batches):
    _, found = taken(batches_per_participant=batches)
    for own in found:
        names = [seat.batch.id for seat in own]
        assert len(names) == len(set(names)) <= batches


def test_everybody_does_the_calibration_first():
    plan, found = taken(calibration=2, batches_per_participant=2)
    assert any(batch.is_calibration for batch in plan.batches)
    assert all(own[0].batch.is_calibration for own in found)
    assert not any(seat.batch.is_calibration for own in found for seat in own[1:])


def test_nobody_meets_an_input_in_two_batches():
    plan, found = taken(inputs="apart", batches_per_participant=3)
    assert plan.conflicts
    for own in found:
        names = {seat.batch.id for seat in own}
        assert all(names.isdisjoint(plan.conflicts.get(name, ())) for name in names)
