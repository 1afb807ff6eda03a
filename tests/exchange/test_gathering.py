"""Answers become judgments: rankings, best and worst, repeats, pseudonyms."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import FileError
from rejudge.exchange.gathering import Gathering
from rejudge.exchange.items import ItemFields
from rejudge.exchange.values import ItemAnswers

SYSTEMS = st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=6, unique=True)


def gathering(**columns: str) -> Gathering:
    return Gathering(ItemFields(columns))


def submission(into, who="jane", item="i1", **about: object):
    return ItemAnswers("file", 1, into.participant(who), item, **about)


def winners(imported):
    return {(r.system_a, r.system_b) if r.value == "a" else (r.system_b, r.system_a)
            for r in imported.judgments.rows() if r.value != "tie"}  # fmt: skip


@given(order=SYSTEMS)
def test_a_ranking_says_of_every_two_systems_which_is_better(order):
    into = gathering()
    into.rank(submission(into), "order", [[name] for name in order])
    found = into.imported(file="file")
    assert winners(found) == set(combinations(order, 2))
    assert {row.task for row in found.judgments.rows()} == {"i1"}
    assert all(row.system_a < row.system_b for row in found.judgments.rows())


@given(order=SYSTEMS)
def test_best_and_worst_are_consistent_with_every_ranking_that_has_them_at_its_ends(order):
    into = gathering()
    best, *_, worst = order
    into.best_and_worst(submission(into), "q", sorted(order), best=best, worst=worst)
    found = winners(into.imported(file="file"))
    assert found <= set(combinations(order, 2))
    assert len(found) == 2 * len(order) - 3


def test_systems_of_one_tier_are_tied():
    into = gathering()
    into.rank(submission(into), "order", [["x"], ["y", "z"]])
    values = {(r.system_a, r.system_b): r.value for r in into.imported(file="f").judgments.rows()}
    assert values == {("x", "y"): "a", ("x", "z"): "a", ("y", "z"): "tie"}


@pytest.mark.parametrize("tiers", [[["x"], ["x"]], [["x"]], []])
def test_a_ranking_of_one_system_or_of_the_same_twice_is_rejected(tiers):
    into = gathering(system="")
    into.rate(submission(into), "q", 3)
    into.rank(submission(into), "order", tiers)
    assert len(into.imported(file="f").rejected) == 1


@given(st.lists(st.text(min_size=1), min_size=1, max_size=20))
def test_pseudonyms_are_one_for_each_person_and_follow_the_order(names):
    into = gathering()
    found = [into.participant(name) for name in names]
    people = list(dict.fromkeys(each for each in found if each is not None))
    assert people == [f"p{number:04d}" for number in range(1, len(people) + 1)]
    assert found == [into.participant(name) for name in names]


def test_an_answer_without_a_time_is_as_late_as_its_place():
    into = gathering(system="")
    early = submission(into, submitted_at=datetime(2026, 3, 2, tzinfo=UTC))
    into.rate(early, "q", 1)
    into.rate(replace(early, submitted_at=None), "q", 2)
    found = into.imported(file="f").judgments
    assert found.of_kind("real").value.tolist() == [2.0]


def test_the_same_pair_the_other_way_round_is_the_same_thing():
    into = gathering()
    into.prefer(submission(into), "q", "a", pair=("x", "y"))
    into.prefer(submission(into), "q", "a", pair=("y", "x"))
    kinds = [row.kind for row in into.imported(file="f").judgments.rows()]
    assert kinds == ["dropped", "real"]


def test_checks_and_repeats_are_never_dropped():
    into = gathering(system="")
    for kind in ("check", "check", "repeat", "real"):
        into.rate(submission(into, kind=kind), "q", 3)
    kinds = [row.kind for row in into.imported(file="f").judgments.rows()]
    assert kinds == ["check", "check", "repeat", "real"]


def test_answers_without_a_participant_among_others_are_rejected():
    into = gathering(system="")
    into.rate(submission(into), "q", 3)
    into.rate(submission(into, who=None), "q", 4)
    found = into.imported(file="f")
    assert found.judgments.value.tolist() == [3.0]
    assert [each.reason for each in found.rejected] == ["the answer names no participant."]


def test_nothing_but_rejected_answers_is_a_message_with_the_first_reason():
    into = gathering()
    into.reject(submission(into), "the task was skipped.")
    with pytest.raises(FileError, match=r"no judgments.*the task was skipped"):
        into.imported(file="f")


def test_many_labels_are_cut_short():
    into = gathering(system="")
    into.rate(submission(into), "q", 3)
    for label in "abcdefg":
        into.leave_out("spans", label)
    (said,) = into.imported(file="f").unmapped
    assert said == "spans: 7 (g 1, f 1, e 1, d 1 and 3 others)"
