"""Who is let go before the tasks: answers are kept, the place is free, and once is enough."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rejudge.collect.visit import SCREENING, Arrival, Visit
from rejudge.store.records import PageAnswers
from rejudge.store.store import Store, open_existing, open_store
from small_site import START, study_of

ASKS = """
recruitment:
  platform: prolific
  screening:
    questions: [{id: q, prompt: 'Which one?', options: [one, two], admit: [one]}]
"""


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    made = open_store(str(tmp_path / "study.db"), *study_of(1, 1, more=ASKS), now=START)
    yield made
    made.close()


def arrive(store: Store, person: str = "a", session: str = "s") -> Visit:
    visit = store.arrive(Arrival("prolific", person, session), now=START)
    return store.agree(visit, version=store.consent_version, now=START)


def page(visit: Visit, raw: str = "one") -> PageAnswers:
    return PageAnswers(visit.id, None, SCREENING, 1, {"q": raw}, "k", START)


def held(store: Store) -> int:
    return sum(each.held for each in store.occupancies())


def test_consent_alone_takes_no_place_where_questions_come_first(store):
    visit = arrive(store)
    assert (visit.current, held(store)) == (None, 0)
    assert not store.has_next_batch(visit, now=START)
    assert store.claim(visit, now=START).current is None
    admitted = store.screen(visit, page(visit), admit=True, now=START)
    assert admitted.current is not None
    assert (admitted.admitted_at, held(store)) == (START, 1)


def test_the_first_decision_counts(store):
    visit = arrive(store)
    out = store.screen(visit, page(visit, "two"), admit=False, now=START)
    again = store.screen(visit, page(visit), admit=True, now=START)
    assert out.screened_out_at == again.screened_out_at == START
    assert again.admitted_at is None
    assert [each.raw for each in store.answer_rows()] == ["two"]


def test_nobody_is_screened_before_they_agree_or_after_they_finished(store):
    visit = store.arrive(Arrival("prolific", "a", "s"), now=START)
    assert store.screen(visit, page(visit), admit=True, now=START).admitted_at is None
    assert store.screen_out(visit, now=START).screened_out_at is None
    assert not list(store.answer_rows())
    visit = store.agree(visit, version="v", now=START)
    visit = store.screen(visit, page(visit), admit=True, now=START)
    batch = visit.current
    for place, task in enumerate(store.order(batch), start=1):
        done = PageAnswers(visit.id, batch.id, task.id, place, {"meaning": "a"}, task.id, START)
        store.record(done, now=START)
    store.submit(batch, now=START)
    assert store.screen_out(visit, now=START).screened_out_at is None
    assert [each.status for each in store.assignments()] == ["submitted"]


def test_a_place_is_free_again_and_the_person_stays_out(store):
    visit = arrive(store)
    visit = store.screen(visit, page(visit), admit=True, now=START)
    store.screen_out(visit, now=START)
    assert held(store) == 0
    assert [each.status for each in store.assignments()] == ["returned"]
    assert arrive(store, "a", "another").screened_out_at is not None
    other = arrive(store, "b")
    assert store.screen(other, page(other), admit=True, now=START).current is not None


def test_codes_are_made_where_they_are_needed_and_stay(store, tmp_path):
    codes = store.codes
    assert codes.screened_out
    assert codes.failed_checks is None
    study, plan = study_of(1, 1, more=ASKS)
    again = open_existing(str(tmp_path / "study.db"), study, plan)
    assert again.codes == codes
    again.close()
    reopened = open_store(str(tmp_path / "study.db"), study, plan, now=START)
    assert reopened.codes == codes
    reopened.close()


def test_a_database_from_before_gets_a_code_when_the_study_begins_to_screen(tmp_path):
    path = str(tmp_path / "study.db")
    open_store(path, *study_of(1, 1), now=START).close()
    study, plan = study_of(1, 1, more=ASKS)
    later = open_store(path, study, plan, now=START)
    assert later.codes.screened_out
    later.close()
