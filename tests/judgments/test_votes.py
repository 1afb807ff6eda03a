from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from rejudge.errors import FileError
from rejudge.judgments import VoteColumns, count_votes, first_systems, vote_columns


def _columns(folder: Path, **columns: list[str]) -> VoteColumns:
    path = folder / "votes.parquet"
    table = {"item": ["1", "2", "3"], "participant": ["p", "q", "p"], "system_a": ["x", "y", "x"],
             "system_b": ["y", "x", "z"], "value": ["a", "tie", None], **columns}  # fmt: skip
    parquet.write_table(pa.table(table), path, row_group_size=2)
    return vote_columns(path)


def test_rows_and_systems_are_known_before_votes_are_read(tmp_path):
    known = _columns(tmp_path)
    assert known.group_rows == (2, 1)
    assert known.rows == 3
    assert first_systems(known) == 3


def test_votes_are_counted_and_systems_without_one_are_left_out(tmp_path):
    counted = count_votes(_columns(tmp_path), tmp_path)
    assert counted.systems == ("x", "y")
    assert counted.n == 2
    assert counted.rows == 3
    assert counted.kinds == ("participant", "item")


def test_names_of_winners_are_read_as_choices(tmp_path):
    counted = count_votes(_columns(tmp_path, value=["y", "y", "x"]), tmp_path)
    won = dict(zip(counted.first.tolist(), counted.preference.tolist(), strict=False))
    assert won[1] == 1.0  # y against x, in the second row
    assert counted.n == 3


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    path = tmp_path / "votes.parquet"
    path.write_text("item,value\n")
    with pytest.raises(FileError, match="cannot be read"):
        vote_columns(path)
