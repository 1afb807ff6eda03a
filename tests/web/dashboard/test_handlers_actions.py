"""What can be done, each with its line in the log."""

from __future__ import annotations

import pytest


@pytest.fixture
def owner(site):
    site.log_in()
    return site


def only(site):
    (assignment,) = site.store.assignments()
    return assignment


@pytest.mark.parametrize(
    ("event", "status"),
    [("accept", "accepted"), ("exclude", "excluded"), ("return", "returned")],
)
def test_finished_work_is_decided_about_with_a_reason(owner, event, status):
    person = owner.crowd.finish()
    answer = owner.act(f"/assignments/{only(owner).id}", event=event, reason="Looked at it.")
    assert answer.url.path == f"/dashboard/people/{person}"
    assert only(owner).status == status
    line = owner.last_line()
    assert (line.who, line.what, line.reason) == ("owner 1", event, "Looked at it.")
    assert line.participant == person
    assert "Looked at it." in owner.client.get("/dashboard/log").text


def test_a_place_can_be_taken_back_from_somebody_who_left(owner):
    owner.crowd.begin()
    owner.act(f"/assignments/{only(owner).id}", event="expire", reason="Wrote that they left.")
    assert only(owner).status == "expired"
    assert owner.last_line().what == "expire"


def test_without_a_reason_nothing_is_decided(owner):
    owner.crowd.finish()
    answer = owner.act(f"/assignments/{only(owner).id}", event="exclude", reason="  ")
    assert answer.status_code == 422
    assert only(owner).status == "submitted"


def test_what_cannot_be_is_refused_in_words(owner):
    owner.crowd.begin()
    answer = owner.act(f"/assignments/{only(owner).id}", event="accept", reason="Why not?")
    assert answer.status_code == 409
    assert only(owner).status == "held"


def test_what_was_excluded_half_way_is_not_accepted_afterwards(owner):
    person = owner.crowd.begin().participant
    owner.act(f"/assignments/{only(owner).id}", event="exclude", reason="Wrote nonsense.")
    assert 'value="accept"' not in owner.client.get(f"/dashboard/people/{person}").text
    answer = owner.act(f"/assignments/{only(owner).id}", event="accept", reason="Why not?")
    assert answer.status_code == 409
    assert only(owner).status == "excluded"


def test_a_reason_may_hold_anything_that_a_form_can_send(owner):
    owner.crowd.finish()
    owner.act(f"/assignments/{only(owner).id}", event="exclude", reason="odd\0 reason")
    assert owner.last_line().reason == "odd\ufffd reason"


@pytest.mark.parametrize("number", ["0", "99", "-1", "x", "9" * 30, "9" * 5000])
def test_work_that_is_not_there_is_not_found(owner, number):
    answer = owner.act(f"/assignments/{number}", event="accept", reason="Why not?")
    assert answer.status_code == 404


@pytest.mark.parametrize("event", ["", "withdraw", "submit", "fill"])
def test_only_decisions_can_be_decided(owner, event):
    owner.crowd.finish()
    answer = owner.act(f"/assignments/{only(owner).id}", event=event, reason="Why not?")
    assert answer.status_code == 422


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_the_study_can_be_paused_and_closed_and_opened_again(owner, state):
    owner.act("/state", state=state, reason="Night.")
    assert owner.store.state == state
    assert (owner.last_line().reason, owner.last_line().who) == ("Night.", "owner 1")
    assert f">{state}</b>" in owner.client.get("/dashboard/").text
    owner.act("/state", state="open")
    assert owner.store.is_open


def test_a_state_that_is_none_is_refused(owner):
    assert owner.act("/state", state="burning").status_code == 422


def test_a_batch_is_reopened_by_one_more_place(owner):
    batch = owner.site.plan.batches[0]
    answer = owner.act(f"/batches/{batch.id}/place", reason="One was odd.")
    assert answer.status_code == 200
    assert owner.store.occupancies()[0].places == batch.participants + 1
    assert (owner.last_line().batch, owner.last_line().reason) == (batch.id, "One was odd.")


def test_a_batch_that_is_not_planned_is_not_found(owner):
    assert owner.act("/batches/nowhere/place", reason="Why not?").status_code == 404


def test_withdrawal_needs_the_name_typed(owner):
    person = owner.crowd.finish()
    assert owner.act(f"/people/{person}/withdraw", confirm="yes").status_code == 422
    assert owner.store.people(now=owner.clock())


def test_withdrawal_leaves_a_tombstone_and_a_line(owner):
    person = owner.crowd.finish()
    owner.client.get("/dashboard/")
    owner.act(f"/people/{person}/withdraw", confirm=person)
    assert not owner.store.people(now=owner.clock())
    assert [stone.participant for stone in owner.store.tombstones()] == [person]
    assert owner.last_line().what == "withdrawn"
    assert person not in owner.client.get("/dashboard/").text
    assert person not in owner.client.get("/dashboard/people").text
    assert owner.client.get(f"/dashboard/people/{person}").status_code == 404


def test_a_new_viewer_token_is_shown_once_and_opens_the_door(owner):
    page = owner.act("/access/grant", role="viewer").text
    secret = page.split('class="secret">')[1].split("<")[0]
    assert owner.last_line().what == "granted viewer access"
    assert secret not in owner.client.get("/dashboard/access").text
    assert owner.store.login(secret, now=owner.clock()).role == "viewer"


def test_a_token_is_revoked_from_the_page(owner):
    secret = owner.store.grant("viewer", now=owner.clock())
    owner.act("/access/2/revoke")
    assert owner.store.login(secret, now=owner.clock()) is None
    assert owner.last_line().who == "owner 1"


def test_nobody_locks_themselves_out(owner):
    assert owner.act("/access/1/revoke").status_code == 409
    assert owner.client.get("/dashboard/").status_code == 200


def test_a_reason_is_shown_as_text(owner):
    person = owner.crowd.finish()
    owner.act(f"/assignments/{only(owner).id}", event="exclude", reason="<script>alert(1)</script>")
    for path in ("/dashboard/log", f"/dashboard/people/{person}"):
        page = owner.client.get(path).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


# Places that nobody begins with


def test_places_without_an_answer_are_released_together_and_logged(owner):
    waiting = [owner.crowd.begin() for _ in range(3)]
    owner.crowd.answer(waiting[0], tasks=1)
    owner.clock.go(300)
    just_now = owner.crowd.begin()
    held = {each.participant for each in owner.store.assignments() if each.status == "held"}
    form = {"minutes": "4", "reason": "A script.", "confirm": "release"}
    answer = owner.act("/places/release", **form)
    assert "were released" in answer.text
    assert owner.last_line().what == "2 places released"
    assert owner.last_line().reason == "A script."
    still = {each.participant for each in owner.store.assignments() if each.status == "held"}
    assert held - still == {waiting[1].participant, waiting[2].participant}
    assert just_now.participant in still


@pytest.mark.parametrize(
    "spoilt", [{"confirm": "yes"}, {"reason": ""}, {"minutes": "soon"}, {"minutes": "9" * 30}]
)
def test_places_are_released_only_when_it_is_confirmed_and_said_why(owner, spoilt):
    owner.crowd.begin()
    lines = len(owner.store.log())
    form = {"minutes": "0", "reason": "A script.", "confirm": "release", **spoilt}
    assert owner.act("/places/release", **form).status_code == 422
    assert len(owner.store.log()) == lines


def test_who_only_looks_releases_nothing(owner):
    owner.log_in("viewer")
    form = {"minutes": "0", "reason": "A script.", "confirm": "release"}
    assert owner.act("/places/release", **form).status_code == 403
