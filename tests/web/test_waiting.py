"""Between calibration and the rest: a clear page, the code for those who stop, no way around."""

from __future__ import annotations

from typing import Any

import pytest

from participants import PAIRWISE, OpenSite, Person, made_study
from rejudge.study import Study

SHARED = {"calibration": 1, "batch": {"inputs": 1}, "participants_per_batch": 2}


def gated(**parts: Any) -> Study:
    site = {"hold_after_calibration": True, "comment": False, **parts.pop("site", {})}
    return made_study(PAIRWISE, design=SHARED, inputs=4, site=site, **parts)


@pytest.fixture
def calibrated(opened):
    """A site, and somebody who has done the shared tasks."""

    def made(**parts: Any) -> tuple[OpenSite, Person]:
        site = opened(gated(**parts))
        person = site.person()
        person.to_tasks()
        person.do_all()
        return site, person

    return made


def test_the_page_says_what_happens_and_that_the_part_is_paid(calibrated):
    _, person = calibrated(payment={"reward": 2, "minutes": 5})
    assert person.path == "/waiting"
    assert "Your first part is done" in person.text
    assert "come back later with the same link" in person.text
    assert "paid for this first part in any case" in person.text
    assert "finish here" in person.text


def test_unpaid_studies_do_not_speak_of_pay(calibrated):
    _, person = calibrated(payment={"kind": "unpaid"})
    assert person.path == "/waiting"
    assert "paid" not in person.text


def test_the_rest_opens_for_whoever_waits(calibrated):
    site, person = calibrated()
    person.get("/")
    assert person.path == "/waiting"
    site.store.set_gate(is_open=True, who="owner 1", now=site.clock())
    person.get("/waiting")
    assert person.path.startswith("/task/")


def test_coming_back_by_link_leads_to_the_same_page(calibrated):
    site, person = calibrated()
    other = site.person(person.name)
    other.arrive()
    assert other.path == "/waiting"


def test_somebody_can_stop_here_and_gets_the_code(calibrated):
    site, person = calibrated()
    person.send(go="finish")
    assert person.path == "/thanks"
    assert site.store.codes.completed in person.text
    site.store.set_gate(is_open=True, who="owner 1", now=site.clock())
    person.get("/")
    assert person.path == "/thanks"


def test_exit_questions_are_asked_before_the_code(calibrated):
    site, person = calibrated(site={"comment": True})
    person.send(go="finish")
    assert person.path == "/exit"
    person.send(comment="It was short.")
    assert site.store.codes.completed in person.text


@pytest.mark.parametrize("path", ["/task/1", "/more", "/thanks", "/exit", "/full"])
def test_no_page_leads_around_the_gate(calibrated, path):
    site, person = calibrated()
    person.get(path)
    assert person.path == "/waiting"
    assert len(site.store.assignments()) == 1


def test_participants_cannot_open_the_rest(calibrated):
    site, person = calibrated()
    form = person.form
    for path in ("/waiting", "/dashboard/calibration", "/more"):
        person.post(path, {**form["hidden"], "go": "more", "rest": "open", "reason": "please"})
    assert not site.store.gate().is_open
    assert len(site.store.assignments()) == 1


def test_a_form_without_its_signature_is_refused(calibrated):
    site, person = calibrated()
    assert person.post("/waiting", {"go": "finish"}).status_code == 403
    assert site.store.people(now=site.clock())[0].step == "waiting"


def test_the_page_is_for_those_who_wait_only(opened):
    site = opened(gated())
    person = site.person()
    person.arrive()
    person.get("/waiting")
    assert person.path == "/consent"


@pytest.mark.parametrize("language", ["de", "es", "nl", "zh", "ar"])
def test_the_page_is_there_in_every_language(calibrated, language):
    _, person = calibrated(language=language)
    assert person.path == "/waiting"
    assert "waiting_" not in person.page.text
    assert "Your first part" not in person.text
