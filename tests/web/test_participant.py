"""Pages before and after the tasks: arrival, consent, exit questions, thanks and codes."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from participants import PAIRWISE, made_study

ONE_PLACE = {"participants_per_batch": 1, "batch": {"inputs": 3}}


HEX = "5f3c00112233445566778899"


PROLIFIC = f"PROLIFIC_PID={HEX}&STUDY_ID={HEX}&SESSION_ID={HEX}"


MTURK = "workerId=A1B2C3D4E5F6G7&assignmentId=3C4D5E6F7G8H9I0J1K2L3M&hitId=3C4D5E6F7G8H9I0J1K2L3N"


def recruiting(**recruitment: object):
    return made_study(PAIRWISE, recruitment=recruitment)


@pytest.mark.parametrize(
    ("recruitment", "query"),
    [({"platform": "prolific"}, PROLIFIC), ({"platform": "mturk"}, MTURK), ({"open": True}, "")],
)
def test_the_link_of_the_recruiter_leads_to_the_consent_page(opened, recruitment, query):
    person = opened(recruiting(**recruitment)).person()
    person.get(f"/?{query}")
    assert (person.page.status_code, person.path) == (200, "/consent")
    assert "We compare programs" in person.text


@pytest.mark.parametrize(
    ("recruitment", "query"),
    [
        ({"platform": "prolific"}, "p=anna"),
        ({"platform": "prolific"}, MTURK),
        ({"platform": "prolific"}, f"PROLIFIC_PID={HEX}&SESSION_ID={HEX}"),
        ({"platform": "prolific"}, PROLIFIC.replace(HEX, "5f3c")),
        ({"platform": "prolific"}, PROLIFIC.replace(HEX, HEX.upper())),
        ({"platform": "prolific"}, "PROLIFIC_PID={{%25PROLIFIC_PID%25}}"),
        ({"platform": "mturk"}, PROLIFIC),
        ({"platform": "mturk"}, MTURK.replace("assignmentId", "x")),
        ({}, PROLIFIC),
        ({}, "p=anna"),
        ({}, "p=anna.AAAAAAAAAAAAAAAAAAAAAA"),
    ],
)
def test_a_study_takes_arrivals_of_its_own_recruiter_only(opened, recruitment, query):
    site = opened(recruiting(**recruitment))
    person = site.person()
    assert person.get(f"/?{query}").status_code == 400
    assert "This link is incomplete" in person.text
    assert site.store.people(now=site.clock()) == ()


@pytest.mark.parametrize(
    "query",
    ["", "p=", "p=a b", f"p={'a' * 6000}", "p=.", "p=anna.",
     "p=../../x", "p=%00", "p=%F0%9F%98%80", "p={{7*7}}", "p=<script>alert(1)</script>", "r=1.x"],
)  # fmt: skip
def test_missing_or_odd_ids_get_a_friendly_page(opened, query):
    person = opened().person()
    page = person.get(f"/?{query}")
    assert page.status_code == 400
    assert "This link is incomplete" in person.text
    assert "<script>alert" not in page.text
    assert "49" not in person.text


def test_whoever_looks_before_accepting_on_mturk_sees_what_it_is_about(opened):
    person = opened(recruiting(platform="mturk")).person()
    person.get("/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=3C4D")
    assert person.page.status_code == 200
    assert "Accept the task on the platform first" in person.text


def test_who_declines_gets_an_end_and_a_code_of_their_own(opened):
    site = opened()
    person = site.person()
    person.arrive()
    person.send(agree="no")
    assert person.path == "/declined"
    assert site.store.codes.declined in person.text
    person.arrive()
    assert person.path == "/declined"


def test_consent_is_kept_with_its_time_and_the_version_of_the_text(opened):
    site = opened()
    person = site.person()
    person.arrive()
    site.clock.pass_minutes(2)
    person.send(agree="yes", zone="Europe/Berlin", offset="60", device="desktop")
    event = next(each for each in site.store.events() if each.what == "consented")
    assert event.at == site.clock()
    with closing(sqlite3.connect(site.database)) as database:
        stored = database.execute("SELECT consent_version FROM visit").fetchone()
    assert stored == (site.store.consent_version,)
    assert site.store.people(now=site.clock())[0].time_zone == "Europe/Berlin"


def test_a_garbled_time_zone_is_not_kept(opened):
    site = opened()
    person = site.person()
    person.arrive()
    person.send(agree="yes", zone="<b>x</b>", offset="9999999", device="fridge")
    found = site.store.people(now=site.clock())[0]
    assert (found.time_zone, found.device) == (None, "desktop")


def test_when_nothing_is_left_people_hear_it_before_they_read_the_instructions(opened):
    site = opened(made_study(PAIRWISE, design=ONE_PLACE))
    site.person().to_tasks()
    late = site.person()
    late.arrive()
    late.send(agree="yes")
    assert late.path == "/full"
    assert site.store.codes.full in late.text
    assert site.store.codes.completed not in late.text


def test_who_found_nothing_can_try_again_and_gets_a_place_that_became_free(opened):
    site = opened(made_study(PAIRWISE, design=ONE_PLACE))
    site.person().to_tasks()
    late = site.person()
    late.arrive()
    late.send(agree="yes")
    site.clock.pass_minutes(600)
    late.send()
    assert late.path == "/instructions"


def test_who_has_finished_gets_thanks_and_the_same_code_however_they_come_back(opened):
    site = opened()
    person = site.finished(comment="fine")
    assert person.path == "/thanks"
    assert site.store.codes.completed in person.text
    person.arrive()
    assert person.path == "/thanks"
    person.get("/task/1")
    assert person.path == "/thanks"
    assert len(site.store.assignments()) == 1


def test_somebody_late_hands_in_gets_the_code_and_their_work_is_kept_as_surplus(opened):
    site = opened(made_study(PAIRWISE, design=ONE_PLACE))
    slow = site.person()
    slow.to_tasks()
    site.clock.pass_minutes(600)
    quick = site.finished()
    assert quick.path == "/thanks"
    slow.do_all()
    slow.send()
    assert slow.path == "/thanks"
    assert site.store.codes.completed in slow.text
    assert sorted(each.status for each in site.store.assignments()) == ["submitted", "surplus"]


def test_prolific_participants_get_a_link_back_with_the_code(opened):
    site = opened(made_study(PAIRWISE, recruitment={"platform": "prolific"}))
    person = site.finished()
    link = f"https://app.prolific.com/submissions/complete?cc={site.store.codes.completed}"
    assert f'href="{link}"' in person.page.text


def test_required_exit_questions_are_asked_for_and_nothing_written_is_lost(opened):
    asked = [
        {"id": "often", "prompt": "How often?", "options": ["daily", "never"], "required": True},
        {"id": "age", "prompt": "How old?", "kind": "number"},
    ]
    site = opened(made_study(PAIRWISE, site={"exit_questions": asked}))
    person = site.person()
    person.to_tasks()
    person.do_all()
    person.send(**{"exit:age": "about 30", "comment": "all <fine>"})
    assert person.page.status_code == 422
    assert "Please choose one of the options." in person.text
    assert "Please enter a number." in person.text
    assert "all &lt;fine&gt;" in person.page.text
    person.send(**{"exit:often": "daily", "exit:age": "30", "comment": "all <fine>"})
    assert person.path == "/thanks"
    latest = {row.question: row.raw for row in site.rows() if row.task == "@exit"}
    assert latest == {"often": "daily", "age": "30", "@comment": "all <fine>"}


def test_a_comment_that_was_not_asked_for_is_not_stored(opened):
    asked = [{"id": "age", "prompt": "How old?", "kind": "number"}]
    site = opened(made_study(PAIRWISE, site={"exit_questions": asked, "comment": False}))
    person = site.finished(**{"exit:age": "30", "comment": "nobody asked"})
    assert person.path == "/thanks"
    assert {row.question: row.raw for row in site.rows() if row.task == "@exit"} == {"age": "30"}


def test_an_exit_form_that_is_rejected_again_and_again_is_stored_once(opened):
    asked = [{"id": "age", "prompt": "How old?", "kind": "number"}]
    site = opened(made_study(PAIRWISE, site={"exit_questions": asked}))
    person = site.person()
    person.to_tasks()
    person.do_all()
    statuses = []
    for comment in ("first", "second", "third"):
        person.send(**{"exit:age": "abc", "comment": comment})
        statuses.append(person.page.status_code)
    assert statuses == [422, 422, 422]
    assert [row.raw for row in site.rows() if row.task == "@exit"] == ["third"]


def test_the_information_can_be_read_again_at_any_time(opened):
    person = opened().person()
    person.to_tasks()
    assert 'href="/about"' in person.page.text
    person.get("/about")
    assert "I am 18 or older" in person.text
