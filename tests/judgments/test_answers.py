"""From answers to judgments, to a file and back, and what is left out."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
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
from rejudge.design import Task
from rejudge.errors import DataError
from rejudge.judgments import (
    Answer,
    Judgment,
    Judgments,
    check_counts,
    exclude,
    excluded_csv,
    fingerprint_of,
    read_csv,
    read_judgments,
    tabulate,
    to_csv,
)
from rejudge.judgments.judgments_csv import by_line
from rejudge.text_tables import Row

NAMES = st.text(min_size=1, max_size=8).filter(lambda name: "\x00" not in name)
MOMENTS = st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1))  # noqa: DTZ001
SHARED = {
    "participant": NAMES,
    "item": NAMES,
    "question": NAMES,
    "dataset": st.none() | NAMES,
    "batch": st.none() | NAMES,
    "task": st.none() | NAMES,
    "position": st.none() | st.integers(1, 99),
    "seconds": st.none() | st.floats(0, 1e6),
    "kind": st.sampled_from(["real", "check", "practice", "repeat", "dropped"]),
    "submitted_at": st.none() | MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)),
    "origin": st.sampled_from(["people", "simulated"]),
    "plan": st.none() | NAMES,
    "passed": st.none() | st.booleans(),
    "state": st.none() | st.sampled_from(["held", "submitted", "surplus"]),
}
RATINGS = st.builds(
    Judgment,
    value=st.floats(-(2.0**53), 2.0**53).filter(lambda x: x == 0 or abs(x) >= 1e-50),
    system=NAMES,
    segment=st.none() | st.integers(1, 9),
    **SHARED,
)
COMPARISONS = st.builds(
    Judgment,
    value=st.sampled_from(["a", "b", "tie"]),
    system_a=NAMES,
    system_b=NAMES,
    side=st.none() | st.sampled_from(["a", "b"]),
    **SHARED,
).filter(lambda row: row.system_a != row.system_b)
TABLES = st.lists(RATINGS | COMPARISONS, max_size=12)


def answer(task, question, raw, *, participant="p1", seconds=9.0):
    return Answer(participant, "b1", task, question, raw, position=1, seconds=seconds)


# The table


@given(TABLES)
def test_rows_survive_the_columns(rows):
    assert Judgments.from_rows(rows).rows() == tuple(rows)


@given(TABLES)
def test_rows_survive_the_file(rows):
    table = Judgments.from_rows(rows)
    assert read_csv(to_csv(table)).rows() == tuple(rows)


@given(TABLES, st.randoms(use_true_random=False))
def test_the_fingerprint_does_not_depend_on_the_order_of_rows(rows, shuffler):
    other = list(rows)
    shuffler.shuffle(other)
    names = [fingerprint_of(Judgments.from_rows(each)) for each in (rows, other)]
    assert names[0] == names[1]


def test_a_changed_value_changes_the_fingerprint():
    rows = [Judgment("p", "i", "q", value, system="s") for value in (1.0, 2.0)]
    names = {fingerprint_of(Judgments.from_rows([row])) for row in rows}
    assert len(names) == 2


@pytest.mark.slow
def test_a_very_long_table_has_a_name_too_whatever_the_order_of_its_rows():
    count = 200_001
    frame = pa.table(
        {"rater": np.arange(count), "item": np.zeros(count, int), "score": np.ones(count)}
    )
    table = read_judgments(frame)
    backwards = table.take(np.arange(count)[::-1])
    assert fingerprint_of(table) == fingerprint_of(backwards)
    assert fingerprint_of(table) != fingerprint_of(table.take(np.arange(count - 1)))
    value = table.value.copy()
    value[7] = 2
    assert fingerprint_of(table) != fingerprint_of(replace(table, value=value))


def test_whether_checks_were_passed_is_written_only_where_it_is_known():
    row = Judgment("p", "i", "q", 1.0, system="s")
    assert "passed" not in to_csv(Judgments.from_rows([row]))
    assert to_csv(Judgments.from_rows([replace(row, passed=False)])).endswith(",false\n")


def test_words_are_kept_once_and_rows_as_numbers():
    rows = [Judgment("p", "i", "q", 1.0, system=name) for name in ("b", "a", "b")]
    system = Judgments.from_rows(rows).system
    assert (system.labels, system.codes.tolist()) == (("a", "b"), [1, 0, 1])


def test_a_preference_is_a_number_for_the_first_system():
    rows = [Judgment("p", "i", "q", c, system_a="x", system_b="y") for c in ("a", "tie", "b")]
    assert Judgments.from_rows(rows).value.tolist() == [1, 0.5, 0]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Judgment("p", "i", "q", 1.0), "of one `system`"),
        (Judgment("p", "i", "q", 1.0, system="s", system_a="t"), "of one `system`"),
        (Judgment("p", "i", "q", "a", system="s"), "is not a number"),
        (Judgment("p", "i", "q", float("nan"), system="s"), "is not a number"),
        (
            Judgment("p", "i", "q", 3.0, system_a="s", system_b="t"),
            "not an outcome",
        ),
        (Judgment("p", "i", "q", "a", system_a="s", system_b="s"), "compared with itself"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_number(row, said):
    good = Judgment("p", "i", "q", 1.0, system="s")
    with pytest.raises(DataError, match=said) as caught:
        Judgments.from_rows([good, row])
    assert caught.value.problems[0].line == 2


# The file


def test_a_table_of_ratings_needs_four_columns_and_the_system():
    table = read_csv("participant,item,question,value,system\np,i,q,3,s\n")
    assert table.rows() == (Judgment("p", "i", "q", 3.0, system="s"),)


def test_every_faulty_line_is_named_at_once():
    head = "participant,item,question,system,value,seconds,kind,submitted_at,position\n"
    lines = [
        "p,i,q,s,good,1,real,,1",
        "p,i,q,s,1,-1,real,,1",
        "p,i,q,s,1,1,odd,,1",
        "p,i,q,s,1,1,real,2026-01-01T10:00,1",
        "p,i,q,s,1,1,real,,0",
        "p,i,q,s,1",
        "p,i,q,,1,1,real,,1",
        ",i,q,s,1,1,real,,1",
        "p,i,q,s,1,1,real,,1",
    ]
    with pytest.raises(DataError) as caught:
        read_csv(head + "\n".join(lines), file="mine.csv")
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert all(problem.file == "mine.csv" and problem.remedy for problem in caught.value.problems)


def test_a_file_of_another_kind_is_refused_by_its_head():
    with pytest.raises(DataError) as caught:
        read_csv("rater,item,question,value\np,i,q,3\n")
    said = str(caught.value)
    assert "no column 'participant'" in said
    assert "'rater' is not known" in said


def test_a_long_list_of_faults_is_cut_and_counted():
    text = "participant,item,question,system,value\n" + "p,i,q,s,x\n" * 50
    with pytest.raises(DataError, match="30 more problems were found"):
        read_csv(text)


ODD_CELLS = [
    ("seconds", " 5 "), ("seconds", "1_000"), ("seconds", "1e3"), ("seconds", "-0"),
    ("submitted_at", "2026-03-01 09:30+01:00"), ("submitted_at", "2026-03-01T09:30:00.123456789Z"),
    ("submitted_at", "20260301T093000Z"), ("submitted_at", "0001-01-01T00:00:00Z"),
    ("position", "007"), ("value", "1_0"), ("value", " 3"), ("item", '"a\nb"'), ("item", '"a""b"'),
    ("item", '"ab"c'), ("item", "NA"), ("item", " "), ("batch", "null"), ("batch", ""),
    ("kind", ""), ("origin", ""),
]  # fmt: skip
WRONG_CELLS = [
    ("seconds", "nan"), ("seconds", "inf"), ("seconds", "NA"), ("seconds", "1e999"),
    ("submitted_at", "2026-03-01T09:30:00"), ("submitted_at", " 2026-03-01T09:30:00Z"),
    ("submitted_at", "0000-01-01T00:00:00Z"), ("submitted_at", "2026-02-30T09:30:00Z"),
    ("position", " 1"), ("position", "+1"), ("position", "99999999999"), ("passed", "True"),
    ("value", ""), ("kind", "Real"), ("item", ""),
]  # fmt: skip


def one_line(column, cell):
    row = {"participant": "p", "item": "i", "question": "q", "value": "3", "system": "s"}
    row |= {"kind": "real", "origin": "people", column: cell}
    return f"{','.join(row)}\n{','.join(row.values())}\n"


@pytest.mark.parametrize(("column", "cell"), ODD_CELLS)
def test_a_cell_says_the_same_by_column_and_by_line(column, cell):
    text = one_line(column, cell)
    head, *lines = csv.reader(io.StringIO(text, newline=""))
    slow = by_line(
        head,
        (Row(n, cells) for n, cells in enumerate(lines, start=2)),
        file="judgments.csv",
        systems=(),
    )
    assert read_csv(text).rows() == slow.rows()


@pytest.mark.parametrize(("column", "cell"), WRONG_CELLS)
def test_a_wrong_cell_is_refused_with_its_line(column, cell):
    with pytest.raises(DataError, match=rf"judgments.csv:2: {column} is"):
        read_csv(one_line(column, cell))


def test_an_empty_table_is_a_head_alone():
    assert len(read_csv(to_csv(Judgments.from_rows([])))) == 0


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

    from rejudge.design import Expected

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

    from rejudge.design import Expected

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
