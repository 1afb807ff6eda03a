"""Which page comes next: practice, tasks, another batch, a pause or the end."""

from __future__ import annotations

from participants import PAIRWISE, RATING, made_study


def test_a_paused_study_says_so_and_those_who_have_begun_go_on(opened):
    site = opened()
    early = site.person()
    early.to_tasks()
    site.store.set_state("paused", who="test", now=site.clock())
    late = site.person()
    late.arrive()
    assert late.path == "/paused"
    assert "Please come back later" in late.text
    early.do_all()
    assert early.path == "/exit"
    site.store.set_state("open", who="test", now=site.clock())
    late.arrive()
    assert late.path == "/consent"


def test_who_agreed_while_the_study_was_paused_gets_a_place_when_they_come_back(opened):
    site = opened()
    person = site.person()
    person.arrive()
    site.store.set_state("paused", who="test", now=site.clock())
    person.send(agree="yes")
    assert person.path == "/paused"
    site.store.set_state("open", who="test", now=site.clock())
    person.arrive()
    assert person.path == "/instructions"


def test_who_waits_on_the_page_that_says_paused_is_led_on_when_it_opens(opened):
    site = opened()
    person = site.person()
    person.arrive()
    site.store.set_state("paused", who="test", now=site.clock())
    person.send(agree="yes")
    site.store.set_state("open", who="test", now=site.clock())
    person.get("/paused")
    assert person.path == "/instructions"


def test_nobody_is_let_into_calibration_without_a_place_afterwards(opened):
    design = {"batch": {"inputs": 2}, "calibration": 1, "participants_per_batch": 1}
    site = opened(made_study(RATING, design=design, site={"comment": False}))
    first, second = site.person(), site.person()
    first.to_tasks()
    first.do_all("3")
    second.arrive()
    second.send(agree="yes")
    assert [each.batch for each in site.store.assignments()] == ["calibration", "b01"]
    assert second.path == "/full"


def test_who_finishes_calibration_too_late_gets_thanks_and_the_code(opened):
    design = {"batch": {"inputs": 2}, "calibration": 1, "participants_per_batch": 1}
    site = opened(made_study(RATING, design=design, site={"comment": False}))
    slow, quick = site.person(), site.person()
    slow.to_tasks()
    site.clock.pass_minutes(600)
    quick.to_tasks()
    quick.do_all("3")
    slow.do_all("3")
    assert slow.path == "/thanks"
    assert site.store.codes.completed in slow.text


def test_between_two_batches_people_choose_whether_to_go_on(opened):
    site = opened(made_study(PAIRWISE, design={"batches_per_participant": 2}))
    person = site.person()
    person.to_tasks()
    person.do_all()
    assert person.path == "/more"
    person.send(go="more")
    assert person.path == "/task/1"
    person.do_all()
    assert person.path == "/exit"
    person.send()
    assert person.path == "/thanks"


def test_who_does_not_want_another_batch_leaves_with_the_code(opened):
    study = made_study(PAIRWISE, design={"batches_per_participant": 2}, site={"comment": False})
    site = opened(study)
    person = site.person()
    person.to_tasks()
    person.do_all()
    person.send(go="finish")
    assert person.path == "/thanks"
    person.arrive()
    assert person.path == "/thanks"


def test_calibration_comes_first_and_leads_on_to_the_own_batch(opened):
    study = made_study(PAIRWISE, design={"calibration": 1, "batch": {"inputs": 2}})
    site = opened(study)
    person = site.person()
    person.to_tasks()
    person.do_all()
    assert person.path == "/exit"
    assert [each.status for each in site.store.assignments()] == ["submitted", "submitted"]
