"""What the pages show: of an empty study, a running one and a finished one."""

from __future__ import annotations

import html
import re

import pytest

from dashboard_site import PAYMENT, opened, platform_ids
from judged_study import PAIRWISE, checked_study, small_study
from rejudge.analysis.analyse import analyse
from rejudge.design.pay import Stint, hourly_earnings, quote_price
from rejudge.errors import StoreUnavailable
from rejudge.judgments.exclusions import exclude
from rejudge.store.analysis_input import judgments_of


def words_of(page):
    """A page as it is read."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def part(page, name):
    """One live part of the overview."""
    return page.split(f'data-live="{name}"')[1].split("data-live=")[0]


@pytest.fixture
def running(site):
    """Some have finished, one is at work, one has left, one has just come."""
    site.crowd.finish_many(5)
    site.crowd.begin()
    site.clock.go(800)
    site.crowd.answer(site.crowd.begin(), tasks=2)
    site.crowd.arrive()
    site.log_in()
    return site


@pytest.fixture
def finished(site):
    """All places are filled."""
    site.crowd.finish_many(site.site.plan.places)
    site.log_in()
    return site


# An empty study


def test_the_overview_of_an_empty_study_says_what_is_not_there_yet(site):
    page = site.log_in().get("/dashboard/").text
    text = words_of(page)
    assert f"0 / {site.site.plan.places}" in text
    assert "Nobody has arrived yet." in text
    assert "No times yet." in text
    assert "nobody has finished yet" in text


@pytest.mark.parametrize("path", ["/people", "/log", "/downloads", "/access"])
def test_the_other_pages_of_an_empty_study_are_there(site, path):
    assert site.log_in().get(f"/dashboard{path}").status_code == 200


def test_a_study_without_pay_or_plan_of_analysis_has_a_dashboard(tmp_path):
    study = small_study(PAIRWISE)
    bare = study.spec.model_copy(update={"analysis": None})
    made = opened(tmp_path, type(study)(spec=bare, items=study.items, pages={}))
    made.crowd.finish_many(2)
    assert "says nothing about payment" in made.log_in().get("/dashboard/").text
    made.client.close()
    made.store.close()


# A running one


def test_the_state_of_every_participant_is_shown(running):
    text = words_of(part(running.client.get("/dashboard/").text, "people"))
    assert re.search(r"p0008 arriving information and consent", text)
    assert re.search(r"p0007 judging 2 of \d+ in b\d+", text)
    assert re.search(r"p0006 away 0 of \d+ in b\d+", text)
    assert re.search(r"p0001 submitted b\d+ · thanks page", text)


def test_the_numbers_at_the_top_are_those_of_the_store(running):
    progress = running.store.progress(now=running.clock())
    text = words_of(part(running.client.get("/dashboard/").text, "numbers"))
    assert f"{progress.done} / {progress.places}" in text
    assert f"people active now {progress.people_now} " in text
    assert "8 people arrived, 5 finished" in text


def test_pay_is_what_the_design_says_of_these_times(running):
    people = running.store.people(now=running.clock())
    stints = [Stint(1, person.wall_minutes) for person in people if person.step == "thanks"]
    quoted = quote_price(running.study, running.site.plan, on=running.clock().date())
    found = hourly_earnings(quoted, stints)
    assert len(stints) == 5
    text = words_of(part(running.client.get("/dashboard/").text, "numbers"))
    assert f"GBP {found.hourly}" in text


def test_agreement_and_side_are_those_of_the_analysis(running):
    cleaned = exclude(running.study, running.site.plan, judgments_of(running.store))
    results = analyse(cleaned, study=running.study, plan=running.site.plan)
    page = running.client.get("/dashboard/").text
    for finding in results.select("meaning", "agreement", "krippendorff-alpha"):
        if not finding.systems:
            assert f"{finding.value:.2f}".replace("-", "−") in part(page, "agreement")
    (side,) = results.select("meaning", "first-shown-percent")
    assert f"{side.value:.1f}\u202f%" in part(page, "sides")


def test_the_comparisons_of_systems_are_nowhere(running):
    page = running.client.get("/dashboard/").text
    assert not [name for name in ("Ash", "Beech", "Cedar", "beech", "cedar") if name in page]


def test_every_kind_of_page_has_its_times(running):
    text = words_of(part(running.client.get("/dashboard/").text, "times"))
    for name in ("Information and consent", "Instructions", "Each task", "A whole batch"):
        assert f"{name} median" in text


def test_the_fragment_is_the_overview_without_its_frame(running):
    whole = running.client.get("/dashboard/").text
    fragment = running.client.get("/dashboard/live").text
    assert "<html" not in fragment
    assert fragment.strip() in whole


def test_batches_say_in_words_what_they_show(running):
    page = running.client.get("/dashboard/").text
    occupancy = running.store.occupancies()[0]
    assert f'aria-label="{occupancy.batch}: {occupancy.done} done' in page


def test_people_can_be_looked_for(running):
    here = words_of(running.client.get("/dashboard/people?show=now").text)
    assert "p0008" in here
    assert "p0001" not in here
    assert "p0001" in words_of(running.client.get("/dashboard/people").text)


def test_one_person_has_a_page_with_all_that_happened(running):
    text = words_of(running.client.get("/dashboard/people/p0001").text)
    assert "arrived" in text
    assert "consented" in text
    assert "Accept Exclude Mark as returned" in text
    assert "Type p0001" in text


def test_a_viewer_sees_no_forms_to_act(running):
    page = running.log_in("viewer").get("/dashboard/people/p0001").text
    assert page.count("<form") == 1  # to log out
    assert running.client.get("/dashboard/").text.count("<form") == 1


@pytest.mark.parametrize("path", ["/people/p9999", "/batches/nowhere", "/preview/nowhere/1"])
def test_what_is_not_there_is_stated(running, path):
    assert running.client.get(f"/dashboard{path}").status_code == 404


def test_no_page_shows_a_platform_id(running):
    batch = running.site.plan.batches[0].id
    paths = ["/", "/live", "/people", "/people/p0001", f"/batches/{batch}", "/log", "/access"]
    assert not [p for p in paths if platform_ids(running.client.get(f"/dashboard{p}").text)]


def test_names_of_a_study_are_shown_as_text(tmp_path):
    study = checked_study(PAIRWISE, title="<b>Bold</b> & {{ 7 * 7 }}", payment=PAYMENT)
    made = opened(tmp_path, study)
    page = made.log_in().get("/dashboard/").text
    assert "&lt;b&gt;Bold&lt;/b&gt; &amp; {{ 7 * 7 }}" in page
    assert "<b>Bold" not in page
    made.client.close()
    made.store.close()


# A finished one


def test_a_finished_study_is_all_done(finished):
    text = words_of(finished.client.get("/dashboard/").text)
    places = finished.site.plan.places
    assert f"{places} / {places} 100 %; 0 in progress" in text
    batches = len(finished.site.plan.batches)
    assert f"{batches} of {batches} complete" in text


def test_after_a_reopening_there_is_room_again(finished):
    batch = finished.site.plan.batches[0]
    finished.act(f"/batches/{batch.id}/place", reason="One was odd.")
    text = words_of(finished.client.get("/dashboard/").text)
    assert f"{finished.site.plan.places} / {finished.site.plan.places + 1}" in text


# Tasks as participants see them


def test_every_task_can_be_looked_at_and_sends_nothing(running):
    batch = running.site.plan.batches[0]
    for place in range(1, len(batch.tasks) + 1):
        answer = running.client.get(f"/dashboard/preview/{batch.id}/{place}")
        assert answer.status_code == 200
        assert "Nothing is sent from here." in answer.text
        assert "<form" not in answer.text
    assert "Which keeps the meaning?" in running.client.get(f"/dashboard/preview/{batch.id}/1").text


@pytest.mark.parametrize("place", [0, 999])
def test_a_task_that_is_not_there_is_not_found(running, place):
    batch = running.site.plan.batches[0].id
    assert running.client.get(f"/dashboard/preview/{batch}/{place}").status_code == 404


# When something is gone


def test_without_the_database_the_page_says_so(running, monkeypatch):
    def gone(*_args: object, **_options: object) -> None:
        raise StoreUnavailable("The database does not answer.")

    monkeypatch.setattr(running.store, "occupancies", gone)
    running.clock.go(10)
    answer = running.client.get("/dashboard/")
    assert answer.status_code == 503
    assert "Nothing was changed" in answer.text


# Monitoring


def test_no_page_compares_systems_while_the_study_is_running(running, no_comparisons):
    """Every page and download; what is computed in a thread of its own is awaited."""
    participant, batch = running.store.people(now=running.clock())[0], running.site.plan.batches[0]
    named = {"participant": participant.participant, "batch": batch.id, "number": "1"}
    paths = [
        path.format(**{"name": "everything.zip", **named})
        for path in ("", "/", "/live", "/people", "/people/{participant}", "/batches/{batch}",
                     "/preview/{batch}/{number}", "/log", "/downloads", "/downloads/{name}",
                     "/access")
    ]  # fmt: skip
    answers = [running.client.get(f"/dashboard{path}") for path in paths]
    assert {answer.status_code for answer in answers} == {200}
    assert "Krippendorff" in answers[1].text
    assert no_comparisons == []
