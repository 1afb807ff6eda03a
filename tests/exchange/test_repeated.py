"""Of a repeated judgment the last counts; what an import would replace is said beforehand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from judged_study import scored
from rejudge.exchange.repeated import changed_rows, keep_last
from rejudge.judgments.table import Judgment, Judgments


def table(*rows: Judgment):
    return Judgments.from_rows(rows)


def test_equal_tables_and_additions_differ_in_nothing():
    one = table(scored("p1", "i1", "ash", 4))
    assert changed_rows(one, one) == ()
    assert (
        changed_rows(one, table(scored("p1", "i1", "ash", 4), scored("p2", "i1", "ash", 1))) == ()
    )


def test_lost_and_changed_judgments_are_counted_by_participant():
    old = table(scored("p1", "i1", "ash", 4), scored("p2", "i1", "ash", 1))
    new = table(scored("p1", "i1", "ash", 5))
    assert changed_rows(old, new) == (
        "1 judgment by p2 is not in these files.",
        "1 judgment by p1 has another value in these files.",
    )


def test_many_participants_are_not_all_named():
    old = table(*(scored(f"p{n}", "i1", "ash", 4) for n in range(9)))
    (said,) = changed_rows(old, table(scored("q", "i1", "ash", 4)))
    assert said == "9 judgments by p0, p1, p2, p3, p4 and 4 more are not in these files."


EARLY, LATE = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)


def test_the_last_judgment_of_the_same_output_counts():
    one, two = scored("p1", "i1", "ash", 4), scored("p1", "i1", "ash", 5)
    other = scored("p2", "i1", "ash", 1)
    assert [each.kind for each in keep_last([one, other, two])] == ["dropped", "real", "real"]


def test_times_decide_which_judgment_was_the_last():
    late = replace(scored("p1", "i1", "ash", 4), submitted_at=LATE)
    early = replace(scored("p1", "i1", "ash", 5), submitted_at=EARLY)
    assert [each.kind for each in keep_last([late, early])] == ["real", "dropped"]


def test_judgments_of_unknown_people_are_never_dropped():
    nobody = replace(scored("p1", "i1", "ash", 4), participant=None)
    assert keep_last([nobody, nobody]) == [nobody, nobody]
