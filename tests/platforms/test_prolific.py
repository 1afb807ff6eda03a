"""Links and ids of Prolific."""

from __future__ import annotations

import pytest

from rejudge.collect import Arrival, platform_arrival
from rejudge.platforms.prolific import PLATFORM

PERSON, VISIT, STUDY = "5f" * 12, "6a" * 12, "7b" * 12
QUERY = {"PROLIFIC_PID": PERSON, "SESSION_ID": VISIT, "STUDY_ID": STUDY}


def test_a_link_names_the_person_and_the_visit():
    assert platform_arrival("prolific", QUERY) == Arrival("prolific", PERSON, VISIT)


@pytest.mark.parametrize(
    "changes",
    [
        {"PROLIFIC_PID": PERSON.upper()},
        {"SESSION_ID": VISIT[1:]},
        {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"},
    ],
)
def test_a_link_that_the_platform_did_not_make_is_odd(changes):
    assert platform_arrival("prolific", QUERY | changes) == "odd"


@pytest.mark.parametrize(
    ("text", "has_id"),
    [
        (PERSON, True),
        (f"by {PERSON}, twice", True),
        (f"user-{PERSON}.csv", True),
        (PERSON + "0", False),
        (PERSON[:-1], False),
        (PERSON.upper(), False),
    ],
)
def test_ids_are_found_in_a_text(text, has_id):
    assert (PLATFORM.id_shape.search(text) is not None) == has_id


def test_the_link_asks_the_platform_for_all_three_ids():
    assert all(f"{name}={{{{%{name}%}}}}" in PLATFORM.link_query for name in PLATFORM.link_ids)
