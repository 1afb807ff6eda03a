"""rejudge prolific replace: places for people whose data do not count, once and only when asked."""

from __future__ import annotations

from rejudge.prolific.study import read_record
from rejudge.web.site import now_utc
from served import run, said


def test_people_whose_data_do_not_count_are_replaced_once(account, posted, crowd):
    places = crowd.store.plan.places
    for _ in range(places):
        crowd.finish()
    said("prolific", "approve", posted, "--yes")
    assert said("prolific", "replace", posted, "--yes")["added"] == 0
    for each in crowd.store.assignments()[:2]:
        crowd.store.change(each.id, "exclude", who="owner", reason="asleep", now=now_utc())
    refused = run("prolific", "replace", posted)
    assert refused.exit_code == 2
    assert "2 more places will cost GBP" in " ".join(refused.output.split())
    found = said("prolific", "replace", posted, "--yes")
    assert (found["added"], found["places"], sum(found["batches"].values())) == (2, places + 2, 2)
    study = account.world.study(crowd.study)
    assert (study.status, account.world.free_places(study)) == ("ACTIVE", 2)
    assert said("prolific", "replace", posted, "--yes")["added"] == 0  # they are on the way
    crowd.begin()
    assert said("prolific", "replace", posted, "--yes")["added"] == 0
    assert [each.action for each in read_record(posted).actions][-1] == "ADD 2 PLACES"


def test_nobody_is_replaced_while_people_are_on_the_way(account, posted, crowd):
    places = crowd.store.plan.places
    crowd.finish()
    crowd.begin()
    assert said("prolific", "replace", posted) == {
        "added": 0,
        "places": places,
        "batches": {},
    }
    shown = run("prolific", "replace", posted)
    assert "Nobody has to be replaced." in shown.output
    assert [each.action for each in read_record(posted).actions] == ["CREATE", "PUBLISH"]
