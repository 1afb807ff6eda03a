"""Groups of ages have an order; other answers have none."""

from __future__ import annotations

from rejudge.platforms.demographics import AGE_GROUPS, in_order


def test_groups_of_ages_are_in_their_own_order_without_gaps():
    assert in_order(["65 or more", "35–44"]) == ("35–44", "45–54", "55–64", "65 or more")
    assert in_order(AGE_GROUPS[::-1]) == AGE_GROUPS
    assert in_order(["18–24"]) == ("18–24",)


def test_anything_else_has_no_order():
    assert in_order([]) == ()
    assert in_order(["Germany", "18–24"]) == ()
