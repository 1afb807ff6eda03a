"""What an import would replace is said before it is replaced."""

from __future__ import annotations

from judged_study import scored
from rejudge.exchange import differences
from rejudge.judgments import Judgment, Judgments


def table(*rows: Judgment):
    return Judgments.from_rows(rows)


def test_equal_tables_and_additions_differ_in_nothing():
    one = table(scored("p1", "i1", "ash", 4))
    assert differences(one, one) == ()
    assert differences(one, table(scored("p1", "i1", "ash", 4), scored("p2", "i1", "ash", 1))) == ()


def test_lost_and_changed_judgments_are_counted_by_participant():
    old = table(scored("p1", "i1", "ash", 4), scored("p2", "i1", "ash", 1))
    new = table(scored("p1", "i1", "ash", 5))
    assert differences(old, new) == (
        "1 judgment by p2 is not in these files.",
        "1 judgment by p1 has another value in these files.",
    )


def test_many_participants_are_not_all_named():
    old = table(*(scored(f"p{n}", "i1", "ash", 4) for n in range(9)))
    (said,) = differences(old, table(scored("q", "i1", "ash", 4)))
    assert said == "9 judgments by p0, p1, p2, p3, p4 and 4 more are not in these files."
