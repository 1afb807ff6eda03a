from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rejudge.analysis.analyse import analyse
from rejudge.errors import DataError, FileError
from rejudge.judgments import votes
from rejudge.judgments.columns import MOST_SYSTEMS
from rejudge.judgments.read import read_table
from rejudge.judgments.votes import (
    ClusterKind,
    CountedVotes,
    VoteColumns,
    count_votes,
    first_systems,
    hash_words,
    vote_columns,
)


def _columns(folder: Path, **columns: list[str]) -> VoteColumns:
    path = folder / "votes.parquet"
    table = {"item": ["1", "2", "3"], "participant": ["p", "q", "p"], "system_a": ["x", "y", "x"],
             "system_b": ["y", "x", "z"], "value": ["a", "tie", None], **columns}  # fmt: skip
    parquet.write_table(pa.table(table), path, row_group_size=2)
    return vote_columns(path)


def by_cluster(counted: CountedVotes, kind: ClusterKind) -> list[list[int]]:
    """The votes of each part, as clusters numbered from 0 and the places of their combinations."""
    places = np.arange(len(counted.combinations))
    return [
        counted.by_cluster(kind, places, np.uint64(16), part=part).tolist()
        for part in range(counted.parts)
    ]


def test_rows_and_systems_are_known_before_votes_are_read(tmp_path):
    known = _columns(tmp_path)
    assert known.rows == 3
    assert first_systems(known) == 3


def test_votes_are_counted_and_systems_without_one_are_left_out(tmp_path):
    counted = count_votes(_columns(tmp_path))
    assert counted.systems == ("x", "y")
    assert counted.n == 2
    assert counted.has_participants


def test_systems_cannot_be_counted_in_a_table_without_them(tmp_path):
    parquet.write_table(pa.table({"item": ["1"]}), tmp_path / "other.parquet")
    with pytest.raises(DataError, match="system_a"):
        first_systems(vote_columns(tmp_path / "other.parquet"))


def test_names_of_winners_are_read_as_choices(tmp_path):
    counted = count_votes(_columns(tmp_path, value=["y", "y", "x"]))
    won = dict(zip(counted.first.tolist(), counted.preference.tolist(), strict=True))
    assert counted.systems[1] == "y"
    assert won[1] == 1.0  # y against x, in the second row
    assert counted.n == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"item,value\n", "not a Parquet file.*seems to be text"),
        (gzip.compress(b"item,value\n", mtime=0), "not a Parquet file.*packed with gzip"),
        (b"PK\x03\x04\0\0", "not a Parquet file.*zip archive or an Excel file"),
        (b"\x89HDF\0", "not a Parquet file.*Export it again as Parquet"),
        (b"", "the file is empty"),
        (b"PAR1 and half of the rest", "incomplete: its end is missing"),
        (b"PAR1 and nonsense PAR1", "cannot be read"),
    ],
)
def test_a_file_that_is_not_parquet_is_refused(tmp_path, content, message):
    path = tmp_path / "votes.parquet"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message):
        vote_columns(path)


def test_systems_that_are_not_named_are_asked_for(tmp_path):
    _columns(tmp_path)
    known = vote_columns(tmp_path / "votes.parquet", {"system_a": ""})
    with pytest.raises(DataError, match=r"recognised as the system_a.*--columns system_a="):
        count_votes(known)


def test_a_cell_of_spaces_is_empty(tmp_path):
    with pytest.raises(DataError, match="a vote names only one system"):
        count_votes(_columns(tmp_path, system_a=["x", "  ", "x"]))
    with pytest.raises(DataError, match="item is empty"):
        by_cluster(count_votes(_columns(tmp_path, item=["1", " \u3000", "3"])), "item")


def test_spaces_around_names_are_dropped_and_said_to_be(tmp_path):
    counted = count_votes(_columns(tmp_path, system_a=[" x", "y", " x"]))
    assert counted.systems == ("x", "y")
    assert "Spaces around 1 name in 'system_a' are dropped: ' x' is 'x'." in counted.notes


def test_two_names_in_a_column_never_become_one(tmp_path):
    """As in a table that is read at once."""
    columns = {"system_a": [" x", "x", "x"], "system_b": ["y", "y", "y"], "value": ["a", "b", "a"]}
    counted = count_votes(_columns(tmp_path, **columns))
    assert counted.systems == (" x", "x", "y")
    assert any("Spelt alike" in note for note in counted.notes)
    table = read_table(tmp_path / "votes.parquet")
    assert table.judgments.system_a.used() == (" x", "x")


def test_how_answers_were_read_is_noted(tmp_path):
    counted = count_votes(_columns(tmp_path, value=["0", "1", "1"]))
    assert "Of the answers 0 and 1, 1 is read as system_a and 0 as system_b." in counted.notes
    assert any(note.startswith("Choices are read as sides") for note in counted.notes)


def test_more_systems_than_can_be_compared_are_refused_early(tmp_path):
    rows = MOST_SYSTEMS + 1
    path = tmp_path / "votes.parquet"
    names = [f"s{n}" for n in range(rows)]
    parquet.write_table(
        pa.table(
            {
                "item": names,
                "system_a": names,
                "system_b": [*names[1:], "s0"],
                "value": ["a"] * rows,
            }
        ),
        path,
    )
    with pytest.raises(DataError, match="1,001 systems, which makes 500,500 pairs"):
        count_votes(vote_columns(path))
    with pytest.raises(DataError, match="1,001 systems"):
        analyse(read_table(path).judgments)


def test_every_vote_is_in_one_part_of_each_kind_with_all_of_its_cluster(tmp_path, monkeypatch):
    """Batches and parts are smaller than the file."""
    monkeypatch.setattr(votes, "_BATCH", 20)
    monkeypatch.setattr(votes, "_AT_ONCE", 40)
    table = {"item": [f"i{place}" for place in range(200)],
             "participant": [f"p{place % 17}" for place in range(200)],
             "system_a": ["x", "y"] * 100, "system_b": ["z"] * 200,
             "value": ["a", "b", "tie", "a"] * 50}  # fmt: skip
    parquet.write_table(pa.table(table), tmp_path / "v.parquet", row_group_size=25)
    counted = count_votes(vote_columns(tmp_path / "v.parquet"))
    assert counted.parts == 6
    for kind, clusters in (("participant", 17), ("item", 200), ("cell", 200)):
        parts = by_cluster(counted, kind)
        places = [each % 2**16 for part in parts for each in part]
        np.testing.assert_array_equal(np.bincount(places), counted.counts)
        own = [{each >> 16 for each in part} for part in parts]
        assert sum(map(len, own)) == len(set().union(*own)) == clusters


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
