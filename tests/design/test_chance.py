"""Chance that follows from a seed alone."""

from __future__ import annotations

import hashlib
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rejudge.design import Chance


def test_a_number_is_what_anyone_can_compute_from_the_name_of_its_stream():
    """SHAKE-128 of “7/sides#0”, first eight bytes, little end first, modulo 1000."""
    bits = hashlib.shake_128(b"7/sides#0").digest(8)
    assert Chance(7, "sides").below(1000) == int.from_bytes(bits, "little") % 1000


def test_a_stream_of_a_stream_is_named_by_its_path():
    assert Chance(7, "a").stream("b", 3).below(10**9) == Chance(7, "a", "b", "3").below(10**9)


def test_names_with_a_slash_are_not_taken_for_a_path():
    assert Chance(7, "a/b").below(10**9) != Chance(7, "a", "b").below(10**9)


@given(st.lists(st.integers()), st.integers())
def test_a_shuffle_keeps_every_thing(things, seed):
    assert sorted(Chance(seed).shuffled(things)) == sorted(things)


@given(st.integers(min_value=1, max_value=2**64), st.integers())
def test_a_number_is_below_its_limit(limit, seed):
    assert 0 <= Chance(seed).below(limit) < limit


def test_all_orders_of_three_things_come_up_about_equally_often():
    """6,000 shuffles: each of 6 orders 1,000 times, SD √(6000·1/6·5/6) = 29; 5 SD allowed."""
    chance = Chance(1)
    seen = Counter(tuple(chance.shuffled("abc")) for _ in range(6000))
    assert len(seen) == 6
    assert all(abs(count - 1000) < 145 for count in seen.values())
