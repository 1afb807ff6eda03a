"""The dashboard shows how far people agree on the shared tasks, and owners open the rest."""

from __future__ import annotations

import re

import pytest

from dashboard_site import opened
from judged_study import PAIRWISE, RATING, small_study


@pytest.fixture
def site(tmp_path):
    study = small_study(
        PAIRWISE,
        RATING,
        design={"calibration": 2, "batch": {"inputs": 2}, "participants_per_batch": 3},
        site={"hold_after_calibration": True},
    )
    made = opened(tmp_path, study)
    yield made
    made.client.close()
    made.store.close()


def calibrate(site, number: int) -> None:
    for _ in range(number):
        visit = site.crowd.begin()
        site.crowd.answer(visit)
        site.store.submit(visit.current, now=site.clock.go(2))


def test_agreement_on_the_shared_tasks_is_shown_before_the_decision(site):
    calibrate(site, 3)
    site.log_in()
    page = site.client.get("/dashboard/calibration").text
    assert "3 people have judged the" in page
    assert "3 are waiting" in page
    assert "Krippendorff’s alpha" in page
    assert "held back" in page
    assert "Open the rest" in page
    assert ">Calibration</a>" in site.client.get("/dashboard/").text


def test_systems_are_not_compared(site):
    calibrate(site, 3)
    site.log_in()
    page = site.client.get("/dashboard/calibration").text
    systems = "|".join(system.id for system in site.study.spec.systems)
    assert re.search(rf"\b({systems})\b", page) is None


def test_an_owner_opens_the_rest_with_a_line_in_the_log(site):
    calibrate(site, 2)
    site.log_in()
    answer = site.act("/calibration", rest="open", reason="They agree.")
    assert answer.url.path == "/dashboard/calibration"
    assert "People who were waiting can continue" in answer.text
    assert site.store.gate().is_open
    line = site.last_line()
    assert (line.who, line.what, line.reason) == (
        "owner 1",
        "calibration: rest opened",
        "They agree.",
    )
    site.act("/calibration", rest="hold")
    assert not site.store.gate().is_open


def test_a_viewer_sees_but_cannot_decide(site):
    calibrate(site, 1)
    site.log_in("viewer")
    assert "Open the rest" not in site.client.get("/dashboard/calibration").text
    assert site.act("/calibration", rest="open").status_code == 403
    assert not site.store.gate().is_open


def test_nobody_opens_it_without_logging_in_or_without_the_form(site):
    site.client.post("/dashboard/calibration", data={"rest": "open"})
    site.log_in()
    assert site.client.post("/dashboard/calibration", data={"rest": "open"}).status_code == 403
    assert not site.store.gate().is_open


def test_anything_else_is_refused_in_words(site):
    site.log_in()
    assert site.act("/calibration", rest="maybe").status_code == 422


def test_before_anybody_is_through_the_page_says_so(site):
    site.log_in()
    assert "Nobody has finished calibration yet" in site.client.get("/dashboard/calibration").text


def test_a_study_without_a_gate_has_no_such_page(tmp_path):
    made = opened(tmp_path, small_study(PAIRWISE))
    made.log_in()
    assert made.client.get("/dashboard/calibration").status_code == 404
    assert ">Calibration</a>" not in made.client.get("/dashboard/").text
    made.client.close()
    made.store.close()


def test_a_reason_with_markup_is_shown_as_text(site):
    site.log_in()
    site.act("/calibration", rest="open", reason="<b>x</b>")
    page = site.client.get("/dashboard/calibration").text
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x" in page
