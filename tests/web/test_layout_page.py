"""The frame with the page of an original study: what is in it, and what it may do."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime

import pytest

from layout_sites import layout_study, page
from participants import OpenSite, made_study
from rejudge.design.draw import draw
from rejudge.design.freeze import study_differences
from rejudge.web.rehearse.rehearsal import rehearse


@pytest.fixture
def site(tmp_path):
    opened = OpenSite(layout_study(page()), tmp_path)
    yield opened
    opened.close()


def test_the_frame_shows_the_texts_of_the_batch_and_asks_its_questions(site) -> None:
    person = site.person()
    person.to_tasks()
    assert person.path == "/task/all"
    frame = person.client.get("/layout")
    names = set(re.findall(r'name="(\d:meaning)"', frame.text))
    assert names == {"0:meaning", "1:meaning", "2:meaning"}
    assert frame.text.count("By input: path") == 3
    assert "${" not in frame.text.partition("<script>")[0]


def test_the_frame_may_do_nothing_but_run_our_script(site) -> None:
    person = site.person()
    person.to_tasks()
    frame = person.client.get("/layout")
    policy = frame.headers["content-security-policy"]
    script = re.search(r"<script>(.*)</script>", frame.text, re.DOTALL)
    mark = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{mark}'" in policy
    for part in ("sandbox allow-scripts;", "default-src 'none'", "form-action 'none'"):
        assert part in policy
    assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")
    assert frame.headers["x-frame-options"] == "SAMEORIGIN"
    assert frame.headers["cache-control"] == "no-store"


def test_only_studies_with_a_layout_may_have_frames(site, tmp_path) -> None:
    person = site.person()
    assert "frame-src 'self'" in person.arrive().headers["content-security-policy"]
    (tmp_path / "other").mkdir()
    plain = OpenSite(made_study(site={"show": "list"}), tmp_path / "other")
    other = plain.person()
    assert "frame-src" not in other.arrive().headers["content-security-policy"]
    other.to_tasks()
    assert other.client.get("/layout").status_code == 404
    assert "<iframe" not in other.page.text
    plain.close()


def test_strangers_see_no_texts(site) -> None:
    assert "path" not in site.person().client.get("/layout").text


def test_the_order_of_a_seat_is_kept_and_names_stay_with_their_tasks(tmp_path) -> None:
    design = {"order": "participant", "participants_per_batch": 3}
    opened = OpenSite(layout_study(page(), design=design, inputs=3), tmp_path)
    orders = set()
    for name in ("x", "y", "z"):
        person = opened.person(name)
        person.to_tasks()
        frame = person.client.get("/layout").text
        listed = re.findall(r'id="(\d:meaning)"', person.page.text)
        assert list(dict.fromkeys(re.findall(r'name="(\d:meaning)"', frame))) == listed
        orders.add(tuple(listed))
    opened.close()
    assert len(orders) > 1


def test_texts_with_markup_are_cleaned_where_that_is_asked_for(tmp_path) -> None:
    study = layout_study(
        page(),
        texts=lambda n, name: f"<b>{name}</b><script>x</script> {n}",
        layout={"html": ["outputa"]},
    )
    opened = OpenSite(study, tmp_path)
    person = opened.person()
    person.to_tasks()
    body = person.client.get("/layout").text
    assert re.search(r"<td><b>(ash|beech|cedar)</b> \d</td>", body)
    assert "&lt;b&gt;input&lt;/b&gt;" in body
    assert body.count("<script>") == 1
    opened.close()


def test_a_rehearsal_looks_at_the_layout_and_misses_no_field(tmp_path) -> None:
    study = layout_study(page())
    plan = draw(study)
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    found = rehearse(study, plan, database=tmp_path / "r.db", people=4, seed=1, start=start)
    assert [each for person in found.people for each in person.complaints] == []
    assert sum(person.end == "thanks" for person in found.people) >= 2


def test_a_changed_layout_is_a_change_of_the_study() -> None:
    one, other = layout_study(page()), layout_study(page(after="<p>New</p>"))
    assert one.fingerprint != other.fingerprint
    assert [change.path for change in study_differences(one, other)] == ["pages[layout]"]
