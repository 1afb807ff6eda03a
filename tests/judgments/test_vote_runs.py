from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rejudge.judgments import vote_runs, votes
from rejudge.judgments.vote_runs import TripleCounts, hash_words, pack, unpack
from rejudge.judgments.votes import count_votes, vote_columns


def test_every_vote_is_in_one_part_of_each_kind_with_all_of_its_cluster(tmp_path, monkeypatch):
    """Runs, and parts of both kinds, are smaller than the file."""
    monkeypatch.setattr(vote_runs, "_PER_RUN", 30)
    monkeypatch.setattr(vote_runs, "_BATCH", 20)
    monkeypatch.setattr(votes, "_PER_PART_OF_FILE", 70)
    monkeypatch.setattr(votes, "_PER_PART", 40)
    people = [f"p{place % 17}" for place in range(200)]
    table = {"item": [f"i{place}" for place in range(200)], "participant": people,
             "system_a": ["x", "y"] * 100, "system_b": ["z"] * 200,
             "value": ["a", "b", "tie", "a"] * 50}  # fmt: skip
    parquet.write_table(pa.table(table), tmp_path / "v.parquet", row_group_size=25)
    (tmp_path / "work").mkdir()
    counted = count_votes(vote_columns(tmp_path / "v.parquet"), tmp_path / "work")
    assert counted.parts == 6
    assert len(counted.runs) > 3
    for kind, clusters in (("participant", 17), ("item", 200)):
        parts = [
            [each.read() for each in counted.slices(kind, part)] for part in range(counted.parts)
        ]
        places = np.concatenate([read["place"] for part in parts for read in part])
        np.testing.assert_array_equal(np.bincount(places), counted.counts)
        own = [{h for read in part for h in read[kind].tolist()} for part in parts]
        assert sum(map(len, own)) == len(set().union(*own)) == clusters


def test_combinations_are_counted_in_the_order_in_which_they_appear():
    counts = TripleCounts.none()
    counts.add(np.array([7, 5, 7]), None, np.array([0, 1, 2]))
    places = counts.add(np.array([9, 5]), np.array([10, 20]), np.array([3, 4]))
    assert counts.keys.tolist() == [7, 5, 9]
    assert counts.counts.tolist() == [2, 21, 10]
    assert counts.first_rows.tolist() == [0, 1, 3]
    assert places.tolist() == [2, 1]


def test_codes_can_be_packed_and_unpacked():
    codes = tuple(np.array([value]) for value in (1_000_000, 0, 12))
    assert [each.tolist() for each in unpack(pack(*codes))] == [[1_000_000], [0], [12]]


def test_whole_numbers_are_hashed_by_splitmix64():
    """The first two numbers of Vigna's splitmix64.c with the seed 0."""
    seeds = pa.chunked_array([[0, 0x9E3779B97F4A7C15 - 2**64]])
    found, missing = hash_words(seeds)
    assert found.tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    assert not missing.any()


def test_words_that_differ_anywhere_have_different_hashes():
    words = ["", "a", "a\0", "b", "abcdefgh", "abcdefghi", "abcdefgh\0", "問題", "問題 ", "x" * 40]
    found, missing = hash_words(pa.chunked_array([words]))
    assert len(set(found.tolist())) == len(words)
    assert missing.tolist() == [True] + [False] * 9


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
)
def test_the_type_of_a_column_of_words_changes_no_hash(kind):
    words = ["p1", None, "somebody else", "p1"]
    found, missing = hash_words(pa.chunked_array([pa.array(words).cast(kind)]))
    alone = [hash_words(pa.chunked_array([[word]]))[0][0] for word in ("p1", "somebody else")]
    assert found[[0, 2, 3]].tolist() == [alone[0], alone[1], alone[0]]
    assert missing.tolist() == [False, True, False, False]


def test_a_slice_of_a_column_and_no_rows_are_hashed():
    column = pa.array(["first", "second", "third"])
    whole = hash_words(pa.chunked_array([column]))[0]
    np.testing.assert_array_equal(hash_words(pa.chunked_array([column[1:]]))[0], whole[1:])
    assert len(hash_words(pa.chunked_array([], pa.string()))[0]) == 0
