"""What one participant handed in about one item, and how it reaches the judgments."""

from __future__ import annotations

from datetime import UTC, datetime

from rejudge.exchange import Gathering, ItemAnswers, ItemFields

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
        "seconds": 12.5, "submitted_at": NOON, "kind": "check", "origin": "models",
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
