"""Sessions of an export: their times in UTC, who they are of, and what is left out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from property_settings import examples
from qualtrics_files import NOON, export, session
from rejudge.errors import FileError
from rejudge.exchange.qualtrics_responses import (
    idle_limit,
    is_export,
    minutes_by_person,
    read_responses,
)
from rejudge.exchange.survey_tables import parse_survey_table


def responses(*rows: dict[str, str], zone: str = "America/Denver", people=("participant",)):
    text = export(rows, zone=zone)
    table = parse_survey_table(text.encode(), file="r.csv")
    return read_responses(table, person_columns=people)


@pytest.mark.parametrize("zone", ["America/Denver", "Asia/Kathmandu", "Pacific/Auckland", "UTC"])
@example(start=datetime(2032, 11, 7, 7, 53))  # noqa: DTZ001 - clocks in Denver go back at 8
@settings(max_examples=examples(50))
@given(start=st.datetimes(datetime(2001, 1, 1), datetime(2040, 1, 1)))  # noqa: DTZ001 - in UTC
def test_times_are_in_utc_wherever_the_survey_was_made(zone, start):
    """An hour that a zone has twice is written alike; a start in it is read as in the first."""
    moment = start.replace(microsecond=0, tzinfo=UTC)
    (one,) = responses(session("7", {}, number=1, start=moment, zone=zone), zone=zone).sessions
    assert one.started_at is not None
    assert one.ended_at is not None
    assert abs((one.started_at - moment).total_seconds()) in {0, 3600}
    assert one.started_at.tzinfo == UTC
    assert one.ended_at == moment + timedelta(seconds=420) or one.started_at != moment
    assert one.started_at <= one.ended_at


def test_a_session_over_midnight_counts_all_of_its_days():
    (one,) = responses(session("7", {}, number=1, seconds=2 * 86_400 + 60)).sessions
    assert one.seconds == 2 * 86_400 + 60


@pytest.mark.parametrize(
    ("changes", "standing", "is_spam"),
    [
        ({}, "finished", False),
        ({"Finished": "0"}, "unfinished", False),
        ({"Finished": "False", "Status": "IP Address"}, "unfinished", False),
        ({"Status": "1"}, "preview", False),
        ({"Status": "Survey Preview"}, "preview", False),
        ({"DistributionChannel": "preview"}, "preview", False),
        ({"Status": "8"}, "finished", True),
        ({"Status": "Spam"}, "finished", True),
    ],
)
def test_previews_tests_and_spam_are_told_apart(changes, standing, is_spam):
    (one,) = responses(session("7", {}, number=1) | changes).sessions
    assert (one.standing, one.is_spam) == (standing, is_spam)


def test_personal_columns_are_never_answers():
    row = session("7", {"Q1": "4"}, number=1)
    found = responses(row | {"IPAddress": "10.0.0.1", "RecipientEmail": "a@b.org"})
    assert set(found.personal) == {"IPAddress", "RecipientEmail"}
    assert found.sessions[0].answers == {"Q1": "4"}
    assert found.tags == ("Q1",)
    assert found.sessions[0].person == "7"


def test_an_invisible_label_is_no_answer():
    (one,) = responses(session("7", {"Q1": "\u2062", "Q2": " 3 "}, number=1)).sessions
    assert one.answers == {"Q2": "3"}


@pytest.mark.parametrize(
    ("finished", "has_text", "is_certain"),
    [("1", False, True), ("True", True, True), ("", False, False)],
)
def test_the_frame_says_whether_choices_are_words(finished, has_text, is_certain):
    found = responses(session("7", {}, number=1) | {"Finished": finished})
    assert (found.has_choice_text, found.is_certain) == (has_text, is_certain)


def test_every_date_that_is_none_is_reported_with_its_row():
    rows = [session(str(n), {}, number=n) | {"StartDate": "9/20/2023 6:07"} for n in (1, 2)]
    with pytest.raises(FileError) as caught:
        responses(*rows)
    assert [problem.field for problem in caught.value.problems] == [
        "row 4, StartDate",
        "row 5, StartDate",
    ]


def test_another_table_is_no_export():
    assert not is_export([("a",), ("b",)])
    table = parse_survey_table(b"a,b\n1,2\n3,4\n", file="r.csv")
    with pytest.raises(FileError, match="no import ids"):
        read_responses(table, person_columns=())


def test_sessions_that_were_left_open_are_four_times_as_long_as_usual():
    rows = [session(str(n), {}, number=n, seconds=60) for n in range(3)]
    found = responses(*rows, session("9", {}, number=9, seconds=6000)).sessions
    assert idle_limit(found) == 240
    assert idle_limit([]) is None
    assert minutes_by_person([("ann", s) for s in found]) == {"ann": 103.0}


def test_sessions_are_ordered_by_their_end():
    later = session("1", {}, number=1, start=NOON, seconds=900)
    sooner = session("2", {}, number=2, start=NOON, seconds=60)
    without = session("3", {}, number=3) | {"EndDate": ""}
    found = responses(later, without, sooner).sessions
    assert [s.person for s in sorted(found, key=lambda s: s.key_of_time)] == ["2", "1", "3"]
