from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from rejudge.judgments.vote_hashes import hash_words


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
