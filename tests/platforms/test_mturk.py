"""Links and ids of Mechanical Turk."""

from __future__ import annotations

import pytest

from rejudge.collect import Arrival, platform_arrival
from rejudge.platforms.mturk import PLATFORM

WORKER, ASSIGNMENT, HIT = "A2B4C6D8E0F1GH", "3" + "ABC" * 9 + "X", "3" + "XYZ" * 9 + "9"
QUERY = {"workerId": WORKER, "assignmentId": ASSIGNMENT, "hitId": HIT}


def test_a_link_names_the_person_and_the_visit():
    assert platform_arrival("mturk", QUERY) == Arrival("mturk", WORKER, ASSIGNMENT)


def test_a_preview_is_told_by_the_assignment_it_does_not_have():
    name, value = PLATFORM.preview_query
    assert not PLATFORM.link_ids[name].fullmatch(value)


@pytest.mark.parametrize(
    ("text", "has_id"),
    [
        (WORKER, True),
        (f"({WORKER})", True),
        ("ACKNOWLEDGEMENTS", False),  # a word has no digits
        ("ABCDEFGHIJKLM1", False),  # nor one digit alone
        (WORKER.lower(), False),
        (f"x{WORKER}", False),
    ],
)
def test_ids_are_found_in_a_text(text, has_id):
    assert (PLATFORM.id_shape.search(text) is not None) == has_id
