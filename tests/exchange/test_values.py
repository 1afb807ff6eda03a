"""What answers of other tools say: numbers, names, times, and the better of two systems."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.items import ItemFields
from rejudge.exchange.values import ItemAnswers, clean, duration, moment, number, outcome

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("value", "read"),
    [(4, 4.0), ("4", 4.0), (" 4.5 ", 4.5), ("-3", -3.0), (".5", 0.5), ("1e2", 100.0), (0, 0.0),
     (True, None), ("four", None), ("", None), (None, None), ("4,5", None), ("٤", None),
     ("1_0", None), ("0x10", None), ("nan", None), ("inf", None), (float("inf"), None),
     (float("nan"), None), (1e300, None), (10**400, None), (1e-300, None), ([4], None)],
)  # fmt: skip
def test_only_what_is_a_usable_number_is_one(value, read):
    assert number(value) == read


@pytest.mark.parametrize(
    ("value", "read"),
    [("2026-03-01T09:30:00Z", datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
     ("2026-03-01T10:30:00+01:00", datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
     ("2026-03-01 09:30:00", datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
     (1772357400, datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
     (1772357400000, datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
     ("1772357400.0", datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
     ("yesterday", None), (0, None), (-5, None), (None, None), ("", None), (9e15, None),
     ("0001-01-01T00:00:00+14:00", None)],
)  # fmt: skip
def test_times_are_read_in_seconds_milliseconds_and_words(value, read):
    assert moment(value) == read


@given(ANYTHING)
def test_nothing_that_json_can_hold_raises(value):
    found = moment(value)
    assert found is None or found.utcoffset() == timedelta(0)
    assert number(value) is None or isinstance(number(value), float)
    spent = duration(value)
    assert spent is None or spent >= 0
    name = clean(value)
    assert name is None or name.encode().decode() == name


@pytest.mark.parametrize(
    ("word", "choice"),
    [("A", "a"), ("b", "b"), ("Left", "a"), ("RIGHT", "b"), ("first", "a"), ("2", "b"),
     ("Response A", "a"), ("model_b", "b"), ("A is better", "a"), ("assistant 2", "b"),
     ("tie", "tie"), ("No preference", "tie"), ("neither", "tie"), ("tie (bothbad)", "tie"),
     ("both are good", "tie"), ("north", "a"), ("South", "b"), ("c", None), ("bad", None),
     ("abc", None), ("", None), ("a b", None)],
)  # fmt: skip
def test_an_answer_names_a_side_a_system_or_a_tie(word, choice):
    assert outcome(word, ("north", "south")) == choice


def test_the_name_of_a_system_comes_before_a_side():
    assert outcome("b", ("b", "a")) == "a"


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def judged(given: ItemAnswers):
    """The judgment that a score about it becomes."""
    into = Gathering(ItemFields({"system": "model"}))
    into.rate(given, "fluency", 4)
    (row,) = into.imported(file=given.file).judgments.rows()
    return row


def test_everything_that_is_known_is_in_the_judgment():
    about = {
        "dataset": "news", "segment": 3, "batch": "b01", "task": "b01-2", "position": 2,
        "seconds": 12.5, "submitted_at": NOON, "kind": "check",
        "passed": False,
    }  # fmt: skip
    given = ItemAnswers("out.json", 7, "p0001", "项目 1", {"model": "north"}, **about)
    row = judged(given)
    assert (row.participant, row.item, row.system, row.value) == ("p0001", "项目 1", "north", 4)
    assert {name: getattr(row, name) for name in about} == about


def test_what_a_tool_does_not_say_stays_unknown_and_counts_as_a_real_answer_of_a_person():
    row = judged(ItemAnswers("out.json", None, "p0001", "i1", {"model": "north"}))
    unknown = ("dataset", "segment", "batch", "task", "seconds", "submitted_at", "passed")
    assert {getattr(row, name) for name in unknown} == {None}
    assert (row.kind, row.origin) == ("real", "people")


def test_the_fields_of_one_item_are_not_those_of_another():
    one, other = (ItemAnswers("out.json", row, None, f"i{row}") for row in (1, 2))
    assert one.data == other.data == {}
    assert one.data is not other.data
