"""Rules of exclusion beyond the checks of a study, and the same rules for tables without one."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import PAIRWISE, hand_plan, small_study
from rejudge.analysis.analyse import analyse
from rejudge.design.plan import Task
from rejudge.errors import DataError, StudyError, UsageError
from rejudge.findings.model import WITHOUT_EXCLUSIONS
from rejudge.judgments.answers import Answer, tabulate
from rejudge.judgments.exclusions import (
    RULES,
    ExclusionRules,
    exclude,
    exclude_from_run,
    exclude_rows,
    excluded_csv,
)
from rejudge.judgments.read import read_judgments
from rejudge.judgments.table import Judgment, Judgments
from rejudge.study.analysis_plan import Exclude

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def scored(participant: str, *scores: float, **parts: object) -> list[Judgment]:
    return [
        Judgment(participant, f"i{number}", "fluency", score, system="m", **parts)
        for number, score in enumerate(scores)
    ]


def compared(participant: str, *choices: str, **parts: object) -> list[Judgment]:
    return [
        Judgment(participant, f"i{n}", "meaning", choice, system_a="x", system_b="y", **parts)
        for n, choice in enumerate(choices)
    ]


def left_out(rows: list[Judgment], **rules: object) -> dict[str, str]:
    found = exclude_rows(Judgments.from_rows(rows), ExclusionRules(**rules))
    return {each.participant: each.reason for each in found.exclusions}


# Without a study


def test_no_rule_leaves_nobody_out():
    found = exclude_rows(Judgments.from_rows(scored("p", 1, 1)), ExclusionRules())
    assert (len(found.kept), len(found.excluded), found.exclusions) == (2, 0, ())


def test_people_are_left_out_by_name():
    rows = [*scored("p", 1), *scored("q", 2)]
    assert left_out(rows, participants=("q",)) == {"q": "left out by name"}


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (["participants=q,Q7"], "--exclude participants=Q7: there is no 'Q7' in the table. .*'p'"),
        (["chose=distractor"], "--exclude chose=distractor: there is no 'distractor'"),
        (["failed_checks=1"], "--exclude failed_checks: no column .*--columns passed="),
        (["faster_than_seconds=2"], "--exclude faster_than_seconds: .*--columns seconds="),
        (["too_fast_total_seconds=9"], "no column was recognised as the `seconds`"),
        (["surplus=3"], "--columns batch="),
    ],
)
def test_a_rule_that_the_table_cannot_answer_is_refused(rules, said):
    rows = Judgments.from_rows([*scored("p", 1), *scored("q", 2)])
    with pytest.raises(DataError, match=said):
        exclude_rows(rows, ExclusionRules.parse(rules))


def test_a_batch_with_too_few_judgments_is_left_out_alone():
    """p gave two of three in b1, three in b2; checks are none of them."""
    rows = [
        *scored("p", 1, 2, batch="b1"),
        *scored("p", 5, batch="b1", kind="check"),
        *scored("p", 1, 2, 3, batch="b2"),
    ]
    found = exclude_rows(Judgments.from_rows(rows), ExclusionRules(incomplete=3))
    (exclusion,) = found.exclusions
    assert (exclusion.batch, exclusion.rule, exclusion.rows) == ("b1", "incomplete", 3)
    assert exclusion.reason == "gave 2 of 3 judgments"


@pytest.mark.parametrize("rule", [{"incomplete": 2}, {"too_fast_total_seconds": 5}])
def test_a_row_outside_the_batches_is_no_batch_of_its_own(rule):
    rows = [
        *scored("p", 1, 2, batch="b1", seconds=3.0),
        *scored("p", 5, kind="practice", seconds=1.0),
    ]
    assert left_out(rows, **rule) == {}


def test_without_batches_all_of_a_participant_is_one():
    rows = [*scored("p", 1), *scored("q", 1, 2)]
    assert left_out(rows, incomplete=2) == {"p": "gave 1 of 2 judgments"}


def test_who_fails_so_many_checks_is_left_out_with_all_rows():
    rows = [
        *scored("good", 1, 2),
        *scored("good", 5, kind="check", passed=True),
        *scored("bad", 1, 2),
        *scored("bad", 5, 4, kind="check", passed=False),
    ]
    found = exclude_rows(Judgments.from_rows(rows), ExclusionRules(failed_checks=2))
    (exclusion,) = found.exclusions
    assert (exclusion.participant, exclusion.rule, exclusion.rows) == ("bad", "failed-checks", 4)
    assert exclusion.reason == "failed 2 of 2 checks"


def test_a_real_judgment_that_was_not_as_expected_is_no_failed_check():
    assert left_out(scored("p", 1, passed=False), failed_checks=1) == {}


def test_who_chose_a_distractor_is_left_out():
    rows = [*compared("p", "a", "a"), *compared("q", "a", "b"), *compared("r", "tie", "tie")]
    assert left_out(rows, chose=("y",)) == {"q": "chose 'y'"}


def test_nine_equal_answers_are_too_few_to_tell_and_ten_are_enough():
    assert left_out(scored("p", *[3] * 9), straight_lining=0.9) == {}
    said = "gave the same answer in 10 of 10 judgments"
    assert left_out(scored("p", *[3] * 10), straight_lining=0.9) == {"p": said}


def test_the_share_of_equal_answers_decides():
    """Nine of ten are 0.9."""
    rows = scored("p", *[3] * 9, 1)
    assert left_out(rows, straight_lining=0.9)
    assert not left_out(rows, straight_lining=0.91)


def test_the_side_counts_in_comparisons_not_the_system():
    """p prefers x every time, on either side; q the first option every time."""
    fair = [
        *compared("p", *["a"] * 5, side="a", batch="b1"),
        *compared("p", *["a"] * 5, side="b", batch="b2"),
    ]
    blind = [
        *compared("q", *["a"] * 5, side="a", batch="b1"),
        *compared("q", *["b"] * 5, side="b", batch="b2"),
    ]
    assert list(left_out([*fair, *blind], straight_lining=0.95)) == ["q"]


def test_checks_do_not_count_as_equal_answers():
    rows = [*scored("p", *[3] * 9), *scored("p", 3, kind="check")]
    assert left_out(rows, straight_lining=0.5) == {}


def test_a_batch_done_too_fast_is_left_out_alone():
    """Two tasks of 4 s make 8 s, two of 6 s make 12 s; the limit is 10 s."""
    rows = [
        *scored("p", 1, 2, batch="b1", seconds=4.0),
        *scored("p", 1, 2, batch="b2", seconds=6.0),
    ]
    found = exclude_rows(Judgments.from_rows(rows), ExclusionRules(too_fast_total_seconds=10))
    (exclusion,) = found.exclusions
    assert (exclusion.batch, exclusion.rule, exclusion.rows) == ("b1", "too-fast", 2)
    assert exclusion.reason == "took 8 s in all, less than 10 s"


def test_the_time_of_a_page_with_two_questions_counts_once():
    """One page of 6 s with two questions is 6 s, not 12 s."""
    rows = [
        Judgment("p", "i", question, 1.0, system="m", task="t", seconds=6.0)
        for question in ("fluency", "meaning")
    ]
    assert left_out(rows, too_fast_total_seconds=10)


def test_an_unknown_time_makes_the_total_unknown():
    rows = [*scored("p", 1, 2, seconds=1.0), Judgment("p", "j", "fluency", 1.0, system="m")]
    assert left_out(rows, too_fast_total_seconds=10) == {}


def test_who_comes_after_as_many_as_planned_is_surplus():
    rows = [
        *scored("late", 1, batch="b", submitted_at=NOON + timedelta(hours=2)),
        *scored("early", 1, batch="b", submitted_at=NOON),
        *scored("next", 1, batch="b", submitted_at=NOON + timedelta(hours=1)),
        *scored("late", 1, batch="c", submitted_at=NOON),
    ]
    found = exclude_rows(Judgments.from_rows(rows), ExclusionRules(surplus=2))
    (exclusion,) = found.exclusions
    assert (exclusion.participant, exclusion.batch, exclusion.rows) == ("late", "b", 1)
    assert exclusion.reason == "was number 3 of 2 planned for batch b"


def test_without_times_the_order_of_the_table_decides():
    rows = [*scored("z", 1, batch="b"), *scored("a", 1, batch="b")]
    assert list(left_out(rows, surplus=1)) == ["a"]


def test_who_is_left_out_takes_no_place():
    rows = [*scored("first", 1, batch="b"), *scored("second", 1, batch="b")]
    assert list(left_out(rows, surplus=1, participants=("first",))) == ["first"]


def test_single_fast_answers_are_left_out_alone():
    rows = [*scored("p", 1, seconds=1.0), *scored("p", 1, seconds=3.0, batch="b")]
    found = exclude_rows(Judgments.from_rows(rows), ExclusionRules(faster_than_seconds=2))
    assert (len(found.kept), found.rules) == (1, ("faster-than",))


@pytest.mark.parametrize(("policy", "value"), [("first", 2.0), ("last", 1.0)])
def test_what_was_dropped_is_left_out_with_its_policy_before_any_rule(policy, value):
    """p judged i0 as 1, then as 2, and is left out by name as well; q stays."""
    frame = pd.DataFrame({"rater": [*"pqp"], "item": ["i0"] * 3, "score": [1, 1, 2]})
    table = read_judgments(frame, duplicates=policy)
    found = exclude_rows(table, ExclusionRules(participants=("p",)))
    by_rule = dict(zip(found.rules, found.excluded.value.tolist(), strict=True))
    assert by_rule == {f"duplicates-{policy}": value, "named": 3 - value}
    assert [(each.rule, each.rows) for each in found.exclusions] == [
        (f"duplicates-{policy}", 1),
        ("named", 1),
    ]
    assert found.kept.participant.words() == ["q"]


def test_what_was_dropped_does_not_count_for_or_against_anybody():
    """In the dropped row q chose y, which nobody should; by the first, which counts, x."""
    frame = pd.DataFrame(
        {"rater": ["q", "q"], "item": ["i", "i"], "system_a": ["x", "x"], "system_b": ["y", "y"],
         "choice": ["a", "b"]}
    )  # fmt: skip
    table = read_judgments(frame, duplicates="first")
    assert exclude_rows(table, ExclusionRules(chose=("y",))).rules == ("duplicates-first",)


def test_analysis_leaves_out_what_was_dropped_without_being_told():
    frame = pd.DataFrame({"rater": [*"pqp"], "item": ["i0"] * 3, "score": [1, 1, 2]})
    results = analyse(read_judgments(frame, duplicates="last"))
    assert (results.flow.rows, results.flow.rows_kept) == (3, 2)
    assert (results.flow.real_rows, results.flow.real_rows_kept) == (3, 2)
    assert results.signature.excluded_rows == {"duplicates-last": 1}
    assert results.select(group=None, case=WITHOUT_EXCLUSIONS) == ()


def test_rules_can_be_typed():
    typed = ["chose=distractor,unk", "failed_checks=2", "straight_lining=0.95"]
    assert ExclusionRules.parse(typed) == ExclusionRules(
        failed_checks=2, chose=("distractor", "unk"), straight_lining=0.95
    )


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("odd=1", "no rule 'odd'. The rules are participants, incomplete"),
        ("failed_checks=0", "Write failed_checks=1"),
        ("incomplete=all", "Write incomplete=30"),
        ("straight_lining=2", "Write straight_lining=0.95"),
        ("faster_than_seconds=nan", "Write faster_than_seconds=1.5"),
        ("chose=", "Write chose=distractor"),
    ],
)
def test_a_rule_that_is_none_is_refused_in_words(rule, said):
    with pytest.raises(UsageError, match=said):
        ExclusionRules.parse([rule])


def test_the_published_exclusion_of_who_chose_a_distractor(published):
    """Arvan & Parde 2025: of 123 raters three chose a distractor; 1,200 comparisons × 3 remain."""
    folder, _ = published("hosking2021_arvan2025")
    table = read_judgments(folder / "judgments.csv")
    found = exclude_rows(table, ExclusionRules(chose=("distractor",)))
    assert len(found.exclusions) == 3
    assert len(found.kept.of_kind("real")) == 3600
    assert {each.rows for each in found.exclusions} == {32}


ROWS = st.lists(
    st.builds(
        Judgment,
        participant=st.sampled_from("pqrs"),
        item=st.sampled_from("ijklmnop"),
        question=st.sampled_from(["fluency", "meaning"]),
        value=st.sampled_from([1.0, 2.0]),
        system=st.just("m"),
        batch=st.none() | st.sampled_from("bc"),
        seconds=st.none() | st.floats(0, 9),
        kind=st.sampled_from(["real", "check", "dropped"]),
        passed=st.none() | st.booleans(),
    ),
    max_size=60,
)
LIMITS = st.builds(
    ExclusionRules,
    participants=st.lists(st.sampled_from("pq"), max_size=1).map(tuple),
    incomplete=st.none() | st.integers(1, 9),
    failed_checks=st.none() | st.integers(1, 3),
    straight_lining=st.none() | st.floats(0.4, 1),
    too_fast_total_seconds=st.none() | st.floats(1, 90),
    surplus=st.none() | st.integers(1, 3),
    faster_than_seconds=st.none() | st.floats(1, 9),
)


@given(ROWS, LIMITS)
def test_kept_and_excluded_add_up_whatever_the_rules(rows, rules):
    found = exclude_from_run(Judgments.from_rows(rows), rules)
    assert len(found.kept) + len(found.excluded) == len(rows)
    assert len(found.rules) == len(found.excluded) == sum(e.rows for e in found.exclusions)
    together = [*found.kept.rows(), *found.excluded.rows()]
    assert sorted(map(repr, together)) == sorted(map(repr, rows))
    assert len(excluded_csv(found).splitlines()) == 1 + len(found.excluded)


# In a study


def cleaned(rules: dict[str, object], *walks: list[Answer]):
    study = small_study(PAIRWISE, analysis={"exclude": rules})
    tasks = [Task(f"t{number}", f"i{number}", ("ash", "beech")) for number in range(10)]
    plan = hand_plan(study, *tasks, participants=2)
    return exclude(study, plan, tabulate(study, plan, [each for walk in walks for each in walk]))


def walk(participant: str, choices: str = "ab" * 5, *, hour: int = 0, seconds: float = 9.0):
    return [
        Answer(participant, "b1", f"t{number}", "meaning", choice, position=number + 1,
               seconds=seconds, submitted_at=NOON + timedelta(hours=hour))
        for number, choice in enumerate(choices)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "rule"),
    [
        ({"participants": ["odd"]}, "named"),
        ({"straight_lining": 0.95}, "straight-lining"),
        ({"too_fast_total_seconds": 60}, "too-fast"),
        ({"surplus": True}, "surplus"),
    ],
)
def test_each_rule_of_a_study_leaves_out_whom_it_should(rules, rule):
    """`odd` comes third of two planned, always chooses the first, and takes 10 × 5 s = 50 s."""
    odd = walk("odd", "a" * 10, hour=2, seconds=5.0)
    found = cleaned(rules, walk("p"), walk("q", hour=1), odd)
    (exclusion,) = found.exclusions
    assert (exclusion.participant, exclusion.rule, exclusion.rows) == ("odd", rule, 10)


def test_nothing_beyond_the_defaults_is_left_out_unasked():
    odd = walk("odd", "a" * 10, hour=2, seconds=0.5)
    assert cleaned({}, walk("p"), walk("q"), odd).exclusions == ()


@pytest.mark.parametrize(
    "rules", [{"straight_lining": 1.5}, {"too_fast_total_seconds": 0}, {"participants": [""]}]
)
def test_a_rule_that_cannot_be_is_refused_by_the_study(rules):
    with pytest.raises((StudyError, ValueError)):
        small_study(PAIRWISE, analysis={"exclude": rules})


def test_failed_checks_of_a_table_come_from_its_own_column():
    frame = pd.DataFrame(
        {"rater": ["p", "q"], "item": ["i", "i"], "score": [1, 5], "control": [True, True],
         "expected": [5, 5]}
    )  # fmt: skip
    found = exclude_rows(read_judgments(frame), ExclusionRules(failed_checks=1))
    assert [each.participant for each in found.exclusions] == ["p"]


# Faster than reading: two pairs of one item. Three texts of eight words at 1,000 a minute are
# 1.44 s, two answers 1 s: 2.44 s. One pair alone is 0.96 s and 0.5 s.

PAIRS = (Task("t1", "i0", ("ash", "beech")), Task("t2", "i0", ("ash", "cedar")))


def unread(*seconds: float | None, tasks: int = 2, rule: bool = True, **exclude_by: object):
    """Those who are left out of people p1, p2, … with these seconds on each page."""
    rules = {"faster_than_reading": rule, "incomplete": False, **exclude_by}
    study = small_study(PAIRWISE, analysis={"exclude": rules})
    plan = hand_plan(study, *PAIRS)
    answers = [
        Answer(f"p{n}", "b1", f"t{t}", "meaning", "a", position=t, seconds=each)
        for n, each in enumerate(seconds, start=1)
        for t in range(1, tasks + 1)
    ]
    return exclude(study, plan, tabulate(study, plan, answers))


def test_a_batch_done_faster_than_it_can_be_read_is_left_out():
    found = unread(0.2, 1.21, 1.23, 9.0)
    assert [each.participant for each in found.exclusions] == ["p1", "p2"]
    (first, _) = found.exclusions
    assert (first.rule, first.batch, first.rows) == ("faster-than-reading", "b1", 2)
    assert first.reason == "took 0 s for 2 tasks, which cannot be read in less than 2 s"


def test_people_are_not_compared_with_each_other():
    """Seven scripts: none stands out among the others, and all are found."""
    assert len(unread(*[0.2] * 7).exclusions) == 7


def test_without_the_rule_nobody_is_left_out():
    assert unread(0.2, rule=False).exclusions == ()


def test_half_a_batch_needs_half_the_time():
    """1.46 seconds for the first pair alone."""
    assert [e.participant for e in unread(1.4, 1.5, tasks=1).exclusions] == ["p1"]


def test_an_unknown_time_is_not_fast():
    assert unread(None).exclusions == ()


def test_earlier_rules_come_first():
    found = unread(0.2, participants=["p1"])
    assert [each.rule for each in found.exclusions] == ["named"]


def test_nothing_at_all_is_not_fast():
    assert unread().exclusions == ()


def test_a_table_without_texts_is_told_what_to_write():
    with pytest.raises(UsageError, match="too_fast_total_seconds"):
        ExclusionRules.parse(["faster_than_reading=yes"])


def test_who_cannot_have_read_is_told_though_they_count():
    """Seven people at 0.2 seconds a page, and one who reads: the script stands out, not the one."""
    found = unread(*[0.2] * 7, 9.0, rule=False)
    study = small_study(PAIRWISE)
    plan = hand_plan(study, *PAIRS)
    people = analyse(found, study=study, plan=plan).frame("people", "meaning")
    flags = {row["participant"]: row["flags"] for row in people.rows}
    assert all("faster-than-reading" in flags[f"p{n}"] for n in range(1, 8))
    assert flags["p8"] == ()
    assert "1,000 words a minute" in " ".join(people.notes)


def test_without_texts_nothing_is_said_about_reading():
    found = unread(0.2, 9.0, rule=False)
    people = analyse(found).frame("people", "meaning")
    assert "words a minute" not in " ".join(people.notes)
    assert not [row for row in people.rows if "faster-than-reading" in row["flags"]]


def test_every_key_that_states_a_rule_has_an_object_that_describes_it():
    assert {rule.key for rule in RULES if rule.planned} == set(Exclude.model_fields)
    typed = {rule.key for rule in RULES if rule.read}
    assert typed == {each.name for each in fields(ExclusionRules)}
