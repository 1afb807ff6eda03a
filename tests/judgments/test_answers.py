"""From answers to judgments, to a file and back, and what is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import (
    BEST_WORST,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    checked_study,
    gold_task,
    hand_plan,
    small_study,
)
from rejudge.design.plan import Task
from rejudge.errors import DataError
from rejudge.judgments.answers import Answer, check_counts, tabulate
from rejudge.judgments.exclusions import exclude, excluded_csv
from rejudge.judgments.table import Judgment


def answer(task, question, raw, *, participant="p1", seconds=9.0):
    return Answer(participant, "b1", task, question, raw, position=1, seconds=seconds)


# The table


# The file


# From answers


def test_a_choice_names_the_systems_in_the_order_of_the_study():
    study = small_study(PAIRWISE)
    plan = hand_plan(study, Task("t1", "i0", ("cedar", "ash")), Task("t2", "i1", ("ash", "beech")))
    rows = tabulate(study, plan, [answer("t1", "meaning", "a"), answer("t2", "meaning", "tie")])
    found = [(r.system_a, r.system_b, r.value, r.side) for r in rows.rows()]
    assert found == [("ash", "cedar", "b", "b"), ("ash", "beech", "tie", "a")]


def test_a_rating_is_one_row_with_all_that_is_known():
    study = small_study(RATING)
    plan = hand_plan(study, Task("t1", "i1", ("beech",)))
    (row,) = tabulate(study, plan, [answer("t1", "fluency", "4")], origin="simulated").rows()
    assert row == Judgment(
        "p1",
        "i1",
        "fluency",
        4.0,
        system="beech",
        dataset="hills",
        batch="b1",
        task="t1",
        position=1,
        seconds=9.0,
        origin="simulated",
        plan=plan.fingerprint,
    )


def test_a_slider_is_a_number_too():
    study = small_study(SLIDER)
    plan = hand_plan(study, Task("t1", "i1", ("beech",)))
    assert tabulate(study, plan, [answer("t1", "ease", "62.5")]).value.tolist() == [62.5]


def test_segments_are_one_row_each():
    """The plan cuts the output of ash for i0 into two segments."""
    study = small_study(SEGMENTS)
    plan = hand_plan(study, Task("t1", "i0", ("ash",)))
    rows = tabulate(study, plan, [answer("t1", "facts", "2,0")]).rows()
    assert [(row.segment, row.value) for row in rows] == [(1, 2.0), (2, 0.0)]


def test_a_ranking_is_the_comparisons_it_implies():
    """cedar, ash, beech are shown as a, b, c; the order c, a, b is beech > cedar > ash."""
    study = small_study(RANKING)
    plan = hand_plan(study, Task("t1", "i0", ("cedar", "ash", "beech")))
    rows = tabulate(study, plan, [answer("t1", "rank", "c,a,b")]).rows()
    assert {(r.system_a, r.system_b, r.value) for r in rows} == {
        ("beech", "cedar", "a"),
        ("ash", "beech", "b"),
        ("ash", "cedar", "b"),
    }


def test_best_and_worst_decide_all_pairs_but_those_in_the_middle():
    """Of three, 2·3 − 3 = 3 comparisons: ash > beech, ash > cedar, beech > cedar."""
    study = small_study(BEST_WORST)
    plan = hand_plan(study, Task("t1", "i0", ("cedar", "ash", "beech")))
    rows = tabulate(study, plan, [answer("t1", "best", "b,a")]).rows()
    assert sorted((r.system_a, r.system_b, r.value) for r in rows) == [
        ("ash", "beech", "a"),
        ("ash", "cedar", "a"),
        ("beech", "cedar", "a"),
    ]


def test_answers_that_fit_no_task_are_all_named():
    study = small_study(PAIRWISE)
    plan = hand_plan(study, Task("t1", "i0", ("cedar", "ash")))
    answers = [
        answer("t9", "meaning", "a"),
        answer("t1", "fluency", "a"),
        answer("t1", "meaning", "z"),
        answer("t1", "meaning", "a"),
    ]
    with pytest.raises(DataError) as caught:
        tabulate(study, plan, answers)
    said = [problem.what for problem in caught.value.problems]
    assert "no task 't9'" in said[0]
    assert "does not ask" in said[1]
    assert "'z' is not an answer" in said[2]
    assert "answered twice" in said[3]


# What is left out


def two_tasks_and_a_check(study):
    return hand_plan(
        study,
        Task("t1", "i0", ("cedar", "ash")),
        gold_task(),
        Task("t2", "i1", ("ash", "beech")),
    )


def walk(participant, gold="a", *, seconds=9.0, until=3):
    raw = [("t1", "a"), ("c1", gold), ("t2", "b")][:until]
    return [
        answer(task, "meaning", value, participant=participant, seconds=seconds)
        for task, value in raw
    ]


def cleaned(*walks: list[Answer], study=None):
    study = study or checked_study(PAIRWISE)
    plan = two_tasks_and_a_check(study)
    table = tabulate(study, plan, [each for one in walks for each in one])
    return exclude(study, plan, table)


def test_who_fails_a_check_is_left_out_with_all_rows():
    found = cleaned(walk("good"), walk("bad", gold="b"))
    assert found.kept.participant.words() == ["good"] * 3
    (exclusion,) = found.exclusions
    assert (exclusion.participant, exclusion.rule, exclusion.rows) == ("bad", "failed-checks", 3)
    assert exclusion.reason == "failed 1 of 1 checks"


def test_a_tie_is_no_right_answer_to_a_check():
    assert cleaned(walk("unsure", gold="tie")).rules == ("failed-checks",) * 3


def test_a_check_that_only_flags_excludes_nobody():
    check = {"kind": "gold", "id": "gold", "question": "meaning", "on_fail": "flag"}
    study = small_study(PAIRWISE, checks=[check], analysis={"exclude": {"failed_checks": 1}})
    assert cleaned(walk("bad", gold="b"), study=study).exclusions == ()


def test_an_unfinished_batch_is_left_out():
    found = cleaned(walk("stays"), walk("leaves", until=2))
    (exclusion,) = found.exclusions
    assert (exclusion.rule, exclusion.batch) == ("incomplete", "b1")
    assert exclusion.reason == "1 of 2 required answers of batch b1 are missing"


def test_a_fast_answer_is_left_out_alone():
    study = checked_study(PAIRWISE, analysis={"exclude": {"faster_than_seconds": 2}})
    slow, fast = walk("p1")[:2], walk("p1", seconds=1.5)[2:]
    found = cleaned([*slow, *fast], study=study)
    assert (len(found.kept), found.rules) == (2, ("faster-than",))


def test_an_unknown_time_is_not_fast():
    study = checked_study(PAIRWISE, analysis={"exclude": {"faster_than_seconds": 2}})
    assert cleaned(walk("p1", seconds=None), study=study).rules == ()


def test_a_row_is_left_out_by_one_rule_the_first():
    study = checked_study(
        PAIRWISE, analysis={"exclude": {"faster_than_seconds": 99, "failed_checks": 1}}
    )
    found = cleaned(walk("bad", gold="b", until=2), study=study)
    assert set(found.rules) == {"incomplete"}


def test_every_left_out_row_is_written_with_its_rule():
    text = excluded_csv(cleaned(walk("good"), walk("bad", gold="b")))
    head, *lines = text.splitlines()
    assert head.startswith("rule,participant,item,")
    assert [line.split(",")[:2] for line in lines] == [["failed-checks", "bad"]] * 3


def test_checks_are_counted_over_all_who_met_them():
    study = checked_study(PAIRWISE)
    plan = two_tasks_and_a_check(study)
    table = tabulate(study, plan, [*walk("good"), *walk("bad", gold="b"), *walk("worse", gold="b")])
    (count,) = check_counts(study, plan, table)
    assert (count.check, count.answered, count.failed) == ("gold", 3, 2)


def test_the_bounds_of_a_check_on_a_scale_hold():
    """Shown a wrong text, 2 of 5 is at most 2, and 3 is too much."""

    from rejudge.design.plan import Expected

    study = checked_study(RATING)
    check = replace(
        gold_task(), options=("@reference:i9",), expected=Expected("fluency", at_most=2.0)
    )
    plan = hand_plan(study, Task("t1", "i0", ("ash",)), check)
    answers = [
        answer(task, "fluency", raw, participant=name)
        for name, low in (("good", "2"), ("bad", "3"))
        for task, raw in (("t1", "4"), ("c1", low))
    ]
    found = exclude(study, plan, tabulate(study, plan, answers))
    assert [exclusion.participant for exclusion in found.exclusions] == ["bad"]


def test_the_worst_of_a_check_must_lose_all_its_comparisons():
    """Three options, the third is nonsense: best a, worst c passes; best c fails."""

    from rejudge.design.plan import Expected

    study = checked_study(RANKING)
    check = replace(
        gold_task(), options=("@reference", "ash", "@text:x"), expected=Expected("rank", worst="c")
    )
    plan = hand_plan(study, check)
    answers = [
        answer("c1", "rank", "b,a,c", participant="good"),
        answer("c1", "rank", "a,c,b", participant="bad"),
    ]
    (count,) = check_counts(study, plan, tabulate(study, plan, answers))
    assert (count.answered, count.failed) == (2, 1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "tie"]), st.integers(1, 3), st.sampled_from([None, 1.0, 9.0])
        ),
        max_size=8,
    )
)
def test_kept_and_excluded_add_up_to_what_was_collected(people):
    study = checked_study(
        PAIRWISE, analysis={"exclude": {"faster_than_seconds": 2, "failed_checks": 1}}
    )
    walks = [
        walk(f"p{number}", gold, seconds=seconds, until=until)
        for number, (gold, until, seconds) in enumerate(people)
    ]
    found = cleaned(*walks, study=study)
    assert len(found.kept) + len(found.excluded) == len(found.collected)
    assert len(found.rules) == len(found.excluded) == sum(e.rows for e in found.exclusions)
    together = [*found.kept.rows(), *found.excluded.rows()]
    assert sorted(map(repr, together)) == sorted(map(repr, found.collected.rows()))


def test_nothing_collected_is_nothing_left_out():
    found = cleaned()
    assert (len(found.kept), found.exclusions) == (0, ())
    assert isinstance(found.kept.value, np.ndarray)
