"""What the platform demands of a study before it is created or changed."""

from __future__ import annotations

import pytest
from fake_account import CODES, Account, study_body, taskflow_body

from rejudge.prolific.fake.study_rules import change_faults, least_maximum_minutes, study_faults
from rejudge.prolific.transport import ProlificError


@pytest.fixture
def account() -> Account:
    return Account()


BAD = {
    "no name": ({"name": None}, "name"),
    "no reward": ({"reward": None}, "reward"),
    "reward in pounds": ({"reward": 2.5}, "reward"),
    "two targets": (
        {"access_details": [{"external_url": "x", "total_allocation": 3}]},
        "exactly one",
    ),
    "no target": ({"external_study_url": None}, "exactly one"),
    "too little time": ({"maximum_allowed_time": 28}, "maximum_allowed_time"),
    "a whole day": ({"maximum_allowed_time": 1440}, "24 hours"),
    "a link": ({"description": "<a href='x'>here</a>"}, "Tags not allowed: a"),
    "a retired field": ({"completion_code": "X"}, "no longer supported"),
    "codes twice": ({"completion_codes": [CODES[0], CODES[0]]}, "unique"),
    "approve and review": (
        {
            "completion_codes": [
                {
                    "code": "X",
                    "actions": [{"action": "AUTOMATICALLY_APPROVE"}, {"action": "MANUALLY_REVIEW"}],
                }
            ]
        },
        "not both",
    ),
    "null beside others": ({"completion_codes": [{"code": None}, CODES[0]]}, "null"),
    "an unknown filter": ({"filters": [{"filter_id": "shoe-size"}]}, "Unknown filter"),
    "an unknown answer": (
        {"filters": [{"filter_id": "handedness", "selected_values": ["7"]}]},
        "Unknown choice",
    ),
    "a range without bounds": ({"filters": [{"filter_id": "age"}]}, "selected_range"),
    "an unknown device": ({"device_compatibility": ["watch"]}, "Unknown choice"),
}


@pytest.mark.parametrize(("changes", "words"), BAD.values(), ids=BAD)
def test_a_study_that_breaks_a_rule_is_refused_with_its_field(account, changes, words):
    with pytest.raises(ProlificError, match=words) as caught:
        account.api.create_study(study_body(**changes))
    assert caught.value.status == 400
    assert not account.world.studies


def test_allocations_of_taskflow_add_up_to_the_places(account):
    with pytest.raises(ProlificError, match="add up"):
        account.api.create_study(taskflow_body(2, 2) | {"total_available_places": 5})


def test_the_published_examples_of_the_maximum_time():
    """The API's documentation: 23.66 minutes for an estimate of 8, and 28.32 for 10."""
    assert least_maximum_minutes(8) == pytest.approx(23.66, abs=0.005)
    assert least_maximum_minutes(10) == pytest.approx(28.32, abs=0.005)


def test_every_fault_is_named_at_once():
    faults = study_faults(
        study_body(name=None, reward=-1, maximum_allowed_time=11, completion_codes=None), {}
    )
    assert {name for name, _ in faults} == {"name", "reward", "maximum_allowed_time"}


def test_an_unpublished_study_can_be_changed_in_everything():
    assert change_faults(study_body(), {"reward": 1, "name": "x"}, is_published=False) == []


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"internal_name": "x"}, []),
        ({"total_available_places": 3}, []),
        ({"total_available_places": 2}, ["total_available_places"]),
        ({"reward": 300, "name": "x"}, ["reward", "name"]),
    ],
)
def test_a_published_study_grows_and_little_else_changes(changes, faults):
    found = change_faults(study_body(), changes, is_published=True)
    assert [name for name, _ in found] == faults
