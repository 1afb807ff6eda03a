"""Simulated people judge a plan as they were told to, and take every place of it."""

from __future__ import annotations

from collections import Counter

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
from rejudge.judgments.answers import check_counts, tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge, participant_seats


def answers_to(study, *, seed=1, parameters=None):
    plan = drawn(study)
    rng = np.random.default_rng(seed)
    return plan, judge(study, plan, rng=rng, parameters=parameters)


SYSTEMS = ("ash", "beech", "cedar")
FALLING = Parameters({"ash": 1.0, "beech": 0.0, "cedar": -1.0})


def won(table, system):
    is_a = table.system_a.codes == table.system_a.code(system)
    is_b = table.system_b.codes == table.system_b.code(system)
    return float(np.concatenate([table.value[is_a], 1 - table.value[is_b]]).mean())


@pytest.mark.parametrize("question", EVERY_KIND, ids=[q["kind"] for q in EVERY_KIND])
def test_every_kind_of_question_gets_an_answer_that_it_accepts(question):
    """`tabulate` refuses what is no answer."""
    study = checked_study(question)
    plan, answers = answers_to(study, parameters=Parameters(careless=0.3))
    tabulate(study, plan, answers)
    expected = sum(batch.participants * len(batch.tasks) for batch in plan.batches)
    assert len(answers) == expected


def test_the_same_seed_gives_the_same_answers():
    study = checked_study(PAIRWISE)
    assert answers_to(study, seed=3)[1] == answers_to(study, seed=3)[1]
    assert answers_to(study, seed=3)[1] != answers_to(study, seed=4)[1]


def test_better_systems_win_more_often():
    study = small_study(PAIRWISE, inputs=60)
    quality = {"ash": -1.0, "beech": 0.0, "cedar": 1.0}
    plan, answers = answers_to(study, parameters=Parameters(quality))
    table = tabulate(study, plan, answers)
    assert won(table, "cedar") > won(table, "beech") > won(table, "ash")


def test_careless_people_fail_checks_and_attentive_ones_hardly_ever():
    study = checked_study(RATING, inputs=60)
    plan, answers = answers_to(study, parameters=Parameters(careless=1.0))
    (careless,) = check_counts(study, plan, tabulate(study, plan, answers))
    plan, answers = answers_to(study, parameters=Parameters(careless=0.0, slip=0.0))
    (attentive,) = check_counts(study, plan, tabulate(study, plan, answers))
    assert careless.failed > careless.answered / 4
    assert attentive.failed == 0


def test_careless_people_are_fast_and_are_left_out():
    study = checked_study(PAIRWISE, inputs=60)
    plan, answers = answers_to(study, parameters=Parameters(careless=0.5))
    found = exclude(study, plan, tabulate(study, plan, answers))
    assert np.median(found.excluded.seconds) < np.median(found.kept.seconds) / 2


def taken(**design: int | str):
    plan = drawn(small_study(PAIRWISE, design=design))
    return plan, participant_seats(plan)


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


# ── every parameter takes effect, whatever is asked ──────────────────────────────────────────────

EVERY_IDS = [question["kind"] for question in EVERY_KIND]
DESIGNS = {
    "calibration": {"design": {"calibration": 2, "batches_per_participant": 2}},
    "repeats": {"design": {"repeats": {"share": 0.4}}},
    "apart": {"design": {"inputs": "apart", "batches_per_participant": 3}},
}
EVERYTHING = Parameters(
    {"ash": 0.4, "beech": 0.0, "cedar": -0.4},
    item_difficulty=0.3,
    position_bias=0.2,
    careless=0.2,
    dropout=0.3,
    slip=0.1,
)


@pytest.mark.parametrize("question", EVERY_KIND, ids=EVERY_IDS)
@pytest.mark.parametrize("name", DESIGNS)
def test_any_design_and_kind_of_question_gets_answers_that_it_accepts(question, name):
    study = checked_study(question, **DESIGNS[name])
    plan, answers = answers_to(study, parameters=EVERYTHING)
    table = tabulate(study, plan, answers, origin="simulated")
    assert table.simulated == len(table) > 0


SCORED = [question for question in EVERY_KIND if question["kind"] in {"rating", "slider"}]
COMPARED = [q for q in EVERY_KIND if q["kind"] in {"pairwise", "best-worst", "ranking"}]


def spread_by(table, *columns: str):
    """The variance of mean scores between groups of rows."""
    codes = np.stack([getattr(table, name).codes for name in columns], axis=1)
    group = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    return float(np.var(np.bincount(group, table.value) / np.bincount(group)))


QUIET = {
    "quality": dict.fromkeys(SYSTEMS, 0.0),
    "system_by_item": 0.0,
    "severity": 0.0,
    "system_by_participant": 0.0,
    "noise": 0.05,
}


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("item_difficulty", ("item",)),
        ("system_by_item", ("item", "system")),
        ("severity", ("participant",)),
        ("system_by_participant", ("participant", "system")),
    ],
)
@pytest.mark.parametrize("question", SCORED, ids=[q["kind"] for q in SCORED])
def test_each_spread_shows_in_scores(question, name, columns):
    study = small_study(question, inputs=12)

    def spread(value: float) -> float:
        plan, answers = answers_to(study, parameters=Parameters(**{**QUIET, name: value}))
        return spread_by(tabulate(study, plan, answers), *columns)

    assert spread(1.0) > 5 * spread(0.0)


@pytest.mark.parametrize("question", COMPARED, ids=[q["kind"] for q in COMPARED])
def test_a_position_bias_lets_the_first_output_win_in_any_comparison(question):
    study = small_study(question, inputs=20)

    def share(bias: float) -> float:
        _, answers = answers_to(study, parameters=Parameters(**QUIET, position_bias=bias))
        return sum(answer.raw.startswith("a") for answer in answers) / len(answers)

    assert share(3.0) == 1
    assert share(-3.0) == 0


def test_whoever_leaves_answers_the_first_tasks_and_no_more():
    study = small_study(PAIRWISE, design={"batches_per_participant": 2})
    plan, answers = answers_to(study, parameters=Parameters(dropout=1.0))
    whole, _ = answers_to(study)
    by_person = Counter(answer.participant for answer in answers)
    places = dict(zip(sorted(by_person), participant_seats(plan), strict=True))
    for name, own in places.items():
        tasks = sum(len(seat.batch.tasks) for seat in own)
        assert 1 <= by_person[name] < tasks
        positions = [
            a.position for a in answers if a.participant == name and a.batch == own[0].batch.id
        ]
        assert positions == list(range(1, len(positions) + 1))
    assert whole.places == plan.places


def test_a_share_of_participants_leaves():
    study = small_study(RATING, inputs=60)
    plan, answers = answers_to(study, parameters=Parameters(dropout=0.5))
    people = participant_seats(plan)
    tasks = Counter(answer.participant for answer in answers)
    left = sum(
        tasks[f"p{number:04}"] < sum(len(seat.batch.tasks) for seat in own)
        for number, own in enumerate(people, start=1)
    )
    assert left / len(people) == pytest.approx(0.5, abs=0.25)  # of 60: 4 standard errors


def test_parameters_differ_by_question():
    study = small_study(RATING, {**RATING, "id": "style"}, inputs=30)
    parameters = {
        "fluency": Parameters({"ash": 1.5, "beech": 0.0, "cedar": -1.5}),
        "style": Parameters({"ash": -1.5, "beech": 0.0, "cedar": 1.5}),
    }
    plan, answers = answers_to(study, parameters=parameters)
    table = tabulate(study, plan, answers)
    for question, best in (("fluency", "ash"), ("style", "cedar")):
        rows = table.of_question(question)
        means = {
            name: rows.value[rows.system.codes == rows.system.code(name)].mean() for name in SYSTEMS
        }
        assert max(means, key=means.get) == best


def test_new_parameters_that_are_not_asked_for_change_no_number():
    """Item difficulty, scale use and drop-out have a generator of their own."""
    study = small_study(RATING)
    _, plain = answers_to(study)
    _, other = answers_to(study, parameters=Parameters(tie_width=0.9))
    assert [answer.raw for answer in plain] == [answer.raw for answer in other]
    _, left = answers_to(study, parameters=Parameters(dropout=1e-12))
    assert [answer.raw for answer in plain] == [answer.raw for answer in left]


def test_careless_people_choose_at_random_even_where_others_never_err():
    study = small_study({**PAIRWISE, "tie": False}, inputs=60)
    quiet = Parameters(**{**QUIET, "noise": 0.0}, careless=1.0)
    _, answers = answers_to(study, parameters=quiet)
    chosen = Counter(answer.raw for answer in answers)
    assert chosen["a"] / len(answers) == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("noise", [0.0, 30.0])
@pytest.mark.parametrize("question", [PAIRWISE, BEST_WORST, RANKING, RATING])
def test_attentive_people_see_through_checks_however_noisy(question, noise):
    study = checked_study(question)
    plan, answers = answers_to(study, parameters=Parameters(noise=noise, slip=0.0, tie_width=40.0))
    (count,) = check_counts(study, plan, tabulate(study, plan, answers))
    assert (count.failed, count.answered > 0) == (0, True)
