"""Several people in one transaction: each with their own outcome, on both databases."""

from __future__ import annotations

import pytest
from walking import NOW, begin, come, counts, page, person

from rejudge.collect import Visit
from rejudge.errors import ElsewhereOpen


def test_people_who_come_together_get_places_of_their_own(store):
    given = store.together([lambda n=n: begin(store, n) for n in range(4)])
    assert sorted((each.batch, each.seat) for each in given) == [
        ("b1", 0), ("b1", 1), ("b2", 0), ("b2", 1),
    ]  # fmt: skip
    assert counts(store) == {"b1": (2, 0, 2), "b2": (2, 0, 2)}


def test_what_was_just_written_is_read_back_before_anybody_else_can_see_it(store):
    seen = []

    def arrive_and_look() -> Visit:
        visit = store.arrive(person(1), now=NOW)
        seen.append(store.visit(visit.id))
        return visit

    [visit] = store.together([arrive_and_look])
    assert seen == [visit]


def test_a_second_session_is_refused_and_the_others_are_served(store):
    begin(store, 1)
    refused, other = store.together(
        [lambda: store.arrive(person(1, session=2), now=NOW), lambda: come(store, 2)]
    )
    assert isinstance(refused, ElsewhereOpen)
    assert store.visit(other.id) == other


def test_an_act_that_breaks_takes_nobody_along(store):
    mine, yours = begin(store, 1), begin(store, 2)

    def breaks() -> None:
        store.record(page(mine, "b1-1", "a"), now=NOW)
        raise ZeroDivisionError

    broken, saved = store.together(
        [breaks, lambda: store.record(page(yours, "b1-1", "b"), now=NOW)]
    )
    assert isinstance(broken, ZeroDivisionError)
    assert saved.outcome == "saved"
    kept = [(row.participant, row.raw) for row in store.answer_rows()]
    # what the broken act had stored for itself before it broke stays, as it would alone
    assert sorted(kept) == [(mine.participant, "a"), (yours.participant, "b")]


def test_those_who_only_look_see_what_is_stored(store):
    mine = begin(store, 1)
    looks = [lambda: store.visit(mine.visit), lambda: store.answers(mine)]
    visit, answers = store.look_together(looks)
    assert visit.current == mine
    assert answers == {}


@pytest.mark.parametrize("rows", [1, 2, 40])
def test_a_page_of_many_answers_is_stored_as_it_was_given(store, rows):
    """PostgreSQL takes several rows as one JSON text: nothing of them may change on the way."""
    mine = begin(store, 1)
    words = ["a", 'b "quoted" \\ back', "ß 漢字 🙂 \u202e rtl", "line\nbreak\ttab", "1e5", ""]
    answers = {f"q{n}": words[n % len(words)] for n in range(rows)}
    sent = page(mine, "b1-1", "a")
    stored = store.record(
        type(sent)(
            visit=sent.visit, assignment=sent.assignment, task=sent.task, position=7,
            answers=answers, key="k", shown_at=NOW, active_seconds=0.1 + 0.2, changes=3, blurs=2,
        ),
        now=NOW,
    )  # fmt: skip
    assert stored.outcome == "saved"
    found = list(store.answer_rows())
    assert {row.question: row.raw for row in found} == answers
    assert {(row.position, row.active_seconds, row.changes, row.blurs) for row in found} == {
        (7, 0.1 + 0.2, 3, 2)
    }
