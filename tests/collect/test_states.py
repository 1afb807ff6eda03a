"""The state machine, written a second time: as a table of what a reader would expect."""

from __future__ import annotations

from typing import get_args

import pytest

from rejudge.collect import FINISHED, STATUSES, TAKES_PLACE, Event, Status, after

# Rows: the state before. Columns: the event. Two words: with a place free, and without one.
TABLE = """
            renew         expire  submit            fail     fill              accept           exclude  return
held        held          expired submitted         -        -                 -                excluded returned
submitted   -             -       submitted         excluded -                 accepted         excluded returned
accepted    -             -       accepted          -        -                 accepted         excluded returned
excluded    -             -       excluded          excluded -                 accepted/surplus excluded returned
returned    -             -       surplus           -        -                 -                -        returned
expired     held/expired  -       submitted/surplus -        -                 -                excluded returned
surplus     -             -       surplus           excluded submitted/surplus accepted/surplus excluded returned
withdrawn   -             -       -                 -        -                 -                -        -
"""  # noqa: E501 - a table


def expected() -> dict[tuple[Status, Event], tuple[Status | None, Status | None]]:
    head, *lines = TABLE.strip("\n").splitlines()
    table = {}
    for line in lines:
        status, *cells = line.split()
        for event, cell in zip(head.split(), cells, strict=True):
            free, _, full = cell.partition("/")
            table[status, event] = (None, None) if cell == "-" else (free, full or free)
    return table | {(status, "withdraw"): ("withdrawn", "withdrawn") for status in STATUSES}


@pytest.mark.parametrize("case", expected().items(), ids=lambda case: "-".join(case[0]))
def test_an_event_leads_where_the_table_says(case):
    (status, event), (with_room, without) = case
    assert after(status, event, has_room=True) == with_room
    assert after(status, event, has_room=False) == without


def test_the_table_knows_every_state_and_every_event():
    assert set(expected()) == {(s, e) for s in get_args(Status) for e in get_args(Event)}
    assert set(STATUSES) == set(get_args(Status))


@pytest.mark.parametrize("event", get_args(Event))
@pytest.mark.parametrize("status", STATUSES)
def test_no_event_takes_a_place_that_is_not_free(status, event):
    """What takes none before takes none after, when there is none."""
    assert status in TAKES_PLACE or after(status, event, has_room=False) not in TAKES_PLACE


@pytest.mark.parametrize("status", sorted(FINISHED))
def test_handing_in_again_changes_nothing(status):
    assert after(status, "submit", has_room=True) == status
