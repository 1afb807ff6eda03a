"""Chance that follows from a seed alone, and sampling balanced over datasets."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies import make_study

from rejudge.design.sampling import Chance, interleave, quotas, sample_inputs
from rejudge.errors import DesignError


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
    assert sorted(Chance(seed).shuffle(things)) == sorted(things)


@given(st.integers(min_value=1, max_value=2**64), st.integers())
def test_a_number_is_below_its_limit(limit, seed):
    assert 0 <= Chance(seed).below(limit) < limit


def test_all_orders_of_three_things_come_up_about_equally_often():
    """6,000 shuffles: each of 6 orders 1,000 times, SD √(6000·1/6·5/6) = 29; 5 SD allowed."""
    chance = Chance(1)
    seen = Counter(tuple(chance.shuffle("abc")) for _ in range(6000))
    assert len(seen) == 6
    assert all(abs(count - 1000) < 145 for count in seen.values())


@given(
    st.dictionaries(st.text("abcdef", min_size=1), st.integers(0, 50), min_size=1),
    st.integers(0, 300),
    st.integers(),
)
def test_quotas_use_every_place_and_differ_by_one_where_there_is_enough(sizes, wanted, seed):
    total = min(wanted, sum(sizes.values()))
    quota = quotas(sizes, total, Chance(seed))
    assert sum(quota.values()) == total
    assert all(quota[name] <= sizes[name] for name in sizes)
    roomy = [quota[name] for name in sizes if quota[name] < sizes[name]]
    assert max(roomy, default=0) - min(roomy, default=0) <= 1
    assert all(full >= max(roomy, default=0) - 1 or full == sizes[name]
               for name, full in quota.items())  # fmt: skip


def test_three_hundred_of_three_datasets_are_a_hundred_each():
    """The study that Arvan & Parde (2024) reproduced had 102, 100 and 98."""
    study = make_study(inputs=330, datasets=3, sample=300)
    sampled = sample_inputs(study, Chance(1))
    counts = [sum(i.stratum == f"set{n}" for i in sampled.chosen) for n in range(3)]
    assert counts == [100, 100, 100]
    assert len(sampled.spare) == 30
    assert sampled.notes == ()


def test_a_sample_that_cannot_be_balanced_says_why():
    study = make_study(inputs=300, datasets=3, sample=100)
    notes = sample_inputs(study, Chance(1)).notes
    assert len(notes) == 1
    assert "100 cannot be divided by 3" in notes[0]


def test_asking_for_more_inputs_than_there_are_is_refused_with_both_numbers():
    with pytest.raises(DesignError, match=r"40 inputs are requested, but items\.csv has 10"):
        sample_inputs(make_study(inputs=10, sample=40), Chance(1))


@given(st.integers(1, 5), st.integers(1, 20), st.integers())
def test_any_first_few_inputs_hold_the_datasets_evenly(kinds, each, seed):
    things = [(kind, number) for kind in range(kinds) for number in range(each)]
    order = interleave(things, lambda thing: thing[0], Chance(seed))
    assert sorted(order) == sorted(things)
    for length in range(len(order)):
        counts = [sum(kind == k for kind, _ in order[:length]) for k in range(kinds)]
        assert max(counts) - min(counts) <= 1
