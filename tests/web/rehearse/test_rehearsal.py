"""A rehearsal: simulated participants on the real pages, and the guarantees that must hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rejudge.files.step_files import open_plan
from rejudge.store.store import open_store
from rejudge.study.site import ExitQuestion
from rejudge.web.rehearse.browser import Browser, Form, Page
from rejudge.web.rehearse.rehearsal import Clock, broken_guarantees, rehearse
from served import make_folder

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory):
    """A study and its plan, the database of a rehearsal, and what happened in it."""
    folder = make_folder(tmp_path_factory.mktemp("rehearsed") / "study")
    study, plan = open_plan(folder)
    database = folder / "rehearsal.db"
    found = rehearse(study, plan, database=database, people=6, seed=1, start=START)
    return study, plan, database, found


def broken(rehearsed, people=None):
    study, plan, database, found = rehearsed
    store = open_store(str(database), study, plan, now=START, is_rehearsal=True)
    try:
        return [each.promise for each in broken_guarantees(store, people or found.people)]
    finally:
        store.close()


def test_the_clock_never_goes_back():
    clock = Clock(START)
    clock.move_to(START - timedelta(hours=1))
    assert clock.now() == START
    clock.move_by(90)
    assert clock.now() == START + timedelta(seconds=90)


def test_everyone_comes_to_an_end_and_every_guarantee_holds(rehearsed):
    *_, found = rehearsed
    assert found.broken == ()
    assert len(found.people) == 6
    assert {record.end for record in found.people}.isdisjoint({"stuck"})
    assert found.requests > 6 * 4
    assert found.simulated > timedelta(minutes=5)


def test_nobody_leaves_a_comment_that_was_not_asked_for(rehearsed, tmp_path, monkeypatch):
    study, plan, *_ = rehearsed
    question = ExitQuestion(id="age", prompt="How old?", kind="number")
    site = study.spec.site.model_copy(update={"comment": False, "exit_questions": (question,)})
    quiet = replace(study, spec=study.spec.model_copy(update={"site": site}))
    sent, send = [], Browser.send

    def note(self: Browser, form: Form, values: dict[str, str]) -> Page:
        sent.append(values)
        return send(self, form, values)

    monkeypatch.setattr(Browser, "send", note)
    rehearse(quiet, plan, database=tmp_path / "quiet.db", people=2, seed=1, start=START)
    assert any("exit:age" in values for values in sent)
    assert not any("comment" in values for values in sent)


def test_every_judgment_is_marked_as_simulated(rehearsed):
    *_, found = rehearsed
    assert len(found.judgments) > 0
    assert found.judgments.simulated == len(found.judgments)


def test_an_answer_that_was_saved_and_is_gone_is_reported(rehearsed):
    *_, found = rehearsed
    first = next(record for record in found.people if record.saved)
    _, *rest = next(iter(first.saved))
    invented = replace(first, saved={**first.saved, ("nowhere", *rest): "a"})
    assert broken(rehearsed, [invented]) == ["no saved answer is lost"]


def test_an_answer_that_is_stored_differently_is_reported(rehearsed):
    *_, found = rehearsed
    first = next(record for record in found.people if record.saved)
    place = next(iter(first.saved))
    changed = replace(first, saved={**first.saved, place: "something else"})
    assert broken(rehearsed, [changed]) == ["no saved answer is changed"]


def test_a_final_page_without_its_code_is_reported(rehearsed):
    *_, found = rehearsed
    finished = next(record for record in found.people if record.codes)
    assert "every final page shows its code" in broken(rehearsed, [replace(finished, codes=[])])


def test_complaints_about_pages_are_reported(rehearsed):
    *_, found = rehearsed
    first = replace(found.people[0], complaints=["/task/1 (500): is a dead end"])
    assert broken(rehearsed, [first]) == ["every page works"]
