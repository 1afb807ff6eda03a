"""Work: a batch is given, answered page by page and handed in."""

from __future__ import annotations

import pytest
from promises import broken
from walking import (
    LATE,
    LEASE,
    MINUTE,
    NOW,
    answer,
    begin,
    complete,
    counts,
    finish,
    in_hand,
    page,
    person,
)

from rejudge.collect.visit import EXIT, PRACTICE
from rejudge.errors import Unfinished
from rejudge.store.records import PageAnswers
from rejudge.store.work import MOST_CHANGES


def test_practice_and_exit_answers_are_kept_beside_the_batch(store):
    mine = begin(store, 1)
    for task, question in ((f"{PRACTICE}1", "meaning"), (EXIT, "@comment")):
        said = PageAnswers(mine.visit, None, task, 1, {question: "so"}, task, NOW)
        assert store.record(said, now=NOW).outcome == "saved"
    visit = store.visit(mine.visit)
    assert set(store.answers(visit)) == {(f"{PRACTICE}1", "meaning"), (EXIT, "@comment")}
    assert store.answers(mine) == {}
    assert list(store.all_answers()) == []
    assert [row.batch for row in store.answer_rows()] == [None, None]


def changed(mine, number: int) -> PageAnswers:
    said = {"meaning": "ab"[number % 2]}
    return PageAnswers(mine.visit, mine.id, "b1-1", 1, said, f"k{number}", NOW)


def test_of_an_answer_that_is_changed_very_often_the_first_and_the_latest_are_kept(store):
    mine = begin(store, 1)
    for number in range(MOST_CHANGES + 5):
        assert store.record(changed(mine, number), now=NOW).outcome == "saved"
    rows = [row for row in store.answer_rows() if row.task == "b1-1"]
    assert len(rows) == MOST_CHANGES
    assert store.answers(mine) == {("b1-1", "meaning"): "ab"[(MOST_CHANGES + 4) % 2]}


def test_a_late_copy_of_a_recent_change_does_not_replace_the_latest(store):
    mine = begin(store, 1)
    for number in range(MOST_CHANGES + 5):
        store.record(changed(mine, number), now=NOW)
    again = store.record(changed(mine, MOST_CHANGES + 3), now=NOW)
    assert again.outcome == "repeated"
    assert store.answers(mine) == {("b1-1", "meaning"): "ab"[(MOST_CHANGES + 4) % 2]}


def test_of_an_exit_question_only_the_latest_answer_is_kept(store):
    mine = begin(store, 1)
    for text in ("one", "two", "three"):
        said = PageAnswers(mine.visit, None, EXIT, 1, {"often": text, "age": "7"}, text, NOW)
        assert store.record(said, now=NOW).outcome == "saved"
    assert [(row.question, row.raw) for row in store.answer_rows()] == [
        ("often", "three"),
        ("age", "7"),
    ]


def test_after_leaving_nothing_more_is_stored(store):
    done = complete(store, 1)
    visit = store.pass_step(store.visit(done.visit), "exit", now=NOW)
    late = PageAnswers(visit.id, None, EXIT, 1, {"@comment": "late"}, "k9", NOW)
    assert store.record(late, now=NOW).outcome == "closed"


def test_an_answer_to_somebody_elses_batch_is_not_stored(store):
    mine, theirs = begin(store, 1), begin(store, 2)
    forged = PageAnswers(mine.visit, theirs.id, "b1-1", 1, {"meaning": "a"}, "k", NOW)
    assert store.record(forged, now=NOW).outcome == "closed"
    assert store.answers(theirs) == {}


def test_handing_in_with_an_answer_missing_is_refused(store):
    mine = begin(store, 1)
    store.record(page(mine, "b1-1", "a"), now=NOW)
    with pytest.raises(Unfinished, match="task 2"):
        store.submit(mine, now=NOW)
    assert store.assignment(mine.id).status == "held"


def test_several_pages_are_stored_in_one_go(store):
    mine = begin(store, 1)
    pages = [page(mine, task.id, "a") for task in store.order(mine)]
    assert store.record_all(pages, now=NOW).outcome == "saved"
    assert store.record_all(pages, now=NOW).outcome == "repeated"
    assert store.submit(mine, now=NOW).status == "submitted"
    assert store.record_all(pages[:1], now=NOW).outcome == "repeated"
    assert store.record_all([page(mine, "b1-1", "b")], now=NOW).outcome == "closed"


def test_the_last_pages_and_handing_in_are_one_go_and_are_kept_when_one_is_missing(store):
    mine = begin(store, 1)
    pages = [page(mine, task.id, "a") for task in store.order(mine)]
    with pytest.raises(Unfinished, match="task 3"):
        store.hand_in(mine.visit, mine.id, pages[:2], now=NOW)
    assert len(store.answers(mine)) == 2
    handed_in = store.hand_in(mine.visit, mine.id, pages, now=NOW)
    assert [each.status for each in handed_in.assignments] == ["submitted"]
    assert store.hand_in(mine.visit, mine.id, pages, now=NOW) == handed_in
    assert len(list(store.answer_rows())) == 3


def test_nothing_is_stored_before_somebody_has_agreed(store):
    visit = store.arrive(person(1), now=NOW)
    early = PageAnswers(visit.id, None, f"{PRACTICE}1", 1, {"meaning": "a"}, "k", NOW)
    assert store.record(early, now=NOW).outcome == "closed"


@pytest.mark.parametrize("raw", ["nul \0 inside", "half \ud800 a character", "日本語 🙂 عربى", ""])
def test_any_text_can_be_kept(store, raw):
    mine = begin(store, 1)
    said = PageAnswers(mine.visit, None, EXIT, 1, {"@comment": raw}, "k", NOW)
    assert store.record(said, now=NOW).outcome == "saved"
    kept = store.answers(store.visit(mine.visit))[EXIT, "@comment"]
    assert kept == raw.replace("\0", "�").replace("\ud800", "?")


def test_a_double_submit_is_one_submit_and_changes_no_answer(store):
    """The second one overwrote the file of answers, and the insert failed unheard."""
    mine = begin(store, 1)
    first = finish(store, mine)
    given = list(store.all_answers())
    saved = store.record(page(mine, "b1-1", "b"), now=NOW + MINUTE)
    assert saved.outcome == "closed"
    assert not saved.is_stored
    assert store.submit(mine, now=NOW + MINUTE) == first
    assert list(store.all_answers()) == given


def test_an_answer_sent_twice_is_stored_once(store):
    """A retry after a lost reply must find the first one."""
    mine = begin(store, 1)
    sent = page(mine, "b1-1", "a")
    first = store.record(sent, now=NOW)
    second = store.record(sent, now=NOW + MINUTE)
    assert (first.outcome, second.outcome) == ("saved", "repeated")
    assert second.at == first.at
    assert len(list(store.answer_rows())) == 1


def test_late_work_is_kept_as_surplus_with_its_code_when_the_place_was_given_again(open_one):
    """A late submit ended in an error page: the work was lost, and there was no code."""
    store = open_one(1)
    late = begin(store, 1)
    complete(store, 2, now=LATE)
    saved = answer(store, late, now=LATE)
    assert {each.outcome for each in saved} == {"saved"}
    assert store.submit(late, now=LATE).status == "surplus"
    assert store.visit(late.visit).current is None  # finished: on to the thanks and the code
    assert len(list(store.all_answers(statuses=["surplus"]))) == 3
    assert broken(store) == []


def test_late_work_counts_when_its_place_is_still_free(open_one):
    store = open_one(1)
    late = begin(store, 1)
    store.expire(now=LATE)
    assert finish(store, late, now=LATE).status == "submitted"
    assert broken(store) == []


def test_a_lease_is_renewed_by_every_answer_and_measured_in_whole_days_too(open_one):
    """Clocks in two time zones were compared, and seconds wrapped round after a day."""
    store = open_one(1)
    mine = begin(store, 1)
    for minutes in (20, 40, 60):
        at = NOW + minutes * MINUTE
        store.record(page(mine, "b1-1", "a"), now=at)
        assert store.assignment(mine.id).expires_at == at + LEASE
        assert store.expire(now=at + 29 * MINUTE) == 0
    assert store.expire(now=NOW + 26 * 60 * MINUTE) == 1


def test_a_failed_check_frees_the_place_and_both_are_kept(open_one):
    store = open_one(1)
    failed = complete(store, 1, right=False)
    assert (failed.status, failed.failed_checks, failed.reason) == ("excluded", 1, "1 failed check")
    assert complete(store, 2).status == "submitted"
    assert len({each.participant for each in store.all_answers()}) == 2


def test_fewer_failed_checks_than_the_rule_says_are_counted_only(open_one):
    store = open_one(1, failed_checks=2)
    kept = complete(store, 1, right=False)
    assert (kept.status, kept.failed_checks) == ("submitted", 1)


def test_the_rule_counts_the_failed_checks_of_all_batches_of_a_person(open_one):
    store = open_one(1, 1, cap=2, failed_checks=2)
    first = complete(store, 1, right=False)
    second = in_hand(store.claim(store.visit(first.visit), now=NOW))
    assert finish(store, second, right=False).status == "excluded"
    assert store.assignment(first.id).status == "excluded"
    assert counts(store) == {"b1": (1, 0, 0), "b2": (1, 0, 0)}
