"""Two attempts at a pass mark; whoever passes gets no other, and everybody finishes with a code."""

from __future__ import annotations

from walking import NOW, begin, come, complete, plan_of, study_of

from rejudge.store.store import Store, open_store
from rejudge.study.model import Study


def qualifying(database: str) -> Store:
    made = study_of(failed_checks=None)
    recruitment = made.spec.recruitment.model_copy(update={"pass_mark": 1})
    spec = made.spec.model_copy(update={"recruitment": recruitment})
    study = Study(spec=spec, items=made.items, pages=made.pages)
    return open_store(database, study, plan_of(study, 5, 5, cap=2), now=NOW)


def test_whoever_passes_gets_no_second_batch(database):
    store = qualifying(database)
    work = complete(store, 1)
    assert (work.status, work.failed_checks) == ("submitted", 0)
    assert not store.has_next_batch(store.visit(work.visit), now=NOW)
    assert store.claim(store.visit(work.visit), now=NOW).current is None
    assert [person.step for person in store.people(now=NOW)] == ["exit"]
    store.close()


def test_whoever_fails_may_try_once_more_and_no_more(database):
    store = qualifying(database)
    first = complete(store, 1, right=False)
    assert first.failed_checks == 1
    assert store.has_next_batch(store.visit(first.visit), now=NOW)
    second = complete(store, 1, right=False)
    assert second.batch != first.batch
    assert not store.has_next_batch(come(store, 1), now=NOW)
    store.close()


def test_work_that_fails_is_kept_and_paid_like_any_other(database):
    store = qualifying(database)
    assert complete(store, 1, right=False).status == "submitted"
    assert begin(store, 2).status == "held"
    store.close()
