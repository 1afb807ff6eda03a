"""The table of what participants told their platform about themselves."""

from __future__ import annotations

import pytest

from rejudge.errors import FileError
from rejudge.platforms.demographics import read_demographics


def test_rows_are_by_pseudonym_and_empty_cells_were_not_given(tmp_path):
    path = tmp_path / "demographics.csv"
    path.write_text("participant,Age,Sprache\np0001,30-39,العربية\np0002,,\n", encoding="utf-8")
    assert read_demographics(path) == {
        "p0001": {"Age": "30-39", "Sprache": "العربية"},
        "p0002": {"Age": None, "Sprache": None},
    }


@pytest.mark.parametrize("content", [b"", b"Age,participant\n31,p1\n", b"\xff\xfep\x00a\x00"])
def test_a_changed_table_is_refused(tmp_path, content):
    path = tmp_path / "demographics.csv"
    path.write_bytes(content)
    with pytest.raises(FileError, match="was changed"):
        read_demographics(path)
