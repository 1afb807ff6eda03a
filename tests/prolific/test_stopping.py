"""What a look does on a fake Prolific."""

from __future__ import annotations

import pytest

from looked_study import stop
from rejudge.errors import StudyError
from rejudge.prolific.offer import offer_of
from rejudge.web.rehearse.prolific import PlatformRehearser
from small_site import START, study_of


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
    from rejudge.prolific.stopping import follow_look

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
        assert again == "the study had stopped on Prolific already"
    rehearser.close()
