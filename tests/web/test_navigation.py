"""Which page comes next: practice, tasks, another batch, a pause or the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from participants import PAGES, PAIRWISE, RATING, made_study
from rejudge.collect.visit import Arrival
from rejudge.design.draw import draw


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


def listed_site(opened, **parts: Any):
    """Four batches; r1 has two of them, r2 all four, each paid 2.00."""
    study = made_study(inputs=4, payment={"reward": 2, "minutes": 10}, **parts)
    plan = draw(study)
    names = tuple(batch.id for batch in plan.batches)
    lists = {"r1": names[2:], "r2": names}
    return opened(study, plan=replace(plan, batches_per_participant=4, lists=lists))


def test_a_named_person_who_stops_can_go_on_with_their_link_until_all_parts_are_done(opened):
    site = listed_site(opened)
    person = site.person("r2")
    person.to_tasks()
    person.do_all()
    assert person.path == "/more"
    assert "You have done 1 of your 4 parts." in person.text
    assert "come back later with your link" in person.text
    person.send(go="more")
    person.do_all()
    person.send(go="finish")
    person.send()
    assert person.path == "/thanks"
    assert "You have done 2 of your 4 parts." in person.text
    assert site.store.codes.completed in person.text
    for done in (2, 3):
        person.arrive()
        assert person.path == "/more"
        assert f"You have done {done} of your 4 parts." in person.text
        person.send(go="more")
        person.do_all()
        assert person.path == "/thanks"  # the last questions were answered the first time
        assert site.store.codes.completed in person.text
    assert "of your 4 parts" not in person.text
    person.arrive()
    assert person.path == "/thanks"
    visit = site.store.visit(1)
    assert [each.batch for each in visit.assignments] == list(site.plan.lists["r2"])


def test_who_has_stopped_and_looks_at_the_next_part_can_stop_again(opened):
    site = listed_site(opened)
    person = site.person("r1")
    person.to_tasks()
    person.do_all()
    person.send(go="finish")
    person.send()
    person.arrive()
    person.send(go="finish")
    assert person.path == "/thanks"
    assert "You have done 1 of your 2 parts." in person.text


def test_people_without_a_list_of_their_own_finish_for_good(opened):
    site = opened(made_study(inputs=4, design={"batches_per_participant": 2}))
    person = site.person()
    person.to_tasks()
    person.do_all()
    assert "finish here" in person.text
    person.send(go="finish")
    person.send()
    person.arrive()
    assert person.path == "/thanks"


def test_everybody_reads_the_numbers_of_their_own_list(opened):
    """r1 does two batches of 10 minutes for 2.00 each, r2 four; both decide on what they read."""
    words = "{batches} parts, {total} minutes, {earnings}."
    pages = {**PAGES, "information": words, "instructions": words, "thanks": words}
    statements = [{"id": "time", "text": "I have {total} minutes."}]
    site = listed_site(opened, pages=pages, site={"consent_statements": statements})
    versions = set()
    for name, numbers in (
        ("r1", "2 parts, 20 minutes, GBP 4.00."),
        ("r2", "4 parts, 40 minutes, GBP 8.00."),
    ):
        person = site.person(name)
        person.arrive()
        assert numbers in person.text
        assert f"I have {numbers[9:11]} minutes." in person.text
        form = person.form
        person.send(form, **dict.fromkeys(form["names"], "yes"), agree="yes")
        assert person.path == "/instructions"
        assert numbers in person.text
        person.get("/about")
        assert numbers in person.text
        visit = site.store.find(Arrival("link", name, name))
        texts = site.store.person(visit.participant).consent_texts
        assert [numbers in text for text in texts.values()] == [True]
        versions |= texts.keys()
    assert len(versions) == 2
