"""prolific.json: which study on the platform belongs to a folder, and what was done to it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rejudge.errors import FileError
from rejudge.prolific.study import (
    ProlificRecord,
    read_record,
    require_record,
    study_of,
    write_record,
)

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CREATED = ProlificRecord("abc", NOW, "https://x", {"name": "A study"}, study="s1", created_at=NOW)


def test_an_edited_record_is_refused(tmp_path):
    write_record(tmp_path, CREATED)
    path = tmp_path / "prolific.json"
    path.write_text(path.read_text(encoding="utf-8").replace("abc", "xyz"), encoding="utf-8")
    with pytest.raises(FileError, match="edited"):
        read_record(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{}", b"[", b"\xff\xfe", b"null"])
def test_a_damaged_record_is_refused(tmp_path, content):
    (tmp_path / "prolific.json").write_bytes(content)
    with pytest.raises(FileError):
        read_record(tmp_path)


def test_a_folder_without_a_study_says_what_to_do(tmp_path):
    assert read_record(tmp_path) is None
    with pytest.raises(FileError, match="rejudge prolific create"):
        require_record(tmp_path)
    write_record(tmp_path, ProlificRecord("abc", NOW, "https://x", {}))  # no answer came
    with pytest.raises(FileError, match="rejudge prolific create"):
        require_record(tmp_path)
    write_record(tmp_path, CREATED)
    assert study_of(require_record(tmp_path)) == "s1"
