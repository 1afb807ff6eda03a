from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from rejudge.cli import votes
from rejudge.cli.options import TableOptions
from rejudge.cli.votes import refuse_folder_of_tables, streamed_votes
from rejudge.errors import UsageError


@pytest.fixture
def arena(tmp_path: Path) -> Path:
    path = tmp_path / "votes.parquet"
    table = {"id": ["1", "2"], "user": ["p", "q"], "left": ["x", "y"], "right": ["y", "z"],
             "winner": ["left", "tie"]}  # fmt: skip
    parquet.write_table(pa.table(table), path)
    return path


def test_a_small_file_is_read_at_once_unless_asked(arena):
    assert streamed_votes(arena, TableOptions(), (), stream=None) is None
    assert streamed_votes(arena, TableOptions(), (), stream=False) is None
    known = streamed_votes(arena, TableOptions(), (), stream=True)
    assert known is not None
    assert known.rows == 2


def test_many_rows_or_many_pairs_are_counted_without_loading_them(arena, monkeypatch):
    monkeypatch.setattr(votes, "_MANY_ROWS_BY_PAIRS", 5)  # two rows by three pairs
    assert streamed_votes(arena, TableOptions(), (), stream=None) is not None
    monkeypatch.setattr(votes, "_MANY_ROWS_BY_PAIRS", 6)
    assert streamed_votes(arena, TableOptions(), (), stream=None) is None
    monkeypatch.setattr(votes, "_MANY_ROWS", 2)
    assert streamed_votes(arena, TableOptions(), (), stream=None) is not None
    assert streamed_votes(arena, TableOptions(where=("user=p",)), (), stream=None) is None


@pytest.mark.parametrize(
    ("options", "others", "message"),
    [
        (TableOptions(where=("user=p",)), (), "--where needs all judgments at once"),
        (TableOptions(), ("test",), "--test needs all judgments at once"),
        (TableOptions(columns="run=user"), (), r"the column 'user' \(run\) needs all rows"),
    ],
)
def test_what_needs_all_judgments_is_refused_with_stream(arena, options, others, message):
    with pytest.raises(UsageError, match=message):
        streamed_votes(arena, options, others, stream=True)


def test_only_parquet_is_streamed(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item,system_a,system_b,value\n")
    with pytest.raises(UsageError, match="only Parquet files"):
        streamed_votes(path, TableOptions(), (), stream=True)


def test_a_file_without_two_systems_is_not_counted_unless_asked(arena):
    unnamed = TableOptions(columns="system_a=,system_b=")
    assert streamed_votes(arena, unnamed, (), stream=None) is None
    known = streamed_votes(arena, unnamed, (), stream=True)
    assert known is not None  # reading it asks for the columns
    assert known.obstacle == "systems"


def test_a_file_that_is_not_there_is_left_to_the_reader(tmp_path):
    """It says so; that the file is not Parquet would be misleading."""
    assert streamed_votes(tmp_path / "none.parquet", TableOptions(), (), stream=True) is None


def test_a_folder_of_parquet_files_is_refused_with_a_way_to_combine_them(arena, tmp_path):
    with pytest.raises(UsageError, match=r"a folder of 1 Parquet file.*Combine them"):
        refuse_folder_of_tables(arena.parent)
    (tmp_path / "study.yaml").write_text("id: x")
    refuse_folder_of_tables(tmp_path)  # a study may hold tables
