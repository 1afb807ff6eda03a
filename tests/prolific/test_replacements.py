"""Replacements: as many places as stay empty here and nobody is on the way to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest
from fake_account import Account

from looked_study import stop
from rejudge.collect.visit import Arrival
from rejudge.errors import StudyError
from rejudge.prolific.client import ProlificError
from rejudge.prolific.study import CreationOptions, SiteKeys, batch_of_url, draft_study, offer_of
from rejudge.prolific.submissions import ADDED_PARAMETER, Replacements, find_replacements, poll
from rejudge.store.records import PageAnswers
from rejudge.store.store import open_store
from rejudge.web.rehearse.prolific import PlatformRehearser
from small_site import START, study_of

PAID = """
payment: {kind: paid, currency: GBP, hourly: 12, minutes: 10}
recruitment: {platform: prolific}
"""


class Run:
    """A published study of two batches for two people each, and its store."""

    def __init__(self, path, *, is_taskflow: bool, batches_per_participant: int = 1) -> None:
        study, plan = study_of(2, 2, more=PAID)
        self.plan = replace(plan, batches_per_participant=batches_per_participant)
        self.account = Account()
        self.store = open_store(str(path / "study.db"), study, self.plan, now=START)
        options = CreationOptions("https://study.example.org", is_taskflow=is_taskflow)
        site = SiteKeys(self.store.codes, self.store.secret)
        draft = draft_study(
            self.account.api, study, self.plan, site=site, options=options, on=date(2026, 3, 2)
        )
        self.id = self.account.api.create_study(draft.body).id
        self.is_taskflow = is_taskflow

    def publish(self) -> None:
        self.account.api.transition_study(self.id, "PUBLISH")

    def begin(self):
        """Somebody arrives and holds a batch."""
        submission = self.account.come(self.id)
        batch = batch_of_url(submission.url) if self.is_taskflow else None
        arrival = Arrival("prolific", submission.participant, submission.id, batch)
        visit = self.store.arrive(arrival, now=START)
        return submission, self.store.agree(visit, version="v", now=START)

    def finish(self):
        """Somebody finishes, and is approved."""
        submission, visit = self.begin()
        held = visit.current
        for place, task in enumerate(self.store.order(held), start=1):
            page = PageAnswers(visit.id, held.id, task.id, place, {"meaning": "a"}, task.id, START)
            self.store.record(page, now=START)
        done = self.store.submit(held, now=START)
        self.account.world.enter_code(submission, self.store.codes.completed)
        self.account.api.approve([submission.id])
        return done

    def needed(self) -> Replacements:
        found = poll(self.store, self.account.api, self.id, now=lambda: START)
        return find_replacements(self.account.api, self.store, self.id, found)

    def exclude(self, assignment) -> None:
        self.store.change(assignment.id, "exclude", who="owner", reason="asleep", now=START)


@pytest.fixture(params=[False, True], ids=["one address", "taskflow"])
def run(request, tmp_path) -> Iterator[Run]:
    made = Run(tmp_path, is_taskflow=request.param)
    yield made
    made.store.close()


def test_before_it_is_published_nobody_has_to_be_replaced(run):
    with pytest.raises(ProlificError, match="not published"):
        run.needed()


def test_while_places_are_open_or_people_on_the_way_nothing_is_added(run):
    run.publish()
    assert (run.needed().places, run.needed().changes) == (0, {})
    run.begin()
    assert run.needed().places == 0


def test_excluded_work_is_replaced_in_its_own_batch_and_only_once(run):
    run.publish()
    done = [run.finish() for _ in range(4)]
    assert run.needed().places == 0
    run.exclude(done[0])
    found = run.needed()
    assert (found.places, dict(found.by_batch)) == (1, {done[0].batch: 1})
    run.account.api.update_study(run.id, found.changes)
    assert run.needed().places == 0  # it is open on the platform now
    again = run.finish()
    assert again.batch == done[0].batch
    assert run.needed().places == 0
    assert all(each.done == each.places for each in run.store.occupancies())


def test_a_batch_can_be_given_further_addresses_again_and_again(tmp_path):
    run = Run(tmp_path, is_taskflow=True)
    run.publish()
    done = [run.finish() for _ in range(4)]
    for number in (1, 2):
        run.exclude(done.pop(0))
        changes = run.needed().changes
        (added,) = changes["access_details"]
        assert added["total_allocation"] == 1
        run.account.api.update_study(run.id, changes)
        done.insert(0, run.finish())
        assert run.account.api.study(run.id).total_available_places == 4 + number
    urls = [each.external_url for each in run.account.api.url_progress(run.id)]
    assert len(set(urls)) == len(urls) == 4
    assert [url for url in urls if ADDED_PARAMETER in url]
    run.store.close()


def test_with_taskflow_people_who_have_not_arrived_are_waited_for(tmp_path):
    run = Run(tmp_path, is_taskflow=True)
    run.publish()
    run.account.come(run.id)
    with pytest.raises(ProlificError, match="1 participant started"):
        run.needed()
    run.store.close()


def test_somebody_who_does_several_batches_replaces_several(tmp_path):
    run = Run(tmp_path, is_taskflow=False, batches_per_participant=2)
    run.publish()
    done = [run.finish() for _ in range(2)]  # the platform has no more places for people
    assert run.account.world.free_places(run.account.world.study(run.id)) == 0
    found = run.needed()  # both did one batch only: two places are empty
    assert (found.places, sum(found.by_batch.values())) == (1, 2)
    assert len(done) == 2
    run.store.close()


def test_places_are_those_of_the_first_stage():
    study, plan = study_of(8, 3, more=stop(looks=4))
    offer = offer_of(study, plan, on=START.date())
    assert (offer.places, plan.places) == (6, 24)
    assert "first of 4 stages; 24 are planned in all" in offer.notes[-1]


def test_taskflow_cannot_deal_in_stages():
    study, plan = study_of(8, 3, more=stop())
    with pytest.raises(StudyError, match="stage by stage"):
        offer_of(study, plan, on=START.date(), is_taskflow=True)


def test_following_a_look_twice_changes_nothing_more(tmp_path):
    from rejudge.prolific.submissions import follow_look

    study, plan = study_of(4, 2, more=stop())
    rehearser = PlatformRehearser(study, plan, str(tmp_path / "r.db"), start=START)
    with rehearser._connect("polling") as connected:
        rehearser._send(connected, ["normal"] * 4, "polling")
        (look,) = rehearser.looks
        assert look.decision == "go on"
        known = rehearser.world.studies[connected.study]
        assert known.places == 8
        again = follow_look(
            connected.api, rehearser.store, connected.study, look, now=rehearser.clock.now
        )
        assert again == "Prolific has enough places"
        assert known.places == 8
        rehearser._send(connected, ["normal"] * 4, "polling")
        last = rehearser.looks[-1]
        assert (last.decision, known.status) == ("end", "COMPLETED")
        again = follow_look(
            connected.api, rehearser.store, connected.study, last, now=rehearser.clock.now
        )
        assert again == "the study had already stopped on Prolific"
    rehearser.close()
